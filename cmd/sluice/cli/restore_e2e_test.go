//go:build e2e

package cli

import (
	"context"
	"net/url"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"sluice/sandbox"
)

// moves leads the fixture to another database, or to the same one after it was disconnected for a
// moment.
func (s *fixture) moves(to string, between func(admin *pgx.Conn)) {
	s.t.Helper()
	must(s.t, s.conn.Close(s.t.Context()))
	address, err := url.Parse(s.environment["SLUICE_DATABASE_URL"])
	must(s.t, err)
	server := *address
	server.Path = "/postgres"
	admin, err := pgx.Connect(s.t.Context(), server.String())
	must(s.t, err)
	between(admin)
	must(s.t, admin.Close(s.t.Context()))
	address.Path = "/" + to
	s.environment["SLUICE_DATABASE_URL"] = address.String()
	s.conn, err = pgx.Connect(s.t.Context(), address.String())
	must(s.t, err)
	s.t.Cleanup(func() { _ = s.conn.Close(context.WithoutCancel(s.t.Context())) })
}

// untilTheDayIsSpent changes and copies in turns until the budget stops it: within upstream's day,
// before one call is refused.
func (s *fixture) untilTheDayIsSpent(daily int, change func(turn int)) {
	s.t.Helper()
	turns := 0
	for ; turns < daily; turns++ { // a sync takes one call at least
		change(turns)
		if o := s.run("sync", "items", "bills"); o.code == codeBudget {
			break
		} else if o.code != codeFine {
			s.t.Fatalf("sync ended with %d\n%s", o.code, o.stderr)
		}
	}
	if stats := s.world.Stats(); len(stats.Refused) > 0 || turns == daily || stats.ByService["inventory"] > daily {
		s.t.Errorf("after %d syncs: %d calls of %d, refused %v", turns, stats.ByService["inventory"], daily, stats.Refused)
	}
}

// TestADatabaseIsRestored: an older copy of the database replaces the one that was in use since.
// Watermarks and rows are those of the copy, so the next run brings both sides together. Only
// upstream knows the calls since then; its headers correct the day before one call is refused.
func TestADatabaseIsRestored(t *testing.T) {
	t.Parallel()
	const daily = 40
	s := newFixture(t, sandbox.Options{Seed: 95, Records: 300, Limits: sandbox.Limits{DailyInventory: daily}}).narrow()
	change := func(seed int64) {
		_, err := s.world.Change(sandbox.Change{Seed: seed, Inserts: 4, Edits: 12, Deletes: 2, Resources: []string{"items", "bills"}})
		must(t, err)
	}
	s.sync(codeFine, "items", "bills")
	now := one[string](s, `SELECT current_database()`)
	backup := now + "_backup"
	s.moves(now, func(admin *pgx.Conn) {
		_, err := admin.Exec(t.Context(), `CREATE DATABASE `+pgx.Identifier{backup}.Sanitize()+` TEMPLATE `+pgx.Identifier{now}.Sanitize())
		must(t, err)
	})
	for seed := range int64(2) {
		change(seed + 1)
		s.sync(codeFine, "items", "bills")
	}
	s.equal("inventory.items")
	before := s.world.Stats().ByService["inventory"]
	s.moves(backup, func(*pgx.Conn) {})
	known := one[int](s, `SELECT count(*) FROM sluice.calls WHERE service = 'inventory'`)
	if known >= before {
		t.Fatalf("the copy knows %d calls and upstream %d: nothing was restored", known, before)
	}
	change(3)
	s.sync(codeFine, "items", "bills")
	s.equal("inventory.items")
	s.equal("inventory.bills")
	if used := one[int](s, `SELECT limit_seen - remaining_seen FROM sluice.day_budgets WHERE service = 'inventory'`); used <= before {
		t.Errorf("%d calls of the day are taken for spent, and upstream had counted %d before the restore", used, before)
	}
	s.untilTheDayIsSpent(daily, func(n int) { change(int64(10 + n)) })
	state := one[string](s, `SELECT string_agg(DISTINCT state, ' ') FROM sluice.streams WHERE resource IN ('items', 'bills')`)
	if !strings.Contains(state, "waiting") {
		t.Errorf("the streams are %s, want some waiting for the day", state)
	}
}
