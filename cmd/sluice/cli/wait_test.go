package cli

import "time"

// patience is how long a condition may take while no call arrives: while calls arrive, the fleet
// works, however slow the machine.
const patience = 2 * time.Minute

// until waits until a condition on the database holds.
func (s *fixture) until(what, condition string, args ...any) {
	s.t.Helper()
	s.waitUntil(what, func() bool { return one[bool](s, condition, args...) })
}

// wait waits for a signal.
func (s *fixture) wait(what string, reached <-chan struct{}) {
	s.t.Helper()
	s.waitUntil(what, func() bool {
		select {
		case <-reached:
			return true
		default:
			return false
		}
	})
}

func (s *fixture) waitUntil(what string, holds func() bool) {
	s.t.Helper()
	const atMost = 6 * patience
	began := time.Now()
	seen, moved := s.arrivals.total(), began
	ticker := time.NewTicker(20 * time.Millisecond)
	defer ticker.Stop()
	for !holds() {
		now := <-ticker.C
		if total := s.arrivals.total(); total != seen {
			seen, moved = total, now
		}
		if now.Sub(moved) > patience || now.Sub(began) > atMost {
			s.t.Fatalf("it did not come true within %s that %s\n%s", now.Sub(began).Round(time.Second), what, s.situation())
		}
	}
}

// situation says what the processes wait for.
func (s *fixture) situation() string {
	s.t.Helper()
	return one[string](s, `SELECT concat_ws(E'\n',
		(SELECT string_agg(format('session %s %s %s, waits for %s %s, behind %s: %s', pid, state, now() - xact_start,
			wait_event_type, wait_event, pg_blocking_pids(pid), left(query, 120)), E'\n') FROM pg_stat_activity WHERE xact_start IS NOT NULL),
		(SELECT string_agg(format('stream %s %s until %s', resource, state, wait_until), E'\n') FROM sluice.streams WHERE state <> 'idle'),
		(SELECT string_agg(format('job %s %s, due %s, tried by %s', id, state, scheduled_at, attempted_by[array_upper(attempted_by, 1)]), E'\n')
			FROM river.river_job WHERE state <> 'completed'),
		(SELECT string_agg(format('run %s of %s, %s, began %s, ended %s: %s %s', r.id, r.resource, r.class, r.started_at, r.ended_at, r.outcome, r.note), E'\n')
			FROM (SELECT * FROM sluice.runs ORDER BY id DESC LIMIT 12) AS r),
		(SELECT string_agg(format('leader %s until %s', leader_id, expires_at), E'\n') FROM river.river_leader),
		'now ' || clock_timestamp())`)
}
