// Package exports reads tables and views whole, for copies outside of the database.
//
// All tables of an export come from one snapshot. The package only reads, with the rights of the
// role that connects, and names no table: what may be exported is read from the catalog of the
// database. How rows become files is in package files.
//
// Start reading at Open, then Snapshot.Each.
package exports

import (
	"context"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"sluice/pipeline/warehouse/postgres"
)

// Source is a connection to the database. One goroutine uses it.
type Source struct{ pool *pgxpool.Pool }

// Open connects to the database at url. Its sessions spell values in one way, and no statement has
// a limit of time: a large table takes as long as the one who reads the file.
func Open(ctx context.Context, url string, password postgres.Password) (*Source, error) {
	pool, err := postgres.NewPool(ctx, url, 1, password, map[string]string{
		"application_name": "sluice export", "TimeZone": "UTC", "IntervalStyle": "iso_8601",
		"statement_timeout": "0", "lock_timeout": "20s", "idle_in_transaction_session_timeout": "2min", "client_connection_check_interval": "1s",
		"jit": "off", // compiling a view takes longer than most of them
	})
	if err != nil {
		return nil, err
	}
	return &Source{pool: pool}, nil
}

// Close ends the connection.
func (s *Source) Close() { s.pool.Close() }

// Scope says which rows an export has.
type Scope struct {
	// Organization is the key of the only organization; "" means all.
	Organization string
	// Day is the day of schema as_of, as 2026-10-31; "" if nothing of it is read.
	Day string
}

// Snapshot is what one transaction sees of the database.
type Snapshot struct {
	tx    pgx.Tx
	scope Scope
}

const (
	sqlScope = `SELECT set_config('sluice.as_of', $1, true), set_config('sluice.as_of_organizations', $2, true)`

	sqlInstant = `SELECT now()`

	sqlCuts = `SELECT c.organization_id, c.cut, c.held_back_by FROM analytics.cut(nullif($1, '')) c ORDER BY c.organization_id COLLATE "C"`

	sqlFreshness = `
SELECT f.organization_id, f.resource, f.state, f.complete_up_to, f.last_looked_at FROM analytics.freshness f
WHERE $1 IN ('', f.organization_id) ORDER BY f.organization_id COLLATE "C", f.resource COLLATE "C"`
)

// Within runs fn on one snapshot. The relations are locked against changes of their columns before
// the snapshot is taken: a table that is rewritten later would look empty in it. Rows can be
// written meanwhile.
func (s *Source) Within(ctx context.Context, relations []Relation, scope Scope, fn func(*Snapshot) error) error {
	const op = "exporting"
	tx, err := s.pool.BeginTx(ctx, pgx.TxOptions{IsoLevel: pgx.RepeatableRead, AccessMode: pgx.ReadOnly})
	if err != nil {
		return postgres.Fail(op, err)
	}
	defer postgres.Rollback(ctx, tx)
	names := make([]string, len(relations))
	for i := range relations {
		names[i] = relations[i].quoted()
	}
	if _, err := tx.Exec(ctx, `LOCK TABLE `+strings.Join(names, ", ")+` IN ACCESS SHARE MODE`); err != nil {
		return failed(op, err)
	}
	if _, err := tx.Exec(ctx, sqlScope, scope.Day, scope.Organization); err != nil {
		return failed(op, err)
	}
	return fn(&Snapshot{tx: tx, scope: scope})
}

// Instant is when the snapshot was asked for, by the clock of the database.
func (s *Snapshot) Instant(ctx context.Context) (time.Time, error) {
	var at time.Time
	err := s.tx.QueryRow(ctx, sqlInstant).Scan(&at)
	return at.UTC(), postgres.Fail("reading the instant of the snapshot", err)
}

// Cut is the greatest instant up to which all tables of an organization are complete.
type Cut struct {
	Organization string     `db:"organization_id" json:"organization_id"`
	Cut          *time.Time `db:"cut"             json:"cut"`
	HeldBackBy   *string    `db:"held_back_by"    json:"held_back_by"`
}

// Cuts returns the cuts of the organizations of the scope.
func (s *Snapshot) Cuts(ctx context.Context) ([]Cut, error) {
	return postgres.Read[Cut](ctx, s.tx, "how far organizations are copied", sqlCuts, s.scope.Organization)
}

// Freshness is how far one list of an organization is copied.
type Freshness struct {
	Organization string     `db:"organization_id" json:"organization_id"`
	Resource     string     `db:"resource"        json:"resource"`
	State        string     `db:"state"           json:"state"`
	CompleteUpTo *time.Time `db:"complete_up_to"  json:"complete_up_to"`
	LastLookedAt *time.Time `db:"last_looked_at"  json:"last_looked_at"`
}

// Freshness returns how far the lists of the organizations of the scope are copied.
func (s *Snapshot) Freshness(ctx context.Context) ([]Freshness, error) {
	return postgres.Read[Freshness](ctx, s.tx, "how far lists are copied", sqlFreshness, s.scope.Organization)
}
