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

// cutOff lets no standby follow any more.
func (c *cluster) cutOff(s *fixture) {
	s.t.Helper()
	c.sh(`sed -i '1i local replication all reject' "$PGDATA/pg_hba.conf"
pg_ctl --silent reload`)
	s.exec(`SELECT pg_terminate_backend(pid) FROM pg_stat_replication`)
	s.until("the standby is cut off", `SELECT count(*) = 0 FROM pg_stat_replication`)
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
				primary.cutOff(s)
			}
			s.wait("more calls arrive", s.arrivals.after(40))
			// Calls that are answered only after the promotion are what a process goes on from.
			waits := s.arrivals.after(1)
			release := s.arrivals.hold(0)
			s.wait("a call waits for its answer", waits)
			before := s.calls()
			primary.sh(`kill -9 $(head -1 "$PGDATA/postmaster.pid")`)
			killed := time.Now()
			standby.sh("pg_ctl --silent --wait promote")
			s.on(s.environment["SLUICE_DATABASE_URL"])
			after, promoted := s.calls(), time.Now()
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
			s.noneReserved(promoted, killed, 2*minute)
			t.Logf("the primary had %d calls, the standby %d; upstream counted %d", before, after, s.world.Stats().Calls)
		})
	}
}

// noneReserved checks that the database reserved no call for a while after it forgot calls, which
// upstream may still count: from an instant at which it was usable again, until so long after it
// was lost or a process first saw it again.
func (s *fixture) noneReserved(usable, lost time.Time, during time.Duration) {
	s.t.Helper()
	if early := one[int](s, `SELECT count(*) FROM sluice.calls, sluice.last_timeline
		WHERE reserved_at > $1 AND reserved_at < greatest(seen_at, $2) + $3::interval`, usable, lost, during); early > 0 {
		s.t.Errorf("%d calls were reserved within %s, while upstream may count calls that the database forgot", early, during)
	}
}
