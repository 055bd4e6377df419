//go:build e2e

package cli

import (
	"slices"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"sluice/sandbox"
)

// TestAnalystsReadAStandby asks a standby, which is made as the page says, for everything that
// analysts read, and holds its tables against upstream.
func TestAnalystsReadAStandby(t *testing.T) {
	t.Parallel()
	s := newFixture(t, sandbox.Options{Seed: 61, Records: 300}).narrow()
	primary := s.newCluster()
	primary.sh("$START")
	s.on(primary.url())
	standby := s.newAccount()
	standby.set("PRIMARY", primary.folder)
	standby.sh(linesOf(t, "operations/copies.md", "A standby")[0])
	s.until("the standby follows", `SELECT count(*) = 1 FROM pg_stat_replication WHERE state = 'streaming'`)
	must(t, migrated(t.Context(), primary.url()))
	s.sync(codeFine)
	cursor := one[string](s, `SELECT analytics.changes_cursor()`)
	written := one[string](s, `SELECT pg_current_wal_lsn()::text`)

	s.on(standby.url())
	s.until("the standby has what was loaded", `SELECT pg_last_wal_replay_lsn() >= $1::pg_lsn`, written)
	s.equal()
	rows, err := s.conn.Query(t.Context(), `SELECT c.relname FROM pg_class c WHERE c.relnamespace = 'analytics'::regnamespace AND c.relkind IN ('v', 'm') ORDER BY 1`)
	must(t, err)
	views := sure(pgx.CollectRows(rows, pgx.RowTo[string]))(t)
	if len(views) < 20 || !slices.Contains(views, "freshness") {
		t.Fatalf("the views of analytics are %v", views)
	}
	for _, view := range views {
		if _, err := s.conn.Exec(t.Context(), `SELECT * FROM analytics.`+pgx.Identifier{view}.Sanitize()); err != nil {
			t.Errorf("analytics.%s: %v", view, err)
		}
	}
	_, err = s.conn.Exec(t.Context(), `SELECT * FROM analytics.changes($1, NULL)`, cursor)
	if err == nil || !strings.Contains(err.Error(), "recovery is in progress") {
		t.Errorf("analytics.changes on a standby says %v", err)
	}
}

// TestTablesArePublished follows the page with two servers. The copy equals upstream after changes
// and deletions.
func TestTablesArePublished(t *testing.T) {
	t.Parallel()
	s := newFixture(t, sandbox.Options{Seed: 62, Records: 300}).narrow()
	warehouse := s.newCluster()
	warehouse.sh(`echo "wal_level = logical" >>"$CONF"; $START`)
	s.on(warehouse.url())
	must(t, migrated(t.Context(), warehouse.url()))
	s.sync(codeFine)

	second := s.newCluster()
	second.sh("$START")
	second.set("WAREHOUSE", "host="+warehouse.folder+" user=postgres dbname=postgres")
	second.set("COPY", "host="+second.folder+" user=postgres dbname=postgres")
	second.sh(linesOf(t, "operations/copies.md", "A publication")[0])
	s.on(second.url())
	s.until("the tables are copied", `SELECT count(*) > 20 AND bool_and(srsubstate = 'r') FROM pg_subscription_rel`)
	s.equal()

	s.on(warehouse.url())
	sure(s.world.Change(sandbox.Change{Seed: 1, Inserts: 5, Edits: 20, Deletes: 2, Resources: []string{"items", "bills"}}))(t)
	s.afterAMinute()
	s.sync(codeFine)
	s.sync(codeFine, "inventory.items.sweep", "inventory.bills.sweep")
	written := one[string](s, `SELECT pg_current_wal_lsn()::text`)
	s.until("the copy has followed", `SELECT count(*) = 1 FROM pg_stat_replication WHERE application_name = 'sluice_tables' AND replay_lsn >= $1::pg_lsn`, written)
	s.on(second.url())
	s.equal()
}
