package world

import (
	"cmp"
	"slices"
	"strconv"

	"sluice/sandbox/world/draw"
)

// maxOrders bounds the cache; when full it is emptied, since orders of an old
// version are of no use to anybody.
const maxOrders = 48

// Query selects and orders the records of a list.
type Query struct {
	Kind      Kind
	Sort      string // a wire name that Sortable knows, or "" for created_time
	Ascending bool
	Since     int64  // keep records modified at or after; 0 keeps all
	Filter    string // filter_by as the list has it, without its prefix; "" keeps all
	From      string // keep records dated at or after this day; "" keeps all
	Under     string // keep records under this parent; "" keeps all
	Joined    string // "true" or "false" keeps the channels of which this holds; "" keeps all
	Pinned    string // likewise
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
		Accounts:       {"account_name", "account_type"},
		Payments:       {"vendor_name", "date", "reference_number", "amount", "balance"},
		Bills:          {"last_modified_time", "date"},
		CreditNotes:    {"customer_name", "creditnote_number", "balance", "total", "date"},
		CompositeItems: {"name", "sku", "rate", "tax_name", "purchase_rate", "last_modified_time", "reorder_level"},
		Adjustments:    {"adjustment_date", "exchange_rate", "currency_code", "debit_or_credit", "gain_or_loss"},
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
		if w.Live(query.Kind, i) && w.matches(query, i) {
			indices = append(indices, int32(i)) // far fewer than 2^31 records.
		}
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

// matches tells whether live record i passes every filter.
func (w *World) matches(query Query, i int) bool {
	if w.Modified(query.Kind, i) < query.Since || !w.books.Matches(query.Kind, i, query.Filter) {
		return false
	}
	if query.Under != "" && w.Under(query.Kind, i) != query.Under {
		return false
	}
	if query.From != "" && w.books.Day(w.tables.Created(query.Kind, i), 0) < query.From {
		return false
	}
	if query.Joined == "" && query.Pinned == "" {
		return true
	}
	joined, pinned := w.Channel(query.Kind, i)
	return (query.Joined == "" || strconv.FormatBool(joined) == query.Joined) &&
		(query.Pinned == "" || strconv.FormatBool(pinned) == query.Pinned)
}
