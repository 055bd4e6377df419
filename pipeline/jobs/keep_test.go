package jobs_test

import "testing"

// TestOldNotesGo: a process that schedules deletes exactly the notes that are older than their
// retention.
func TestOldNotesGo(t *testing.T) {
	t.Parallel()
	r := newFixture(t)
	const insert = `INSERT INTO sluice.verifications (started_at, calls_allowed)
		VALUES (now() - interval '41 days', 1), (now() - interval '39 days', 2)`
	if _, err := r.db.Pool().Exec(t.Context(), insert); err != nil {
		t.Fatal(err)
	}
	r.start(true)
	r.until("the old verification is dropped", `SELECT (count(*) = 0)::integer FROM sluice.verifications WHERE calls_allowed = 1`)
	if n := r.number(`SELECT count(*) FROM sluice.verifications WHERE calls_allowed = 2`); n != 1 {
		t.Error("the younger verification is gone, too")
	}
}
