package world

import (
	"cmp"
	"slices"

	"sluice/sandbox/world/books"
	"sluice/sandbox/world/draw"
)

// maxOrders bounds the cache; when full it is emptied, since orders of an old
// version are of no use to anybody.
const maxOrders = 48

// Query selects and orders the records of a list.
type Query struct {
	Kind       Kind
	Sort       string // a wire name that Sortable knows, or "" for created_time
	Ascending  bool
	Since      int64  // keep records modified at or after; 0 keeps all
	AccountsBy string // filter of accounts, All, Active and so on, as GET /chartofaccounts has it without its prefix; "" keeps all
}

type orderKey struct{ query Query }

type cachedOrder struct {
	version int
	indices []int32
}

// Sortable tells whether lists of a kind can be sorted by a wire name:
// what documents 2 and 3 list, created_time for all, and for bills the
// modification time.
func Sortable(kind Kind, name string) bool {
	names := map[Kind][]string{
		Accounts:    {"account_name", "account_type"},
		Payments:    {"vendor_name", "date", "reference_number", "amount", "balance"},
		Bills:       {"last_modified_time", "date"},
		CreditNotes: {"customer_name", "creditnote_number", "balance", "total", "date"},
	}
	return name == createdTime || slices.Contains(names[kind], name)
}

const createdTime = "created_time"

// Order answers the indices of the live records that match, sorted. The slice
// is shared: callers only read it. It stays as it is while records change, and
// a later call sees the change.
func (w *World) Order(query Query) []int32 {
	if !Sortable(query.Kind, query.Sort) {
		query.Sort = createdTime
	}
	key := orderKey{query}
	version := w.tables[query.Kind].version
	if held, ok := w.orders[key]; ok && held.version == version {
		return held.indices
	}
	indices := w.sorted(query)
	if len(w.orders) >= maxOrders {
		clear(w.orders)
	}
	w.orders[key] = cachedOrder{version, indices}
	return indices
}

func (w *World) sorted(query Query) []int32 {
	indices := make([]int32, 0, w.Len(query.Kind))
	for i := range w.Len(query.Kind) {
		if !w.Live(query.Kind, i) || w.Modified(query.Kind, i) < query.Since {
			continue
		}
		if query.AccountsBy != "" && !w.books.AccountMatches(i, query.AccountsBy) {
			continue
		}
		indices = append(indices, int32(i)) // far fewer than 2^31 records.
	}
	texts, numbers := w.sortKeys(query, indices)
	direction := -1
	if query.Ascending {
		direction = 1
	}
	slices.SortFunc(indices, func(a, b int32) int {
		if texts != nil {
			if order := cmp.Compare(texts[a], texts[b]); order != 0 {
				return order * direction
			}
		} else if order := cmp.Compare(numbers[a], numbers[b]); order != 0 {
			return order * direction
		}
		// Ties fall in an order that is stable, yet follows neither id nor time.
		return cmp.Compare(w.seed.Bits(query.Kind, int(a), draw.Code), w.seed.Bits(query.Kind, int(b), draw.Code))
	})
	return indices
}

// sortKeys answers either texts or numbers, by record index.
func (w *World) sortKeys(query Query, indices []int32) ([]string, []int64) {
	kind := query.Kind
	switch query.Sort {
	case createdTime:
		return nil, w.tables[kind].created
	case "last_modified_time":
		return nil, w.tables[kind].modified
	}
	texts, numbers := make([]string, w.Len(kind)), make([]int64, w.Len(kind))
	isText := true
	for _, index := range indices {
		i := int(index)
		switch query.Sort {
		case "account_name":
			texts[i] = w.books.AccountNameNow(i)
		case "account_type":
			texts[i] = w.books.AccountWord(i).Kind
		case "vendor_name":
			texts[i] = w.books.Words.VendorName(w.books.PaymentVendor(i))
		case "customer_name":
			texts[i] = w.books.Words.CustomerName(w.books.NoteCustomer(i))
		case "creditnote_number":
			texts[i] = books.Number("CN", i+1)
		case "reference_number":
			texts[i] = books.PaymentReference(i)
		case "date":
			texts[i] = w.books.Day(w.tables.Created(kind, i), 0)
		default:
			isText = false
			numbers[i] = w.sortAmount(query, i)
		}
	}
	if isText {
		return texts, nil
	}
	return nil, numbers
}

func (w *World) sortAmount(query Query, i int) int64 {
	if query.Kind == Payments {
		amount, unused := w.books.PaymentAmounts(i)
		if query.Sort == "amount" {
			return amount
		}
		return unused
	}
	sum := w.books.NoteAt(i)
	if query.Sort == "total" {
		return sum.Total
	}
	return sum.Total - sum.Applied
}
