//go:build e2e

package cli

import (
	"context"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"sluice/pipeline/warehouse/warehousetest"
	"sluice/sandbox"
)

// TestTwoRoles: a role that owns nothing runs every command but migrate, in a database that another
// role migrated and owns.
func TestTwoRoles(t *testing.T) {
	t.Parallel()
	s := ownedStage(t, sandbox.Options{Seed: 79, Records: 60, Limits: sandbox.Limits{Off: true}})
	owner := s.environment["SLUICE_DATABASE_URL"]
	role, worker := warehousetest.Worker(t, owner)
	if o := s.run("migrate", "--worker", "nobody_of_that_name"); o.code == codeFine {
		t.Error("a role that is none is granted something")
	}
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
	if o := s.run("erase", "inventory.bills", id); o.code != codeFine || !strings.Contains(o.stdout, "until the owner of the tables makes them anew") {
		t.Errorf("erase ended with %d\n%s%s", o.code, o.stdout, o.stderr)
	}
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
		if _, err := conn.Exec(t.Context(), sql); err != nil {
			t.Errorf("%s: %v", sql, err)
		}
	}
}
