package warehouse_test

import (
	"testing"
	"time"

	"sluice/pipeline"
	"sluice/pipeline/check"
	"sluice/schema"
)

// TestUpstreamsCountIsComparedWithTheRows: what exists here, against what upstream counted before the
// run, and what becomes due because of the difference.
func TestUpstreamsCountIsComparedWithTheRows(t *testing.T) {
	w := openLook(t, pipeline.TombstoneRules{MaxRows: 2})
	day := func(n int) time.Time { return time.Date(2026, 1, n, 9, 0, 0, 0, time.UTC) }
	const apart = `UPDATE sluice.streams SET next_due_at = clock_timestamp() + interval '1 hour' WHERE resource IN ('bills.look', 'bills.sweep')`
	counted := func(what string, total int, at time.Time, ours string, agrees bool, due string) {
		t.Helper()
		w.exec(apart)
		batch := w.of(w.claimOf(w.bills))
		batch.Count = &pipeline.Count{Tally: pipeline.Tally{Records: total}, From: at, To: at.Add(3 * time.Second)}
		batch.End = &pipeline.End{Outcome: pipeline.OutcomeDone}
		w.load(batch)
		check.Same(t, what, ours, ask[string](w.fixture, `SELECT coalesce(counted_ours::text, 'unsure') FROM sluice.streams WHERE resource = 'bills'`))
		check.Same(t, what+": it agrees", agrees, ask[bool](w.fixture, `SELECT coalesce(agreed_at = counted_at, false) FROM sluice.streams WHERE resource = 'bills'`))
		check.Same(t, what+": due", due, ask[string](w.fixture, `SELECT coalesce(string_agg(CASE
				WHEN next_due_at <= clock_timestamp() THEN split_part(resource, '.', 2) || ' now'
				WHEN next_due_at > clock_timestamp() + interval '23 hours' THEN split_part(resource, '.', 2) || ' put off' END, ', ' ORDER BY resource), '')
			FROM sluice.streams WHERE resource IN ('bills.look', 'bills.sweep')`))
	}
	late := day(20)
	sweeps := func(what string, every time.Duration) {
		t.Helper()
		sweep := check.Sure(w.db.Stream(t.Context(), w.sweep.Key()))(t)
		check.Same(t, "time between sweeps where "+what, every, time.Duration(sweep.EverySeconds)*time.Second)
	}
	const week = 7 * 24 * time.Hour
	sweeps("nothing was counted", week)
	counted("as many", 5, late, "5", true, "look put off")
	sweeps("counts agree", 4*week)
	w.exec(`UPDATE sluice.streams SET counted_at = counted_at - interval '8 days', agreed_at = agreed_at - interval '8 days'`)
	sweeps("the last count is old", week)
	counted("one is gone", 4, late, "5", false, "look now")
	sweeps("counts differ", week)
	counted("no look came to it", 4, late, "5", false, "look now")
	w.exec(`UPDATE sluice.streams SET last_done_at = clock_timestamp() WHERE resource = 'bills.look'`)
	counted("a look found none", 4, late, "5", false, "sweep now")
	counted("one is hidden", 6, late, "5", false, "look now")
	counted("of those created before", 2, day(3), "2", true, "look put off")
	counted("one is created meanwhile", 2, day(3).Add(59*time.Minute).Add(58*time.Second), "unsure", false, "")

	// A row that got its tombstone before the count does not exist; one that got it since did.
	w.exec(`UPDATE store.bills SET _deleted_at = $1 WHERE bill_id = '5'`, day(10))
	counted("a row that was deleted before", 4, late, "4", true, "look put off")
	counted("a row that was deleted since", 5, day(9), "5", true, "look put off")
	counted("a row that was deleted meanwhile", 5, day(10), "unsure", false, "")

	// Records in quarantine exist. When one was created that comes with the run itself is unknown.
	reject := func(raw, id string) {
		batch := w.of(w.claimOf(w.look))
		batch.Rejected = []pipeline.RejectedRecord{{Raw: []byte(raw), ID: id, Code: "wrong_type"}}
		batch.End = &pipeline.End{Outcome: pipeline.OutcomeDone}
		w.load(batch)
	}
	reject(`{"bill_id":"6","total":"x"}`, "6")
	reject(`{"bill_id":"1","total":"x"}`, "1")
	counted("one in quarantine", 5, late, "5", true, "look put off")
	reject(`{"total":"x"}`, "")
	counted("one without an identifier", 5, late, "unsure", false, "")
	w.exec(`UPDATE sluice.quarantine SET state = 'resolved' WHERE record_id = ''`)
	counted("one set aside", 5, late, "unsure", false, "")
	w.exec(`UPDATE sluice.quarantine SET state = 'retried' WHERE record_id = ''`)
	counted("nothing unknown", 5, late, "5", true, "look put off")

	// Deletions that wait for the operator are no reason to read the list again and again.
	w.exec(`INSERT INTO sluice.tombstones (organization_id, service, resource, record_id, state, suspected_run_id, suspected_first_call,
		suspected_last_call, suspected_clock, proof, proof_run_id, deleted_at)
		SELECT organization_id, service, resource, '2', 'needs_review', 1, 1, 1, now(), 'scan', 1, now() FROM sluice.streams WHERE resource = 'bills'`)
	counted("one is held", 4, late, "5", false, "")
	w.exec(`DELETE FROM sluice.tombstones`)

	w.exec(`WITH e AS (INSERT INTO sluice.erasures (organization_id, service, resource, subject_hash) VALUES ($1, $2, 'bills', '\x00') RETURNING *)
		INSERT INTO sluice.erased_records (organization_id, service, resource, record_hash, erasure_id)
		SELECT organization_id, service, resource, '\x00', id FROM e`, w.bills.Organization, w.bills.Service.Name)
	counted("one was erased, and may still exist", 5, late, "unsure", false, "")
}

// TestUpstreamsSumsAreComparedWithTheRows: a column counts from the end of a proven reading on that came
// to the same sum, until one comes to another. Its difference asks for a look, then for a sweep; and
// none is seen where a row was edited since, is in quarantine or has no value.
func TestUpstreamsSumsAreComparedWithTheRows(t *testing.T) {
	w := openLook(t, pipeline.TombstoneRules{MaxRows: 2})
	w.bills.Resource.Columns = append(w.bills.Resource.Columns, schema.Decimal("balance", "What is left."), schema.Decimal("paid", "What is not."))
	w.exec(`ALTER TABLE store.bills ADD balance numeric, ADD paid numeric`)
	w.exec(`UPDATE store.bills SET balance = bill_id::int + 0.1, paid = 1`)
	const apart = `UPDATE sluice.streams SET next_due_at = clock_timestamp() + interval '1 hour' WHERE resource IN ('bills.look', 'bills.sweep')`
	counted := func(what string, proof pipeline.Proof, from int, balance, used, due string) {
		t.Helper()
		w.exec(apart)
		batch, at := w.of(w.claimOf(w.bills)), time.Date(2026, 1, from, 9, 0, 0, 0, time.UTC)
		tally := pipeline.Tally{Records: min(from-1, 5), Sums: pipeline.Sums{"balance": balance, "paid": "17", "of another list": "5"}}
		batch.Count = &pipeline.Count{Tally: tally, From: at, To: at.Add(3 * time.Second)}
		batch.End = &pipeline.End{Outcome: pipeline.OutcomeDone, Proof: proof}
		w.load(batch)
		check.Same(t, what+": used", used, ask[string](w.fixture, `SELECT coalesce((SELECT verdict || ' ' || value FROM sluice.capabilities WHERE capability = 'sums'), '')`))
		check.Same(t, what+": due", due, ask[string](w.fixture, `SELECT coalesce(string_agg(split_part(resource, '.', 2), ', '), 'nothing') FROM sluice.streams
			WHERE resource IN ('bills.look', 'bills.sweep') AND next_due_at <= clock_timestamp()`))
	}
	looked := func() {
		w.exec(`UPDATE sluice.streams SET last_done_at = clock_timestamp() WHERE resource = 'bills.look'`)
	}
	const whole, changed = pipeline.ProofCount, pipeline.ProofOnePage
	counted("nothing is known of it yet", changed, 20, "9", "", "nothing")
	counted("a proven reading", whole, 20, "15.50", "yes balance", "nothing")
	counted("equal", changed, 20, "15.5", "yes balance", "nothing")
	counted("another", changed, 20, "15.4", "yes balance", "look")
	looked()
	counted("another behind a look", changed, 20, "15.4", "yes balance", "sweep")
	counted("a row was edited since", changed, 4, "1", "yes balance", "nothing")
	w.exec(`UPDATE store.bills SET balance = NULL WHERE bill_id = '2'`)
	counted("a row has no value", changed, 20, "1", "yes balance", "nothing")
	w.exec(`UPDATE store.bills SET balance = 2.1 WHERE bill_id = '2'`)
	counted("no number", changed, 20, "many", "yes balance", "nothing")
	counted("a proven reading comes to another", whole, 20, "15.4", "no ", "nothing")
	counted("another of an unused column", changed, 20, "1", "no ", "nothing")

	batch := w.of(w.claimOf(w.look))
	batch.Rejected = []pipeline.RejectedRecord{{Raw: []byte(`{"bill_id":"6"}`), ID: "6", Code: "wrong_type"}}
	batch.End = &pipeline.End{Outcome: pipeline.OutcomeDone}
	w.load(batch)
	w.exec(`UPDATE store.bills SET _deleted_at = '2026-01-01' WHERE bill_id = '5'`) // so the number is right
	counted("one is in quarantine", whole, 20, "10.4", "no ", "nothing")
	w.exec(`UPDATE sluice.quarantine SET state = 'retried'; UPDATE store.bills SET _deleted_at = NULL`)
	counted("none is any more", whole, 20, "15.5", "yes balance", "nothing")
}

// TestWhatARunWasShownIsCounted: each record once, by when it was created.
func TestWhatARunWasShownIsCounted(t *testing.T) {
	w := openLook(t, pipeline.TombstoneRules{MaxRows: 2})
	claim := w.claimOf(w.bills)
	count := pipeline.Count{From: time.Date(2026, 1, 4, 9, 0, 0, 0, time.UTC), Proves: true}
	count.To = count.From.Add(3 * time.Hour)
	shown := func(counts bool, call int64, headers ...string) {
		batch := w.of(claim, headers...)
		batch.Call, batch.Position.Scan = call, &pipeline.Scan{Mode: pipeline.ModeFull}
		if counts {
			batch.Position.Scan.Count = &count
		}
		w.load(batch)
	}
	shown(true, w.call(claim.Run), header("1", "a", 1)) // before the count
	count.Call = w.call(claim.Run)
	shown(true, w.call(claim.Run), header("1", "b", 1), header("2", "a", 2))
	shown(true, w.call(claim.Run), header("2", "a", 2), header("3", "a", 3), header("4", "a", 4), header("5", "a", 5))
	check.Same(t, "records before the count, and while it was made", pipeline.Seen{Before: 3, Between: 1}, check.Sure(w.db.Seen(t.Context(), claim, count))(t))
	count.To = count.From
	batch := w.of(claim)
	batch.Position.Scan = &pipeline.Scan{Mode: pipeline.ModeFull, Count: &count}
	batch.Rejected = []pipeline.RejectedRecord{{Raw: []byte(`{"bill_id":"9"}`), ID: "9", Code: "wrong_type"}, {Raw: []byte(`{"bill_id":"8"}`), ID: "8", Code: "22003"}}
	w.load(batch)
	check.Same(t, "with one that does not fit, and one that Postgres refused", pipeline.Seen{Before: 4, Between: 1}, check.Sure(w.db.Seen(t.Context(), claim, count))(t))
}
