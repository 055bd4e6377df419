package cli

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"sluice/pipeline/warehouse/readers"
	"sluice/pipeline/warehouse/warehousetest"
	"sluice/sandbox"
)

// reader makes a role of the database that is a member of a group, and drops it with the test. A
// name is unique on the server, which tests share.
func (s *fixture) reader(name, group string) string {
	s.t.Helper()
	role := name + "_" + strings.TrimPrefix(s.conn.Config().Database, "sluice_test_")
	for _, sql := range []string{"CREATE ROLE " + role + " LOGIN", "GRANT " + group + " TO " + role} {
		s.exec(sql)
	}
	s.t.Cleanup(func() {
		ctx := context.WithoutCancel(s.t.Context())
		conn := sure(pgx.Connect(ctx, s.environment["SLUICE_DATABASE_URL"]))(s.t)
		defer func() { _ = conn.Close(ctx) }()
		sure(conn.Exec(ctx, "DROP OWNED BY "+role+"; DROP ROLE "+role))(s.t)
	})
	return role
}

func (s *fixture) asks(role, sql string) (int, error) {
	s.t.Helper()
	tx := sure(s.conn.Begin(s.t.Context()))(s.t)
	defer func() { _ = tx.Rollback(context.WithoutCancel(s.t.Context())) }()
	sure(tx.Exec(s.t.Context(), "SET LOCAL ROLE "+role))(s.t)
	var n int
	err := tx.QueryRow(s.t.Context(), sql).Scan(&n)
	return n, err
}

// TestReaders: the groups are shown, made once, and have all that they need, also of a list that is
// declared later. A reader sees the organizations that are allowed for it.
func TestReaders(t *testing.T) {
	t.Parallel()
	s := newFixture(t, sandbox.Options{Seed: 84, Records: 40})
	s.runs(codeFine, "migrate")
	n := one[int](s, `SELECT count(*) FROM sluice.columns WHERE schema_name = 'inventory' AND table_name IN ('bills', 'bills_line_items')`)
	errorIf(t, n < 40, "sluice.columns has %d columns of bills", n)
	s.run("readers").prints(t, codeFine, "--apply executes it", "GRANT USAGE ON SCHEMA analytics TO sluice_reader;")
	warehousetest.Alone(t, "groups of readers", func() {
		s.prints(codeFine, "executed: GRANT USAGE ON SCHEMA analytics TO sluice_reader;", "readers", "--apply")
	})
	shown := decoded[readersView](s, codeFine, "readers", "--apply")
	errorIf(t, len(shown.Applied) != 0 || shown.SQL != "" || len(shown.Lacks) != 0 || len(shown.Groups) != 3, "a second time: %+v", shown)
	masked, raw := s.reader("masked", "sluice_reader"), s.reader("raw", "sluice_reader_raw")
	s.run("check").prints(t, codeFine,
		"readers: a warning: reader "+masked+" sees no row in any view", "to end that: sluice readers allow "+masked+" ORGANIZATION;",
		"readers: a warning: reader "+raw+` has no statement_timeout; to end that: ALTER ROLE "`+raw+`" SET statement_timeout = '5min';`)
	s.sync(codeFine, "items", "bills")
	const bills = `SELECT count(*) FROM analytics.bills`
	all := one[int](s, bills)
	for _, step := range []struct {
		line string
		code int
		said string
		sees int
	}{
		{"readers allow nobody_of_that_name *", codeUsage, "no such role", 0},
		{"readers allow " + masked + " elsewhere", codeUsage, "no configured organization", 0},
		{"readers allow " + masked, codeUsage, "requires at least 2", 0},
		{"readers allow " + masked + " " + sandbox.DefaultOrganizationID, codeFine, "sees in the views: " + sandbox.DefaultOrganizationID, all},
		{"readers allow " + masked + " *", codeFine, "sees in the views: *, " + sandbox.DefaultOrganizationID, all},
		{"readers deny " + masked + " " + sandbox.DefaultOrganizationID, codeFailed, "sees in the views: *", all},
		{"readers deny " + masked + " *", codeFine, "sees no row", 0},
		{"readers deny " + masked + " gone", codeFine, "sees no row", 0},
		{"readers allow " + masked + " *", codeFine, "sees in the views: *", all},
	} {
		s.run(strings.Fields(step.line)...).says(t, step.code, step.said)
		n, err := s.asks(masked, bills)
		errorIf(t, err != nil || n != step.sees, "after %s it sees %d of %d bills, error %v", step.line, n, all, err)
	}
	errorIf(t, all == 0, "there are no bills, so nothing was seen")
	for _, role := range []string{masked, raw} {
		for _, statement := range readers.Recommended() {
			s.exec(strings.ReplaceAll(statement, "READER", role))
		}
	}
	s.configured(declared)
	s.accept()
	const ofThings = `SELECT count(*) FROM sluice.columns WHERE schema_name = 'custom' AND table_name = 'things'`
	s.counts(2, "columns of the declared list", ofThings) // its key and its modification time
	_, err := s.asks(raw, `SELECT count(*) FROM custom.things`)
	errorIf(t, err != nil, "a raw reader and the declared list: %v", err)
	_, err = s.asks(masked, `SELECT count(*) FROM custom.things`)
	errorIf(t, err == nil, "a masked reader reads the declared list")
	shown = decoded[readersView](s, codeFine, "readers")
	if shown.SQL != "" || len(shown.Findings) != 0 || !slices.ContainsFunc(shown.Readers, func(r readers.Reader) bool { return r.Role == masked && slices.Equal(r.Organizations, []string{"*"}) }) {
		t.Errorf("in the end: %+v", shown)
	}
	s.run("check").lacks(t, codeFine, "readers: a warning")
	s.exec("REVOKE SELECT ON analytics.bills FROM sluice_reader")
	s.prints(codeFine, "sluice_reader may not read analytics.bills; to end that: sluice readers --apply;", "check")
}
