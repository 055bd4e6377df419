package warehouse_test

import (
	"context"
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/jackc/pgx/v5"

	"sluice/pipeline"
	"sluice/pipeline/outside"
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
	h.notified()
	h.scheduled(header("1", "a", 1)) // a first sync
	h.told("one", "2")
	h.scheduled(header("1", "a", 1), header("2", "a", 1), header("3", "a", 1), header("4", "a", 1))
	if diff := cmp.Diff(map[string]int{h.bills.Key().String(): 2}, o.unannounced); diff != "" {
		t.Errorf("what nothing announced differs (-want +got):\n%s", diff)
	}
	if got := ask[int](h.fixture, `SELECT max(unannounced)::int FROM sluice.runs`); got != 2 {
		t.Errorf("the run says %d, want 2", got)
	}
}

// TestAHintNamesAParent: the list of a parent that is read by schedule answers, and settles the
// hint; parents that are not read are settled without a call.
func TestAHintNamesAParent(t *testing.T) {
	t.Parallel()
	h := openHinted(t)
	h.answer = warehouse.HintAnswer{Work: pipeline.WorkHinted, Parents: true}
	hinted := h.persons
	hinted.Work = pipeline.WorkHinted
	h.must(h.db.RegisterStreams(t.Context(), []warehouse.StreamSetting{
		{Key: h.persons.Key(), Every: time.Hour, Enabled: true}, {Key: hinted.Key(), Every: 24 * time.Hour, Enabled: true, After: 24 * time.Hour},
	}))
	h.must(h.db.ListParents(t.Context(), h.persons, []string{"v1", "v2", "v3"}))
	next := func(claim pipeline.Claim, want string, left int) {
		t.Helper()
		parent, n, err := h.db.NextParent(t.Context(), claim)
		h.must(err)
		if parent != want || n != left {
			t.Errorf("the next parent is %q of %d, want %q of %d", parent, n, want, left)
		}
	}
	read := func(claim pipeline.Claim, parent, failed string, raws ...string) {
		t.Helper()
		batch := h.of(claim, raws...)
		batch.Listed, batch.Parent = true, &pipeline.ParentRead{ID: parent, Failed: outside.Text(failed)}
		h.load(batch)
	}
	const person = `{"person_key":"1","vendor_id":"v1","name":"Ada"}`

	h.toldOf("persons", "one", "v1", "v2", "gone", "stranger")
	h.exec(`UPDATE sluice.hints SET operation = 'delete' WHERE record_id = 'gone'`)
	if diff := cmp.Diff([]string{"persons.hinted"}, h.tick()); diff != "" {
		t.Errorf("the streams that are due differ:\n%s", diff)
	}
	h.wantOpen("gone asked, stranger asked, v1 asked, v2 asked")
	claim := h.claimOf(hinted)
	h.toldOf("persons", "two", "v3")
	h.tick()
	next(claim, "v1", 2) // that of v3 is left to the next run
	h.wantOpen("v1 asked, v2 asked, v3 asked")
	read(claim, "v1", "", person)
	next(claim, "v2", 1)
	read(claim, "v2", "HTTP 404")
	next(claim, "", 0)
	h.wantOpen("v2 again, v3 asked") // nothing new was seen under v2
	end := h.of(claim)
	end.End = &pipeline.End{Outcome: pipeline.OutcomeDone}
	h.load(end)

	h.exec(`UPDATE sluice.hints SET due_at = now()`)
	h.toldOf("persons", "three", "") // the list: all parents
	if diff := cmp.Diff([]string{"persons", "persons.hinted"}, slices.Sorted(slices.Values(h.tick()))); diff != "" {
		t.Errorf("the streams that are due differ:\n%s", diff)
	}
	h.wantOpen("list asked, v2 asked again, v3 asked")
	list := h.claimOf(h.persons)
	h.ended(list, person)
	h.wantOpen("list again, v2 asked again, v3 asked") // the run of the list answers for no parent
	claim = h.claimOf(hinted)
	next(claim, "v2", 2)
	read(claim, "v2", "")
	read(claim, "v3", "")
	h.wantOpen("list again, v3 again")
	if got := ask[string](h.fixture, `SELECT concat_ws(' ', (SELECT count(*) FROM sluice.tombstones), (SELECT count(read_at) FROM sluice.parents),
		(SELECT count(watermark) FROM sluice.streams), (SELECT string_agg(name, ',') FROM custom.persons))`); got != "0 0 0 Ada" {
		t.Errorf("tombstones, parents read by schedule, watermarks and rows: %s", got)
	}
}

// TestAListUnderParentsIsAnnounced by hints that name the parents.
func TestAListUnderParentsIsAnnounced(t *testing.T) {
	t.Parallel()
	h, o := openObserved(t)
	h.must(h.db.RegisterStreams(t.Context(), []warehouse.StreamSetting{{Key: h.persons.Key(), Every: time.Hour, Hinted: 6 * time.Hour, Enabled: true}}))
	run := func(raws ...string) {
		t.Helper()
		batch := h.of(h.claimOf(h.persons), raws...)
		ago := time.Now().Add(-time.Hour)
		batch.Listed, batch.Position = true, pipeline.Position{Watermark: ago, ScannedUntil: ago}
		batch.End = &pipeline.End{Outcome: pipeline.OutcomeDone}
		h.load(batch)
	}
	run()
	h.exec(`INSERT INTO sluice.hints (organization_id, service, resource, record_id, first_at, last_at, due_at)
		VALUES ($1, 'store', 'persons', 'v1', now(), clock_timestamp(), now())`, organization)
	run(`{"person_key":"1","vendor_id":"v1","name":"Ada"}`, `{"person_key":"2","vendor_id":"v2","name":"Bo"}`, `{"person_key":"3","vendor_id":"v2","name":"Cy"}`)
	if diff := cmp.Diff(map[string]int{h.persons.Key().String(): 2}, o.unannounced); diff != "" {
		t.Errorf("what nothing announced differs (-want +got):\n%s", diff)
	}
}
