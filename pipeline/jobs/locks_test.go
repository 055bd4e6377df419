package jobs_test

import (
	"testing"

	"sluice/pipeline"
	"sluice/pipeline/warehouse/warehousetest"
)

// TestLocksOfOthers: any role that may connect can take locks of the class that shows which
// processes are alive. Such a lock stops no process and makes no killed process look alive.
func TestLocksOfOthers(t *testing.T) {
	t.Parallel()
	r := newFixture(t)
	stranger := warehousetest.Connect(t, r.url)
	if _, err := stranger.Exec(t.Context(), `SELECT pg_advisory_lock(20928, n) FROM generate_series(1, 300) AS n`); err != nil {
		t.Fatal(err)
	}
	// A process was killed, and another session now has the lock with its number.
	if err := r.db.Request(t.Context(), []pipeline.Key{r.key("apples"), r.key("pears")}); err != nil {
		t.Fatal(err)
	}
	const killed = `WITH dead AS (INSERT INTO sluice.processes (name, lock_number, lock_pid) VALUES ('killed', 7, 1) RETURNING id)
		INSERT INTO river.river_job (kind, queue, args, max_attempts, state, attempt, attempted_at, attempted_by)
		SELECT 'stream', 'streams', '{"organization":"1","service":"made_up","resource":"apples"}', 10, 'running', 1, now(), ARRAY['sluice-' || id] FROM dead
		RETURNING id`
	id := r.number(killed)
	queue := r.start(false)
	r.until("the job of the killed process was worked", `SELECT count(*) FROM river.river_job WHERE id = $1 AND state = 'completed'`, id)
	r.until("apples are done", sqlIdle, "apples")
	r.ask(queue, "pears")
	r.until("pears are done", sqlIdle, "pears")
	if live := r.number(`SELECT count(*) FROM sluice.live_processes`); live != 1 {
		t.Errorf("%d processes live, want this one only", live)
	}
	if n := r.number(`SELECT count(*) FROM sluice.processes WHERE lock_number > 300 AND lock_pid <> 1`); n != 1 {
		t.Error("the process holds a lock that another session holds")
	}
}
