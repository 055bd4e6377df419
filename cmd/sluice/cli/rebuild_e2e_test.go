//go:build e2e

package cli

import (
	"math/rand/v2"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/jackc/pgx/v5"

	"sluice/pipeline/warehouse/warehousetest"
	"sluice/sandbox"
)

// TestRebuildIsKilled: a rebuild is killed at any instant, and the next one goes on; in the end all
// tables are what they were.
func TestRebuildIsKilled(t *testing.T) {
	t.Parallel()
	const seed = 67
	s := newFixture(t, sandbox.Options{Seed: seed, Records: 6_000, Limits: sandbox.Limits{Off: true}}).narrow()
	s.sync(codeFine)
	before, calls := s.digests(), s.calls()
	warehousetest.Damage(t, s.conn)
	chance := rand.New(rand.NewPCG(seed, seed))
	rows := one[int](s, `SELECT count(*) FROM inventory.items`)
	for range 4 {
		s.killedAt(chance.IntN(rows))
	}
	for resource, counts := range s.rebuilt(codeFine) {
		if counts.Rejected+counts.Lost != 0 || resource == "inventory.items" && counts.Rewritten != counts.Rows {
			t.Errorf("%s: %+v", resource, counts)
		}
	}
	if diff := cmp.Diff(before, s.digests()); diff != "" {
		t.Errorf("after kills within a rebuild (-before +after):\n%s", diff)
	}
	if got := s.calls(); got != calls {
		t.Errorf("%d calls were made", got-calls)
	}
	s.sync(codeFine)
	if found := s.verified(codeFine, "--local"); len(found.Findings) != 0 {
		t.Errorf("verify finds %+v", found.Findings)
	}
}

// killedAt kills a rebuild while it waits for a locked row of the items.
func (s *fixture) killedAt(offset int) {
	s.t.Helper()
	conn, err := pgx.Connect(s.t.Context(), s.environment["SLUICE_DATABASE_URL"])
	must(s.t, err)
	tx, err := conn.Begin(s.t.Context())
	must(s.t, err)
	_, err = tx.Exec(s.t.Context(), `SELECT FROM inventory.items ORDER BY item_id OFFSET $1 LIMIT 1 FOR UPDATE`, offset)
	must(s.t, err)
	p := s.start("rebuild", "inventory.items")
	s.until("the rebuild waits for a row", `SELECT count(*) > 0 FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock' AND query LIKE '%FOR NO KEY UPDATE OF t%'`)
	p.kill()
	must(s.t, tx.Rollback(s.t.Context()))
	must(s.t, conn.Close(s.t.Context()))
	s.quiet() // the server may still work on what the process began
	if open := one[int](s, `SELECT count(*) FROM sluice.rebuilds WHERE ended_at IS NULL`); open != 1 {
		s.t.Errorf("%d rebuilds are left open by the kill", open)
	}
}
