package cli

import (
	"context"
	"slices"
	"strconv"
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
				if after := tallied(ctx, t, tx, "SELECT count(*) FROM sluice.check_history_differs"); after != before-1 {
					t.Errorf("of %d rows without a version of what they hold %d are left", before, after)
				}
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
