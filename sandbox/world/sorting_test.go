package world_test

import (
	"slices"
	"testing"

	"pgregory.net/rapid"

	"sluice/sandbox/world"
)

// An order updated after changes equals one made anew.
func TestMendedOrdersAreOrders(t *testing.T) {
	t.Parallel()
	queries := []world.Query{
		{Kind: world.Bills}, {Kind: world.Bills, Sort: "created_time", Ascending: true}, {Kind: world.Bills, Sort: "last_modified_time"},
		{Kind: world.Bills, Sort: "date", Ascending: true}, {Kind: world.Bills, Since: 1_800_000_000},
		{Kind: world.CreditNotes, Sort: "balance"}, {Kind: world.CreditNotes, Sort: "customer_name", Ascending: true, Filter: "Open"},
		{Kind: world.CompositeItems, Sort: "reorder_level", Filter: "Lowstock"}, {Kind: world.CompositeItems, Sort: "rate", Since: 1_800_000_000},
		{Kind: world.Payments, Sort: "amount", Ascending: true}, {Kind: world.ContactPersons, Under: "460000000300000000"},
		{Kind: world.Payments, Sort: "last_modified_time", Ascending: true, Since: 1_760_000_000},
		{Kind: world.Payments, Sort: "last_modified_time", Since: 1_760_000_000}, {Kind: world.Payments, Sort: "amount", Since: 1_700_000_000},
	}
	rapid.Check(t, func(t *rapid.T) {
		w := small(rapid.IntRange(100, 400).Draw(t, "records"))
		at := int64(1_800_000_000)
		for range rapid.IntRange(1, 8).Draw(t, "rounds") {
			for range rapid.IntRange(0, 12).Draw(t, "changes") {
				at += int64(rapid.IntRange(0, 2).Draw(t, "seconds"))
				kind := queries[rapid.IntRange(0, len(queries)-1).Draw(t, "of")].Kind
				i := rapid.IntRange(0, w.Len(kind)-1).Draw(t, "record")
				switch rapid.IntRange(0, 6).Draw(t, "change") {
				case 0:
					w.Insert(kind, at)
				case 1:
					w.Delete(kind, i)
				case 2:
					w.Restore(kind, i, at)
				case 3:
					w.Whisper(kind, i)
				case 4:
					w.Settle(i, false, at)
				case 5:
					w.Apply(i, at)
				default:
					w.Edit(kind, i, at)
				}
			}
			mended := make([][]int32, 0, len(queries))
			for _, query := range queries {
				mended = append(mended, slices.Clone(w.Order(query)))
			}
			w.Forget()
			for n, query := range queries {
				fresh := w.Order(query)
				if !slices.Equal(fresh, mended[n]) {
					t.Fatalf("%+v: mended %v, made anew %v", query, mended[n], fresh)
				}
				if since := query.Since; since > 0 { // the part of the unfiltered order that passes the filter by time
					query.Since = 0
					all := slices.Clone(w.Order(query))
					want := slices.DeleteFunc(all, func(i int32) bool { return w.Modified(query.Kind, int(i)) < since })
					if !slices.Equal(fresh, want) {
						t.Fatalf("%+v since %d: %v, want %v", query, since, fresh, want)
					}
				}
			}
		}
	})
}

// A filter by time includes its own second, in every order.
func TestAFilterByTimeTakesItsSecond(t *testing.T) {
	t.Parallel()
	w := small(300)
	for _, sort := range []string{"created_time", "last_modified_time", "amount"} {
		for _, ascending := range []bool{false, true} {
			for i := range w.Len(world.Payments) {
				query := world.Query{Kind: world.Payments, Sort: sort, Ascending: ascending, Since: w.Modified(world.Payments, i)}
				if !slices.Contains(w.Order(query), int32(i)) {
					t.Fatalf("%+v: record %d is of that second", query, i)
				}
			}
		}
	}
}
