package cli

import (
	"context"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"sluice/pipeline/warehouse/warehousetest"
)

// statementsOfRoles make roles, end sessions, and grant and revoke rights.
func statementsOfRoles() []answer {
	const why = "roles and databases belong to the server, which tests share"
	named := func(name string) func(*companyFixture, time.Time) []string {
		return func(*companyFixture, time.Time) []string { return []string{name, role} }
	}
	set := func(has, setting string) answer {
		return answer{has: has, stands: named("jane"), why: why, effect: given("coalesce((SELECT '" + setting + "' = ANY (s.setconfig) FROM pg_db_role_setting s WHERE s.setrole = '" + role + "'::regrole), false)")}
	}
	login := given("EXISTS (SELECT FROM pg_roles WHERE rolname = '"+role+"' AND rolcanlogin)", "DROP ROLE "+role)
	return []answer{
		{has: "CREATE ROLE sluice_owner LOGIN PASSWORD '…'", stands: named("sluice_owner"), why: why, effect: login},
		{has: "CREATE ROLE sluice_worker LOGIN PASSWORD '…'", stands: named("sluice_worker"), why: why, effect: login},
		{has: "CREATE ROLE sluice_receiver LOGIN PASSWORD '…'", stands: named("sluice_receiver"), why: why, effect: login},
		{
			has: "SELECT sluice.grant_receiver('sluice_receiver')", stands: named("sluice_receiver"), why: why,
			effect: given("has_schema_privilege('" + role + "', 'notifications', 'USAGE') AND NOT has_any_column_privilege('" + role + "', 'notifications.events', 'SELECT')"),
		},
		{
			has: "GRANT USAGE ON SCHEMA lake TO spark", stands: func(*companyFixture, time.Time) []string { return []string{"spark", "analysts"} }, why: why,
			effect: given("has_schema_privilege('" + role + "', 'lake', 'USAGE')"),
		},
		{
			has: "GRANT SELECT ON ALL TABLES IN SCHEMA lake TO spark", stands: func(*companyFixture, time.Time) []string { return []string{"spark", "analysts"} }, why: why,
			effect: given("has_table_privilege('" + role + "', 'lake.iceberg_tables', 'SELECT') AND NOT has_table_privilege('" + role + "', 'lake.iceberg_tables', 'UPDATE')"),
		},
		{has: "CREATE ROLE jane LOGIN PASSWORD '…'", stands: named("jane"), why: why, effect: login},
		{
			has: "GRANT sluice_reader TO jane", why: why,
			stands: func(*companyFixture, time.Time) []string {
				return []string{"sluice_reader", role + "_group", "jane", "analysts"}
			},
			effect: given("pg_has_role('"+role+"', '"+role+"_group', 'MEMBER')", "CREATE ROLE "+role+"_group"),
		},
		set("ALTER ROLE jane SET statement_timeout = '5min'", "statement_timeout=5min"),
		set("ALTER ROLE jane SET idle_in_transaction_session_timeout = '1min'", "idle_in_transaction_session_timeout=1min"),
		set("ALTER ROLE jane SET search_path = 'analytics'", "search_path=analytics"),
		set("ALTER ROLE jane SET TimeZone = 'UTC'", "TimeZone=UTC"),
		set("ALTER ROLE jane SET jit = off", "jit=off"),
		set("ALTER ROLE jane SET default_transaction_read_only = on", "default_transaction_read_only=on"),
		{
			has: "CREATE SCHEMA mart AUTHORIZATION jane", stands: named("jane"), why: why,
			effect: given("EXISTS (SELECT FROM pg_namespace WHERE nspname = 'mart' AND nspowner = '" + role + "'::regrole)"),
		},
		{
			has: "CREATE DATABASE warehouse OWNER sluice_owner", why: why,
			stands: func(c *companyFixture, _ time.Time) []string {
				name := c.conn.Config().Database
				return []string{"DATABASE warehouse", "DATABASE " + pgx.Identifier{name + "_made"}.Sanitize(), "sluice_owner", pgx.Identifier{name + "_owner"}.Sanitize()}
			},
			effect: makesDatabase,
		},
		{
			has: "DROP OWNED BY sluice_worker", stands: named("sluice_worker"), why: why,
			effect: given("NOT has_table_privilege('"+role+"', 'inventory.bills', 'INSERT, SELECT, UPDATE, DELETE')", "SELECT sluice.grant_worker('"+role+"')"),
		},
		{
			has: "ALTER SCHEMA inventory OWNER TO sluice_owner", why: why,
			stands: func(*companyFixture, time.Time) []string { return []string{"sluice_owner", "analysts"} },
			effect: given("(SELECT nspowner = '" + role + "'::regrole FROM pg_namespace WHERE nspname = 'inventory')"),
		},
		{
			has:    "SELECT format('DELETE FROM %s WHERE organization_id = %L', c.oid::regclass, '10234695')",
			why:    "the page names an organization of its own",
			stands: func(c *companyFixture, _ time.Time) []string { return []string{"10234695", c.all[0].key} },
			effect: retired,
		},
		{has: "SELECT DISTINCT v.oid::regclass AS analysts_view", effect: builtOnTables},
		{
			has: "REINDEX TABLE river.river_job",
			effect: runs(func(_ context.Context, t *testing.T, _ pgx.Tx, run func()) {
				t.Helper()
				run()
			}),
		},
		{
			has: "SELECT pg_terminate_backend(PID)", why: "PID stands for the session of another role",
			effect: func(ctx context.Context, t *testing.T, tx pgx.Tx, sql string) {
				t.Helper()
				other, err := pgx.ConnectConfig(ctx, tx.Conn().Config())
				must(t, err)
				defer func() { _ = other.Close(context.WithoutCancel(ctx)) }()
				_, err = tx.Exec(ctx, strings.ReplaceAll(sql, "PID", strconv.Itoa(int(other.PgConn().PID()))))
				must(t, err)
				bounded, cancel := context.WithTimeout(ctx, patience)
				defer cancel()
				if _, err := other.WaitForNotification(bounded); err == nil || bounded.Err() != nil {
					t.Error("the session was not ended")
				}
			},
		},
		{
			has: "ALTER ROLE analyst SET idle_in_transaction_session_timeout = '5min'", why: "roles belong to the server, which tests share",
			stands: func(*companyFixture, time.Time) []string { return []string{"ROLE analyst ", "ROLE " + role + " "} },
			effect: runs(func(ctx context.Context, t *testing.T, tx pgx.Tx, run func()) {
				t.Helper()
				_, err := tx.Exec(ctx, "CREATE ROLE "+role)
				must(t, err)
				run()
				if tallied(ctx, t, tx, "SELECT count(*) FROM pg_db_role_setting JOIN pg_roles ON oid = setrole WHERE rolname = '"+role+"' AND setconfig = '{idle_in_transaction_session_timeout=5min}'") != 1 {
					t.Error("the role has no limit")
				}
			}),
		},
		{
			has: "REVOKE CONNECT, TEMPORARY ON DATABASE warehouse FROM PUBLIC", stands: ofDatabase, why: why,
			effect: given("NOT has_database_privilege('" + role + "', current_database(), 'CONNECT, TEMPORARY')"),
		},
		{
			has: "GRANT CONNECT ON DATABASE warehouse TO sluice, analysts", why: why,
			stands: func(c *companyFixture, now time.Time) []string {
				return append(ofDatabase(c, now), "TO sluice, analysts", "TO analysts")
			},
			effect: given("has_database_privilege('"+role+"', current_database(), 'CONNECT')",
				"DO $$ BEGIN EXECUTE format('REVOKE CONNECT ON DATABASE %I FROM public', current_database()); END $$"),
		},
		{
			has:    "REVOKE CREATE ON SCHEMA public FROM PUBLIC",
			effect: given("NOT has_schema_privilege('"+role+"', 'public', 'CREATE')", "GRANT CREATE ON SCHEMA public TO public"),
		},
		{
			has: "REVOKE TRIGGER, REFERENCES ON ALL TABLES IN SCHEMA inventory FROM analysts", why: why, stands: named("analysts"),
			effect: given("has_table_privilege('"+role+"', 'inventory.bills', 'SELECT') AND NOT has_table_privilege('"+role+"', 'inventory.bills', 'TRIGGER, REFERENCES')",
				"GRANT ALL ON ALL TABLES IN SCHEMA inventory TO "+role),
		},
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
	conn, err := pgx.ConnectConfig(ctx, tx.Conn().Config())
	must(t, err)
	defer func() { _ = conn.Close(context.WithoutCancel(ctx)) }()
	owner, made := pgx.Identifier{name + "_owner"}.Sanitize(), pgx.Identifier{name + "_made"}.Sanitize()
	for _, step := range []string{"CREATE ROLE " + owner, sql, "DROP DATABASE " + made, "DROP ROLE " + owner} {
		_, err := conn.Exec(ctx, step)
		must(t, err)
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

// analystsMayAsk asks every question of docs/querying.md as a member of the group that the page
// names.
func (c *companyFixture) analystsMayAsk(t *testing.T, shown []statement) {
	t.Helper()
	warehousetest.Alone(t, "groups of readers", func() { c.runs(codeFine, "readers --apply") })
	tx, err := c.conn.Begin(t.Context())
	must(t, err)
	defer func() { _ = tx.Rollback(context.WithoutCancel(t.Context())) }()
	for _, step := range []string{"REVOKE ALL ON SCHEMA public FROM public", "CREATE ROLE " + role, "GRANT sluice_reader_raw TO " + role, "SET LOCAL ROLE " + role} {
		_, err := tx.Exec(t.Context(), step)
		must(t, err)
	}
	asked := slices.DeleteFunc(slices.Clone(shown), func(s statement) bool { return s.place != "docs/querying.md" })
	for _, s := range asked {
		for _, a := range questionsOfMoney() {
			if !strings.Contains(s.sql, a.has) {
				continue
			}
			sql, now := s.sql, time.Time{}
			must(t, tx.QueryRow(t.Context(), "SELECT now()").Scan(&now))
			if a.stands != nil {
				sql = strings.NewReplacer(a.stands(c, now)...).Replace(sql)
			}
			must(t, c.compare(t.Context(), tx, &a, sql, now))
		}
	}
	if len(asked) < 6 {
		t.Errorf("docs/querying.md asks %d questions: that is not what it is like", len(asked))
	}
}

// builtOnTables wants an analyst's view named, and no view of the program.
func builtOnTables(ctx context.Context, t *testing.T, tx pgx.Tx, sql string) {
	t.Helper()
	_, err := tx.Exec(ctx, `CREATE VIEW public.mine AS SELECT count(*) AS n FROM inventory.bills`)
	must(t, err)
	rows, err := tx.Query(ctx, `SELECT string_agg(f.v::text, ' ') FROM (`+strings.TrimSuffix(strings.TrimSpace(sql), ";")+`) AS f (v)`)
	must(t, err)
	named, err := pgx.CollectExactlyOneRow(rows, pgx.RowTo[string])
	must(t, err)
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
	_, err := tx.Exec(ctx, sqlStated)
	must(t, err)
	stated := tallied(ctx, t, tx, sqlCountStated)
	printed, err := tx.Query(ctx, sql, pgx.QueryExecModeSimpleProtocol)
	must(t, err)
	statements, err := pgx.CollectRows(printed, pgx.RowTo[string])
	must(t, err)
	for _, statement := range statements {
		_, err := tx.Exec(ctx, statement)
		must(t, err)
	}
	must(t, tx.QueryRow(ctx, owners).Scan(&after, &kept))
	if before < 2 || after != before-1 || kept == 0 || kept >= rows {
		t.Errorf("bills of %d organizations were %d of %d after it", after, kept, rows)
	}
	again, err := tx.Query(ctx, sql, pgx.QueryExecModeSimpleProtocol)
	must(t, err)
	statements, err = pgx.CollectRows(again, pgx.RowTo[string])
	must(t, err)
	for _, statement := range statements {
		left, err := tx.Exec(ctx, statement)
		must(t, err)
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
