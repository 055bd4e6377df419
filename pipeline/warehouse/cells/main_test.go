package cells_test

import (
	"context"
	"errors"
	"os"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"sluice/migrations"
	"sluice/pipeline/warehouse/cells"
	"sluice/pipeline/warehouse/warehousetest"
)

func TestMain(m *testing.M) { os.Exit(warehousetest.Run(m)) }

// The organizations of these tests: one that moves, and one that is not touched.
const (
	moving = "10234695"
	other  = "60000000001"
)

// member is a cell of a fleet of these tests.
type member struct {
	*cells.Database
	testing.TB
	url  string
	pool *pgxpool.Pool // beside the connections of moves
}

func migrated(ctx context.Context, url string) error {
	return migrations.Migrate(ctx, url, migrations.Options{})
}

// fleet makes databases that have joined a fleet, the first one with the number 1.
func fleet(tb testing.TB, names ...string) []*member {
	tb.Helper()
	return fleetOf(tb, "migrated", migrated, names...)
}

func fleetOf(tb testing.TB, key string, migrate func(context.Context, string) error, names ...string) []*member {
	tb.Helper()
	members := make([]*member, len(names))
	for i, name := range names {
		members[i] = alone(tb, name, warehousetest.Template(tb, key, migrate))
		members[i].must(members[i].Join(tb.Context(), i+1, cells.Numbers{}))
	}
	return members
}

// alone opens a database that has not joined.
func alone(tb testing.TB, name, url string) *member {
	tb.Helper()
	m := &member{TB: tb, url: url}
	var err error
	m.pool, err = pgxpool.New(tb.Context(), url)
	m.must(err)
	tb.Cleanup(m.pool.Close)
	m.Database, err = cells.Open(tb.Context(), name, url, nil)
	m.must(err)
	tb.Cleanup(m.Close)
	return m
}

func (m *member) must(err error) {
	m.Helper()
	if err != nil {
		m.Fatal(err)
	}
}

// settle makes organizations at home in the cell.
func (m *member) settle(organizations ...string) {
	m.Helper()
	for _, organization := range organizations {
		m.must(m.Settle(m.Context(), organization))
	}
}

func (m *member) exec(sql string, args ...any) {
	m.Helper()
	if _, err := m.pool.Exec(m.Context(), sql, args...); err != nil {
		m.Fatalf("cell %s: %s: %v", m.Database.Name, sql, err)
	}
}

// ask reads one value.
func ask[T any](m *member, sql string, args ...any) T {
	m.Helper()
	var value T
	if err := m.pool.QueryRow(m.Context(), sql, args...).Scan(&value); err != nil {
		m.Fatalf("cell %s: %s: %v", m.Database.Name, sql, err)
	}
	return value
}

// list reads one column.
func list[T any](m *member, sql string, args ...any) []T {
	m.Helper()
	rows, err := m.pool.Query(m.Context(), sql, args...)
	m.must(err)
	found, err := pgx.CollectRows(rows, pgx.RowTo[T])
	if err != nil {
		m.Fatalf("cell %s: %s: %v", m.Database.Name, sql, err)
	}
	return found
}

// state returns what the cell says of the organization that moves; "" if it says nothing.
func (m *member) state() cells.State {
	m.Helper()
	home, err := m.Home(m.Context(), moving)
	m.must(err)
	return home.State
}

// wants checks what the cells say of the organization that moves.
func wants(source, target *member, from, to cells.State) {
	source.Helper()
	if is, at := source.state(), target.state(); is != from || at != to {
		source.Errorf("the source says %q and the target %q, want %q and %q", is, at, from, to)
	}
}

// refused checks that an error is one of the kinds, and says what to do about what.
func refused(tb testing.TB, err, kind error, says ...string) {
	tb.Helper()
	if !errors.Is(err, kind) {
		tb.Errorf("the error is %v, want one of the kind: %v", err, kind)
		return
	}
	for _, word := range says {
		if !strings.Contains(err.Error(), word) {
			tb.Errorf("the error does not say %q: %v", word, err)
		}
	}
}

// quoted writes a text as a literal.
func quoted(text string) string { return "'" + strings.ReplaceAll(text, "'", "''") + "'" }
