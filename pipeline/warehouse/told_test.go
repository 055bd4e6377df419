package warehouse_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"sluice/pipeline"
	"sluice/pipeline/check"
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
	check.ErrorIf(t, len(o.answered) != n, "observed %v, want %d times", o.answered, n)
	for _, took := range o.answered {
		check.ErrorIf(t, took < time.Minute || took > 2*time.Minute, "a row took %s, want a minute and a bit", took)
	}
	o.answered = nil
}

// TestTheTimeFromCallbackToRowIsObserved: of each record that changed, once, when it is committed.
func TestTheTimeFromCallbackToRowIsObserved(t *testing.T) {
	h, o := openObserved(t)
	h.read(nil, singleBill("1", "a", 1))
	h.told("one", "1", "2", "3", "9")
	h.aMinuteAgo()
	h.tick()
	batch := h.reads([]string{"9"}, singleBill("1", "a", 1), singleBill("2", "b", 1), singleBill("3", "c", 1))
	undone := errors.New("undone")
	batch.Complete = func(context.Context, pgx.Tx) error { return undone }
	_, err := h.db.Load(t.Context(), batch)
	check.FatalIf(t, !errors.Is(err, undone), "loading: %v", err)
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

func TestWhatNothingAnnouncedIsObserved(t *testing.T) {
	h, o := openObserved(t)
	h.notified()
	h.scheduled(header("1", "a", 1)) // a first sync
	h.told("one", "2")
	h.scheduled(header("1", "a", 1), header("2", "a", 1), header("3", "a", 1), header("4", "a", 1))
	check.Same(t, "what nothing announced differs", map[string]int{h.bills.Key().String(): 2}, o.unannounced)
	check.Same(t, "the run", 2, ask[int](h.fixture, `SELECT max(unannounced)::int FROM sluice.runs`))
}

// TestAHintNamesAParent: the list of a parent that is read by schedule answers, and settles the
// hint; parents that are not read are settled without a call.
func TestAHintNamesAParent(t *testing.T) {
	h := openHinted(t)
	h.answer = warehouse.HintAnswer{Work: pipeline.WorkHinted, Parents: true}
	hinted := h.persons
	hinted.Work = pipeline.WorkHinted
	check.Must(h, h.db.RegisterStreams(t.Context(), []warehouse.StreamSetting{
		{Key: h.persons.Key(), Every: time.Hour, Enabled: true}, {Key: hinted.Key(), Every: 24 * time.Hour, Enabled: true, After: 24 * time.Hour},
	}))
	check.Must(h, h.db.ListParents(t.Context(), h.persons, []string{"v1", "v2", "v3"}))
	next := func(claim pipeline.Claim, want string, left int) {
		t.Helper()
		parent, n, err := h.db.NextParent(t.Context(), claim)
		check.Must(h, err)
		check.ErrorIf(t, parent != want || n != left, "the next parent is %q of %d, want %q of %d", parent, n, want, left)
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
	check.Same(t, "the streams that are due differ", []string{"persons.hinted"}, h.tick())
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
	check.Same(t, "the streams that are due differ", []string{"persons", "persons.hinted"}, slices.Sorted(slices.Values(h.tick())))
	h.wantOpen("list asked, v2 asked again, v3 asked")
	list := h.claimOf(h.persons)
	h.ended(list, person)
	h.wantOpen("list again, v2 asked again, v3 asked") // the run of the list answers for no parent
	claim = h.claimOf(hinted)
	next(claim, "v2", 2)
	read(claim, "v2", "")
	read(claim, "v3", "")
	h.wantOpen("list again, v3 again")
	got := ask[string](h.fixture, `SELECT concat_ws(' ', (SELECT count(*) FROM sluice.tombstones), (SELECT count(read_at) FROM sluice.parents),
		(SELECT count(watermark) FROM sluice.streams), (SELECT string_agg(name, ',') FROM custom.persons))`)
	check.ErrorIf(t, got != "0 0 0 Ada", "tombstones, parents read by schedule, watermarks and rows: %s", got)
}

// TestAListUnderParentsIsAnnounced by hints that name the parents.
func TestAListUnderParentsIsAnnounced(t *testing.T) {
	h, o := openObserved(t)
	check.Must(h, h.db.RegisterStreams(t.Context(), []warehouse.StreamSetting{{Key: h.persons.Key(), Every: time.Hour, Hinted: 6 * time.Hour, Enabled: true}}))
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
	check.Same(t, "what nothing announced differs", map[string]int{h.persons.Key().String(): 2}, o.unannounced)
}

// openLook is a wordFixture with looks, and five bills of five days that have their single records.
func openLook(t *testing.T, rules pipeline.TombstoneRules) *wordFixture {
	t.Helper()
	w := openWord(t)
	w.db = w.another(warehouse.Options{Absence: &rules})
	w.look = w.bills
	w.look.Work = pipeline.WorkLook
	check.Must(w, w.db.RegisterStreams(t.Context(), []warehouse.StreamSetting{
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
	check.Same(w, fmt.Sprintf("%s: the sweep is due", what), sweep,
		ask[bool](w.fixture, `SELECT next_due_at <= clock_timestamp() FROM sluice.streams WHERE resource = 'bills.sweep'`))
	ask[int](w.fixture, `UPDATE sluice.streams SET next_due_at = clock_timestamp() + interval '1 day' WHERE resource = 'bills.sweep' RETURNING 1`)
}

// TestALookIsConfirmed: what a look missed is confirmed by upstream's word or, without it, by a
// sweep an hour later. Another look confirms nothing.
func TestALookIsConfirmed(t *testing.T) {
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
	check.ErrorIf(t, !ask[bool](w.fixture, `SELECT next_due_at <= clock_timestamp() FROM sluice.streams WHERE resource = 'bills.details'`),
		"single records are not asked for")
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
	w := openLook(t, pipeline.TombstoneRules{MaxRows: 2})
	w.missed("2")
	w.shown()
	w.want("an empty list", "1 suspected", "2 needs_review scan", "3 suspected", "4 suspected", "5 suspected")
	w.shown()
	w.want("again", "1 needs_review scan", "2 needs_review scan", "3 needs_review scan", "4 needs_review scan", "5 needs_review scan")
}

// TestRanks: live rows in the order of their creation, without those that a scan missed.
func TestRanks(t *testing.T) {
	w := openLook(t, pipeline.TombstoneRules{MaxRows: 2, MaxShare: 0.5})
	w.single("1", "5")
	day := func(n int) time.Time { return time.Date(2026, 1, n, 10, 0, 0, 0, time.UTC) }
	expect := func(from, to time.Time, before int, ids ...string) {
		t.Helper()
		n, got, err := w.db.Between(t.Context(), w.look, from, to)
		check.Must(w, err)
		if slices.Sort(got); n != before || !slices.Equal(got, ids) {
			t.Errorf("%d before and %q from %v to %v, want %d and %q", n, got, from, to, before, ids)
		}
	}
	extent := func(rows, most int) {
		t.Helper()
		n, of, err := w.db.Extent(t.Context(), w.look)
		check.Must(w, err)
		check.ErrorIf(t, n != rows || of != most, "%d rows, %d of which may be missed; want %d and %d", n, of, rows, most)
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
