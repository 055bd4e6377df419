package warehouse_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/jackc/pgx/v5"

	"sluice/pipeline"
	"sluice/pipeline/warehouse"
)

// observed is what an observer was told.
type observed struct {
	answered    []time.Duration
	unannounced map[string]int
}

func (o *observed) Answered(took time.Duration) { o.answered = append(o.answered, took) }

func (o *observed) Unannounced(list pipeline.Key, changes int) {
	o.unannounced[list.String()] += changes
}

// openObserved opens a fixture whose hints are as old as a minute.
func openObserved(t *testing.T) (*hintedFixture, *observed) {
	t.Helper()
	h, o := openHinted(t), &observed{unannounced: make(map[string]int)}
	h.db = h.another(warehouse.Options{Observer: o})
	return h, o
}

// aMinuteAgo lets what was told be told a minute earlier.
func (h *hintedFixture) aMinuteAgo() {
	h.Helper()
	h.exec(`UPDATE sluice.hints SET first_at = first_at - interval '1 minute', last_at = last_at - interval '1 minute'`)
}

func (o *observed) wantAnswered(t *testing.T, n int) {
	t.Helper()
	if len(o.answered) != n {
		t.Errorf("observed %v, want %d times", o.answered, n)
	}
	for _, took := range o.answered {
		if took < time.Minute || took > 2*time.Minute {
			t.Errorf("a row took %s, want a minute and a bit", took)
		}
	}
	o.answered = nil
}

// TestTheTimeFromCallbackToRowIsObserved: of each record that changed, once, when it is committed.
func TestTheTimeFromCallbackToRowIsObserved(t *testing.T) {
	t.Parallel()
	h, o := openObserved(t)
	h.read(nil, singleBill("1", "a", 1))
	h.told("one", "1", "2", "3", "9")
	h.aMinuteAgo()
	h.tick()
	batch := h.reads([]string{"9"}, singleBill("1", "a", 1), singleBill("2", "b", 1), singleBill("3", "c", 1))
	undone := errors.New("undone")
	batch.Complete = func(context.Context, pgx.Tx) error { return undone }
	if _, err := h.db.Load(t.Context(), batch); !errors.Is(err, undone) {
		t.Fatalf("loading: %v", err)
	}
	o.wantAnswered(t, 0) // nothing was committed
	batch.Complete = nil
	h.load(batch)
	o.wantAnswered(t, 2) // one shows nothing new, and one does not exist
	h.exec(`UPDATE sluice.hints SET due_at = now()`)
	h.tick()
	h.read([]string{"9"}, singleBill("1", "z", 2))
	o.wantAnswered(t, 1) // since its callback, not since it was asked for again

	h.answer = warehouse.HintAnswer{Work: pipeline.WorkList}
	h.told("two", "4", "5")
	h.aMinuteAgo()
	h.tick()
	h.ended(h.claimOf(h.bills), header("4", "a", 1))
	o.wantAnswered(t, 1) // the list answered for both
	h.wantOpen("")
}

// TestWhatNothingAnnouncedIsObserved, as it is counted of the run.
func TestWhatNothingAnnouncedIsObserved(t *testing.T) {
	t.Parallel()
	h, o := openObserved(t)
	h.must(h.db.RegisterStreams(t.Context(), []warehouse.StreamSetting{
		{Key: h.bills.Key(), Every: time.Hour, Hinted: 6 * time.Hour, Enabled: true}, {Key: h.hinted.Key(), Every: 24 * time.Hour, Enabled: true},
	}))
	run := func(raws ...string) {
		t.Helper()
		batch := h.of(h.claimOf(h.bills), raws...)
		batch.Listed, batch.Position = true, pipeline.Position{Watermark: time.Now().Add(-time.Minute)}
		batch.End = &pipeline.End{Outcome: pipeline.OutcomeDone}
		h.load(batch)
	}
	run(header("1", "a", 1)) // a first sync
	h.told("one", "2")
	run(header("1", "a", 1), header("2", "a", 1), header("3", "a", 1), header("4", "a", 1))
	if diff := cmp.Diff(map[string]int{h.bills.Key().String(): 2}, o.unannounced); diff != "" {
		t.Errorf("what nothing announced differs (-want +got):\n%s", diff)
	}
	if got := ask[int](h.fixture, `SELECT max(unannounced)::int FROM sluice.runs`); got != 2 {
		t.Errorf("the run says %d, want 2", got)
	}
}
