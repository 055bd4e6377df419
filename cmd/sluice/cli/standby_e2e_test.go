//go:build e2e

package cli

import (
	"net/url"
	"testing"
	"time"

	"sluice/sandbox"
)

// standby makes and starts a streaming standby of a cluster.
func (c *cluster) standby(s *fixture) *cluster {
	s.t.Helper()
	second := s.newAccount()
	second.set("PRIMARY", c.folder)
	second.sh(`pg_basebackup --host="$PRIMARY" --pgdata="$PGDATA" --write-recovery-conf --checkpoint=fast
echo "unix_socket_directories = '$PGHOST'" >>"$CONF"
$START`)
	s.until("the standby follows", `SELECT count(*) = 1 FROM pg_stat_replication WHERE state = 'streaming'`)
	return second
}

// TestAStandbyTakesOver kills the primary under load, with calls under way, and promotes its
// standby. Where the standby is synchronous, nothing is lost. Where it had fallen behind, the
// process goes on from what the standby has, and reads what is lost again. Upstream counts the
// calls that the standby does not know: the limits of a minute have to be kept all the same.
func TestAStandbyTakesOver(t *testing.T) {
	t.Parallel()
	const (
		minute            = 5 * time.Second
		perMinute, atOnce = 100, 10 // of the plan premium: docs/upstream.md U40 and U41
	)
	for name, synchronous := range map[string]bool{"synchronous": true, "asynchronous": false} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newFixture(t, sandbox.Options{
				Seed: 98, Records: 30_000, PageLatency: 40 * time.Millisecond, Limits: sandbox.Limits{Minute: minute},
			}).narrow()
			s.environment[withMinute] = minute.String()
			primary := s.newCluster()
			primary.sh("$START")
			s.on(primary.url())
			standby := primary.standby(s)
			must(t, migrated(t.Context(), primary.url()))
			if synchronous {
				s.exec(`ALTER SYSTEM SET synchronous_standby_names = '*'`)
				s.exec(`SELECT pg_reload_conf()`)
				s.until("the standby is synchronous", `SELECT bool_or(sync_state = 'sync') FROM pg_stat_replication`)
			}
			s.on("postgres://postgres@/postgres?target_session_attrs=read-write&host=" + url.QueryEscape(primary.folder+","+standby.folder))

			serve := s.start("serve", "--listen", "127.0.0.1:0")
			s.wait("calls arrive", s.arrivals.after(40))
			if !synchronous {
				primary.sh(`sed -i '1i local replication all reject' "$PGDATA/pg_hba.conf"
pg_ctl --silent reload`)
				s.exec(`SELECT pg_terminate_backend(pid) FROM pg_stat_replication`)
				s.until("the standby is cut off", `SELECT count(*) = 0 FROM pg_stat_replication`)
			}
			s.wait("more calls arrive", s.arrivals.after(40))
			// Calls that are answered only after the promotion are what a process goes on from.
			waits := s.arrivals.after(1)
			release := s.arrivals.hold(0)
			s.wait("a call waits for its answer", waits)
			before := s.calls()
			primary.sh(`kill -9 $(head -1 "$PGDATA/postmaster.pid")`)
			standby.sh("pg_ctl --silent --wait promote")
			s.on(s.environment["SLUICE_DATABASE_URL"])
			after := s.calls()
			promoted := time.Now()
			// With broken connections the chunks would fail, and not go on.
			s.until("the process has found the new primary", `SELECT count(*) = 1 FROM sluice.live_processes`)
			release()
			if synchronous && after < before || !synchronous && after >= before {
				t.Errorf("the primary had %d calls, and the standby %d after its promotion", before, after)
			}

			s.allDone(1)
			serve.terminate()
			serve.ends(codeFine, stopLimit)
			s.equal()
			s.withinLimits(perMinute, atOnce, minute)
			if first := s.arrivals.firstAfter(promoted); first.Before(promoted.Add(2 * minute)) {
				t.Errorf("a call arrived %s after the promotion, while upstream may still count forgotten ones", first.Sub(promoted))
			}
			t.Logf("the primary had %d calls, the standby %d; upstream counted %d", before, after, s.world.Stats().Calls)
		})
	}
}

// firstAfter is when the first call was handled after an instant.
func (a *arrivals) firstAfter(instant time.Time) time.Time {
	a.mu.Lock()
	defer a.mu.Unlock()
	var first time.Time
	for _, call := range a.at {
		if call.handled.After(instant) && (first.IsZero() || call.handled.Before(first)) {
			first = call.handled
		}
	}
	return first
}
