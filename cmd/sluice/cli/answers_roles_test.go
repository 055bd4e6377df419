package cli

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
)

// statementsOfRoles make roles, end sessions, and grant and revoke rights. Each is executed with a
// role of the test.
func statementsOfRoles() []answer {
	const why = "roles and databases belong to the server, which tests share"
	instead := func(pairs ...string) func(*companyFixture, time.Time) []string {
		return func(*companyFixture, time.Time) []string { return pairs }
	}
	drop := "DROP ROLE " + role // the statement makes it
	all := []answer{
		{has: "SELECT sluice.grant_receiver('sluice_receiver')", stands: instead("sluice_receiver", role), effect: executes()},
		{has: "GRANT USAGE ON SCHEMA lake TO spark", stands: instead("spark", "analysts"), effect: executes()},
		{has: "GRANT SELECT ON ALL TABLES IN SCHEMA lake TO spark", stands: instead("spark", "analysts"), effect: executes()},
		{has: "GRANT sluice_reader TO jane", stands: instead("sluice_reader", role+"_group", "jane", "analysts"), effect: executes("CREATE ROLE " + role + "_group")},
		{has: "CREATE SCHEMA mart AUTHORIZATION jane", stands: instead("jane", role), effect: executes()},
		{
			has: "CREATE DATABASE warehouse OWNER sluice_owner",
			stands: func(c *companyFixture, _ time.Time) []string {
				name := c.conn.Config().Database
				return []string{"DATABASE warehouse", "DATABASE " + pgx.Identifier{name + "_made"}.Sanitize(), "sluice_owner", pgx.Identifier{name + "_owner"}.Sanitize()}
			},
			effect: makesDatabase,
		},
		{has: "DROP OWNED BY sluice_worker", stands: instead("sluice_worker", role), effect: executes("SELECT sluice.grant_worker('" + role + "')")},
		{has: "ALTER SCHEMA inventory OWNER TO sluice_owner", stands: instead("sluice_owner", "analysts"), effect: executes()},
		{
			has:    "SELECT format('DELETE FROM %s WHERE organization_id = %L', c.oid::regclass, '10234695')",
			stands: func(c *companyFixture, _ time.Time) []string { return []string{"10234695", c.all[0].key} },
			effect: retired,
		},
		{has: "SELECT DISTINCT v.oid::regclass AS analysts_view", effect: builtOnTables},
		{has: "REINDEX TABLE river.river_job", effect: executes()},
		{has: "SELECT pg_terminate_backend(PID)", stands: instead("PID", "0"), effect: executes()},
		{has: "ALTER ROLE analyst SET idle_in_transaction_session_timeout = '5min'", stands: instead("ROLE analyst ", "ROLE "+role+" "), effect: executes()},
		{has: "REVOKE CONNECT, TEMPORARY ON DATABASE warehouse FROM PUBLIC", stands: ofDatabase, effect: executes()},
		{
			has: "GRANT CONNECT ON DATABASE warehouse TO sluice, analysts", effect: executes(),
			stands: func(c *companyFixture, now time.Time) []string {
				return append(ofDatabase(c, now), "TO sluice, analysts", "TO analysts")
			},
		},
		{has: "REVOKE CREATE ON SCHEMA public FROM PUBLIC", effect: executes()},
		{has: "REVOKE TRIGGER, REFERENCES ON ALL TABLES IN SCHEMA inventory FROM analysts", stands: instead("analysts", role), effect: executes()},
	}
	for _, name := range []string{"sluice_owner", "sluice_worker", "sluice_receiver", "jane"} {
		all = append(all, answer{has: "CREATE ROLE " + name + " LOGIN PASSWORD '…'", stands: instead(name, role), effect: executes(drop)})
	}
	for _, setting := range []string{
		"statement_timeout = '5min'", "idle_in_transaction_session_timeout = '1min'", "search_path = 'analytics'", "TimeZone = 'UTC'", "jit = off",
		"default_transaction_read_only = on",
	} {
		all = append(all, answer{has: "ALTER ROLE jane SET " + setting, stands: instead("jane", role), effect: executes()})
	}
	for i := range all {
		all[i].why = why
	}
	return all
}

// executes runs a statement for the role of the test, after others.
func executes(before ...string) func(context.Context, *testing.T, pgx.Tx, string) {
	return func(ctx context.Context, t *testing.T, tx pgx.Tx, sql string) {
		t.Helper()
		for _, step := range append(append([]string{"CREATE ROLE " + role}, before...), strings.ReplaceAll(sql, "TO analysts", "TO "+role)) {
			if _, err := tx.Exec(ctx, step); err != nil {
				t.Errorf("%s: %v", step, err)
			}
		}
	}
}

// ofDatabase replaces the name of the database in docs by that of the company's database.
func ofDatabase(c *companyFixture, _ time.Time) []string {
	return []string{"DATABASE warehouse", "DATABASE " + pgx.Identifier{c.conn.Config().Database}.Sanitize()}
}

// makesDatabase runs a statement that cannot run in a transaction, and drops what it made.
func makesDatabase(ctx context.Context, t *testing.T, tx pgx.Tx, sql string) {
	t.Helper()
	name := tx.Conn().Config().Database
	conn := sure(pgx.ConnectConfig(ctx, tx.Conn().Config()))(t)
	defer func() { _ = conn.Close(context.WithoutCancel(ctx)) }()
	owner, made := pgx.Identifier{name + "_owner"}.Sanitize(), pgx.Identifier{name + "_made"}.Sanitize()
	for _, step := range []string{"CREATE ROLE " + owner, sql, "DROP DATABASE " + made, "DROP ROLE " + owner} {
		sure(conn.Exec(ctx, step))(t)
		if step != sql {
			continue
		}
		var of string
		must(t, conn.QueryRow(ctx, "SELECT datdba::regrole::text FROM pg_database WHERE datname = $1", name+"_made").Scan(&of))
		if strings.Trim(of, `"`) != name+"_owner" {
			t.Errorf("the database is owned by %s", of)
		}
	}
}

// builtOnTables wants an analyst's view named, and no view of the program.
func builtOnTables(ctx context.Context, t *testing.T, tx pgx.Tx, sql string) {
	t.Helper()
	sure(tx.Exec(ctx, `CREATE VIEW public.mine AS SELECT count(*) AS n FROM inventory.bills`))(t)
	rows := sure(tx.Query(ctx, `SELECT string_agg(f.v::text, ' ') FROM (`+strings.TrimSuffix(strings.TrimSpace(sql), ";")+`) AS f (v)`))(t)
	named := sure(pgx.CollectExactlyOneRow(rows, pgx.RowTo[string]))(t)
	if named != "mine" && named != "public.mine" {
		t.Errorf("the views on the tables are %q, want public.mine alone", named)
	}
}

// retired runs the statements that a statement prints: of one organization nothing may remain, and
// of the others everything.
func retired(ctx context.Context, t *testing.T, tx pgx.Tx, sql string) {
	t.Helper()
	const owners = `SELECT count(DISTINCT organization_id), count(*) FROM inventory.bills`
	var before, after, rows, kept int
	must(t, tx.QueryRow(ctx, owners).Scan(&before, &rows))
	sure(tx.Exec(ctx, sqlStated))(t)
	stated := tallied(ctx, t, tx, sqlCountStated)
	printed := sure(tx.Query(ctx, sql, pgx.QueryExecModeSimpleProtocol))(t)
	statements := sure(pgx.CollectRows(printed, pgx.RowTo[string]))(t)
	for _, statement := range statements {
		sure(tx.Exec(ctx, statement))(t)
	}
	must(t, tx.QueryRow(ctx, owners).Scan(&after, &kept))
	if before < 2 || after != before-1 || kept == 0 || kept >= rows {
		t.Errorf("bills of %d organizations were %d of %d after it", after, kept, rows)
	}
	again := sure(tx.Query(ctx, sql, pgx.QueryExecModeSimpleProtocol))(t)
	statements = sure(pgx.CollectRows(again, pgx.RowTo[string]))(t)
	for _, statement := range statements {
		left := sure(tx.Exec(ctx, statement))(t)
		if left.RowsAffected() > 0 {
			t.Errorf("%d rows are left for %s", left.RowsAffected(), statement)
		}
	}
	if tallied(ctx, t, tx, `SELECT count(*) FROM sluice.raw_records`) == 0 {
		t.Error("the raw records of the other organizations are gone")
	}
	if left := tallied(ctx, t, tx, sqlCountStated); left == 0 || left >= stated {
		t.Errorf("%d of %d rows about closings and imports are left", left, stated)
	}
}

const (
	// sqlStated gives each organization imported records and a closed period, with the rows below
	// it, which name no organization.
	sqlStated = `
WITH of AS (SELECT organization_id FROM sluice.organizations), batch AS (
	INSERT INTO sluice.imports (call_id, organization_id, service, resource, run_id, file, first_line, last_line, single)
	SELECT -row_number() OVER (), organization_id, 'inventory', 'taxes', 1, 'taxes.jsonl', 1, 1, false FROM of
), closing AS (
	INSERT INTO sluice.closings (organization_id, period, first_day, last_day, time_zone)
	SELECT organization_id, '1999-12', '1999-12-01', '1999-12-31', 'UTC' FROM of RETURNING id
), sums AS (
	INSERT INTO sluice.closing_sums (closing_id, table_name, currency_code, records, counted, figures) SELECT id, 'inventory.bills', 'INR', 1, 1, '{}' FROM closing
), closed AS (
	INSERT INTO sluice.closed_records (closing_id, table_name, record_id, day, counts, is_deleted, is_whole, figures, content)
	SELECT id, 'inventory.bills', '1', '1999-12-01', true, false, true, '{}', '{}' FROM closing
)
INSERT INTO sluice.after_close_notices (closing_id, table_name, record_id, kind) SELECT id, 'inventory.bills', '1', 'changed' FROM closing`

	sqlCountStated = `SELECT (SELECT count(*) FROM sluice.imports) + (SELECT count(*) FROM sluice.closing_sums) + (SELECT count(*) FROM sluice.closed_records)
		+ (SELECT count(*) FROM sluice.after_close_notices)`
)
