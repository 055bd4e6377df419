package warehousetest

import (
	"context"
	_ "embed"
	"net/url"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"
)

// sqlStrangers gives the other role rights, as a careless administrator or Postgres 14 gives them,
// and then creates objects in every schema that it may use.
//
//go:embed strangers.sql
var sqlStrangers string

// Strangers are another role of a database, with objects in every schema where it may have some.
// Each object records when another role executes it.
type Strangers struct {
	// Role is the name of the role, unique on the server.
	Role string

	tb   testing.TB
	conn *pgx.Conn
}

// Plant makes a role in a migrated database, and objects of that role that could break the program
// or be executed by it. These are copies of our tables, and tables that look like ours with types
// whose casts are functions. There are views, too, and functions and operators that match calls of
// the program better than those of pg_catalog. The test checks Loot after the program has run. Role
// and objects are dropped with the test.
func Plant(tb testing.TB, database string) *Strangers {
	tb.Helper()
	s := &Strangers{Role: "stranger_" + strings.TrimPrefix(newName(), "sluice_test_"), tb: tb, conn: Connect(tb, database)}
	atEnd(tb, database, "DROP OWNED BY "+s.Role+" CASCADE; DROP ROLE "+s.Role, "dropping the role of the strangers")
	s.exec(strings.ReplaceAll(sqlStrangers, "STRANGER", s.Role))
	const least = 1000
	if planted := s.count(`SELECT count(*) FROM pg_catalog.pg_proc WHERE proowner = '` + s.Role + `'::regrole`); planted < least {
		tb.Fatalf("only %d functions were planted", planted)
	}
	return s
}

// Loot fails the test if another role executed an object of the strangers, and names it.
func (s *Strangers) Loot() {
	s.tb.Helper()
	if s.count(`SELECT CASE WHEN is_called THEN last_value ELSE 0 END FROM loot.times`) == 0 {
		return
	}
	rows, _ := s.conn.Query(s.tb.Context(), `SELECT DISTINCT who || ': ' || what FROM loot.taken ORDER BY 1 LIMIT 20`)
	taken, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		s.tb.Fatal(err)
	}
	s.tb.Errorf("objects of another role were executed (those that were rolled back have no name): %q", taken)
}

// Exec executes statements as the strangers' role.
func (s *Strangers) Exec(sql string) {
	s.tb.Helper()
	s.exec("SET SESSION AUTHORIZATION " + s.Role + "; " + sql + "; RESET SESSION AUTHORIZATION")
}

func (s *Strangers) exec(sql string) {
	s.tb.Helper()
	if _, err := s.conn.PgConn().Exec(s.tb.Context(), sql).ReadAll(); err != nil {
		s.tb.Fatalf("planting: %v", err)
	}
}

func (s *Strangers) count(sql string) int {
	s.tb.Helper()
	var n int
	if err := s.conn.QueryRow(s.tb.Context(), sql).Scan(&n); err != nil {
		s.tb.Fatal(err)
	}
	return n
}

// Owner gives a new database to a new role that is no superuser, and returns the connection string
// of that role. Role and database are dropped with the test.
func Owner(tb testing.TB) string {
	tb.Helper()
	_, found := ready(tb)
	role := "owner_" + strings.TrimPrefix(newName(), "sluice_test_")
	const password = "canary"
	// Cleanups run in reverse order: the database is dropped first.
	atEnd(tb, found.admin, "DROP ROLE IF EXISTS "+role, "dropping the role of the owner")
	database := New(tb)
	address, err := url.Parse(database)
	if err != nil {
		tb.Fatal(err)
	}
	err = execute(tb.Context(), found.admin, "CREATE ROLE "+role+" LOGIN PASSWORD '"+password+"'",
		"ALTER DATABASE "+strings.TrimPrefix(address.Path, "/")+" OWNER TO "+role)
	if err != nil {
		tb.Fatal(err)
	}
	address.User = url.UserPassword(role, password)
	return address.String()
}

// Worker makes a role without rights in a database, and returns its name and its connection string.
// It is dropped with the test.
func Worker(tb testing.TB, database string) (role, worker string) { //nolint:nonamedreturns // the names say which is which
	tb.Helper()
	address, err := url.Parse(database)
	if err != nil {
		tb.Fatal(err)
	}
	admin := Admin(tb, strings.TrimPrefix(address.Path, "/"))
	role = "worker_" + strings.TrimPrefix(newName(), "sluice_test_")
	const password = "canary"
	atEnd(tb, admin, "DROP OWNED BY "+role+"; DROP ROLE "+role, "dropping the role of the worker")
	if err := execute(tb.Context(), admin, "CREATE ROLE "+role+" LOGIN PASSWORD '"+password+"'"); err != nil {
		tb.Fatal(err)
	}
	address.User = url.UserPassword(role, password)
	return role, address.String()
}

// Admin returns the connection string of a database of the tests' server for the role that made it.
func Admin(tb testing.TB, database string) string {
	tb.Helper()
	_, found := ready(tb)
	return withDatabase(found.admin, database)
}

// Roles is a new database of a role that is no superuser, for tests that make roles. Roles belong
// to the server: the names of those of one test end with its suffix. They are dropped with the
// test.
type Roles struct {
	tb testing.TB
	// URL is the connection string of the owner, Owner its name, Suffix how it ends.
	URL, Owner, Suffix string
	// Database is the name of the database.
	Database string
	// Superuser is a connection of the role that made the server.
	Superuser *pgx.Conn
}

// OwnRoles makes a database for a test that makes roles.
func OwnRoles(tb testing.TB) *Roles {
	tb.Helper()
	r := &Roles{tb: tb, URL: Owner(tb)}
	address, err := url.Parse(r.URL)
	if err != nil {
		tb.Fatal(err)
	}
	r.Owner, r.Database = address.User.Username(), strings.TrimPrefix(address.Path, "/")
	r.Suffix = strings.TrimPrefix(r.Owner, "owner_")
	r.Superuser = Connect(tb, Admin(tb, r.Database))
	tb.Cleanup(func() {
		if err := r.drop(context.WithoutCancel(tb.Context())); err != nil {
			tb.Errorf("dropping the roles of the test: %v", err)
		}
	})
	return r
}

// drop drops all roles of the test but the owner, which Owner drops behind the database.
func (r *Roles) drop(ctx context.Context) error {
	conn, err := pgx.Connect(ctx, Admin(r.tb, r.Database))
	if err != nil {
		return err
	}
	defer func() { _ = conn.Close(ctx) }() // the statements are executed
	rows, _ := conn.Query(ctx, `SELECT quote_ident(rolname) FROM pg_roles WHERE rolname LIKE '%' || $1 AND rolname <> $2`, r.Suffix, r.Owner)
	roles, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		return err
	}
	for _, role := range roles {
		if _, err := conn.Exec(ctx, "DROP OWNED BY "+role+" CASCADE; DROP ROLE "+role); err != nil {
			return err
		}
	}
	return nil
}

// Administers executes statements as the superuser; in each, @ stands for the suffix.
func (r *Roles) Administers(statements ...string) {
	r.tb.Helper()
	for _, statement := range statements {
		if _, err := r.Superuser.Exec(r.tb.Context(), strings.ReplaceAll(statement, "@", r.Suffix)); err != nil {
			r.tb.Fatal(err)
		}
	}
}
