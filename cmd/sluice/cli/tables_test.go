package cli

import (
	"strings"
	"testing"

	"sluice/sandbox"
)

// TestTablesChangedByOthers: another session dropped a table and a column, and changed a type. The
// commands check, migrate and verify name each change, and the other streams go on. A plan, with
// the commands that it names, restores rows and values.
func TestTablesChangedByOthers(t *testing.T) {
	t.Parallel()
	s := newFixture(t, sandbox.Options{Seed: 81, Records: 60, Limits: sandbox.Limits{Off: true}}).narrow()
	s.rewrite("  inventory.taxes: {enabled: false}\n", "")
	s.sync(codeFine)
	units := one[int](s, `SELECT count(unit) FROM inventory.items`)
	taxes := one[int](s, `SELECT count(*) FROM inventory.taxes`)
	if units == 0 || taxes == 0 {
		t.Fatal("there is nothing to lose")
	}
	s.exec(`DROP TABLE inventory.taxes CASCADE`)
	s.exec(`ALTER TABLE inventory.items DROP COLUMN unit CASCADE`)
	s.exec(`ALTER TABLE accounting.vendor_payments ALTER COLUMN description TYPE varchar(2000)`)
	all := []string{
		"table inventory.taxes is missing", "column inventory.items.unit is missing",
		"column accounting.vendor_payments.description is character varying(2000) and declared as text",
	}
	says := func(line string, code int) outcome {
		t.Helper()
		o := s.run(strings.Fields(line)...)
		for _, want := range all {
			if o.code != code || !strings.Contains(o.stdout, want) {
				t.Errorf("sluice %s: exit code %d, want %d and %q\n%s%s", line, o.code, code, want, o.stdout, o.stderr)
			}
		}
		return o
	}
	says("check", codeFailed)
	if o := says("verify --local", codeFailed); !strings.Contains(o.stdout, "inventory.bills") {
		t.Errorf("the others are not verified:\n%s", o.stdout)
	}
	s.prints(codeFine, "", "status")
	for _, r := range s.sync(codeFailed).Streams {
		if r.Resource == "bills" && r.Outcome != "done" {
			t.Errorf("a stream whose table is as it was: %+v", r)
		}
	}
	o := says("migrate", codeUsage)
	_, id := s.plan()
	if !strings.Contains(o.stdout, `CREATE TABLE "inventory"."taxes"`) || !strings.Contains(o.stdout, `ADD COLUMN "unit" text`) {
		t.Errorf("the plan is\n%s", o.stdout)
	}
	s.exec(`ALTER TABLE accounting.vendor_payments ALTER COLUMN description TYPE text`)
	s.afterAMinute()
	for _, line := range []string{"migrate --accept " + id, "rebuild inventory.items", "backfill inventory.taxes --wait", "sync", "check"} {
		s.runs(codeFine, line)
	}
	s.counts(units, "items have a unit", `SELECT count(unit) FROM inventory.items`)
	s.counts(taxes, "taxes are back", `SELECT count(*) FROM inventory.taxes`)
}

// runs executes a command line that has to end with a code, and reports its output if it does not.
func (s *fixture) runs(code int, line string) {
	s.t.Helper()
	o := s.run(strings.Fields(line)...)
	if o.code != code || strings.Contains(o.stderr, "permission denied") {
		s.t.Errorf("sluice %s ended with %d, want %d\n%s%s", line, o.code, code, o.stdout, o.stderr)
	}
}
