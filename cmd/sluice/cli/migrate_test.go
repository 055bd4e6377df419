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
	plain, err := os.ReadFile(s.config)
	must(t, err)
	s.append(lists(""))
	s.accept()
	must(t, os.WriteFile(s.config, plain, 0o600))
	s.append(lists(", columns: [{wire: rate, kind: decimal, doc: What it costs.}]"))
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
	if o := s.run("migrate", "--accept", id); o.code != codeFine {
		t.Errorf("when it let go: exit code %d\n%s%s", o.code, o.stdout, o.stderr)
	}
	if n := one[int](s, `SELECT count(*) FROM information_schema.columns WHERE table_schema = 'custom' AND column_name = 'rate'`); n != 2 {
		t.Errorf("%d tables have the column, want 2", n)
	}
}
