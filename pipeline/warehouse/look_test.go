package warehouse_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"sluice/pipeline"
	"sluice/pipeline/warehouse"
	"sluice/pipeline/warehouse/warehousetest"
	"sluice/schema"
)

// openLook is a wordFixture with looks, and five bills of five days that have their single records.
func openLook(t *testing.T, rules pipeline.TombstoneRules) *wordFixture {
	t.Helper()
	w := openWord(t)
	w.db = w.another(warehouse.Options{Absence: &rules})
	w.look = w.bills
	w.look.Work = pipeline.WorkLook
	w.must(w.db.RegisterStreams(t.Context(), []warehouse.StreamSetting{
		{Key: w.bills.Key(), Every: time.Hour, Enabled: true}, {Key: w.details.Key(), Every: time.Hour, Enabled: true},
		{Key: w.sweep.Key(), Every: 168 * time.Hour, Enabled: true, After: 168 * time.Hour},
		{Key: w.look.Key(), Every: 24 * time.Hour, Enabled: true, After: 24 * time.Hour},
	}))
	var headers []string
	for day := 1; day <= 5; day++ {
		headers = append(headers, header(fmt.Sprint(day), "a", day))
	}
	w.load(w.of(w.claimOf(w.bills), headers...))
	return w
}

// missed is a look that ends with missing rows.
func (w *wordFixture) missed(ids ...string) {
	w.Helper()
	batch := w.of(w.claimOf(w.look))
	batch.End = &pipeline.End{Outcome: pipeline.OutcomeDone, Absent: &pipeline.Absent{Started: time.Now().Add(time.Minute), First: batch.Call, IDs: ids}}
	w.load(batch)
}

// wants checks whether the sweep is due.
func (w *wordFixture) wants(what string, sweep bool) {
	w.Helper()
	if due := ask[bool](w.fixture, `SELECT next_due_at <= clock_timestamp() FROM sluice.streams WHERE resource = 'bills.sweep'`); due != sweep {
		w.Errorf("%s: the sweep is due: %v, want %v", what, due, sweep)
	}
	ask[int](w.fixture, `UPDATE sluice.streams SET next_due_at = clock_timestamp() + interval '1 day' WHERE resource = 'bills.sweep' RETURNING 1`)
}

// TestALookIsConfirmed: what a look missed is confirmed by upstream's word or, without it, by a
// sweep an hour later. Another look confirms nothing.
func TestALookIsConfirmed(t *testing.T) {
	t.Parallel()
	w := openLook(t, pipeline.TombstoneRules{MaxRows: 2})
	w.missed("2")
	w.want("no single record was ever read", "2 suspected")
	if within := ask[bool](w.fixture, `SELECT next_due_at BETWEEN clock_timestamp() + interval '50 minutes' AND clock_timestamp() + interval '1 hour'
		FROM sluice.streams WHERE resource = 'bills.sweep'`); !within {
		t.Error("no word can be had, and the sweep is not due in an hour")
	}
	w.missed("2")
	w.want("two looks", "2 suspected")
	w.shown("1", "3", "4", "5")
	w.want("a look and a sweep", "2 deleted scan")

	w.single("1", "5")
	ask[int](w.fixture, `UPDATE sluice.streams SET next_due_at = clock_timestamp() + interval '1 day' WHERE resource = 'bills.sweep' RETURNING 1`)
	w.missed("3")
	w.want("missed", "2 deleted scan", "3 suspected")
	w.wants("the word can be had", false)
	if due := ask[bool](w.fixture, `SELECT next_due_at <= clock_timestamp() FROM sluice.streams WHERE resource = 'bills.details'`); !due {
		t.Error("single records are not asked for")
	}
	w.missed("3")
	w.want("two looks", "2 deleted scan", "3 suspected")
	batch := w.of(w.claimOf(w.details), w.singles("1")...)
	batch.Missing, batch.Unknown, batch.End = []string{"3"}, true, &pipeline.End{Outcome: pipeline.OutcomeDone}
	w.load(batch)
	w.want("upstream's word", "2 deleted scan", "3 deleted not_found")
}

// TestALookProvesNothing: rows that were written since a look began are alive, and a look that
// misses more than the limit allows wants a sweep.
func TestALookProvesNothing(t *testing.T) {
	t.Parallel()
	w := openLook(t, pipeline.TombstoneRules{MaxRows: 2})
	w.single("1", "5")
	w.missed("2", "3", "4")
	w.want("more than the limit")
	w.wants("more than the limit", true)

	claim := w.claimOf(w.look)
	w.load(w.of(w.claimOf(w.bills), header("2", "b", 9)))
	batch := w.of(claim)
	batch.End = &pipeline.End{Outcome: pipeline.OutcomeDone, Absent: &pipeline.Absent{Started: time.Now().Add(time.Minute), First: batch.Call, IDs: []string{"2", "7"}}}
	w.load(batch)
	w.want("a row that was written meanwhile, and one that never was")
	w.wants("nothing is missed", false)

	ask[string](w.fixture, `INSERT INTO sluice.organizations (organization_id, name, is_active) VALUES ($1, 'Shut', false) RETURNING name`, organization)
	w.missed("3")
	w.want("of an organization that is not active")
}

// TestASweepTooSoonAfterALookReplacesIt: the sweep began before the look was over long enough, so a
// second sweep has to follow.
func TestASweepTooSoonAfterALookReplacesIt(t *testing.T) {
	t.Parallel()
	w := openLook(t, pipeline.TombstoneRules{MaxRows: 2, Apart: 10 * time.Minute})
	w.missed("2")
	w.shown("1", "3", "4", "5")
	w.want("a look and a sweep at once", "2 suspected")
	if again := ask[bool](w.fixture, `SELECT next_due_at BETWEEN clock_timestamp() + interval '50 minutes' AND clock_timestamp() + interval '1 hour'
		FROM sluice.streams WHERE resource = 'bills.sweep'`); !again {
		t.Error("no second sweep is due in an hour")
	}
}

// TestAShrunkenSweepConfirmsNoLook: what a look missed goes the way of all that a list misses at
// once: to the operator.
func TestAShrunkenSweepConfirmsNoLook(t *testing.T) {
	t.Parallel()
	w := openLook(t, pipeline.TombstoneRules{MaxRows: 2})
	w.missed("2")
	w.shown()
	w.want("an empty list", "1 suspected", "2 needs_review scan", "3 suspected", "4 suspected", "5 suspected")
	w.shown()
	w.want("again", "1 needs_review scan", "2 needs_review scan", "3 needs_review scan", "4 needs_review scan", "5 needs_review scan")
}

// TestRanks: live rows in the order of their creation, without those that a scan missed.
func TestRanks(t *testing.T) {
	t.Parallel()
	w := openLook(t, pipeline.TombstoneRules{MaxRows: 2, MaxShare: 0.5})
	w.single("1", "5")
	day := func(n int) time.Time { return time.Date(2026, 1, n, 10, 0, 0, 0, time.UTC) }
	expect := func(from, to time.Time, before int, ids ...string) {
		t.Helper()
		n, got, err := w.db.Between(t.Context(), w.look, from, to)
		w.must(err)
		if slices.Sort(got); n != before || !slices.Equal(got, ids) {
			t.Errorf("%d before and %q from %v to %v, want %d and %q", n, got, from, to, before, ids)
		}
	}
	extent := func(rows, most int) {
		t.Helper()
		n, of, err := w.db.Extent(t.Context(), w.look)
		w.must(err)
		if n != rows || of != most {
			t.Errorf("%d rows, %d of which may be missed; want %d and %d", n, of, rows, most)
		}
	}
	extent(5, 2)
	expect(time.Time{}, time.Time{}, 0, "1", "2", "3", "4", "5")
	expect(day(2), day(4), 1, "2", "3")
	expect(day(2).Add(time.Second), time.Time{}, 2, "3", "4", "5")
	expect(time.Time{}, day(1), 0)
	w.missed("3")
	extent(4, 2)
	expect(day(2), day(5), 1, "2", "4")
}

// BenchmarkRanks measures what a page of a look asks the warehouse.
func BenchmarkRanks(b *testing.B) {
	const records = 50_000
	url := warehousetest.Template(b, "control", migratedThings)
	db, err := warehouse.Open(b.Context(), url, warehouse.Options{})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(db.Close)
	service := shop()
	service.Resources[0].Cursor = schema.Since{Column: "modified", Created: "modified"}
	stream := pipeline.Stream{Organization: organization, Service: service, Resource: &service.Resources[0], Work: pipeline.WorkLook}
	begin := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	const fill = `INSERT INTO shop.things (organization_id, thing_id, name, modified, _content_hash, _call_id, _raw_position, _run_id, _first_seen_at, _changed_at)
		SELECT $1, (460000000000000000 + i)::text, repeat('a thing ', 40), $3::timestamptz + i * interval '1 second', '\x00', 1, 0, 1, now(), now() FROM generate_series(1, $2) AS i`
	if _, err := db.Pool().Exec(b.Context(), fill, organization, records, begin); err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		before, ids, err := db.Between(b.Context(), stream, begin.Add(25_000*time.Second), begin.Add(25_198*time.Second))
		if err != nil || before != 24_999 || len(ids) != 198 {
			b.Fatal(before, len(ids), err)
		}
	}
}
