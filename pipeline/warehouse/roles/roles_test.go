package roles_test

import (
	"errors"
	"net/url"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"sluice/migrations"
	"sluice/pipeline/check"
	"sluice/pipeline/warehouse/readers"
	"sluice/pipeline/warehouse/roles"
	"sluice/pipeline/warehouse/warehousetest"
)

func TestMain(m *testing.M) { os.Exit(warehousetest.Run(m)) }

// fixture is an empty database of a deploying role that may make roles and is no superuser. Roles
// belong to the server, so each test has names of its own.
type fixture struct {
	*testing.T
	*warehousetest.Roles

	names roles.Names
}

func open(t *testing.T) *fixture {
	t.Helper()
	t.Parallel()
	f := &fixture{T: t, Roles: warehousetest.OwnRoles(t)}
	name := func(what string) string { return what + "_" + f.Suffix }
	f.names = roles.Names{
		Owner: name("theowner"), Worker: name("worker"), Receiver: name("receiver"), Publisher: name("publisher"), Console: name("console"),
		Readers: readers.Groups{Masked: name("reader"), Personal: name("personal"), Raw: name("raw")},
	}
	f.Administers("ALTER ROLE owner_@ CREATEROLE")
	return f
}

func (f *fixture) apply(plan bool) roles.Done {
	f.Helper()
	return check.Sure(roles.Apply(f.Context(), f.URL, f.names, plan))(f)
}

// as is the address, acting as a role.
func (f *fixture) as(role string) string {
	f.Helper()
	address := check.Sure(url.Parse(f.URL))(f)
	query := address.Query()
	query.Set("role", role)
	address.RawQuery = query.Encode()
	return address.String()
}

// whole makes the roles and the tables.
func (f *fixture) whole() {
	f.Helper()
	f.apply(false)
	check.Must(f, migrations.Migrate(f.Context(), f.as(f.names.Owner), migrations.Options{}))
	f.apply(false)
}

// TestRolesAreMade: a plan shows what is done then, and a second time nothing is left to do. The
// groups cannot log in, and the owner of the tables is the group.
func TestRolesAreMade(t *testing.T) {
	f := open(t)
	planned := f.apply(true)
	again := f.apply(true)
	check.ErrorIf(t, !slices.Equal(again.Statements, planned.Statements) || planned.Tables, "a plan changed something: %q", again.Statements)
	if done := f.apply(false); !slices.Equal(done.Statements, planned.Statements) || done.Owner != f.names.Owner {
		t.Errorf("executed %q, planned %q", done.Statements, planned.Statements)
	}
	if done := f.apply(false); len(done.Statements) != 0 {
		t.Errorf("a second time: %q", done.Statements)
	}
	check.Must(f, migrations.Migrate(t.Context(), f.as(f.names.Owner), migrations.Options{}))
	planned = f.apply(true)
	done := f.apply(false)
	if diff := cmp.Diff(planned, done); diff != "" || len(done.Statements) < 7 || !done.Tables || done.Owner != f.names.Owner {
		t.Errorf("-planned +executed:\n%s\n%+v", diff, done)
	}
	if done := f.apply(false); len(done.Statements) != 0 {
		t.Errorf("with the tables, a second time: %q", done.Statements)
	}
	var login, foreign int
	check.Must(f, f.Superuser.QueryRow(t.Context(), `SELECT count(*) FILTER (WHERE rolcanlogin), count(*) FILTER (WHERE shobj_description(oid, 'pg_authid') IS DISTINCT FROM $2)
		FROM pg_roles WHERE rolname LIKE '%' || $1 AND rolname NOT LIKE 'owner%'`, f.Suffix, roles.Comment).Scan(&login, &foreign))
	check.ErrorIf(t, login != 0 || foreign != 0, "%d roles may log in, %d lack the comment", login, foreign)
	// What was taken away is given again, and only that.
	f.Administers("REVOKE SELECT ON sluice.runs FROM console_@", "REVOKE INSERT ON inventory.bills FROM worker_@")
	want := []string{"SELECT sluice.grant_worker('" + f.names.Worker + "')", "SELECT sluice.grant_console('" + f.names.Console + "')"}
	got := f.apply(false).Statements
	check.ErrorIf(t, !slices.Equal(got, want), "after two rights were revoked: %q, want %q", got, want)
}

// TestRolesOfOthers: a role that sluice did not make is not touched, and a session that may not
// make roles gets the statements for an administrator.
func TestRolesOfOthers(t *testing.T) {
	f := open(t)
	f.Administers("ALTER ROLE owner_@ NOCREATEROLE")
	_, err := roles.Apply(t.Context(), f.URL, f.names, false)
	if !errors.Is(err, roles.ErrRights) || !strings.Contains(err.Error(), "CREATE ROLE \"worker_"+f.Suffix+"\" NOLOGIN;\nCOMMENT ON ROLE") {
		t.Errorf("without the right to make roles: %v", err)
	}
	f.Administers("ALTER ROLE owner_@ CREATEROLE", "CREATE ROLE console_@ LOGIN")
	_, err = roles.Apply(t.Context(), f.URL, f.names, false)
	hand := `COMMENT ON ROLE "console_` + f.Suffix + `" IS 'Made by sluice migrate --roles'`
	check.ErrorIf(t, !errors.Is(err, roles.ErrForeign) || !strings.Contains(err.Error(), hand), "with a role of others: %v", err)
	var made int
	check.Must(f, f.Superuser.QueryRow(t.Context(), `SELECT count(*) FROM pg_roles WHERE rolname LIKE '%' || $1`, f.Suffix).Scan(&made))
	check.ErrorIf(t, made != 2, "%d roles, want the deploying one and that of others", made)
	f.Administers(hand)
	f.apply(false)
	check.Must(f, migrations.Migrate(t.Context(), f.as(f.names.Owner), migrations.Options{}))
	f.Administers("REVOKE theowner_@ FROM owner_@ CASCADE") // what a role gave itself depends on it since Postgres 16
	if _, err = roles.Apply(t.Context(), f.URL, f.names, false); !errors.Is(err, roles.ErrRights) || !strings.Contains(err.Error(), f.names.Owner) {
		t.Errorf("a session that is no member of the owner: %v", err)
	}
}
