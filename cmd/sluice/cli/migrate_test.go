package cli

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"sluice/sandbox"
)

// lists declares two custom lists, with columns or without.
func lists(columns string) string {
	text := "\ncustom:\n"
	for _, name := range []string{"things", "wares"} {
		text += fmt.Sprintf("  - {service: inventory, name: %s, doc: An item as the user sees it., path: /items, key: items, id: item_id, scope: items, "+
			"cursor: {kind: full_scan, modified: last_modified_time}%s}\n", name, columns)
	}
	return text
}

// TestAPlanBesideAReader: each table of a plan is a transaction. A table that a reader locks is
// left, named with the reader, and a new plan has it alone.
func TestAPlanBesideAReader(t *testing.T) {
	t.Parallel()
	s := newFixture(t, sandbox.Options{Seed: 98, Records: 20})
	plain := sure(os.ReadFile(s.config))(t)
	s.configured(lists(""))
	s.accept()
	must(t, os.WriteFile(s.config, plain, 0o600))
	s.configured(lists(", columns: [{wire: rate, kind: decimal, doc: What it costs.}]"))
	sql, id := s.plan()
	if strings.Count(sql, "ADD COLUMN") != 2 {
		t.Fatalf("the plan is\n%s", sql)
	}
	s.exec("BEGIN")
	s.exec("SELECT FROM custom.things")
	o := s.run("migrate", "--accept", id, "--wait", "1s")
	holder := fmt.Sprintf("custom.things: pid %d, role", s.conn.PgConn().PID())
	if o.code != codeEnvironment || !strings.Contains(o.stderr, "1 of 2 tables are done, left: custom.things") || !strings.Contains(o.stderr, holder) {
		t.Errorf("beside a reader: exit code %d, want %d and %s\n%s%s", o.code, codeEnvironment, holder, o.stdout, o.stderr)
	}
	s.exec("COMMIT")
	left, id := s.plan()
	if strings.Contains(left, "wares") || !strings.Contains(left, "things") {
		t.Errorf("what is left is not the table that was held:\n%s", left)
	}
	s.prints(codeFine, "", "migrate", "--accept", id)
	s.counts(2, "tables have the column", `SELECT count(*) FROM information_schema.columns WHERE table_schema = 'custom' AND column_name = 'rate'`)
}

// TestMigrateMakesAndDropsWhatHistoryNeeds: the configuration decides. Before it was migrated, check
// and migrate --plan say so; what others built on it is not dropped, and is named.
func TestMigrateMakesAndDropsWhatHistoryNeeds(t *testing.T) {
	t.Parallel()
	s := newFixture(t, sandbox.Options{Seed: 99, Records: 20}).narrow()
	s.runs(codeFine, "migrate")
	s.configured("  inventory.bills: {history: true}\n")
	const warning = "views: a warning: those in the database are not those of this version and configuration: run sluice migrate"
	s.prints(codeFine, warning, "check")
	if o := s.run("migrate", "--plan"); o.code != codeFine || !strings.Contains(o.stdout, "\nas_of.bills\n") || !strings.Contains(o.stdout, "\nhistory.inventory_bills_as_of\n") {
		t.Errorf("migrate --plan: exit code %d\n%s%s", o.code, o.stdout, o.stderr)
	}
	s.runs(codeFine, "migrate")
	if o := s.run("check"); o.code != codeFine || strings.Contains(o.stdout, warning) {
		t.Errorf("check after migrate: exit code %d\n%s%s", o.code, o.stdout, o.stderr)
	}
	s.sync(codeFine, "bills")
	if past, bills := one[int](s, `SELECT count(*) FROM history.inventory_bills_as_of(clock_timestamp())`), one[int](s, `SELECT count(*) FROM inventory.bills`); past != bills || bills == 0 {
		t.Errorf("the function has %d of %d bills", past, bills)
	}
	status := decoded[statusView](s, codeFine, "status")
	if versions := one[int64](s, `SELECT count(*) FROM history.versions`); len(status.Histories) != 1 || status.Histories[0].Count != versions || status.Histories[0].Since == nil {
		t.Errorf("status says %+v, want %d versions", status.Histories, versions)
	}
	s.prints(codeFine, "KNOWN SINCE", "status")
	s.exec(`CREATE VIEW public.hers AS SELECT bill_id FROM as_of.bills`)
	s.rewrite("inventory.bills: {history: true}", "inventory.bills: {history: false}")
	if o := s.run("migrate", "--plan"); o.code != codeFine || !strings.Contains(o.stdout, "\nviews and functions of a history that is over\n") {
		t.Errorf("migrate --plan at its end: exit code %d\n%s%s", o.code, o.stdout, o.stderr)
	}
	if o := s.run("migrate"); o.code != codeEnvironment || !strings.Contains(o.stderr, "hers depends on view as_of.bills") || !strings.Contains(o.stderr, "drop what depends on them") {
		t.Errorf("migrate with a view of others: exit code %d, want %d\n%s%s", o.code, codeEnvironment, o.stdout, o.stderr)
	}
	s.exec(`DROP VIEW public.hers`)
	s.runs(codeFine, "migrate")
	s.counts(1, "views of schema as_of are left", `SELECT count(*) FROM pg_class WHERE relnamespace = 'as_of'::regnamespace`)
	if n := one[int](s, `SELECT count(*) FROM history.versions`); n == 0 {
		t.Error("the versions are gone, too")
	}
}
