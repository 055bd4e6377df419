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
	if held, found := w.held[query]; found && held.version == version {
		return held.indices
	}
	if len(w.held) >= maxOrders || w.held == nil {
		w.held = map[Query]heldOrder{}
	}
	made := heldOrder{version, w.sorted(query)}
	w.held[query] = made
	return made.indices
}

// maxOrders bounds the stored orders: filters by time differ from call to call.
const maxOrders = 32

// heldOrder is an order, made at a version of its table.
type heldOrder struct {
	version int
	indices []int32
}

// Forget drops every stored order.
func (w *World) Forget() { w.held = nil }

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
