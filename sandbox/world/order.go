package world

import (
	"slices"
	"strconv"
)

// Query selects and orders the records of a list.
type Query struct {
	Kind      Kind
	Sort      string // a wire name that Sortable knows, or "" for created_time
	Ascending bool
	Since     int64  // keep records modified at or after; 0 keeps all
	Filter    string // filter_by as the list has it, without its prefix; "" keeps all
	From      string // keep records dated at or after this day; "" keeps all
	Under     string // keep records under this parent; "" keeps all
	Joined    string // "true" or "false" keeps channels with this value; "" keeps all
	Pinned    string // likewise
	Terms     string // filters on the content of records, as package terms reads them; "" keeps all
}

// Sortable reports whether lists of a kind can be sorted by a wire name. The names are those of
// docs/upstream.md U165, U175, U180, U208 and U225, created_time for all, and for bills the
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

// ModifiedTime is the wire name of the modification time. Any list can be ordered by it; package
// lists decides whether a caller may ask for that.
const ModifiedTime = "last_modified_time"

// natural reports whether live lists of a kind come by a column that no caller can sort by
// (docs/upstream.md U101).
func natural(kind Kind, name string) bool {
	return kind == Items && name == "name" || kind == Taxes && name == "tax_name"
}

// Order returns the indices of the live records that match, sorted. The slice is shared: callers
// only read it. It stays unchanged while records change, and a later call sees the change.
func (w *World) Order(query Query) []int32 {
	if !Sortable(query.Kind, query.Sort) && query.Sort != ModifiedTime && !natural(query.Kind, query.Sort) {
		query.Sort = createdTime
	}
	return w.order(query)
}

// order is Order, also for columns that no list can be sorted by.
func (w *World) order(query Query) []int32 {
	if query.Since > 0 && query.Sort == ModifiedTime {
		return w.tail(query)
	}
	version := w.tables[query.Kind].version
	held, found := w.shelf.get(query)
	switch {
	case found && held.version == version:
		return held.indices
	case found:
		if changed, known := w.changedSince(query.Kind, held.version); known {
			held.indices = w.mended(query, held.indices, changed)
			break
		}
		held.indices = w.sorted(query)
	default:
		held = &heldOrder{indices: w.sorted(query)}
	}
	held.version = version
	w.shelf.put(query, held)
	return held.indices
}

// Forget drops every stored order.
func (w *World) Forget() { w.shelf = shelf{} }

// matches reports whether live record i passes every filter.
func (w *World) matches(query Query, i int) bool {
	if w.Modified(query.Kind, i) < query.Since || !w.passes(query, i) {
		return false
	}
	if query.Under != "" && w.Under(query.Kind, i) != query.Under {
		return false
	}
	if query.Joined == "" && query.Pinned == "" {
		return true
	}
	joined, pinned := w.Channel(query.Kind, i)
	return (query.Joined == "" || strconv.FormatBool(joined) == query.Joined) &&
		(query.Pinned == "" || strconv.FormatBool(pinned) == query.Pinned)
}

// maxHeld bounds the stored orders, in indices over all of them: 24 MB.
const maxHeld = 6_000_000

// shelf stores orders as long as there is room; the least recently used goes first. Its zero value
// is empty.
type shelf struct {
	held  map[Query]*heldOrder
	size  int // indices over all of them
	asked int // moves with each use
}

type heldOrder struct {
	version int // of the table when the order was made
	indices []int32
	counted int // indices that size counts
	used    int
}

func (s *shelf) get(query Query) (*heldOrder, bool) {
	held, found := s.held[query]
	if found {
		s.asked++
		held.used = s.asked
	}
	return held, found
}

// put stores an order for its query and replaces the former one.
func (s *shelf) put(query Query, order *heldOrder) {
	if s.held == nil {
		s.held = map[Query]*heldOrder{}
	}
	s.asked++
	order.used = s.asked
	s.size += len(order.indices) - order.counted
	order.counted = len(order.indices)
	s.held[query] = order
	for s.size > maxHeld && len(s.held) > 1 || len(s.held) > maxOrders {
		s.drop()
	}
}

// maxOrders bounds their number: filters by time differ from call to call.
const maxOrders = 256

func (s *shelf) drop() {
	var oldest Query
	least := s.asked + 1
	for query, order := range s.held {
		if order.used < least {
			oldest, least = query, order.used
		}
	}
	s.size -= s.held[oldest].counted
	delete(s.held, oldest)
}
