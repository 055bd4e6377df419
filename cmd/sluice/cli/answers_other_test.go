package cli

import (
	"context"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
)

// otherStatements are the statements about the past, about sluice's own work, and those that change
// something.
func otherStatements() []answer {
	return append(append(statementsOfThePast(), statementsOfOperation()...), statementsWithEffect()...)
}

func statementsOfThePast() []answer {
	today := func(c *companyFixture, now time.Time) []string {
		return []string{"'2026-11-01'", "'" + todayOf(c.all[0], now) + "'", "'2026-10-31'", "'" + todayOf(c.all[0], now) + "'"}
	}
	ofDay := func(day string) func(*companyFixture, time.Time) []string {
		return func(c *companyFixture, now time.Time) []string {
			pairs := today(c, now)
			if day == pairs[0] {
				return pairs[:2]
			}
			return pairs[2:]
		}
	}
	const aDay = "days are kept from the day on which the test begins"
	lines := func(c *companyFixture, records func(*ledger) []record, id, list string, cells ...string) []row {
		return c.each(func(_ business, l *ledger) []row {
			var rows []row
			for _, r := range records(l) {
				for _, line := range r.list(list) {
					cell := row{r.text(id)}
					for _, name := range cells {
						cell = append(cell, line.text(name))
					}
					rows = append(rows, cell)
				}
			}
			return rows
		})
	}
	bills := func(c *companyFixture, _ time.Time) []row { return c.before(balances) }
	return []answer{
		{
			has: "analytics.explain_url(organization_id, 'inventory.bills', bill_id)",
			truth: func(c *companyFixture, _ time.Time) []row {
				return c.each(explained)
			},
		},
		{
			has: "history.inventory_bills_as_of('2026-11-01 00:00 Asia/Kolkata')", stands: yesterday, why: atAnInstant,
			look: lookAtBills, truth: bills, unordered: true,
		},
		{
			has: "by_upstream => true", stands: yesterday, why: atAnInstant, look: lookAtBills, truth: bills, unordered: true,
		},
		{
			has: "history.as_of(NULL::inventory.bills", stands: yesterday, why: atAnInstant, look: lookAtBills, truth: bills, unordered: true,
		},
		{
			has: "analytics.bills_as_of('2026-11-01 00:00 Asia/Kolkata')", stands: yesterday, why: atAnInstant, unordered: true,
			look:  "SELECT organization_id, bill_id, status, open FROM (%s) AS shown",
			truth: func(c *companyFixture, _ time.Time) []row { return c.before(shownByViews) },
		},
		{
			has: "analytics.bills_on('10234695', '2026-10-31')", why: "the organization is one of the company, and days are kept from the day on which the test begins",
			stands: func(c *companyFixture, now time.Time) []string {
				return []string{"'10234695'", "'" + c.all[1].key + "'", "'2026-10-31'", "'" + todayOf(c.all[1], now.Add(-48*time.Hour)) + "'"}
			},
			look: "SELECT organization_id, bill_id, status, open FROM (%s) AS shown", unordered: true,
			truth: func(c *companyFixture, _ time.Time) []row {
				var rows []row
				for _, r := range shownByViews(c.all[1], c.then[c.all[1].key]) {
					rows = append(rows, append(row{c.all[1].key}, r...))
				}
				return rows
			},
		},
		{
			has: "history.inventory_bills_line_items_as_of(", stands: yesterday, why: atAnInstant, unordered: true,
			look: "SELECT organization_id, _parent_id, line_item_id, item_total FROM (%s) AS shown",
			truth: func(c *companyFixture, _ time.Time) []row {
				return c.before(func(_ business, l *ledger) []row {
					var rows []row
					for _, r := range l.bills {
						for _, line := range r.list("line_items") {
							rows = append(rows, row{r.text("bill_id"), line.text("line_item_id"), line.amount("item_total")})
						}
					}
					return rows
				})
			},
		},
		{
			has: "history.inventory_bills_as_of('2026-11-01 00:00 Asia/Kolkata', '10234695'", stands: ofDocs, why: atAnInstant, look: lookAtBills,
			truth: func(c *companyFixture, _ time.Time) []row {
				b := c.all[1]
				rows := balances(b, c.then[b.key])
				at := slices.IndexFunc(rows, func(r row) bool { return r[0] == c.changed(b) })
				return []row{append(row{b.key}, rows[at]...)}
			},
		},
		{
			has: "FROM history.versions WHERE", why: "the bill is one of the company that changed once",
			stands: func(c *companyFixture, now time.Time) []string { return ofDocs(c, now)[2:] },
			look:   "SELECT valid_to = 'infinity', began, ended, valid_from < now() - interval '1 day' FROM (%s) AS shown",
			truth: func(*companyFixture, time.Time) []row {
				return []row{{"f", "seen", "replaced", "t"}, {"t", "seen", nil, "f"}}
			},
		},
		{
			has: "history.inventory_credit_notes_as_of(", stands: yesterday, why: atAnInstant, unordered: true,
			look: "SELECT organization_id, creditnote_id, status, total FROM (%s) AS shown",
			truth: func(c *companyFixture, _ time.Time) []row {
				return c.before(func(_ business, l *ledger) []row {
					var rows []row
					for _, r := range l.notes {
						rows = append(rows, row{r.text("creditnote_id"), r.text("status"), r.amount("total")})
					}
					return rows
				})
			},
		},
		{
			has: "history.on_day(NULL::inventory.items_locations", stands: ofDay("'2026-11-01'"), why: aDay, unordered: true,
			look: "SELECT organization_id, _parent_id, location_id, location_stock_on_hand FROM (%s) AS shown",
			truth: func(c *companyFixture, _ time.Time) []row {
				return lines(c, func(l *ledger) []record { return l.items }, "item_id", "locations", "location_id", "location_stock_on_hand")
			},
		},
		{
			has: "history.on_day(NULL::accounting.chart_of_accounts", stands: ofDay("'2026-10-31'"), why: aDay, unordered: true,
			truth: func(c *companyFixture, _ time.Time) []row {
				return c.each(func(_ business, l *ledger) []row {
					var rows []row
					for _, r := range l.accounts {
						rows = append(rows, row{r.text("account_id"), r.amount("current_balance")})
					}
					return rows
				})
			},
		},
	}
}

func statementsOfOperation() []answer {
	none := func(words string) answer {
		return answer{has: words, why: "no statement, the name of a command or its form"}
	}
	return []answer{
		{
			has:  "AS not_fine",
			look: "SELECT organization_id, sum(calls), sum(not_fine) FROM (%s) AS shown WHERE service <> 'auth' GROUP BY 1 ORDER BY 1",
			truth: func(c *companyFixture, _ time.Time) []row {
				return c.each(func(b business, _ *ledger) []row {
					stats := sure(c.world.StatsOf(b.id, b.dataCenter))(c.t)
					return []row{{stats.Calls, 0}}
				})
			},
		},
		{
			has:  "SELECT * FROM sluice.checks",
			look: "SELECT name, means ~ '[a-z]{3} .*\\.$', to_regclass('sluice.check_' || name) IS NOT NULL FROM (%s) AS shown WHERE name IN ('orphans', 'history_differs') ORDER BY 1",
			truth: func(*companyFixture, time.Time) []row {
				return []row{{"history_differs", "t", "t"}, {"orphans", "t", "t"}}
			},
		},
		{
			has: "SELECT * FROM sluice.rebuilds", look: "SELECT count(*) FROM (%s) AS shown",
			truth: func(*companyFixture, time.Time) []row { return []row{{0}} }, // nothing was rebuilt
		},
		{
			has: "SELECT pg_size_pretty(sum(pg_total_relation_size(c.oid)))", look: "SELECT size ~ '^[0-9]+ (kB|MB)$' FROM (%s) AS shown",
			truth: func(*companyFixture, time.Time) []row { return []row{{"t"}} },
		},
		none("VACUUM FULL"), none("ALTER ROLE … SET"),
	}
}

func statementsWithEffect() []answer {
	return append(append(statementsOfClosing(), []answer{
		{
			has: "SELECT history.write_versions('", stands: func(c *companyFixture, now time.Time) []string {
				return append(ofDocs(c, now)[2:4], "460000000038049", c.changed(c.all[1]))
			},
			why: "the bill is one of the company",
			effect: runs(func(ctx context.Context, t *testing.T, tx pgx.Tx, run func()) {
				t.Helper()
				sure(tx.Exec(ctx, "UPDATE inventory.bills SET notes = 'by hand' WHERE organization_id = 'first-eu'"))(t)
				before := tallied(ctx, t, tx, "SELECT count(*) FROM sluice.check_history_differs")
				run()
				after := tallied(ctx, t, tx, "SELECT count(*) FROM sluice.check_history_differs")
				errorIf(t, after != before-1, "of %d rows without a version of what they hold %d are left", before, after)
			}),
		},
	}...), statementsOfRoles()...)
}

// runs lets a check decide when its statement is run.
func runs(check func(context.Context, *testing.T, pgx.Tx, func())) func(context.Context, *testing.T, pgx.Tx, string) {
	return func(ctx context.Context, t *testing.T, tx pgx.Tx, sql string) {
		t.Helper()
		check(ctx, t, tx, func() {
			sure(tx.Exec(ctx, sql))(t)
		})
	}
}

func tallied(ctx context.Context, t *testing.T, tx pgx.Tx, sql string) int {
	t.Helper()
	var text string
	must(t, tx.QueryRow(ctx, "SELECT ("+sql+")::text").Scan(&text))
	n := sure(strconv.Atoi(text))(t)
	return n
}

// statementsOfClosing are the statements about closed periods and about all tables of a day. Each
// makes what it asks about first: the company has closed nothing.
func statementsOfClosing() []answer {
	return []answer{
		{
			has: "SET sluice.as_of = '2026-10-31'",
			effect: runs(func(ctx context.Context, t *testing.T, tx pgx.Tx, run func()) {
				t.Helper()
				run()
				same(t, "days between the two", 0, tallied(ctx, t, tx, "SELECT as_of.day() - date '2026-10-31'"))
			}),
		},
		{
			has: "SET sluice.as_of_organizations = '10234695'",
			effect: runs(func(ctx context.Context, t *testing.T, tx pgx.Tx, run func()) {
				t.Helper()
				run()
				n := tallied(ctx, t, tx, "SELECT count(*) FROM unnest(ARRAY['10234695', 'first-eu']) AS o WHERE as_of.chosen(o)")
				errorIf(t, n != 1, "%d organizations are chosen, want one", n)
			}),
		},
		{
			has: "FROM as_of.bills", effect: func(ctx context.Context, t *testing.T, tx pgx.Tx, sql string) {
				t.Helper()
				// Only bills and credit notes have versions; the other lists count as not copied.
				sure(tx.Exec(ctx, `UPDATE sluice.streams SET resource = resource || '.none' WHERE resource NOT IN ('bills', 'credit_notes')`))(t)
				sure(tx.Exec(ctx, `SELECT set_config('sluice.as_of', ((now() AT TIME ZONE 'UTC')::date - 2)::text, true)`))(t)
				want := tallied(ctx, t, tx, `SELECT count(*) FROM sluice.organizations o WHERE EXISTS (SELECT FROM history.versions v WHERE v.organization_id = o.organization_id)`)
				n := tallied(ctx, t, tx, "SELECT count(*) FROM ("+sql+") AS shown")
				errorIf(t, n != want || n == 0, "%d organizations had bills, want %d", n, want)
			},
		},
		{
			has: "FROM analytics.closings", effect: func(ctx context.Context, t *testing.T, tx pgx.Tx, sql string) {
				t.Helper()
				closeAYear(ctx, t, tx)
				same(t, "rows of what was closed", 1, tallied(ctx, t, tx, "SELECT count(*) FROM ("+sql+") AS shown WHERE counted = 7"))
			},
		},
		{
			has: "FROM analytics.after_close", effect: func(ctx context.Context, t *testing.T, tx pgx.Tx, sql string) {
				t.Helper()
				closeAYear(ctx, t, tx)
				want := tallied(ctx, t, tx, `SELECT count(*) FROM inventory.bills WHERE date BETWEEN '2025-01-01' AND '2025-12-31' AND _deleted_at IS NULL AND organization_id = 'first-eu'`)
				n := tallied(ctx, t, tx, "SELECT count(*) FROM ("+sql+") AS shown WHERE table_name = 'inventory.bills'")
				errorIf(t, n != want || n == 0, "%d bills came into the year, want %d", n, want)
			},
		},
		{
			has: "FROM analytics.cut()", effect: func(ctx context.Context, t *testing.T, tx pgx.Tx, sql string) {
				t.Helper()
				want := tallied(ctx, t, tx, "SELECT count(DISTINCT organization_id) FROM sluice.streams")
				right := tallied(ctx, t, tx, `SELECT count(*) FROM (SELECT organization_id, min(watermark) AS at, bool_and(watermark IS NOT NULL) AS whole FROM sluice.streams
					WHERE enabled AND resource NOT LIKE '%.%' GROUP BY 1) AS m JOIN (`+sql+`) AS shown USING (organization_id) WHERE cut IS NOT DISTINCT FROM CASE WHEN whole THEN at END`)
				errorIf(t, right != want, "the cut of %d organizations is right, of %d", right, want)
			},
		},
	}
}

// closeAYear notes a year as closed, in which no record was dated.
func closeAYear(ctx context.Context, t *testing.T, tx pgx.Tx) {
	t.Helper()
	sure(tx.Exec(ctx, `WITH made AS (INSERT INTO sluice.closings (organization_id, period, first_day, last_day, time_zone)
			VALUES ('first-eu', '2025', '2025-01-01', '2025-12-31', 'UTC') RETURNING id)
		INSERT INTO sluice.closing_sums SELECT id, 'inventory.bills', 'INR', 9, 7, '{}' FROM made`))(t)
}

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
			_, err := tx.Exec(ctx, step)
			errorIf(t, err != nil, "%s: %v", step, err)
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
		errorIf(t, strings.Trim(of, `"`) != name+"_owner", "the database is owned by %s", of)
	}
}

// builtOnTables wants an analyst's view named, and no view of the program.
func builtOnTables(ctx context.Context, t *testing.T, tx pgx.Tx, sql string) {
	t.Helper()
	sure(tx.Exec(ctx, `CREATE VIEW public.mine AS SELECT count(*) AS n FROM inventory.bills`))(t)
	rows := sure(tx.Query(ctx, `SELECT string_agg(f.v::text, ' ') FROM (`+strings.TrimSuffix(strings.TrimSpace(sql), ";")+`) AS f (v)`))(t)
	named := sure(pgx.CollectExactlyOneRow(rows, pgx.RowTo[string]))(t)
	errorIf(t, named != "mine" && named != "public.mine", "the views on the tables are %q, want public.mine alone", named)
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
	errorIf(t, before < 2 || after != before-1 || kept == 0 || kept >= rows,
		"bills of %d organizations were %d of %d after it", after, kept, rows)
	again := sure(tx.Query(ctx, sql, pgx.QueryExecModeSimpleProtocol))(t)
	statements = sure(pgx.CollectRows(again, pgx.RowTo[string]))(t)
	for _, statement := range statements {
		left := sure(tx.Exec(ctx, statement))(t)
		errorIf(t, left.RowsAffected() > 0, "%d rows are left for %s", left.RowsAffected(), statement)
	}
	errorIf(t, tallied(ctx, t, tx, `SELECT count(*) FROM sluice.raw_records`) == 0, "the raw records of the other organizations are gone")
	left := tallied(ctx, t, tx, sqlCountStated)
	errorIf(t, left == 0 || left >= stated, "%d of %d rows about closings and imports are left", left, stated)
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
