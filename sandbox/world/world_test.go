package world_test

import (
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"sluice/sandbox/world"
)

func small(records int) *world.World {
	return world.New(world.Settings{
		Seed: 1, Records: records, Zone: time.UTC, Anchor: time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC),
		Modules: []string{"cm_a", "cm_b"}, Networks: []string{"n1"}, Organization: "60012345678",
	})
}

func everyKind() []world.Kind {
	return []world.Kind{
		world.Accounts, world.Payments, world.Items, world.Bills, world.CreditNotes, world.Chats, world.Locations, world.Taxes,
		world.Currencies, world.CompositeItems, world.OpeningBalances, world.Adjustments, world.ModuleRecords, world.ContactPersons,
		world.CustomerPersons, world.Expenses, world.Channels, world.NetworkChannels, world.NetworkChats,
	}
}

func TestSharesOfTheKinds(t *testing.T) {
	t.Parallel()
	for records, want := range map[int][6]int{
		0:      {12, 3, 3, 3, 3, 3},
		1000:   {20, 120, 280, 280, 100, 200},
		500000: {400, 60000, 140000, 140000, 50000, 100000},
	} {
		w := small(records)
		for n, kind := range everyKind()[:6] {
			got := w.Len(kind)
			errorIf(t, got != want[n], "%d records: kind %d has %d, want %d", records, kind, got, want[n])
		}
	}
}

func TestIdentifiersLeadBackAndDiffer(t *testing.T) {
	t.Parallel()
	w := small(3000)
	seen := map[string]bool{}
	for _, kind := range everyKind() {
		for i := range w.Len(kind) {
			id := w.ID(kind, i)
			if back, ok := w.Index(kind, id); !ok || back != i || len(id) != 18 || seen[id] {
				t.Fatalf("kind %d record %d: id %s leads to %d, %t; seen %t", kind, i, id, back, ok, seen[id])
			}
			seen[id] = true
		}
		w.Delete(kind, 0)
		_, ok := w.Index(kind, w.ID(kind, 0))
		errorIf(t, ok, "kind %d: a deleted record is found", kind)
	}
	for _, id := range []string{"", "x", "-1", "460000000000000000", w.ID(world.Bills, 1) + "0"} {
		i, ok := w.Index(world.Bills, id)
		errorIf(t, ok, "id %q leads to %d", id, i)
	}
}

// An edit of one record leaves the bytes of all others alone: records that refer to it keep their
// copy.
func TestEditsAndInsertsStayWithTheirRecord(t *testing.T) {
	t.Parallel()
	w := small(300)
	read := func() map[string]string {
		all := map[string]string{}
		for _, kind := range everyKind() {
			for i := range w.Len(kind) {
				all[w.ID(kind, i)] = string(w.AppendRecord(nil, kind, i, world.Full))
			}
		}
		return all
	}
	before := read()
	touched := map[string]bool{}
	at := time.Date(2026, 2, 1, 0, 0, 0, 0, time.UTC).Unix()
	for _, kind := range everyKind() {
		for _, i := range w.Pick(kind, 2, 9, nil) {
			w.Edit(kind, i, at)
			touched[w.ID(kind, i)] = true
		}
		w.Insert(kind, at)
	}
	for id, record := range read() {
		old, was := before[id]
		errorIf(t, was && (record != old) != touched[id], "record %s: changed %t, touched %t", id, record != old, touched[id])
	}
}

func TestOrderIsMadeOnce(t *testing.T) {
	t.Parallel()
	w := small(2000)
	query := world.Query{Kind: world.Bills, Sort: "created_time"}
	first, again := w.Order(query), w.Order(query)
	errorIf(t, &first[0] != &again[0], "an unchanged order was made anew")
	w.Delete(world.Items, 0)
	again = w.Order(query)
	errorIf(t, &first[0] != &again[0], "a change of items made the order of bills anew")
	w.Delete(world.Bills, int(first[0]))
	again = w.Order(query)
	errorIf(t, len(again) != len(first)-1 || again[0] != first[1], "a change is not seen")
}

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

// errorIf fails the test where something is not as it should be, and says what.
func errorIf(tb testing.TB, wrong bool, format string, args ...any) {
	tb.Helper()
	if wrong {
		tb.Errorf(format, args...)
	}
}
