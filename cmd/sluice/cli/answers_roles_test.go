package cli

import (
	"context"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
)

// statementsOfRoles make roles, end sessions, and grant and revoke rights.
func statementsOfRoles() []answer {
	const why = "roles and databases belong to the server, which tests share"
	named := func(name string) func(*companyFixture, time.Time) []string {
		return func(*companyFixture, time.Time) []string { return []string{name, role} }
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
		{has: "GRANT USAGE ON SCHEMA analytics TO analysts", effect: given("has_schema_privilege('" + role + "', 'analytics', 'USAGE')")},
		{
			has:    "GRANT SELECT ON ALL TABLES IN SCHEMA analytics TO analysts",
			effect: given("has_table_privilege('" + role + "', 'analytics.freshness', 'SELECT') AND NOT has_table_privilege('" + role + "', 'sluice.streams', 'SELECT')"),
		},
		{has: "GRANT USAGE ON SCHEMA notifications TO analysts", effect: given("has_schema_privilege('" + role + "', 'notifications', 'USAGE')")},
		{
			has:    "GRANT SELECT ON notifications.events TO analysts",
			effect: given("has_table_privilege('" + role + "', 'notifications.events', 'SELECT') AND NOT has_table_privilege('" + role + "', 'sluice.callbacks', 'SELECT')"),
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
		{has: "GRANT USAGE ON SCHEMA history TO analysts", effect: given("has_schema_privilege('" + role + "', 'history', 'USAGE')")},
		{
			has:    "GRANT SELECT ON ALL TABLES IN SCHEMA history TO analysts",
			effect: given("bool_and(has_table_privilege('" + role + "', oid, 'SELECT')) FROM pg_class WHERE relnamespace = 'history'::regnamespace AND relkind = 'r'"),
		},
		{has: "GRANT USAGE ON SCHEMA sluice TO analysts", effect: given("has_schema_privilege('" + role + "', 'sluice', 'USAGE')")},
		{
			has: "GRANT SELECT (organization_id, name, time_zone) ON sluice.organizations TO analysts",
			effect: given("has_column_privilege('" + role + "', 'sluice.organizations', 'time_zone', 'SELECT')" +
				" AND NOT has_any_column_privilege('" + role + "', 'sluice.tokens', 'SELECT')"),
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

// analystsMayAsk grants a role what docs say that analysts need, and asks every question of
// docs/querying.md as that role.
func (c *companyFixture) analystsMayAsk(t *testing.T, shown []statement) {
	t.Helper()
	tx, err := c.conn.Begin(t.Context())
	must(t, err)
	defer func() { _ = tx.Rollback(context.WithoutCancel(t.Context())) }()
	steps := []string{"REVOKE ALL ON SCHEMA public FROM public", "CREATE ROLE " + role}
	for _, service := range []string{"accounting", "invoicing", "inventory"} { // docs/first-sync.md
		steps = append(steps, "GRANT USAGE ON SCHEMA "+service+" TO "+role, "GRANT SELECT ON ALL TABLES IN SCHEMA "+service+" TO "+role)
	}
	var asked []statement
	for _, s := range shown {
		switch {
		case strings.HasPrefix(s.sql, "GRANT ") && strings.HasSuffix(s.sql, "TO analysts"):
			steps = append(steps, strings.ReplaceAll(s.sql, "TO analysts", "TO "+role))
		case s.place == "docs/querying.md":
			asked = append(asked, s)
		}
	}
	for _, step := range append(steps, "SET LOCAL ROLE "+role) {
		_, err := tx.Exec(t.Context(), step)
		must(t, err)
	}
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
