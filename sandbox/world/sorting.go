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

func (w *World) sorted(query Query) []int32 {
	if query.Since > 0 {
		if few := w.modifiedSince(query.Kind, query.Since); len(few) > w.Len(query.Kind)/fewOf {
			return w.sifted(query)
		}
	}
	indices := w.selected(query)
	if query.Sort == createdTime && w.rises(query.Kind, indices) {
		return w.inGroups(query, indices)
	}
	all := make([]placed, len(indices))
	for n, i := range indices {
		all[n] = w.place(query, i)
	}
	slices.SortFunc(all, query.compare)
	for n := range all {
		indices[n] = all[n].index
	}
	return indices
}

// fewOf bounds the records that pass a filter by time and are sorted by themselves: one in so many.
const fewOf = 16

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

// sifted returns an order as a selection from the one without the filter by time.
func (w *World) sifted(query Query) []int32 {
	all := query
	all.Since = 0
	var left []int32
	for _, i := range w.order(all) {
		if w.Modified(query.Kind, int(i)) >= query.Since {
			left = append(left, i)
		}
	}
	return left
}

// selected returns the live records that match, by index.
func (w *World) selected(query Query) []int32 {
	var selected []int32
	if query.Since > 0 {
		for _, i := range w.modifiedSince(query.Kind, query.Since) {
			if w.matches(query, int(i)) {
				selected = append(selected, i)
			}
		}
		slices.Sort(selected)
		return selected
	}
	selected = make([]int32, 0, w.Len(query.Kind))
	for i := range w.Len(query.Kind) {
		if w.Live(query.Kind, i) && w.matches(query, i) {
			selected = append(selected, int32(i)) // far fewer than 2^31 records.
		}
	}
	return selected
}

// modifiedSince returns the records that were modified at an instant or after it. It searches an
// order that is updated as records change, so that a filter costs only what it passes.
func (w *World) modifiedSince(kind Kind, since int64) []int32 {
	order := w.order(Query{Kind: kind, Sort: ModifiedTime, Ascending: true})
	return order[sort.Search(len(order), func(n int) bool { return w.Modified(kind, int(order[n])) >= since }):]
}

// rises reports whether creation times rise with the index, as they do by default.
func (w *World) rises(kind Kind, indices []int32) bool {
	created := w.tables[kind].created
	return slices.IsSortedFunc(indices, func(a, b int32) int { return cmp.Compare(created[a], created[b]) })
}

// inGroups orders by creation what rises already: it sorts only the records of one second.
func (w *World) inGroups(query Query, indices []int32) []int32 {
	created := w.tables[query.Kind].created
	order := make([]int32, 0, len(indices))
	var group []placed
	add := func(from, to int) {
		if to == from+1 {
			order = append(order, indices[from])
			return
		}
		group = group[:0]
		for _, i := range indices[from:to] {
			group = append(group, w.place(query, i))
		}
		slices.SortFunc(group, query.compare)
		for _, p := range group {
			order = append(order, p.index)
		}
	}
	if query.Ascending {
		for from := 0; from < len(indices); {
			to := from + 1
			for to < len(indices) && created[indices[to]] == created[indices[from]] {
				to++
			}
			add(from, to)
			from = to
		}
		return order
	}
	for to := len(indices); to > 0; {
		from := to - 1
		for from > 0 && created[indices[from-1]] == created[indices[to-1]] {
			from--
		}
		add(from, to)
		to = from
	}
	return order
}

// changedSince returns the records that changed since a version of their table; false if they are
// too many, or no longer logged.
func (w *World) changedSince(kind Kind, version int) ([]int32, bool) {
	t := &w.tables[kind]
	behind := t.version - version
	if behind > len(t.log) || behind > mostMended {
		return nil, false
	}
	return t.log[len(t.log)-behind:], true
}

// mostMended is the most changes for which an order is updated.
const mostMended = 4096

// mended returns an order with the changed records moved to their present places. The old one stays
// unchanged.
func (w *World) mended(query Query, old, changed []int32) []int32 {
	const word = 64
	gone := make([]uint64, w.Len(query.Kind)/word+1)
	var back []placed
	for _, i := range changed {
		if gone[i/word]&(1<<(i%word)) != 0 {
			continue // it changed more than once
		}
		gone[i/word] |= 1 << (i % word)
		if w.Live(query.Kind, int(i)) && w.matches(query, int(i)) {
			back = append(back, w.place(query, i))
		}
	}
	kept := make([]int32, 0, len(old)+len(back))
	for _, i := range old {
		if gone[i/word]&(1<<(i%word)) == 0 {
			kept = append(kept, i)
		}
	}
	slices.SortFunc(back, query.compare)
	return w.merged(query, kept, back)
}

// merged inserts sorted records into an order that has room for them.
func (w *World) merged(query Query, order []int32, back []placed) []int32 {
	end := len(order)
	order = order[:end+len(back)]
	for n, p := range slices.Backward(back) { // from the back, so that each index moves once
		at := sort.Search(end, func(k int) bool { return query.compare(w.place(query, order[k]), p) > 0 })
		copy(order[at+n+1:], order[at:end])
		order[at+n] = p.index
		end = at
	}
	return order
}
