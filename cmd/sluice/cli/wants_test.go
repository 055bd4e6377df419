package cli

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"sluice/pipeline/warehouse/warehousetest"
	"sluice/sandbox"
)

// TestAnAnalystAsksForARecord: a role asks by SQL and waits. The process reads the record by one
// call, so that the table has what upstream has, lines included, and no schedule did it. The share
// of the day is kept.
func TestAnAnalystAsksForARecord(t *testing.T) {
	t.Parallel()
	s := newFixture(t, sandbox.Options{Seed: 87, Records: 40, HeadersOnly: true}).narrow()
	s.configured("budget: {wants: {per_day: 3}}\n")
	s.sync(codeFine, "bills")
	warehousetest.Alone(t, "groups of readers", func() { s.runs(codeFine, "readers --apply") })
	jane := s.reader("jane", "sluice_reader")
	s.runs(codeFine, "readers allow "+jane+" "+sandbox.DefaultOrganizationID)
	s.exec(`UPDATE sluice.streams SET next_due_at = now() + interval '1 day'`) // nothing is due by schedule
	before := one[int](s, `SELECT count(*)::int FROM sluice.calls`)
	changed, err := s.world.Change(sandbox.Change{Seed: 1, Inserts: 1, Resources: []string{"bills"}})
	must(t, err)
	added := changed["bills"].Inserted[0]
	gone := one[string](s, `SELECT bill_id FROM inventory.bills WHERE bill_id <> $1 ORDER BY bill_id LIMIT 1`, added)
	s.delete("inventory.bills", gone)

	serving := s.start("serve", "--listen", "127.0.0.1:0")
	var said []string
	config, err := pgx.ParseConfig(s.environment["SLUICE_DATABASE_URL"])
	must(t, err)
	config.OnNotice = func(_ *pgconn.PgConn, n *pgconn.Notice) { said = append(said, n.Message) }
	conn, err := pgx.ConnectConfig(t.Context(), config)
	must(t, err)
	t.Cleanup(func() { _ = conn.Close(context.WithoutCancel(t.Context())) }) // the test has ended
	for _, sql := range []string{
		`SET SESSION AUTHORIZATION ` + jane,
		`CALL analytics.fresh('inventory.bills', '` + added + `', within => '1 min')`, `CALL analytics.fresh('inventory.bills', '` + gone + `', within => '1 min')`,
	} {
		_, err = conn.Exec(t.Context(), sql)
		must(t, err)
	}
	want := "inventory.bills " + added + " is read|inventory.bills " + gone + " is gone: upstream does not know it"
	if got := strings.Join(said, "|"); got != want {
		t.Errorf("it said %q, want %q", got, want)
	}
	spent := one[string](s, `SELECT string_agg(class || ' ' || path, ', ' ORDER BY id) FROM sluice.calls WHERE id > $1 AND service = 'inventory'`, before)
	if want := "hinted /inventory/v1/bills/" + added + ", hinted /inventory/v1/bills/" + gone; spent != want {
		t.Errorf("the calls are %q, want %q", spent, want)
	}
	if lines := one[int](s, `SELECT count(*)::int FROM inventory.bills_line_items WHERE _parent_id = $1`, added); lines == 0 {
		t.Error("the lines of the bill are not there")
	}
	if gone, _ := s.equal("inventory.bills"); gone != 1 {
		t.Errorf("%d bills are gone, want 1", gone)
	}
	_, err = conn.Exec(t.Context(), `CALL analytics.fresh('inventory.bills', '`+added+`')`)
	if pg, ok := errors.AsType[*pgconn.PgError](err); !ok || pg.Message != "role "+jane+" may ask for 2 records of organization "+sandbox.DefaultOrganizationID+" within 24 hours" {
		t.Errorf("above the share: %v", err)
	}
	for command, want := range map[string]string{
		"status": ": roles asked for 2 records in the last 24 h of 3: 2 read or gone, 0 not to be read, 0 open", "status --json": `"wants": 2,`,
		"budget": ": roles asked for 2 records in the last 24 h of 3", "budget --json": `"per_role": 2`,
		"explain bills " + added:              "The role " + jane + " asked for it at ",
		"status --why inventory.bills.hinted": "roles ask for",
	} {
		if o := s.run(strings.Fields(command)...); o.code != codeFine || !strings.Contains(o.stdout, want) {
			t.Errorf("%s: code %d, shows no %q:\n%s%s", command, o.code, want, o.stdout, o.stderr)
		}
	}
	serving.terminate()
	serving.ends(codeFine, patience)
}
