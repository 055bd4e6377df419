//go:build e2e

package cli

import (
	"context"
	"encoding/json"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"sluice/pipeline/warehouse/warehousetest"
	"sluice/sandbox"
)

// member makes a role that logs in and is a member of one group, and returns its address.
func (s *fixture) member(group string) string {
	s.t.Helper()
	role, address := warehousetest.Worker(s.t, s.environment["SLUICE_DATABASE_URL"])
	s.grants("GRANT " + pgx.Identifier{group}.Sanitize() + " TO " + role)
	return address
}

// grants executes a statement as an administrator of the server.
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
		if err := json.Unmarshal([]byte(o.stdout), &said); err != nil || o.code != codeFine {
			t.Fatalf("exit code %d, %v\n%s%s", o.code, err, o.stdout, o.stderr)
		}
		if said.Owner != "" {
			return said.rolesView
		}
		return said.Roles
	}
	planned := made("--plan")
	if !slices.Contains(planned.Statements, `CREATE ROLE "`+prefix+`owner" NOLOGIN`) {
		t.Errorf("the plan is %q", planned.Statements)
	}
	executed := made()
	if executed.Owner != prefix+"owner" || len(executed.Statements) <= len(planned.Statements) {
		t.Errorf("executed %+v, planned %q", executed, planned.Statements)
	}
	if again := made(); len(again.Statements) != 0 {
		t.Errorf("a second time: %q", again.Statements)
	}

	worker, receiver, console := s.member(prefix+"worker"), s.member(prefix+"receiver"), s.member(prefix+"console")
	s.environment["SLUICE_DATABASE_URL"] = worker
	for _, line := range []string{"check", "sync", "status", "verify --local", "keys"} {
		s.runs(codeFine, line)
	}
	if s.run("migrate", "--roles", "--role-prefix", prefix).code == codeFine {
		t.Error("the worker makes roles")
	}

	s.environment["SLUICE_DATABASE_URL"] = receiver
	p := s.start("notifications", "serve", "--listen", "127.0.0.1:0")
	rule := "http://" + p.said("receiving callbacks", "listen") + "/rule/" + businessKey + "/inventory.items"
	if got := s.hook(hookSecret, rule, `{"item_id":"1"}`); got != http.StatusOK {
		t.Errorf("the receiver answers with %d\n%s", got, p.stderr.String())
	}
	p.terminate()
	p.ends(codeFine, stopLimit)
	if s.run("status").code == codeFine {
		t.Error("the receiver reads the status")
	}

	s.environment["SLUICE_DATABASE_URL"] = console
	shown := s.showConsole(s.environment)
	for _, path := range []string{"/", "/actions"} {
		if code, page := shown.get(path); code != http.StatusOK || !strings.Contains(page, "inventory.bills") && path == "/" {
			t.Errorf("%s of the console with its role: %d\n%s", path, code, page)
		}
	}
	if said := shown.end().stderr; strings.Contains(said, "permission denied") {
		t.Errorf("the console's role lacks a right\n%s", said)
	}
}
