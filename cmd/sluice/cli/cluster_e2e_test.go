//go:build e2e

package cli

import (
	"context"
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"sluice/sandbox"
)

// cluster is a Postgres of a test that administers it as an operator does: by the shell, under the
// account of the server, with the tools of Postgres and others.
type cluster struct {
	t *testing.T
	// folder holds all that the account writes; data is the server's folder in it.
	folder, data string
	environment  []string
	lent         *syscall.Credential
}

func (s *fixture) newCluster(tools ...string) *cluster {
	s.t.Helper()
	c := s.newAccount(tools...)
	c.sh(`initdb --username=postgres --auth=trust --encoding=UTF8 --locale=C --no-sync >/dev/null
cat >>"$CONF" <<END
listen_addresses = ''
unix_socket_directories = '$PGHOST'
fsync = off
END`)
	return c
}

// newAccount prepares the account, without a cluster.
func (s *fixture) newAccount(tools ...string) *cluster {
	s.t.Helper()
	for _, tool := range tools {
		_, err := exec.LookPath(tool)
		if err != nil {
			_, err = os.Stat("/usr/sbin/" + tool)
		}
		fatalIf(s.t, err != nil,
			"%s is missing, and this test works through it: run .ci/poolers, or apt-get install -y --no-install-recommends %s", tool, tool)
	}
	// Not t.TempDir: the account that a server of root runs as cannot enter it.
	folder := sure(os.MkdirTemp("", "sluice-pg-"))(s.t)
	s.t.Cleanup(func() { _ = os.RemoveAll(folder) })
	c := &cluster{t: s.t, folder: folder, data: filepath.Join(folder, "data")}
	if os.Geteuid() == 0 {
		account, err := user.Lookup("postgres")
		if err != nil {
			account, err = user.Lookup("nobody")
		}
		must(s.t, err)
		uid := sure(strconv.Atoi(account.Uid))(s.t)
		gid := sure(strconv.Atoi(account.Gid))(s.t)
		must(s.t, os.Chown(folder, uid, gid))
		c.lent = &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}
	}
	bin := one[string](s, `SELECT setting FROM pg_config WHERE name = 'BINDIR'`)
	_, err := os.Stat(filepath.Join(bin, "pg_basebackup"))
	fatalIf(s.t, err != nil, "the tests need the server's binaries on this machine: run .ci/setup binaries (%v)", err)
	c.set("PATH", bin+":/usr/sbin:/usr/bin:/sbin:/bin")
	c.set("PGDATA", c.data)
	c.set("CONF", filepath.Join(c.data, "postgresql.conf"))
	c.set("PGHOST", folder)
	c.set("PGUSER", "postgres")
	c.set("START", "pg_ctl --silent --wait --log="+folder+"/log start")
	c.set("STOP", "pg_ctl --silent --wait --mode=fast stop")
	s.t.Cleanup(func() {
		if _, err := os.Stat(filepath.Join(c.data, "postmaster.pid")); err == nil {
			_, _ = c.try("pg_ctl --silent --mode=immediate stop") // the folder goes next
		}
	})
	return c
}

func (c *cluster) set(name, value string) { c.environment = append(c.environment, name+"="+value) }

// sh executes lines under the account of the server, and demands that each succeeds.
func (c *cluster) sh(lines string) {
	c.t.Helper()
	if said, err := c.try(lines); err != nil {
		log, _ := os.ReadFile(filepath.Join(c.folder, "log")) // it may not have started yet
		c.t.Fatalf("%v\n%s\n%s\n%s", err, lines, said, log[max(0, len(log)-3000):])
	}
}

func (c *cluster) try(lines string) (string, error) {
	cmd := exec.CommandContext(context.WithoutCancel(c.t.Context()), "bash", "-euo", "pipefail", "-c", lines)
	cmd.Env, cmd.Dir = c.environment, c.folder
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: c.lent}
	said, err := cmd.CombinedOutput()
	return string(said), err
}

func (c *cluster) url() string {
	return "postgres://postgres@/postgres?host=" + url.QueryEscape(c.folder)
}

func (s *fixture) on(address string) {
	s.t.Helper()
	_ = s.conn.Close(s.t.Context()) // the old server may be gone
	s.environment["SLUICE_DATABASE_URL"] = address
	conn := sure(pgx.Connect(s.t.Context(), address))(s.t)
	s.conn = conn
	s.t.Cleanup(func() { _ = conn.Close(context.WithoutCancel(s.t.Context())) })
}

// linesOf are the blocks of shell lines of a page below a heading, in their order.
func linesOf(t *testing.T, page, heading string) []string {
	t.Helper()
	text := sure(os.ReadFile(filepath.Join("../../../docs", filepath.FromSlash(page))))(t)
	_, section, found := strings.Cut(string(text), "\n## "+heading+"\n")
	section, _, _ = strings.Cut(section, "\n## ")
	var blocks []string
	for _, block := range regexp.MustCompile("(?ms)^```sh\n(.*?)^```").FindAllStringSubmatch(section, -1) {
		blocks = append(blocks, block[1])
	}
	fatalIf(t, !found || len(blocks) == 0, "%s has no lines below %s", page, heading)
	return blocks
}

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
			errorIf(t, synchronous && after < before || !synchronous && after >= before,
				"the primary had %d calls, and the standby %d after its promotion", before, after)

			s.allDone(1)
			serve.stops()
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
	early := one[int](s, `SELECT count(*) FROM sluice.calls, sluice.last_timeline
		WHERE reserved_at > $1 AND reserved_at < greatest(seen_at, $2) + $3::interval`, usable, lost, during)
	errorIf(s.t, early > 0, "%d calls were reserved within %s, while upstream may count calls that the database forgot", early, during)
}

// TestRestoreToAPointInTime executes the lines of docs/operations/restore.md for both tools. The
// database goes back to an instant between two syncs; the next sync makes both sides equal.
func TestRestoreToAPointInTime(t *testing.T) {
	t.Parallel()
	const (
		minute            = 3 * time.Second
		perMinute, atOnce = 100, 10 // of the plan premium: docs/upstream.md U40 and U41
	)
	for heading, tools := range map[string][]string{"With pg_basebackup": nil, "With pgBackRest": {"pgbackrest"}} {
		t.Run(heading, func(t *testing.T) {
			t.Parallel()
			s := newFixture(t, sandbox.Options{Seed: 97, Records: 300, Limits: sandbox.Limits{Minute: minute}}).narrow()
			s.environment[withMinute] = minute.String()
			c := s.newCluster(tools...)
			c.prepare()
			c.sh("$START")
			s.on(c.url())
			must(t, migrated(t.Context(), c.url()))
			lines := linesOf(t, "operations/restore.md", heading)
			fatalIf(t, len(lines) != 3, "the recipe has %d blocks, want what is done once, each night, and to restore", len(lines))
			once, nightly, restore := lines[0], lines[1], lines[2]

			s.sync(codeFine, "items", "bills")
			must(t, s.conn.Close(t.Context())) // or the stop would wait for it
			c.sh(once)
			c.sh(nightly)
			s.on(c.url())
			saved := one[time.Time](s, `SELECT clock_timestamp()`)
			s.changed(1)
			s.sync(codeFine, "items", "bills")
			s.equal("inventory.items")
			// pgBackRest knows by the second when a backup ended, and wants one before the instant.
			s.exec(`SELECT pg_sleep_for(date_trunc('second', $1::timestamptz) + interval '1 second' - clock_timestamp())`, saved)
			instant := one[string](s, `SELECT to_char(clock_timestamp() AT TIME ZONE 'UTC', 'YYYY-MM-DD HH24:MI:SS.US+00')`)
			then := one[int](s, `SELECT count(*) FROM sluice.calls`)
			s.changed(2)
			s.sync(codeFine, "items", "bills")
			s.equal("inventory.items")
			after := one[int](s, `SELECT count(*) FROM sluice.calls`)

			bases := sure(filepath.Glob(c.folder + "/backup/base/*"))(t)
			c.set("BASE", strings.Join(bases, " ")) // there is one, or none
			c.set("TARGET", instant)
			must(t, s.conn.Close(t.Context()))
			lost := time.Now()
			c.sh(restore)
			s.on(c.url())
			usable := time.Now()
			if known := one[int](s, `SELECT count(*) FROM sluice.calls`); known != then || known == after {
				t.Fatalf("the database has %d calls after the restore, and had %d at the instant and %d later", known, then, after)
			}
			s.changed(3)
			for line := range strings.Lines(linesOf(t, "operations/restore.md", "After each restore")[0]) {
				command, _, _ := strings.Cut(line, "#")
				s.prints(codeFine, "", strings.Fields(command)[1:]...)
			}
			s.equal("inventory.items")
			s.equal("inventory.bills")
			s.withinLimits(perMinute, atOnce, minute)
			s.noneReserved(usable, lost, 2*minute)
		})
	}
}

func (s *fixture) changed(seed int64) {
	s.t.Helper()
	sure(s.world.Change(sandbox.Change{Seed: seed, Inserts: 4, Edits: 12, Deletes: 2, Resources: []string{"items", "bills"}}))(s.t)
}

// prepare sets the variables of the page's section about folders to those of the test. Each has
// to be among them.
func (c *cluster) prepare() {
	c.t.Helper()
	c.set("BACKUP", filepath.Join(c.folder, "backup"))
	c.set("PGBACKREST_CONFIG", filepath.Join(c.folder, "pgbackrest.conf"))
	for _, line := range regexp.MustCompile(`(\w+)=`).FindAllStringSubmatch(linesOf(c.t, "operations/restore.md", "The folders")[0], -1) {
		errorIf(c.t, !slices.ContainsFunc(c.environment, func(set string) bool { return strings.HasPrefix(set, line[1]+"=") }),
			"the page sets %s, and the test does not", line[1])
	}
	// What only the test needs: folders of its own, and the socket that it connects to.
	for name, value := range map[string]string{"LOG_PATH": "logs", "LOCK_PATH": "locks", "SPOOL_PATH": "spool"} {
		folder := filepath.Join(c.folder, value)
		c.sh(fmt.Sprintf("mkdir -p %q", folder))
		c.set("PGBACKREST_"+name, folder)
	}
	c.set("PGBACKREST_PG1_SOCKET_PATH", c.folder)
	c.set("PGBACKREST_PG1_USER", "postgres")
	c.set("TMPDIR", os.TempDir())
}

// TestAnalystsReadAStandby asks a standby, which is made as the page says, for everything that
// analysts read, and holds its tables against upstream.
func TestAnalystsReadAStandby(t *testing.T) {
	t.Parallel()
	s := newFixture(t, sandbox.Options{Seed: 61, Records: 300}).narrow()
	primary := s.newCluster()
	primary.sh("$START")
	s.on(primary.url())
	standby := s.newAccount()
	standby.set("PRIMARY", primary.folder)
	standby.sh(linesOf(t, "operations/copies.md", "A standby")[0])
	s.until("the standby follows", `SELECT count(*) = 1 FROM pg_stat_replication WHERE state = 'streaming'`)
	must(t, migrated(t.Context(), primary.url()))
	s.sync(codeFine)
	cursor := one[string](s, `SELECT analytics.changes_cursor()`)
	written := one[string](s, `SELECT pg_current_wal_lsn()::text`)

	s.on(standby.url())
	s.until("the standby has what was loaded", `SELECT pg_last_wal_replay_lsn() >= $1::pg_lsn`, written)
	s.equal()
	rows, err := s.conn.Query(t.Context(), `SELECT c.relname FROM pg_class c WHERE c.relnamespace = 'analytics'::regnamespace AND c.relkind IN ('v', 'm') ORDER BY 1`)
	must(t, err)
	views := sure(pgx.CollectRows(rows, pgx.RowTo[string]))(t)
	fatalIf(t, len(views) < 20 || !slices.Contains(views, "freshness"), "the views of analytics are %v", views)
	for _, view := range views {
		_, err := s.conn.Exec(t.Context(), `SELECT * FROM analytics.`+pgx.Identifier{view}.Sanitize())
		errorIf(t, err != nil, "analytics.%s: %v", view, err)
	}
	_, err = s.conn.Exec(t.Context(), `SELECT * FROM analytics.changes($1, NULL)`, cursor)
	errorIf(t, err == nil || !strings.Contains(err.Error(), "recovery is in progress"), "analytics.changes on a standby says %v", err)
}

// TestTablesArePublished follows the page with two servers. The copy equals upstream after changes
// and deletions.
func TestTablesArePublished(t *testing.T) {
	t.Parallel()
	s := newFixture(t, sandbox.Options{Seed: 62, Records: 300}).narrow()
	warehouse := s.newCluster()
	warehouse.sh(`echo "wal_level = logical" >>"$CONF"; $START`)
	s.on(warehouse.url())
	must(t, migrated(t.Context(), warehouse.url()))
	s.sync(codeFine)

	second := s.newCluster()
	second.sh("$START")
	second.set("WAREHOUSE", "host="+warehouse.folder+" user=postgres dbname=postgres")
	second.set("COPY", "host="+second.folder+" user=postgres dbname=postgres")
	second.sh(linesOf(t, "operations/copies.md", "A publication")[0])
	s.on(second.url())
	s.until("the tables are copied", `SELECT count(*) > 20 AND bool_and(srsubstate = 'r') FROM pg_subscription_rel`)
	s.equal()

	s.on(warehouse.url())
	sure(s.world.Change(sandbox.Change{Seed: 1, Inserts: 5, Edits: 20, Deletes: 2, Resources: []string{"items", "bills"}}))(t)
	s.afterAMinute()
	s.sync(codeFine)
	s.sync(codeFine, "inventory.items.sweep", "inventory.bills.sweep")
	written := one[string](s, `SELECT pg_current_wal_lsn()::text`)
	s.until("the copy has followed", `SELECT count(*) = 1 FROM pg_stat_replication WHERE application_name = 'sluice_tables' AND replay_lsn >= $1::pg_lsn`, written)
	s.on(second.url())
	s.equal()
}
