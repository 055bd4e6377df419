package warehouse_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"sluice/pipeline"
	"sluice/pipeline/warehouse/wants"
)

// openWanted is a store of whose bills roles may ask for.
func openWanted(t *testing.T) *hintedFixture {
	t.Helper()
	h := openHinted(t)
	h.must(wants.Allow(t.Context(), h.db.Pool(), []string{organization}, []pipeline.Key{h.bills.Key()}, wants.Share{PerDay: 100, PerRole: 100}))
	return h
}

// asks inserts wants of records, of two roles for each.
func (h *hintedFixture) asks(ids ...string) {
	h.Helper()
	for _, role := range []string{"jane", "mark"} {
		h.exec(`INSERT INTO sluice.wants (organization_id, resource, record_id, asked_by) SELECT $1, 'store.bills', unnest($2::text[]), $3`, organization, ids, role)
	}
}

// wantAnswers compares the wants of both roles, by record.
func (h *hintedFixture) wantAnswers(want string) {
	h.Helper()
	got := ask[string](h.fixture, `SELECT coalesce(string_agg(concat_ws(' ', record_id, n, outcome), ', ' ORDER BY record_id, outcome), '') FROM (
		SELECT record_id, coalesce(outcome, 'open') AS outcome, count(*) AS n FROM sluice.wants GROUP BY 1, 2) AS w`)
	if got != want {
		h.Errorf("the wants are %q, want %q", got, want)
	}
}

// TestAWantLeadsToOneRead: two roles ask for the same records, of one of which a callback told.
// Each is read once, and both roles get the answer.
func TestAWantLeadsToOneRead(t *testing.T) {
	t.Parallel()
	h := openWanted(t)
	h.exec(`UPDATE sluice.streams SET next_due_at = now() + interval '1 day'`)
	h.told("one", "2", "9")
	h.asks("1", "2", "3", "4")
	if diff := cmp.Diff([]string{"bills.hinted"}, h.tick()); diff != "" {
		t.Errorf("the streams that are due differ:\n%s", diff)
	}
	if again := h.tick(); again != nil {
		t.Errorf("the next tick asks again for %v", again)
	}
	ids, total, err := h.db.Pending(t.Context(), h.hinted, 0, 9)
	h.must(err)
	// The callback about the second came first; what no role asked for comes last.
	if diff := cmp.Diff([]string{"2", "1", "3", "4", "9"}, ids); diff != "" || total != 5 {
		t.Errorf("pending are %d:\n%s", total, diff)
	}
	batch := h.reads([]string{"3"}, singleBill("1", "a", 1), singleBill("2", "a", 1), singleBill("9", "a", 1))
	batch.Unknown = true
	batch.Rejected = []pipeline.RejectedRecord{{Raw: []byte(`{}`), ID: "4", Code: "missing_key", Detail: "no number"}}
	batch.Received++
	h.load(batch)
	h.wantAnswers("1 2 read, 2 2 read, 3 2 gone, 4 2 quarantined")
	h.wantOpen("")
	if calls := ask[int](h.fixture, `SELECT count(DISTINCT call_id)::int FROM sluice.wants`); calls != 1 {
		t.Errorf("answered by %d calls", calls)
	}
	if left := h.tick(); left != nil {
		t.Errorf("after the answer %v are due", left)
	}
}

// TestAWantDuringAReadLeadsToAnother: the call that was under way may not show what the role waits
// for. What upstream answers without words of its own is no proof.
func TestAWantDuringAReadLeadsToAnother(t *testing.T) {
	t.Parallel()
	h := openWanted(t)
	h.asks("1", "2")
	h.tick()
	batch := h.reads([]string{"2"}, singleBill("1", "a", 1)) // its call is reserved here
	h.exec(`UPDATE sluice.wants SET asked_at = clock_timestamp(), requested_at = NULL WHERE record_id = '1' AND asked_by = 'mark'`)
	h.loadAskedAgain(batch)
	h.wantAnswers("1 1 open, 1 1 read, 2 2 not found")
	h.read(nil, singleBill("1", "a", 1))
	h.wantAnswers("1 2 read, 2 2 not found")
}

// TestAnAnswerThatCannotBeReadEndsAWant: such a batch names no call.
func TestAnAnswerThatCannotBeReadEndsAWant(t *testing.T) {
	t.Parallel()
	h := openWanted(t)
	h.asks("1")
	h.tick()
	batch := pipeline.Batch{Claim: h.claimOf(h.hinted), Details: true, End: &pipeline.End{Outcome: pipeline.OutcomeDone}}
	batch.Rejected = []pipeline.RejectedRecord{{Raw: []byte("no record 1"), ID: "1", Code: "unreadable_answer", Detail: "no JSON"}}
	h.load(batch)
	h.wantAnswers("1 2 quarantined")
}

// TestAWantCostsNoTrust: a role that asks is no callback. Neither the list nor its trust in
// notifications changes, and a want of a list that this process does not read waits.
func TestAWantCostsNoTrust(t *testing.T) {
	t.Parallel()
	h := openWanted(t)
	h.asks("1")
	h.tick()
	h.read(nil, singleBill("1", "a", 1))
	if hints := ask[int](h.fixture, `SELECT count(*)::int FROM sluice.hints`); hints != 0 {
		t.Errorf("a want left %d hints", hints)
	}
	if moved := ask[bool](h.fixture, `SELECT bool_or(watermark IS NOT NULL) FROM sluice.streams`); moved {
		t.Error("a want moved a watermark")
	}
	h.must(wants.Allow(t.Context(), h.db.Pool(), []string{organization}, []pipeline.Key{{Organization: organization, Service: "store", Resource: "other"}}, wants.Share{PerDay: 9, PerRole: 9}))
	h.exec(`INSERT INTO sluice.wants (organization_id, resource, record_id) VALUES ($1, 'store.other', '1')`, organization)
	if due := h.tick(); due != nil {
		t.Errorf("due are %v", due)
	}
	if waits := ask[bool](h.fixture, `SELECT requested_at IS NULL FROM sluice.wants WHERE resource = 'store.other'`); !waits {
		t.Error("a run was requested that no process makes")
	}
}
