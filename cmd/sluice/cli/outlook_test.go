package cli

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"sluice/migrations"
	"sluice/pipeline/warehouse/warehousetest"
	"sluice/sandbox"
)

// TestMigratePlan: the pending statements come with their locks, what they do to the rows, and the
// session in the way, in words and as JSON; nothing is changed.
func TestMigratePlan(t *testing.T) {
	t.Parallel()
	s := newFixture(t, sandbox.Options{Seed: 97, Records: 20})
	s.prints(codeFine, "Nothing is pending.", "migrate", "--plan")
	s.exec(`DELETE FROM sluice.schema_version WHERE version_id IN (118, 120)`)
	s.exec(`DELETE FROM sluice.views WHERE name = 'calendar'`)
	s.exec(`ANALYZE sluice.callbacks`)
	s.exec(`SET application_name = 'till'`)
	s.exec(`BEGIN`)
	s.exec(`LOCK TABLE sluice.callbacks IN ROW EXCLUSIVE MODE`)
	pid := s.conn.PgConn().PID()
	const state = `SELECT md5(string_agg(t, '|' ORDER BY t)) FROM (SELECT v::text AS t FROM sluice.schema_version v UNION ALL SELECT v::text FROM sluice.views v
		UNION ALL SELECT c.oid || c.relname || coalesce(c.relacl::text, '') FROM pg_class c) AS a`
	before := one[string](s, state)

	o := s.run("migrate", "--plan")
	for _, want := range []string{
		"Pending are 3 transactions. Nothing was changed.",
		"\n00118_privacy.sql\n", "\n00120_lake.sql\n", "\nviews/calendar.sql\n",
		"  CREATE INDEX erasures_subject ON sluice.erasures (subject_hash)\n    SHARE on sluice.erasures: reads all of it (",
		"SHARE UPDATE EXCLUSIVE on sluice.erasures: changes the catalog only (0.",
		"ROW EXCLUSIVE on lake.iceberg_namespace_properties: up to all rows (",
		"CREATE TRIGGER refuse_erased BEFORE INSERT OR UPDATE ON sluice.callbacks FOR EACH ROW ",
		"    SHARE ROW EXCLUSIVE on sluice.callbacks: changes the catalog only (about 0 rows, ",
		fmt.Sprintf("      would wait for pid %d, role ", pid), `application "till", in a transaction since `,
		"At this moment 1 lock would wait",
	} {
		if o.code != codeFine || !strings.Contains(o.stdout, want) {
			t.Errorf("exit code %d, want 0 and %q\n%s%s", o.code, want, o.stdout, o.stderr)
		}
	}
	if n := strings.Count(o.stdout, "would wait for"); n != 1 {
		t.Errorf("%d locks wait, want that of the table that is in use\n%s", n, o.stdout)
	}
	var outlook migrations.Outlook
	s.document(&outlook, "migrate", "--plan")
	if at := slices.IndexFunc(outlook.Steps, func(step migrations.Step) bool { return step.File == "00118_privacy.sql" }); at < 0 || len(outlook.Steps) != 3 ||
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
	for _, want := range []string{"The database is at version 0", "00101_streams.sql", "views/bills.sql", "the queue's 8, ", "which is not there yet", "no session is in the way"} {
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
