package cli

import (
	"regexp"
	"strings"
	"testing"

	"sluice/pipeline/lineage/promote"
	"sluice/pipeline/lineage/rebuild"
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
	fatalIf(t, units == 0 || taxes == 0, "there is nothing to lose")
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
		o.prints(t, code, all...)
		return o
	}
	says("check", codeFailed)
	says("verify --local", codeFailed).prints(t, codeFailed, "inventory.bills") // the others are verified
	s.prints(codeFine, "", "status")
	for _, r := range s.sync(codeFailed).Streams {
		errorIf(t, r.Resource == "bills" && r.Outcome != "done", "a stream whose table is as it was: %+v", r)
	}
	says("migrate", codeUsage).prints(t, codeUsage, `CREATE TABLE "inventory"."taxes"`, `ADD COLUMN "unit" text`)
	_, id := s.plan()
	s.exec(`ALTER TABLE accounting.vendor_payments ALTER COLUMN description TYPE text`)
	s.afterAMinute()
	for _, line := range []string{"migrate --accept " + id, "rebuild inventory.items", "backfill inventory.taxes --wait", "sync", "check"} {
		s.runs(codeFine, line)
	}
	s.counts(units, "items have a unit", `SELECT count(unit) FROM inventory.items`)
	s.counts(taxes, "taxes are back", `SELECT count(*) FROM inventory.taxes`)
}

func (s *fixture) runs(code int, line string) {
	s.t.Helper()
	o := s.run(strings.Fields(line)...)
	errorIf(s.t, o.code != code || strings.Contains(o.stderr, "permission denied"),
		"sluice %s ended with %d, want %d\n%s%s", line, o.code, code, o.stdout, o.stderr)
}

// declared is a resource of the operator's own: a list of the sandbox under another name, so that
// its tables can be compared.
const declared = `
custom:
  - service: inventory
    name: things
    doc: An item as the user sees it.
    path: /items
    key: items
    id: item_id
    scope: items
    cursor: {kind: full_scan, modified: last_modified_time}
`

func (s *fixture) plan() (string, string) {
	s.t.Helper()
	o := s.run("migrate")
	id := regexp.MustCompile(`sluice migrate --accept ([0-9a-f]{10})\n`).FindStringSubmatch(o.stderr)
	fatalIf(s.t, o.code != codeUsage || id == nil, "migrate: exit code %d, want %d and a plan\n%s%s", o.code, codeUsage, o.stdout, o.stderr)
	return o.stdout, id[1]
}

func (s *fixture) accept() string {
	s.t.Helper()
	sql, id := s.plan()
	s.prints(codeFine, "up to date now", "migrate", "--accept", id)
	return sql
}

// refusesOtherPlan checks that the ID of another plan is refused, and that this leaves the plan as
// it is.
func (s *fixture) refusesOtherPlan() {
	s.t.Helper()
	sql, id := s.plan()
	s.complains(codeUsage, "read it", "migrate", "--accept", "0123456789")
	again, same := s.plan()
	errorIf(s.t, again != sql || same != id, "the plan changed by being refused:\n%s\n%s", sql, again)
}

// TestCustomResource takes an operator's own resource from three lines of YAML to typed columns:
// plan, raw rows, proposal, columns, rows filled without a call.
func TestCustomResource(t *testing.T) {
	t.Parallel()
	s := newFixture(t, sandbox.Options{Seed: 91, Records: 60}).narrow()
	s.configured(declared)
	s.complains(codeEnvironment, "run sluice migrate", "sync", "things")
	s.refusesOtherPlan()
	sql := s.accept()
	s.prints(codeFine, "up to date already", "migrate")
	for _, want := range []string{`CREATE SCHEMA IF NOT EXISTS "custom"`, `CREATE TABLE "custom"."things"`, "An item as the user sees it."} {
		errorIf(t, !strings.Contains(sql, want), "the plan lacks %s:\n%s", want, sql)
	}
	s.sync(codeFine, "inventory.items", "things")
	same := `SELECT count(*) FROM custom.things t FULL JOIN inventory.items i USING (organization_id, item_id)
		WHERE t.item_id IS NULL OR i.item_id IS NULL OR t.last_modified_time IS DISTINCT FROM i.last_modified_time`
	rows, wrong := one[int](s, `SELECT count(*) FROM custom.things`), one[int](s, same)
	fatalIf(t, rows == 0 || wrong > 0, "%d rows, %d of them not those of the items", rows, wrong)
	s.counts(0, "rows without a rate in _extra: what no column takes is kept", `SELECT count(*) FROM custom.things WHERE _extra ->> 'rate' IS NULL`)
	s.promotes()
}

// promotes gives the resource exactly the columns that are proposed for it.
func (s *fixture) promotes() {
	s.t.Helper()
	proposal := decoded[promote.Proposal](s, codeFine, "drift", "promote", "custom.things")
	kinds := make(map[string]string)
	for _, column := range proposal.Columns {
		kinds[column.Wire] = column.Kind
	}
	for wire, want := range map[string]string{"name": "text", "rate": "decimal", "status": "text"} {
		errorIf(s.t, kinds[wire] != want, "%s is proposed as %q, want %s", wire, kinds[wire], want)
	}
	o := s.run("drift", "promote", "custom.things")
	fatalIf(s.t, o.code != codeFine, "promote: exit code %d\n%s", o.code, o.stderr)
	s.configured(o.stdout)
	if sql := s.accept(); strings.Contains(sql, "CREATE TABLE \"custom\".\"things\" ") || !strings.Contains(sql, `ADD COLUMN "rate" numeric`) {
		s.t.Errorf("the second plan does not add columns:\n%s", sql)
	}
	calls := s.calls()
	filled := decoded[[]rebuiltView](s, codeFine, "drift", "fill", "custom.things")
	rows := one[int](s, `SELECT count(*) FROM custom.things`)
	errorIf(s.t, len(filled) != 1 || filled[0].Counts != (rebuild.Counts{Rows: rows, Rewritten: rows}) || s.calls() != calls,
		"filling came to %+v with %d calls, want %d rows without a call", filled, s.calls()-calls, rows)
	wrong := one[int](s, `SELECT count(*) FROM custom.things t JOIN inventory.items i USING (organization_id, item_id)
		WHERE t.rate IS DISTINCT FROM i.rate OR t.name IS DISTINCT FROM i.name OR t._extra IS NOT NULL`)
	errorIf(s.t, wrong > 0, "%d rows are filled with something else than the items have", wrong)
	filled = decoded[[]rebuiltView](s, codeFine, "drift", "fill", "things")
	errorIf(s.t, filled[0].Rewritten != 0, "filling again rewrites %d rows", filled[0].Rewritten)
	s.prints(codeFine, "has its column", "drift", "promote", "custom.things")
	for _, args := range [][]string{{"drift", "promote", "inventory.items"}, {"drift", "promote", "nothing"}, {"drift", "fill", "nothing"}} {
		s.prints(codeUsage, "", args...)
	}
}
