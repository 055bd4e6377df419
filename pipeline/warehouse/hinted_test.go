package warehouse_test

import (
	"context"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"sluice/pipeline"
	"sluice/pipeline/check"
	"sluice/pipeline/warehouse"
	"sluice/pipeline/warehouse/hints"
)

// hintedFixture is a store of whose bills change notifications tell.
type hintedFixture struct {
	*storeFixture
	hinted pipeline.Stream
	// answer is what every hint is answered by.
	answer warehouse.HintAnswer
	due    []hints.Due
}

func openHinted(t *testing.T) *hintedFixture {
	t.Helper()
	h := &hintedFixture{storeFixture: openStore(t), answer: warehouse.HintAnswer{Work: pipeline.WorkHinted}}
	h.hinted = h.bills
	h.hinted.Work = pipeline.WorkHinted
	check.Must(h, h.db.RegisterStreams(t.Context(), []warehouse.StreamSetting{
		{Key: h.bills.Key(), Every: time.Hour, Enabled: true}, {Key: h.details.Key(), Every: time.Hour, Enabled: true},
		{Key: h.hinted.Key(), Every: 24 * time.Hour, Enabled: true, After: 24 * time.Hour},
	}))
	h.exec(`UPDATE sluice.streams SET next_due_at = now() + interval '1 day'`)
	return h
}

// told is a callback of a rule about bills; none is about the list.
func (h *hintedFixture) told(body string, ids ...string) bool {
	h.Helper()
	return h.toldOf("bills", body, ids...)
}

// toldOf is a callback of a rule about records of a resource, or about its list.
func (h *hintedFixture) toldOf(resource, body string, ids ...string) bool {
	h.Helper()
	services, resources, records := []string{}, []string{}, ids
	if len(ids) == 0 {
		ids, records = []string{}, []string{""}
	}
	for range records {
		services, resources = append(services, "store"), append(resources, resource)
	}
	return ask[bool](h.fixture, `SELECT notifications.take_callback($1, 'rule', sha256($2::text::bytea), 'store.' || $7, 'update', $3,
		p_sent_at => NULL, p_bytes => 10, p_body => NULL, p_services => $4, p_resources => $5, p_records => $6,
		p_debounce => '0', p_most => '15 seconds')`, organization, body, ids, services, resources, records, resource)
}

// notified lets notifications replace scheduled runs of the bills, once they are trusted.
func (h *hintedFixture) notified() {
	h.Helper()
	check.Must(h, h.db.RegisterStreams(h.Context(), []warehouse.StreamSetting{
		{Key: h.bills.Key(), Every: time.Hour, Hinted: 6 * time.Hour, Enabled: true}, {Key: h.hinted.Key(), Every: 24 * time.Hour, Enabled: true},
	}))
}

// scheduled is a scheduled run of the list of bills that brings records.
func (h *hintedFixture) scheduled(raws ...string) {
	h.Helper()
	batch := h.of(h.claimOf(h.bills), raws...)
	batch.Listed, batch.Position = true, pipeline.Position{Watermark: time.Now().Add(-time.Minute)}
	batch.End = &pipeline.End{Outcome: pipeline.OutcomeDone}
	h.load(batch)
}

// tick requests what was told of, and returns the streams whose runs are requested.
func (h *hintedFixture) tick() []string {
	h.Helper()
	h.due = nil
	var names []string
	check.Must(h, pgx.BeginFunc(h.Context(), h.db.Pool(), func(tx pgx.Tx) error {
		keys, err := h.db.RequestHinted(h.Context(), tx, func(due hints.Due) warehouse.HintAnswer {
			h.due = append(h.due, due)
			return h.answer
		})
		for _, key := range keys {
			names = append(names, key.Resource)
		}
		return err
	}))
	return names
}

// open lists the hints that wait: the record, whether a run was requested, whether it is the second
// read.
func (h *hintedFixture) open() string {
	h.Helper()
	return ask[string](h.fixture, `SELECT coalesce(string_agg(coalesce(nullif(record_id, ''), 'list') || CASE WHEN asked_at IS NULL THEN '' ELSE ' asked' END ||
		CASE WHEN read_again THEN ' again' ELSE '' END, ', ' ORDER BY record_id), '') FROM sluice.hints WHERE read_at IS NULL`)
}

func (h *hintedFixture) wantOpen(want string) {
	h.Helper()
	check.Same(h, "the hints that wait", want, h.open())
}

// read loads single records of a run over hints, and ends the run.
func (h *hintedFixture) read(missing []string, raws ...string) {
	h.Helper()
	h.load(h.reads(missing, raws...))
}

func (h *hintedFixture) reads(missing []string, raws ...string) pipeline.Batch {
	h.Helper()
	batch := h.of(h.claimOf(h.hinted), raws...)
	batch.Details, batch.Missing = true, missing
	batch.End = &pipeline.End{Outcome: pipeline.OutcomeDone}
	return batch
}

// loadAskedAgain loads a batch while the next tick asks for its stream once more: another run has
// to follow.
func (h *hintedFixture) loadAskedAgain(batch pipeline.Batch) {
	h.Helper()
	again := false
	batch.Complete = func(ctx context.Context, tx pgx.Tx) error {
		return tx.QueryRow(ctx, `SELECT requested_gen > served_gen FROM sluice.streams WHERE resource = 'bills.hinted'`).Scan(&again)
	}
	due := h.tick()
	check.ErrorIf(h, len(due) != 1, "due during the run are %v", due)
	h.load(batch)
	check.ErrorIf(h, !again, "no run follows")
}

func TestAHintLeadsToARead(t *testing.T) {
	h := openHinted(t)
	h.read(nil, singleBill("1", "a", 1))
	written := func() string {
		return ask[string](h.fixture, `SELECT concat_ws(E'\n', (SELECT json_agg(b)::text FROM store.bills b), (SELECT json_agg(s)::text FROM sluice.streams s),
			(SELECT json_agg(r)::text FROM sluice.runs r), (SELECT count(*) FROM sluice.calls))`)
	}
	before := written()
	check.ErrorIf(t, !h.told("one", "1", "2"), "the callback is not new")
	check.ErrorIf(t, written() != before, "a callback alone changed a row, a stream or a run")
	check.Same(t, "the streams that are due differ", []string{"bills.hinted"}, h.tick())
	check.ErrorIf(t, len(h.due) != 1 || len(h.due[0].Records) != 2 || h.due[0].List, "asked about %+v", h.due)
	h.wantOpen("1 asked, 2 asked")
	again := h.tick()
	check.ErrorIf(t, again != nil, "the next tick asks again for %v", again)
	ids, total, err := h.db.Pending(t.Context(), h.hinted, 0, 1)
	check.Must(h, err)
	check.ErrorIf(t, total != 2 || len(ids) != 1 || ids[0] != "1", "pending are %v of %d", ids, total)
	h.read(nil, singleBill("1", "b", 2), singleBill("2", "new", 2))
	h.wantOpen("")
	check.Same(t, "rows", "1 current, 2 current",
		ask[string](h.fixture, `SELECT string_agg(bill_id || ' ' || _detail_state, ', ' ORDER BY bill_id) FROM store.bills`))
	check.ErrorIf(t, ask[bool](h.fixture, `SELECT bool_or(watermark IS NOT NULL) FROM sluice.streams`), "a hint moved a watermark")
}

// TestAReadThatShowsNothingNewIsRepeatedOnce: readers may see a change late.
func TestAReadThatShowsNothingNewIsRepeatedOnce(t *testing.T) {
	h := openHinted(t)
	h.read(nil, singleBill("1", "a", 1))
	h.told("one", "1", "9")
	h.tick()
	h.read([]string{"9"}, singleBill("1", "a", 1))
	h.wantOpen("1 again, 9 again")
	early := h.tick()
	check.ErrorIf(t, early != nil, "read again without a pause: %v", early)
	h.exec(`UPDATE sluice.hints SET due_at = now()`)
	h.tick()
	h.wantOpen("1 asked again, 9 asked again")
	h.read([]string{"9"}, singleBill("1", "a", 1))
	h.wantOpen("")
}

// TestAnAnswerThatCannotBeReadSettlesAHint: such a batch names no call. The record is in
// quarantine, and not read again by each run to come.
func TestAnAnswerThatCannotBeReadSettlesAHint(t *testing.T) {
	h := openHinted(t)
	h.told("one", "1")
	for _, left := range []string{"1 again", ""} {
		h.exec(`UPDATE sluice.hints SET due_at = now()`)
		h.tick()
		batch := pipeline.Batch{Claim: h.claimOf(h.hinted), Details: true, End: &pipeline.End{Outcome: pipeline.OutcomeDone}}
		batch.Rejected = []pipeline.RejectedRecord{{Raw: []byte("no record 1"), ID: "1", Code: "unreadable_answer", Detail: "no JSON"}}
		h.load(batch)
		h.wantOpen(left)
	}
}

// TestACallbackDuringAReadLeadsToAnother: the call that was under way may not show the change.
func TestACallbackDuringAReadLeadsToAnother(t *testing.T) {
	h := openHinted(t)
	h.told("one", "1")
	h.tick()
	batch := h.reads(nil, singleBill("1", "a", 1)) // its call is reserved here
	h.told("one", "1")
	h.loadAskedAgain(batch)
	h.wantOpen("1 asked")
}

func TestTheListAnswersForItsRecords(t *testing.T) {
	h := openHinted(t)
	h.answer = warehouse.HintAnswer{Work: pipeline.WorkList}
	h.told("one", "1")
	h.told("two", "2")
	check.Same(t, "the streams that are due differ", []string{"bills"}, h.tick())
	h.wantOpen("list asked")
	list := h.claimOf(h.bills)
	h.told("three") // the run began before
	h.ended(list, header("1", "a", 1))
	h.wantOpen("list")
	h.tick()
	h.ended(h.claimOf(h.bills), header("2", "a", 1))
	h.wantOpen("")
	h.told("four")
	h.tick()
	h.ended(h.claimOf(h.bills), header("2", "a", 1))
	h.wantOpen("list again")
}

// ended loads a run of the list that saw one page.
func (h *hintedFixture) ended(list pipeline.Claim, raws ...string) {
	h.Helper()
	batch := h.of(list, raws...)
	batch.End = &pipeline.End{Outcome: pipeline.OutcomeDone}
	h.load(batch)
}

func TestAListThatRanJustNowRests(t *testing.T) {
	h := openHinted(t)
	h.answer = warehouse.HintAnswer{Work: pipeline.WorkList, Pause: time.Minute}
	h.told("one", "1")
	due := h.tick()
	check.ErrorIf(t, due != nil, "due are %v", due)
	h.wantOpen("list")
	wait := ask[float64](h.fixture, `SELECT extract(epoch FROM due_at - now())::float8 FROM sluice.hints WHERE record_id = ''`)
	check.ErrorIf(t, wait < 50 || wait > 60, "the list rests for %.0f s, want a minute", wait)
}

// TestWhatUpstreamRefusesNoHintOpens: a denied stream waits as it did.
func TestWhatUpstreamRefusesNoHintOpens(t *testing.T) {
	h := openHinted(t)
	h.exec(`UPDATE sluice.streams SET state = 'denied'`)
	h.told("one", "1")
	due := h.tick()
	check.ErrorIf(t, due != nil, "due are %v", due)
	h.wantOpen("1 asked")
	h.answer = warehouse.HintAnswer{Unknown: true}
	h.told("two", "2")
	due = h.tick()
	check.ErrorIf(t, due != nil, "due are %v", due)
	h.wantOpen("1 asked, 2")
	if h.tick(); h.due != nil {
		t.Errorf("looked at a stranger's hints again at once: %v", h.due)
	}
}

// TestAStreamThatIsWrittenToIsAskedByTheNextTick: the tick waits for no load.
func TestAStreamThatIsWrittenToIsAskedByTheNextTick(t *testing.T) {
	h := openHinted(t)
	h.told("one", "1")
	tx := check.Sure(h.db.Pool().Begin(t.Context()))(h)
	check.Must(h, check.Failure(tx.Exec(t.Context(), `SELECT FROM sluice.streams FOR UPDATE`)))
	due := h.tick()
	check.ErrorIf(t, due != nil, "due are %v", due)
	h.wantOpen("1")
	check.Must(h, tx.Rollback(t.Context()))
	due = h.tick()
	check.ErrorIf(t, len(due) != 1, "due are %v", due)
}

// TestCallbacksAreCounted: one row per content, one hint per record, a pause that ends.
func TestCallbacksAreCounted(t *testing.T) {
	h := openHinted(t)
	check.ErrorIf(t, !h.told("one", "1") || h.told("one", "1") || h.told("one", "1"), "the first callback is new and the others are not")
	for sql, want := range map[string]int{
		`SELECT count(*)::int FROM sluice.callbacks`: 1, `SELECT times::int FROM sluice.callbacks`: 3, `SELECT count(*)::int FROM sluice.hints`: 1,
		`SELECT told::int FROM sluice.hints`: 3, `SELECT count(*)::int FROM notifications.events`: 3,
	} {
		check.Same(t, sql, want, ask[int](h.fixture, sql))
	}
	watch := func() bool {
		return ask[bool](h.fixture, `SELECT notifications.take_callback('o', 'watch', '\x01', 'Products', '', '{7}', NULL, 10, NULL,
			'{store}', '{bills}', '{""}', '1 minute', '15 seconds')`)
	}
	check.ErrorIf(t, !watch() || watch(), "of two equal callbacks of a channel one is new")
	got := ask[string](h.fixture, `SELECT concat_ws(' ', (SELECT told FROM sluice.hints WHERE organization_id = 'o'),
		(SELECT due_at - first_at FROM sluice.hints WHERE organization_id = 'o'),
		(SELECT string_agg(record_id, ',') FROM notifications.events WHERE organization_id = 'o'))`)
	check.ErrorIf(t, got != `1 00:00:15 7`, "a repetition changed what was told: %s", got)
}

// TestNotificationsAreTrustedWhileTheyTell: three runs without a miss and a proven way give the
// long interval; one miss, or a way that is no longer proven, gives the usual one back.
func TestNotificationsAreTrustedWhileTheyTell(t *testing.T) {
	h := openHinted(t)
	h.notified()
	wait := func() int {
		return ask[int](h.fixture, `SELECT round(extract(epoch FROM next_due_at - now()) / 3600)::int FROM sluice.streams WHERE resource = 'bills'`)
	}
	want := func(what string, hours int) {
		t.Helper()
		got := wait()
		check.ErrorIf(t, got != hours, "%s: due in %d h, want %d", what, got, hours)
	}
	check.Must(h, h.db.Prove(t.Context(), []pipeline.Key{h.bills.Key()}, time.Hour))
	h.scheduled(header("1", "a", 1))
	h.told("one", "2")
	for range 3 {
		h.scheduled(header("1", "a", 1))
	}
	h.scheduled(header("1", "a", 1), header("2", "a", 1)) // told of
	want("three runs in a row found what was told", 6)
	check.ErrorIf(t, ask[int](h.fixture, `SELECT announced_runs FROM sluice.streams WHERE resource = 'bills'`) != 4,
		"a first sync counts, or a run that was told of does not")
	lapsed := check.Sure(h.db.Distrust(t.Context()))(h)
	check.ErrorIf(t, len(lapsed) != 0, "%v lapsed though all is well", lapsed)
	check.Must(h, h.db.Prove(t.Context(), []pipeline.Key{h.bills.Key()}, 0))
	lapsed = check.Sure(h.db.Distrust(t.Context()))(h)
	check.ErrorIf(t, len(lapsed) != 1, "%v lapsed, want the list", lapsed)
	want("the way is not proven", 1)
	check.Must(h, h.db.Prove(t.Context(), []pipeline.Key{h.bills.Key()}, time.Hour))
	h.scheduled(header("1", "a", 1))
	want("the way is proven again", 6)
	h.scheduled(header("1", "a", 1), header("3", "a", 1))
	check.Must(h, check.Failure(h.db.Distrust(t.Context())))
	want("a change that nothing told of", 1)
	check.Same(t, "changes were not told of", 1, ask[int](h.fixture, `SELECT max(unannounced)::int FROM sluice.runs`))
}

// TestADeletionIsLookedFor: what upstream says about a deletion is no evidence, and a look finds
// it.
func TestADeletionIsLookedFor(t *testing.T) {
	h := openHinted(t)
	look := h.bills
	look.Work = pipeline.WorkLook
	check.Must(h, h.db.RegisterStreams(t.Context(), []warehouse.StreamSetting{
		{Key: h.bills.Key(), Every: time.Hour, Enabled: true}, {Key: h.hinted.Key(), Every: 24 * time.Hour, Enabled: true},
		{Key: look.Key(), Every: 24 * time.Hour, Enabled: true, After: 24 * time.Hour},
	}))
	h.answer.Deletions, h.answer.DeletionsPause = pipeline.WorkLook, time.Minute
	h.told("one", "1", "2")
	h.exec(`UPDATE sluice.hints SET operation = 'delete' WHERE record_id = '2'`)
	check.Same(t, "the streams that are due differ while the look rests", []string{"bills.hinted"}, h.tick())
	h.wantOpen("1 asked, 2")
	h.answer.DeletionsPause = 0
	h.exec(`UPDATE sluice.hints SET due_at = now()`)
	check.Same(t, "the streams that are due differ", []string{"bills.look"}, h.tick())
	h.wantOpen("1 asked")
	check.Same(t, "a callback alone is evidence of a deletion", 0, ask[int](h.fixture, `SELECT count(*)::int FROM sluice.tombstones`))
}
