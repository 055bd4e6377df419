package warehousetest

import (
	"context"
	"net/url"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"
)

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
	rows, err := conn.Query(ctx, `SELECT quote_ident(rolname) FROM pg_roles WHERE rolname LIKE '%' || $1 AND rolname <> $2`, r.Suffix, r.Owner)
	if err != nil {
		return err
	}
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
