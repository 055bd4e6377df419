package warehouse_test

import (
	"context"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/jackc/pgx/v5"

	"sluice/pipeline"
	"sluice/pipeline/check"
	"sluice/pipeline/lineage/rebuild"
	"sluice/pipeline/warehouse"
	"sluice/pipeline/warehouse/changes"
	"sluice/pipeline/warehouse/tombstones"
	"sluice/schema"
)

// TestTheLogSaysWhatChanged compares the tables before and after each of many random writes with
// what the log tells of it: each record that differs or has another stamp, and no other one.
func TestTheLogSaysWhatChanged(t *testing.T) {
	w := openWorld(t)
	a := &actor{world: w, Rand: rand.New(rand.NewPCG(1, 1))}
	stamped := func() map[string]string {
		all := w.held("store")
		rows := check.Sure(w.others.Query(t.Context(), `SELECT bill_id, _changed_at::text FROM store.bills`))(w)
		var id, at string
		check.Must(w, check.Failure(pgx.ForEachRow(rows, []any{&id, &at}, func() error { all[id] += " " + at; return nil })))
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
		cursor := check.Sure(changes.Now(t.Context(), w.others))(w)
		if err := do(t.Context()); !expected(err) {
			t.Fatal(err)
		}
		after := stamped()
		told, different := map[string]bool{}, map[string]bool{}
		found, _, err := changes.Read(t.Context(), w.others, cursor, 1000)
		check.Must(w, err)
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
		diff := cmp.Diff(different, told)
		check.FatalIf(t, diff != "", "step %d: the log tells of others than differ (-differ +told):\n%s\n%+v", n, diff, found)
	}
}

func TestAnUnchangedPageLogsNothing(t *testing.T) {
	w := openWorld(t)
	claim := w.claimOf(w.bills)
	w.load(w.of(claim, header("1", "a", 1), header("2", "a", 1)))
	logged := ask[int64](w.fixture, `SELECT coalesce(max(seq), 0) FROM sluice.changes`)
	w.load(w.of(claim, header("1", "a", 1), header("2", "a", 1)))
	again := ask[int64](w.fixture, `SELECT nextval(pg_get_serial_sequence('sluice.changes', 'seq'))`)
	check.ErrorIf(t, again != logged+1, "an unchanged page took %d numbers of the log", again-logged-1)
	check.ErrorIf(t, logged != 1, "a page of new records took %d rows of the log, want one", logged)
}

// TestATombstoneMovesTheStamp: a consumer asks for rows with a later _changed_at than the last one
// that it saw. It gets each row that got or lost its tombstone, and no other.
func TestATombstoneMovesTheStamp(t *testing.T) {
	l := openList(t, once)
	follow := func(what string, want ...string) {
		t.Helper()
		got := ask[[]string](l.fixture, `WITH seen AS (UPDATE public.seen SET upto = (SELECT max(_changed_at) FROM shop.things) FROM (SELECT upto AS before FROM public.seen) AS s RETURNING before)
			SELECT coalesce(array_agg(thing_id ORDER BY thing_id), '{}') FROM shop.things, seen WHERE _changed_at > before`)
		check.ErrorIf(t, !slices.Equal(got, want), "%s: the follower sees %q, want %q", what, got, want)
	}
	l.exec(`CREATE TABLE public.seen AS SELECT '-infinity'::timestamptz AS upto`)
	l.read(1, 2, 3, 4, 5)
	follow("loaded", "1", "2", "3", "4", "5")
	l.scan(1, 2, 3, 4)
	follow("missed once")
	l.scan(1, 2, 3, 4)
	follow("deleted", "5")
	l.scan(1, 2, 3, 4)
	follow("gone as before")
	l.read(5)
	l.expect("back", []string{"5 restored"}, nil)
	follow("restored", "5")
	l.read(5)
	follow("shown as before")
	l.scan()
	l.scan()
	follow("held for a person")
	run := ask[int64](l.fixture, `SELECT max(proof_run_id) FROM sluice.tombstones WHERE state = 'needs_review'`)
	check.Must(l, check.Failure(l.db.DecideTombstones(t.Context(), l.sweep, run, tombstones.Accept)))
	follow("accepted by a person", "1", "2", "3", "4", "5")
}

// wordFixture is a store whose bills come in a list that shows every bill, and whose single bills
// are read several at once.
type wordFixture struct {
	*storeFixture
	sweep, look pipeline.Stream
}

func openWord(t *testing.T) *wordFixture {
	t.Helper()
	s := openStore(t)
	s.exec(`ALTER TABLE store.bills_lines ADD _deleted_at timestamptz`)
	s.bills.Resource.Complete = "The test says so."
	s.bills.Resource.Cursor = schema.Since{Column: "modified", Param: "modified", Created: "modified"}
	s.bills.Resource.Details.Batch = &schema.Batch{Path: "/many", Key: "bills", Param: "ids", Size: 100}
	w := &wordFixture{storeFixture: s, sweep: s.bills}
	w.sweep.Work = pipeline.WorkSweep
	check.Must(w, w.db.RegisterStreams(t.Context(), []warehouse.StreamSetting{
		{Key: s.bills.Key(), Every: time.Hour, Enabled: true}, {Key: s.details.Key(), Every: time.Hour, Enabled: true},
		{Key: w.sweep.Key(), Every: 168 * time.Hour, Enabled: true, After: 168 * time.Hour},
	}))
	return w
}

// single loads single bills of the first day, and ends the run.
func (w *wordFixture) single(ids ...string) {
	w.Helper()
	batch := w.of(w.claimOf(w.details), w.singles(ids...)...)
	batch.End = &pipeline.End{Outcome: pipeline.OutcomeDone}
	w.load(batch)
}

func (*wordFixture) singles(ids ...string) []string {
	raws := make([]string, len(ids))
	for i, id := range ids {
		raws[i] = singleBill(id, "a", 1)
	}
	return raws
}

// shown is a clean sweep that shows these bills.
func (w *wordFixture) shown(ids ...string) {
	w.Helper()
	raws := make([]string, len(ids))
	for i, id := range ids {
		raws[i] = header(id, "a", 1)
	}
	batch := w.of(w.claimOf(w.sweep), raws...)
	batch.End = &pipeline.End{Outcome: pipeline.OutcomeDone, Whole: &pipeline.Whole{Started: time.Now().Add(time.Minute)}}
	w.load(batch)
}

func (w *wordFixture) evidence() []string {
	w.Helper()
	return ask[[]string](w.fixture, `SELECT coalesce(array_agg(record_id || ' ' || state || coalesce(' ' || proof, '') ORDER BY record_id), '{}') FROM sluice.tombstones`)
}

func (w *wordFixture) want(what string, want ...string) {
	w.Helper()
	got := w.evidence()
	check.ErrorIf(w, !slices.Equal(got, want), "%s: %q is known, want %q", what, got, want)
}

// TestABatchIsUpstreamsWord: rows that a scan missed and an answer for several records leaves out
// get their tombstones, if the answer can be believed.
func TestABatchIsUpstreamsWord(t *testing.T) {
	w := openWord(t)
	w.load(w.of(w.claimOf(w.bills), header("1", "a", 1), header("2", "a", 1), header("3", "a", 1), header("4", "a", 1)))
	control := func(ids ...string) string {
		t.Helper()
		return check.Sure(w.db.Control(t.Context(), w.details, ids))(w)
	}
	w.shown("1", "2", "4")
	w.want("a path that never answered is not asked", "3 suspected")
	check.ErrorIf(t,
		!ask[bool](w.fixture, `SELECT next_due_at < now() + interval '61 minutes' FROM sluice.streams WHERE resource = 'bills.sweep'`),
		"no word can be had, and the sweep is not repeated soon")
	w.single("1", "4")
	w.shown("1", "4")
	w.want("missed", "2 suspected", "3 suspected")
	if got := []string{control("2"), control("1"), control("4", "2")}; !slices.Equal(got, []string{"4", "", "1"}) && !slices.Equal(got, []string{"1", "", "1"}) {
		t.Errorf("the controls are %q, want a bill that has its single record, and none for a bill that was seen", got)
	}
	check.ErrorIf(t,
		ask[bool](w.fixture, `SELECT next_due_at < now() + interval '61 minutes' FROM sluice.streams WHERE resource = 'bills.sweep'`),
		"the word of the second bill can be had, and the sweep is repeated soon")

	batch := w.of(w.claimOf(w.details), w.singles("1")...)
	batch.Missing = []string{"2", "3"}
	w.load(batch)
	w.want("an answer that is not believed", "2 suspected", "3 suspected")

	batch = w.of(w.claimOf(w.details), w.singles("1")...)
	batch.Missing, batch.Unknown, batch.End = []string{"2", "3"}, true, &pipeline.End{Outcome: pipeline.OutcomeDone}
	w.load(batch)
	w.want("upstream's word", "2 deleted not_found", "3 deleted not_found")
	w.single("2")
	w.want("back", "2 restored not_found", "3 deleted not_found")
}
