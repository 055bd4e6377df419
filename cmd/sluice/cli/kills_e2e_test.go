//go:build e2e

package cli

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"math/rand/v2"
	"net"
	"net/url"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"sluice/cmd/sluice-dev/harness/proxy"
	"sluice/pipeline/warehouse/warehousetest"
	"sluice/sandbox"
)

// killsFlag is how many processes TestKills kills: make nightly has more, and make chaos kills a
// hundred others.
var killsFlag = flag.Int("kills", 10, "so many processes are killed in TestKills")

// TestKills tests invariant 6: a process is killed at any instant, repeatedly, and the next one
// goes on.
func TestKills(t *testing.T) {
	t.Parallel()
	const (
		seed    = 41
		records = 20_000
	)
	kills := *killsFlag
	s := newFixture(t, sandbox.Options{Seed: seed, Records: records, Limits: sandbox.Limits{Off: true}, PageLatency: 20 * time.Millisecond}).narrow()
	chance := rand.New(rand.NewPCG(seed, seed))
	began := time.Now()
	atWork := 0
	for range kills {
		s.killedSync(chance)
		atWork += one[int](s, `SELECT count(*) FROM sluice.streams WHERE state = 'running'`)
		// Calls of killed processes hold their slots for two minutes, and a minute has 100.
		s.pass(4 * time.Minute)
	}
	t.Logf("%d kills in %s, %d streams at work in them", kills, time.Since(began).Round(time.Millisecond), atWork)
	errorIf(t, atWork < kills, "only %d streams were at work in %d kills: they hit nothing", atWork, kills)
	p := s.start("sync")
	p.worksOff(codeFine)
	gone, undeclared := s.equal()
	errorIf(t, gone+undeclared != 0, "%d rows without a record upstream, %d with keys that no column takes", gone, undeclared)
	s.nothingTwice(atWork)
	s.nothingLeft()
	t.Logf("%s in all, %d calls", time.Since(began).Round(time.Millisecond), s.calls())
}

// TestServeIsKilled tests invariant 6 for the process that runs on and on: the next one finishes
// what those that were killed had begun.
func TestServeIsKilled(t *testing.T) {
	t.Parallel()
	const (
		kills = 5
		seed  = 53
	)
	s := newFixture(t, sandbox.Options{Seed: seed, Records: 20_000, Limits: sandbox.Limits{Off: true}, PageLatency: 20 * time.Millisecond}).narrow()
	chance := rand.New(rand.NewPCG(seed, seed))
	atWork := 0
	for range kills {
		s.killed(chance, "serve", "--listen", "127.0.0.1:0")
		atWork += s.atWork()
		s.pass(4 * time.Minute)
	}
	errorIf(t, atWork < kills, "only %d streams were at work in %d kills: they hit nothing", atWork, kills)
	p := s.start("serve", "--listen", "127.0.0.1:0")
	s.allDone(1)
	p.stops()
	s.wholeAndEqual()
	s.nothingTwice(atWork)
}

// TestPostgresIsKilled tests invariants 2 and 6: the server of the warehouse crashes under serve,
// again and again, and serve reads on by itself.
func TestPostgresIsKilled(t *testing.T) {
	t.Parallel()
	const (
		crashes = 3
		seed    = 59
	)
	s := newFixture(t, sandbox.Options{Seed: seed, Records: 20_000, Limits: sandbox.Limits{Off: true}, PageLatency: 20 * time.Millisecond}).narrow()
	postgres := s.ownPostgres()
	chance := rand.New(rand.NewPCG(seed, seed))
	p := s.start("serve", "--listen", "127.0.0.1:0")
	for range crashes {
		s.wait("serve reads", s.arrivals.after(1+chance.IntN(26)))
		postgres.crash()
		postgres.start()
		t.Log(time.Now().Format("05.000"), "crashed")
		errorIf(t, s.atWork() == 0, "no stream was at work when the server crashed: it hit nothing")
	}
	s.allDone(1)
	p.stops()
	s.wholeAndEqual()
}

// wholeAndEqual compares both sides: no row without a record, no stream without a watermark.
func (s *fixture) wholeAndEqual() {
	s.t.Helper()
	gone, undeclared := s.equal()
	errorIf(s.t, gone+undeclared != 0, "%d rows without a record upstream, %d with keys that no column takes", gone, undeclared)
	s.counts(0, "streams have no watermark",
		`SELECT count(*) FROM sluice.streams WHERE watermark IS NULL AND enabled AND resource NOT LIKE '%.%'`)
}

// TestMigrateIsKilled kills the upgrade of a schema at its beginning and behind each fifth of its
// files. The next migrate finishes it, and the schema is that of one that was not killed.
func TestMigrateIsKilled(t *testing.T) {
	t.Parallel()
	const (
		seed    = 61
		applied = `SELECT count(*) FROM sluice.schema_version`
	)
	s := newFixture(t, sandbox.Options{Seed: seed, Records: 300, Limits: sandbox.Limits{Off: true}}).narrow()
	s.on(warehousetest.New(t))
	s.start("migrate").ends(codeFine, patience)
	all, want := one[int](s, applied), one[string](s, sqlSchema)
	s.on(warehousetest.New(t))
	chance := rand.New(rand.NewPCG(seed, seed))
	for part := range 5 {
		p := s.start("migrate")
		if part > 0 {
			s.until("a part is migrated", `SELECT to_regclass('sluice.schema_version') IS NOT NULL`)
			s.until("a part is migrated", `SELECT (`+applied+`) >= $1`, all*part/5)
		}
		timer := time.NewTimer(time.Duration(chance.IntN(40)) * time.Millisecond)
		select {
		case <-timer.C:
		case <-p.done:
			t.Errorf("migrate ended before it was killed in part %d", part)
		}
		p.kill()
		s.quiet()
	}
	s.start("migrate").ends(codeFine, patience)
	got := one[string](s, sqlSchema)
	errorIf(t, got != want, "schema after kills (-whole +killed):\n%s", cmp.Diff(strings.Split(want, "\n"), strings.Split(got, "\n")))
	s.sync(codeFine)
	s.wholeAndEqual()
}

// sqlSchema describes tables with their columns, defaults, constraints, indexes, triggers and
// comments, views and functions, a line each.
const sqlSchema = `
WITH here AS (SELECT oid, nspname FROM pg_namespace WHERE nspname !~ '^(pg_|information_schema$)'),
described AS (
	SELECT format('%s %s.%s %s %s %s', c.relkind, nspname, relname, attname, format_type(atttypid, atttypmod),
		concat_ws(' ', pg_get_expr(adbin, adrelid), CASE WHEN attnotnull THEN 'not null' END, col_description(c.oid, attnum))) AS line
	FROM pg_class c JOIN here ON here.oid = relnamespace JOIN pg_attribute ON attrelid = c.oid AND attnum > 0 AND NOT attisdropped
	LEFT JOIN pg_attrdef ON adrelid = c.oid AND adnum = attnum
	UNION ALL SELECT pg_get_viewdef(c.oid) FROM pg_class c JOIN here ON here.oid = relnamespace WHERE relkind IN ('v', 'm')
	UNION ALL SELECT pg_get_constraintdef(c.oid) || ' of ' || conrelid::regclass FROM pg_constraint c JOIN here ON here.oid = connamespace
	UNION ALL SELECT pg_get_indexdef(i.indexrelid) FROM pg_index i JOIN pg_class c ON c.oid = indexrelid JOIN here ON here.oid = relnamespace
	UNION ALL SELECT pg_get_triggerdef(t.oid) FROM pg_trigger t JOIN pg_class c ON c.oid = tgrelid JOIN here ON here.oid = relnamespace
		WHERE NOT tgisinternal
	UNION ALL SELECT pg_get_functiondef(p.oid) FROM pg_proc p JOIN here ON here.oid = pronamespace WHERE prokind IN ('f', 'p')
)
SELECT string_agg(line, E'\n' ORDER BY line COLLATE "C") FROM described`

// TestKillsInDetailsAndParents tests invariant 6 where a run has no list of its own: among single
// records, and among the lists of parents.
func TestKillsInDetailsAndParents(t *testing.T) {
	t.Parallel()
	const (
		kills = 8
		seed  = 43
	)
	s := newWideStage(t, sandbox.Options{Seed: seed, Records: 100, HeadersOnly: true, PageLatency: 15 * time.Millisecond})
	s.sync(codeFine, "inventory.bills", "inventory.credit_notes", "accounting.vendor_payments")
	for _, stream := range []string{"inventory.bills", "inventory.credit_notes", "accounting.vendor_payments"} {
		s.exec(`UPDATE ` + stream + ` SET _detail_state = 'pending', _detail_hash = NULL`)
	}
	s.exec(`DELETE FROM inventory.bills_line_items`)
	chance := rand.New(rand.NewPCG(seed, seed))
	atWork := 0
	for range kills {
		s.pass(4 * time.Minute)
		s.killedSync(chance, "bills.details", "vendor_payments.details", "accounting.contact_persons", "billing.contact_persons", "custom_module_records")
		atWork += one[int](s, `SELECT count(*) FROM sluice.streams WHERE state = 'running'`)
	}
	errorIf(t, atWork < kills/2, "only %d streams were at work in %d kills: they hit nothing", atWork, kills)
	s.inTurns()
	s.wideEqual()
	s.detailed(true)
	s.t.Logf("%d streams were at work in %d kills", atWork, kills)
}

// killedSync starts a sync and kills it: some calls later, or before the first call, and then some
// milliseconds more.
func (s *fixture) killedSync(chance *rand.Rand, streams ...string) {
	s.t.Helper()
	s.killed(chance, append([]string{"sync"}, streams...)...)
}

// killed starts a command and kills it as killedSync does.
func (s *fixture) killed(chance *rand.Rand, args ...string) {
	s.t.Helper()
	calls, more := chance.IntN(26), time.Duration(chance.IntN(40))*time.Millisecond
	reached := make(<-chan struct{})
	if calls > 0 {
		reached = s.arrivals.after(calls)
	} else {
		more *= 20
	}
	p := s.start(args...)
	if calls > 0 {
		select {
		case <-reached:
		case <-p.done:
			s.t.Fatalf("it ended by itself with %d: there is too little to read\n%s", p.code, p.stderr.String())
		}
	}
	timer := time.NewTimer(more)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-p.done:
	}
	p.kill()
	s.quiet() // the server may still work on what the process began
}

// atOnce is how many calls of business services the fixture's plan allows at once, and so how many
// pages a stream has under way at most.
const atOnce = 10

// nothingTwice compares the runs' counts with the tables: each row was inserted once and never
// updated. A kill repeated at most the pages under way of each stream at work.
func (s *fixture) nothingTwice(atWork int) {
	s.t.Helper()
	rows := 0
	for _, r := range resources() {
		rows += one[int](s, `SELECT count(*) FROM `+r.service+`.`+r.name)
	}
	s.counts(rows, "the runs inserted", `SELECT sum(inserted) FROM sluice.runs`)
	s.counts(0, "the runs updated", `SELECT sum(updated) FROM sluice.runs`)
	written := s.written()
	errorIf(s.t, written[1] != 0 || written[2] != 0, "the server updated %d rows and deleted %d", written[1], written[2])
	repeated := one[int](s, `SELECT count(c.id) - (SELECT sum(pages) FROM sluice.runs WHERE service <> 'chat')
		FROM sluice.calls c WHERE c.service NOT IN ('chat', 'auth')`)
	errorIf(s.t, repeated < 0 || repeated > atWork*atOnce,
		"%d calls brought nothing, at most %d streams were at work when they were killed", repeated, atWork)
	exports := one[int](s, `SELECT (SELECT count(*) FROM sluice.calls WHERE service = 'chat') - count(*) FROM sluice.runs WHERE service = 'chat'`)
	errorIf(s.t, exports < 0 || exports > atWork, "%d exports were repeated", exports)
	s.t.Logf("%d of %d calls were repeated", repeated+exports, s.calls())
}

// nothingLeft makes sure that no work is half done.
func (s *fixture) nothingLeft() {
	s.t.Helper()
	for what, sql := range map[string]string{
		"streams are not idle":           `SELECT count(*) FROM sluice.streams WHERE state <> 'idle' OR run_id IS NOT NULL OR scan IS NOT NULL`,
		"streams have no watermark":      `SELECT count(*) FROM sluice.streams WHERE watermark IS NULL AND enabled AND resource NOT LIKE '%.%'`,
		"streams were asked for in vain": `SELECT count(*) FROM sluice.streams WHERE requested_gen <> served_gen`,
		"runs are open":                  `SELECT count(*) FROM sluice.runs WHERE ended_at IS NULL`,
		"runs did not go well":           `SELECT count(*) FROM sluice.runs WHERE outcome <> 'done'`,
		"jobs are not completed":         `SELECT count(*) FROM river.river_job WHERE state <> 'completed'`,
		"records are in quarantine":      `SELECT count(*) FROM sluice.quarantine`,
		"keys drifted":                   `SELECT coalesce(sum(drifted), 0) FROM sluice.runs`,
	} {
		s.counts(0, what, sql)
	}
}

// TestTwoSyncsAtOnce tries to break invariant 3: two processes work and checks run beside them,
// with more to read than a minute allows. Most slots of the first minute are held before they
// start, so that any machine makes enough calls to reach the limit.
func TestTwoSyncsAtOnce(t *testing.T) {
	t.Parallel()
	const minute, atOnce = 100, 5 // of the plan free: docs/upstream.md U40 and U41
	s := newFixture(t, sandbox.Options{Seed: 31, Records: 20_000, Plan: "free", PageLatency: 50 * time.Millisecond}).narrow()
	s.exec(`INSERT INTO sluice.calls (organization_id, reserved_at, service, finished_at, resource, lease_until, class, free_at, shared, method, path)
		SELECT $1, now(), 'inventory', now(), 'held', now(), 'sweep', now() + interval '1 minute', 'suite', 'GET', '/held' FROM generate_series(1, $2::integer)`,
		businessKey, minute-2*atOnce)
	s.exec(`SELECT sluice.recount_calls()`)
	called := s.arrivals.after(atOnce)
	first, second := s.start("sync", "--json"), s.start("sync", "--json")
	s.wait("the processes work", called)
	for range 3 {
		s.prints(codeFine, "", "check")
	}
	// What exceeds the first minute waits for the second one.
	first.worksOff(codeFine)
	second.worksOff(codeFine)
	s.equal()

	stats := s.world.Stats()
	fullest := s.withinLimits(minute, atOnce, time.Minute)
	errorIf(t, fullest < minute || stats.Calls <= minute, "%d calls, %d slots held together: too few to try the limits", stats.Calls, fullest)
	logged := s.calls() - (minute - 2*atOnce)
	errorIf(t, stats.Calls != logged, "upstream counted %d calls, the call log has %d", stats.Calls, logged)
	errorIf(t, stats.TokenRequests != 1, "%d tokens were asked for, want one for all processes", stats.TokenRequests)
	s.counts(len(resources()), "runs that wrote rows", `SELECT count(*) FROM sluice.runs WHERE inserted + updated > 0`)
}

// through connects the fixture's processes to the database through a proxy with a tap.
func (s *fixture) through(tap proxy.Tap) {
	s.t.Helper()
	s.environment["SLUICE_DATABASE_URL"] = lineTo(s.t, s.environment["SLUICE_DATABASE_URL"], tap)
}

// lineTo gives the address of a proxy with a tap before a database.
func lineTo(t *testing.T, database string, tap proxy.Tap) string {
	t.Helper()
	address := sure(url.Parse(database))(t)
	query := address.Query()
	socket := filepath.Join(query.Get("host"), ".s.PGSQL."+query.Get("port"))
	line := sure(proxy.Listen(t.Context(), func(ctx context.Context) (net.Conn, error) {
		return (&net.Dialer{}).DialContext(ctx, "unix", socket)
	}, tap))(t)
	t.Cleanup(func() { must(t, line.Close()) })
	return fmt.Sprintf("postgres://%s@%s%s?sslmode=disable", address.User.Username(), line.Address(), address.Path)
}

// TestTheDatabaseIsLostAtTheStart: the database goes away for good after any message of a command.
// The exit code is then that of the environment, so that a service manager starts the command
// again.
func TestTheDatabaseIsLostAtTheStart(t *testing.T) {
	t.Parallel()
	for _, args := range [][]string{{"serve", "--listen", "127.0.0.1:0"}, {"status"}, {"migrate"}} {
		t.Run(args[0], func(t *testing.T) {
			t.Parallel()
			s := newFixture(t, sandbox.Options{Records: 10})
			var said, last atomic.Int64
			s.through(func(_ int, fromClient bool, data []byte) int {
				if fromClient {
					said.Add(1)
				}
				if said.Load() >= last.Load() {
					return 0
				}
				return len(data)
			})
			lost := 0
			for n := int64(1); ; n++ {
				said.Store(0)
				last.Store(n)
				o, served := s.untilServing(t, args)
				if served || o.code == codeFine {
					break
				}
				lost++
				errorIf(t, o.code != codeEnvironment,
					"lost at the client's message %d: exit code %d, want %d\n%s", n, o.code, codeEnvironment, o.stderr)
			}
			errorIf(t, lost < 10, "the database was lost %d times only", lost)
		})
	}
}

// TestServeIsToldToStopWhileItStarts: serve is told to stop at any message that it sends to the
// database, and that is no failure.
func TestServeIsToldToStopWhileItStarts(t *testing.T) {
	t.Parallel()
	s := newFixture(t, sandbox.Options{Records: 10})
	var at atomic.Pointer[string]
	var stop atomic.Pointer[context.CancelFunc]
	s.through(func(_ int, fromClient bool, data []byte) int {
		if fromClient && bytes.Contains(data, []byte(*at.Load())) {
			(*stop.Load())()
		}
		return len(data)
	})
	for _, text := range []string{"user", "pg_backend_pid", "river_migration", "INSERT INTO sluice.streams"} {
		ctx, cancel := context.WithCancel(t.Context())
		at.Store(&text)
		stop.Store(&cancel)
		var stdout, stderr buffer
		code := Main(ctx, []string{"--config", s.config, "serve", "--listen", "127.0.0.1:0"}, s.env(&stdout, &stderr))
		errorIf(t, code != codeFine || ctx.Err() == nil, "told to stop at %q: exit code %d, want %d\n%s", text, code, codeFine, stderr.String())
		cancel()
		errorIf(t, strings.Contains(stderr.String(), `"message":"serving"`), "told to stop at %q, it served", text)
	}
}

// untilServing runs a command to its end, or until it serves.
func (s *fixture) untilServing(t *testing.T, args []string) (outcome, bool) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	var stdout, stderr buffer
	ended := make(chan int, 1)
	go func() {
		ended <- Main(ctx, append([]string{"--config", s.config}, args...), s.env(&stdout, &stderr))
	}()
	ticker := time.NewTicker(5 * time.Millisecond)
	defer ticker.Stop()
	for {
		select {
		case code := <-ended:
			return outcome{code: code, stdout: stdout.String(), stderr: stderr.String()}, false
		case <-ticker.C:
			if strings.Contains(stderr.String(), `"message":"serving"`) {
				cancel()
				<-ended
				return outcome{}, true
			}
		}
	}
}
