//go:build e2e

package cli

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"sluice/pipeline/warehouse/warehousetest"
	"sluice/sandbox"
)

func (s *fixture) member(group string) string {
	s.t.Helper()
	role, address := warehousetest.Worker(s.t, s.environment["SLUICE_DATABASE_URL"])
	s.grants("GRANT " + pgx.Identifier{group}.Sanitize() + " TO " + role)
	return address
}

func (s *fixture) grants(sql string) {
	s.t.Helper()
	parsed := sure(url.Parse(s.environment["SLUICE_DATABASE_URL"]))(s.t)
	ctx := context.WithoutCancel(s.t.Context()) // it is also called when the test has ended
	conn := sure(pgx.Connect(ctx, warehousetest.Admin(s.t, strings.TrimPrefix(parsed.Path, "/"))))(s.t)
	defer func() { _ = conn.Close(ctx) }() // the statement is executed
	sure(conn.Exec(ctx, sql))(s.t)
}

// TestARoleForEachProcess makes the roles in an empty database, and runs each process with a role
// of its own group alone.
func TestARoleForEachProcess(t *testing.T) {
	t.Parallel()
	s := newFixture(t, sandbox.Options{Seed: 139, Records: 60, Limits: sandbox.Limits{Off: true}}).narrow()
	s.notified("http://127.0.0.1:1")
	deployer := warehousetest.Owner(t)
	parsed := sure(url.Parse(deployer))(t)
	name := parsed.User.Username()
	prefix := "e2e_" + strings.TrimPrefix(name, "owner_") + "_"
	s.environment["SLUICE_DATABASE_URL"] = deployer
	s.grants("ALTER ROLE " + name + " CREATEROLE")
	t.Cleanup(func() {
		for _, role := range []string{"owner", "worker", "receiver", "publisher", "console"} {
			s.grants("DO $$ BEGIN IF EXISTS (SELECT FROM pg_roles WHERE rolname = '" + prefix + role + "') THEN DROP OWNED BY " + prefix + role +
				" CASCADE; DROP ROLE " + prefix + role + "; END IF; END $$")
		}
	})
	for _, group := range []string{"sluice_reader", "sluice_reader_personal", "sluice_reader_raw"} {
		s.grants("DO $$ BEGIN CREATE ROLE " + group + "; EXCEPTION WHEN duplicate_object THEN NULL; END $$")
		s.grants("COMMENT ON ROLE " + group + " IS 'Made by sluice migrate --roles'")
		s.grants("GRANT " + group + " TO " + name + " WITH ADMIN OPTION")
	}
	s.grants("GRANT sluice_reader TO sluice_reader_personal; GRANT sluice_reader_personal TO sluice_reader_raw")

	made := func(args ...string) rolesView {
		t.Helper()
		o := s.run(append([]string{"migrate", "--roles", "--role-prefix", prefix, "--json"}, args...)...)
		var said struct {
			rolesView
			Roles rolesView `json:"roles"`
		}
		err := json.Unmarshal([]byte(o.stdout), &said)
		fatalIf(t, err != nil || o.code != codeFine, "exit code %d, %v\n%s%s", o.code, err, o.stdout, o.stderr)
		if said.Owner != "" {
			return said.rolesView
		}
		return said.Roles
	}
	planned := made("--plan")
	errorIf(t, !slices.Contains(planned.Statements, `CREATE ROLE "`+prefix+`owner" NOLOGIN`), "the plan is %q", planned.Statements)
	executed := made()
	errorIf(t, executed.Owner != prefix+"owner" || len(executed.Statements) <= len(planned.Statements),
		"executed %+v, planned %q", executed, planned.Statements)
	again := made()
	errorIf(t, len(again.Statements) != 0, "a second time: %q", again.Statements)

	worker, receiver, console := s.member(prefix+"worker"), s.member(prefix+"receiver"), s.member(prefix+"console")
	s.environment["SLUICE_DATABASE_URL"] = worker
	for _, line := range []string{"check", "sync", "status", "verify --local", "keys"} {
		s.runs(codeFine, line)
	}
	errorIf(t, s.run("migrate", "--roles", "--role-prefix", prefix).code == codeFine, "the worker makes roles")

	s.environment["SLUICE_DATABASE_URL"] = receiver
	p := s.start("notifications", "serve", "--listen", "127.0.0.1:0")
	rule := "http://" + p.said("receiving callbacks", "listen") + "/rule/" + businessKey + "/inventory.items"
	same(t, "the receiver answers with the status", http.StatusOK, s.hook(hookSecret, rule, `{"item_id":"1"}`))
	p.stops()
	errorIf(t, s.run("status").code == codeFine, "the receiver reads the status")

	s.environment["SLUICE_DATABASE_URL"] = console
	shown := s.showConsole(s.environment)
	for _, path := range []string{"/", "/actions"} {
		if code, page := shown.get(path); code != http.StatusOK || !strings.Contains(page, "inventory.bills") && path == "/" {
			t.Errorf("%s of the console with its role: %d\n%s", path, code, page)
		}
	}
	said := shown.end().stderr
	errorIf(t, strings.Contains(said, "permission denied"), "the console's role lacks a right\n%s", said)
}

// TestTwoRoles: a role that owns nothing runs every command but migrate, in a database that another
// role migrated and owns.
func TestTwoRoles(t *testing.T) {
	t.Parallel()
	s := ownedStage(t, sandbox.Options{Seed: 79, Records: 60, Limits: sandbox.Limits{Off: true}})
	owner := s.environment["SLUICE_DATABASE_URL"]
	role, worker := warehousetest.Worker(t, owner)
	errorIf(t, s.run("migrate", "--worker", "nobody_of_that_name").code == codeFine, "a role that is none is granted something")
	s.runs(codeFine, "migrate --worker "+role)
	s.configured(declared + "\nresources:\n  inventory.bills: {history: true}\n")
	s.accept() // after the grants for the existing objects
	s.environment["SLUICE_DATABASE_URL"] = worker
	for _, line := range []string{
		"check", "check --probe inventory.items", "sync", "sync inventory.items.sweep", "status --why", "runs", "budget", "plan", "drift", "organizations",
		"quarantine list", "quarantine retry --resource all", "tombstones list", "tombstones review", "verify --calls 5", "verify list", "verify show",
		"rebuild", "rebuild --changed", "rebuild --dry-run", "drift promote custom.things", "drift fill custom.things",
		"backfill accounting.vendor_payments --from 2024-01-01 --to 2025-12-31 --wait", "backfill list", "sync",
		"budget reopen " + sandbox.DefaultOrganizationID, "sync --reset-watermark inventory.items", "organizations accept " + sandbox.DefaultOrganizationID,
		"readers", "sync --org " + sandbox.DefaultOrganizationID + " inventory.taxes", "resources", "version", "dictionary", "metrics",
		"notifications", "notifications inbox", "export", "export inventory.items",
	} {
		s.runs(codeFine, line)
	}
	s.exec(`UPDATE sluice.tokens SET attempted_at = attempted_at - interval '1 hour'`)
	s.runs(codeFine, "organizations retry "+sandbox.DefaultOrganizationID)
	id := one[string](s, `SELECT bill_id FROM inventory.bills LIMIT 1`)
	s.runs(codeFine, "explain inventory.bills "+id)
	s.runs(codeFine, "find "+id)
	s.runs(codeFine, "erase inventory.bills "+id+" --dry-run")
	s.prints(codeFine, "until the owner of the tables makes them anew", "erase", "inventory.bills", id)
	s.runs(codeFine, "erase inventory.bills "+id+" --verify")
	s.runs(codeFine, "erase inventory.bills "+id+" --allow")
	s.runs(codeFine, "erase --list")

	// The housekeeping of serve begins a new block of the call log when a new day begins.
	s.exec(`UPDATE sluice.calls SET reserved_at = reserved_at - interval '3 days', lease_until = lease_until - interval '3 days', finished_at = finished_at - interval '3 days'`)
	s.exec(`SELECT sluice.recount_calls()`)
	s.exec(`INSERT INTO sluice.actions (at, actor, action, target, outcome) VALUES (now() - interval '401 days', 'jane', 'sync', 'old', 'done'), (now(), 'jane', 'sync', 'new', 'done')`)
	blocks := one[int](s, `SELECT count(*) FROM pg_inherits WHERE inhparent = 'sluice.calls'::regclass`)
	s.serveUntil("turns the call log and drops old actions", `SELECT count(*) > $1 AND (SELECT string_agg(target, ',') = 'new' FROM sluice.actions)
		FROM pg_inherits WHERE inhparent = 'sluice.calls'::regclass`, blocks)
	s.runs(codeFine, "sync inventory.items") // calls go into the new block
	conn := sure(pgx.Connect(t.Context(), worker))(t)
	t.Cleanup(func() { _ = conn.Close(context.WithoutCancel(t.Context())) })
	for _, sql := range []string{
		`SELECT sluice.prune_runs('400 days')`, `SELECT sluice.prune_raw('400 days')`, `SELECT sluice.prune_history('400 days')`,
		`SELECT sluice.prune_quarantine('400 days', '400 days', '400 days')`, `SELECT sluice.prune_gone('400 days')`,
	} {
		_, err := conn.Exec(t.Context(), sql)
		errorIf(t, err != nil, "%s: %v", sql, err)
	}
}

func (c *cluster) bouncer() {
	c.t.Helper()
	page := sure(os.ReadFile("../../../docs/operations/poolers-and-failover.md"))(c.t)
	query := regexp.MustCompile(`connect_query='[^']+'`).FindString(string(page))
	fatalIf(c.t, query == "", "the page has no connect_query")
	entry := fmt.Sprintf("host=%s dbname=postgres user=postgres", c.folder)
	lines := []string{
		"[databases]", "session = " + entry + " pool_mode=session pool_size=60",
		"transaction = " + entry + " pool_mode=transaction pool_size=4 " + query,
		"bare = " + entry + " pool_mode=transaction pool_size=4",
		"other = " + strings.Replace(entry, "dbname=postgres", "dbname=template1", 1) + " pool_mode=transaction pool_size=4 " + query,
		"[pgbouncer]", "listen_addr =", "listen_port = 6432", "unix_socket_dir = " + c.folder, "auth_type = any", "max_client_conn = 300",
		"logfile = " + c.folder + "/bouncer.log", "pidfile = " + c.folder + "/bouncer.pid",
	}
	c.sh("cat >bouncer.ini <<'END'\n" + strings.Join(lines, "\n") + "\nEND\npgbouncer --quiet --daemon bouncer.ini\n" +
		"timeout 60 sh -c 'until [ -S .s.PGSQL.6432 ]; do sleep 0.1; done'")
	c.t.Cleanup(func() { _, _ = c.try(`kill "$(cat bouncer.pid)"`) }) // its folder goes next
}

func (c *cluster) through(entry string) string {
	return "postgres://postgres@/" + entry + "?port=6432&host=" + url.QueryEscape(c.folder)
}

// TestPgBouncer copies through PgBouncer in session mode, and in transaction mode with a way past
// it. Without that way, without the settings, and with a way to another database, it refuses.
func TestPgBouncer(t *testing.T) {
	t.Parallel()
	h := newTold(t, sandbox.Options{Seed: 99, Records: 60, HeadersOnly: true, Plan: "elite", Limits: sandbox.Limits{Off: true}}, "")
	h.environment[withMinute] = "10s" // the plan allows a hundred calls a minute, and there are some hundred single records
	c := h.newCluster("pgbouncer")
	c.sh("$START")
	h.on(c.url())
	must(t, migrated(t.Context(), c.url()))
	c.bouncer()
	uses := func(address, direct string) {
		h.environment["SLUICE_DATABASE_URL"], h.environment["SLUICE_SESSION_URL"] = address, direct
	}
	refused := func(want string) {
		t.Helper()
		h.complains(codeEnvironment, want, "sync")
	}

	uses(c.through("session"), "")
	h.sync(codeFine)
	h.equal()
	uses(c.through("transaction"), "")
	refused("database.session_url")

	h.rewrite("  url: ${SLUICE_DATABASE_URL}\n", "  url: ${SLUICE_DATABASE_URL}\n  session_url: ${SLUICE_SESSION_URL}\n")
	uses(c.through("bare"), c.url())
	refused("connect_query")
	uses(c.through("other"), c.url())
	refused("two databases")
	for seed, direct := range []string{c.url(), c.through("session")} {
		uses(c.through("transaction"), direct)
		h.changed(int64(1 + seed))
		h.sync(codeFine)
		h.equal("inventory.items")
		h.equal("inventory.bills")
	}

	h.exec(`UPDATE sluice.streams SET next_due_at = now() + interval '1 day'`) // nothing is due by schedule
	serve := h.serve()
	h.rules()
	sure(h.world.Change(sandbox.Change{Seed: 3, Inserts: 1, Edits: 3, Resources: []string{"bills", "items"}}))(t)
	h.waitUntil("what was told is read", func() bool {
		return one[bool](h.fixture, `SELECT count(*) = 8 AND bool_and(read_at IS NOT NULL) FROM sluice.hints`)
	})
	errorIf(t, !one[bool](h.fixture, `SELECT count(*) > 0 FROM pg_stat_activity WHERE query ~ 'LISTEN'`), "nothing listens")
	serve.stops()
	h.equal("inventory.bills")
	h.equal("inventory.items")
}
