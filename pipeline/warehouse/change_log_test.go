package warehouse_test

import (
	"context"
	"maps"
	"math/rand/v2"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/jackc/pgx/v5"

	"sluice/pipeline/lineage/rebuild"
	"sluice/pipeline/warehouse/changes"
)

// TestTheLogSaysWhatChanged compares the tables before and after each of many random writes with
// what the log tells of it: each record that differs or has another stamp, and no other one.
func TestTheLogSaysWhatChanged(t *testing.T) {
	t.Parallel()
	w := openWorld(t)
	a := &actor{world: w, Rand: rand.New(rand.NewPCG(1, 1))}
	stamped := func() map[string]string {
		all := w.held("store")
		rows, err := w.others.Query(t.Context(), `SELECT bill_id, _changed_at::text FROM store.bills`)
		w.must(err)
		var id, at string
		_, err = pgx.ForEachRow(rows, []any{&id, &at}, func() error { all[id] += " " + at; return nil })
		w.must(err)
		return all
	}
	for n := range 150 {
		do := []func(context.Context) error{a.list, a.single, a.scan}[a.IntN(3)]
		rewrites := a.IntN(5) == 0
		if rewrites {
			// What is edited differs from its raw record, so that a rebuild writes it. A record of
			// which only the hash is another has no other values.
			w.exec(`UPDATE store.bills SET total = CASE WHEN $2 THEN 'edited' ELSE total END, _content_hash = `+hashOfEdit+`, _detail_hash = NULL WHERE bill_id = $1`,
				a.id(), a.IntN(2) == 0)
			w.settleAll()
			do = func(ctx context.Context) error { return a.mend(ctx, rebuild.All) }
		}
		before, values := stamped(), w.held("store")
		cursor, err := changes.Now(t.Context(), w.others)
		w.must(err)
		if err := do(t.Context()); !expected(err) {
			t.Fatal(err)
		}
		after := stamped()
		told, different := map[string]bool{}, map[string]bool{}
		found, _, err := changes.Read(t.Context(), w.others, cursor, 1000)
		w.must(err)
		for _, c := range found {
			for _, id := range c.Records {
				told[id] = told[id] || c.Op != changes.Finished
			}
		}
		maps.DeleteFunc(told, func(_ string, is bool) bool { return !is })
		now := w.held("store")
		for id := range after {
			if before[id] != after[id] && (!rewrites || values[id] != now[id]) {
				different[id] = true
			}
		}
		if diff := cmp.Diff(different, told); diff != "" {
			t.Fatalf("step %d: the log tells of others than differ (-differ +told):\n%s\n%+v", n, diff, found)
		}
	}
}

// TestAnUnchangedPageLogsNothing: nothing is written where nothing changed.
func TestAnUnchangedPageLogsNothing(t *testing.T) {
	t.Parallel()
	w := openWorld(t)
	claim := w.claimOf(w.bills)
	w.load(w.of(claim, header("1", "a", 1), header("2", "a", 1)))
	logged := ask[int64](w.fixture, `SELECT coalesce(max(seq), 0) FROM sluice.changes`)
	w.load(w.of(claim, header("1", "a", 1), header("2", "a", 1)))
	if again := ask[int64](w.fixture, `SELECT nextval(pg_get_serial_sequence('sluice.changes', 'seq'))`); again != logged+1 {
		t.Errorf("an unchanged page took %d numbers of the log", again-logged-1)
	}
	if logged != 1 {
		t.Errorf("a page of new records took %d rows of the log, want one", logged)
	}
}
