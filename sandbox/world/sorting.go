package world

import (
	"cmp"
	"slices"
	"sort"

	"sluice/sandbox/world/draw"
)

// placed is a record with its sort key.
type placed struct {
	text   string
	number int64
	// tie breaks ties by an order that is stable, yet follows neither id nor time.
	tie   uint64
	index int32
}

func (w *World) place(query Query, i int32) placed {
	text, number := w.sortKey(query.Kind, int(i), query.Sort)
	return placed{text, number, w.seed.Bits(query.Kind, int(i), draw.Code), i}
}

// compare orders by text or number in the requested direction; ties break the same way in both
// directions.
func (q Query) compare(a, b placed) int {
	order := cmp.Or(cmp.Compare(a.text, b.text), cmp.Compare(a.number, b.number))
	if !q.Ascending {
		order = -order
	}
	return cmp.Or(order, cmp.Compare(a.tie, b.tie))
}

// sorted returns the live records that match, in their order.
func (w *World) sorted(query Query) []int32 {
	var all []placed
	for i := range w.Len(query.Kind) {
		if w.Live(query.Kind, i) && w.matches(query, i) {
			all = append(all, w.place(query, int32(i))) // far fewer than 2^31 records.
		}
	}
	slices.SortFunc(all, query.compare)
	indices := make([]int32, len(all))
	for n := range all {
		indices[n] = all[n].index
	}
	return indices
}

// tail returns the part of the order by modification time (ascending) that begins at an instant.
// The whole order is independent of the instant, and keyset paging names another instant each time.
func (w *World) tail(query Query) []int32 {
	since := query.Since
	query.Since = 0
	order := w.order(query)
	at := sort.Search(len(order), func(n int) bool { return w.Modified(query.Kind, int(order[n])) >= since == query.Ascending })
	if query.Ascending {
		return order[at:]
	}
	return order[:at:at]
}
