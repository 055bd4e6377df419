package warehouse_test

import (
	"slices"
	"testing"
	"time"

	"sluice/pipeline"
	"sluice/pipeline/warehouse"
	"sluice/schema"
)

// wordFixture is a store whose bills come in a list that shows every bill, and whose single bills
// are read several at once.
type wordFixture struct {
	*storeFixture
	sweep, look pipeline.Stream
}

func openWord(t *testing.T) *wordFixture {
	t.Helper()
	s := openStore(t)
	s.must(exec(s, `ALTER TABLE store.bills_lines ADD _deleted_at timestamptz`))
	s.bills.Resource.Complete = "The test says so."
	s.bills.Resource.Cursor = schema.Since{Column: "modified", Param: "modified", Created: "modified"}
	s.bills.Resource.Details.Batch = &schema.Batch{Path: "/many", Key: "bills", Param: "ids", Size: 100}
	w := &wordFixture{storeFixture: s, sweep: s.bills}
	w.sweep.Work = pipeline.WorkSweep
	w.must(w.db.RegisterStreams(t.Context(), []warehouse.StreamSetting{
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
	if got := w.evidence(); !slices.Equal(got, want) {
		w.Errorf("%s: %q is known, want %q", what, got, want)
	}
}

// TestABatchIsUpstreamsWord: rows that a scan missed and an answer for several records leaves out
// get their tombstones, if the answer can be believed.
func TestABatchIsUpstreamsWord(t *testing.T) {
	t.Parallel()
	w := openWord(t)
	w.load(w.of(w.claimOf(w.bills), header("1", "a", 1), header("2", "a", 1), header("3", "a", 1), header("4", "a", 1)))
	control := func(ids ...string) string {
		t.Helper()
		id, err := w.db.Control(t.Context(), w.details, ids)
		w.must(err)
		return id
	}
	w.shown("1", "2", "4")
	w.want("a path that never answered is not asked", "3 suspected")
	if soon := ask[bool](w.fixture, `SELECT next_due_at < now() + interval '61 minutes' FROM sluice.streams WHERE resource = 'bills.sweep'`); !soon {
		t.Error("no word can be had, and the sweep is not repeated soon")
	}
	w.single("1", "4")
	w.shown("1", "4")
	w.want("missed", "2 suspected", "3 suspected")
	if got := []string{control("2"), control("1"), control("4", "2")}; !slices.Equal(got, []string{"4", "", "1"}) && !slices.Equal(got, []string{"1", "", "1"}) {
		t.Errorf("the controls are %q, want a bill that has its single record, and none for a bill that was seen", got)
	}
	if soon := ask[bool](w.fixture, `SELECT next_due_at < now() + interval '61 minutes' FROM sluice.streams WHERE resource = 'bills.sweep'`); soon {
		t.Error("the word of the second bill can be had, and the sweep is repeated soon")
	}

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
