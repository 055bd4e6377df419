package cli

import (
	"strings"
	"testing"

	"sluice/migrations"
	"sluice/pipeline/warehouse/warehousetest"
	"sluice/sandbox"
)

// TestMigratePlan: what is pending comes in its order, in words and as JSON with its text; nothing
// is changed.
func TestMigratePlan(t *testing.T) {
	t.Parallel()
	s := newFixture(t, sandbox.Options{Seed: 97, Records: 20})
	s.prints(codeFine, "Nothing is pending.", "migrate", "--plan")
	s.exec(`DELETE FROM sluice.schema_version WHERE version_id IN (118, 120)`)
	s.exec(`DELETE FROM sluice.views WHERE name = 'calendar'`)
	const state = `SELECT md5(string_agg(t, '|' ORDER BY t)) FROM (SELECT v::text AS t FROM sluice.schema_version v UNION ALL SELECT v::text FROM sluice.views v
		UNION ALL SELECT c.oid || c.relname || coalesce(c.relacl::text, '') FROM pg_class c) AS a`
	before := one[string](s, state)
	s.prints(codeFine, "Pending are 3 transactions. Nothing was changed.\n\n00118_privacy.sql\n00120_lake.sql\nviews/calendar.sql\n", "migrate", "--plan")
	outlook := decoded[migrations.Outlook](s, codeFine, "migrate", "--plan")
	if len(outlook.Steps) != 3 || outlook.Steps[0].File != "00118_privacy.sql" || !strings.Contains(outlook.Steps[0].SQL, "CREATE INDEX erasures_subject") ||
		outlook.Program.Program != migrations.Version() {
		t.Fatalf("as JSON: %+v", outlook)
	}
	if after := one[string](s, state); after != before {
		t.Error("looking changed the database")
	}
	s.prints(codeUsage, "", "migrate", "--plan", "--accept", "x")
	s.complains(codeUsage, "--roles", "migrate", "--role-prefix", "other_")
}

// TestMigratePlanOfAnEmptyDatabase: everything is pending, and looking makes nothing.
func TestMigratePlanOfAnEmptyDatabase(t *testing.T) {
	t.Parallel()
	s := newFixture(t, sandbox.Options{Seed: 97, Records: 20})
	url := warehousetest.New(t)
	s.environment["SLUICE_DATABASE_URL"] = url
	o := s.run("migrate", "--plan")
	for _, want := range []string{"The database is at version 0", "00101_streams.sql", "views/bills.sql", "the queue's 8, "} {
		if o.code != codeFine || !strings.Contains(o.stdout, want) {
			t.Errorf("exit code %d, want 0 and %q\n%.2000s%s", o.code, want, o.stdout, o.stderr)
		}
	}
	var made int
	must(t, warehousetest.Connect(t, url).QueryRow(t.Context(), `SELECT count(*) FROM pg_namespace WHERE nspname IN ('sluice', 'river')`).Scan(&made))
	if made != 0 {
		t.Error("looking made schemas")
	}
}
