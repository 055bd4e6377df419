package cli

import (
	"net/url"
	"slices"
	"strings"
	"time"
)

// questionsOfMoney are the questions about the business: its ledgers answer them.
func questionsOfMoney() []answer {
	return []answer{
		{
			has: "FROM analytics.ap_ageing",
			truth: func(c *companyFixture, _ time.Time) []row {
				return c.each(func(_ business, l *ledger) []row { return l.ofViews().byCurrency() })
			},
		},
		{
			has: "GROUP BY organization_id, currency_code",
			truth: func(c *companyFixture, _ time.Time) []row {
				return c.each(func(_ business, l *ledger) []row { return l.byCurrency() })
			},
		},
		{
			has: "ORDER BY organization_id, open_base DESC NULLS LAST, vendor_id",
			truth: func(c *companyFixture, _ time.Time) []row {
				return c.each(func(_ business, l *ledger) []row { return l.owed() })
			},
		},
		{
			has: "AS days_1_to_30",
			truth: func(c *companyFixture, now time.Time) []row {
				return c.each(func(b business, l *ledger) []row { return l.ages(todayOf(b, now)) })
			},
		},
		{
			has: "analytics.explain_url(organization_id, 'inventory.bills', bill_id)",
			truth: func(c *companyFixture, _ time.Time) []row {
				return c.each(explained)
			},
		},
		{
			has: "HAVING count(DISTINCT vendor_id) > 1",
			truth: func(c *companyFixture, _ time.Time) []row {
				return c.each(func(_ business, l *ledger) []row { return l.sameNames() })
			},
		},
		{
			has: "GROUP BY organization_id, account_id",
			truth: func(c *companyFixture, _ time.Time) []row {
				return c.each(func(b business, l *ledger) []row { return l.byAccount(func(r record) bool { return c.loaded(b, r) }) })
			},
		},
		{
			has: "(b.created_time AT TIME ZONE o.time_zone)::date AS day",
			truth: func(c *companyFixture, _ time.Time) []row {
				return c.each(func(_ business, l *ledger) []row { return l.entered() })
			},
		},
		{
			has: "history.inventory_bills_as_of(timestamp '2026-11-01' AT TIME ZONE o.time_zone",
			// Now in UTC, read as local time, is fourteen hours ago in the first business and
			// eleven hours ahead in the second: before and after the changes.
			stands: func(_ *companyFixture, now time.Time) []string {
				return []string{"timestamp '2026-11-01'", "timestamp '" + now.UTC().Format(time.DateTime) + "'"}
			},
			why: "no test knows what a warehouse held on a day of the calendar",
			truth: func(c *companyFixture, _ time.Time) []row {
				var rows []row
				for i, l := range []*ledger{c.then[c.all[0].key], c.today[c.all[1].key]} {
					rows = append(rows, append(row{c.all[i].key}, l.sumOpen()[0]...))
				}
				return rows
			},
		},
	}
}

// yesterday replaces an instant in the docs: by its rows, the company was copied three days ago and
// has changed since.
func yesterday(_ *companyFixture, now time.Time) []string {
	kolkata := time.FixedZone("Asia/Kolkata", 19800)
	return []string{"'2026-11-01 00:00 Asia/Kolkata'", "'" + now.Add(-24*time.Hour).In(kolkata).Format(time.DateTime) + " Asia/Kolkata'"}
}

const atAnInstant = "no test knows what a warehouse held on a day of the calendar"

// ofDocs are the organization and the bill that docs name, and a bill of the company that changed
// since yesterday.
func ofDocs(c *companyFixture, now time.Time) []string {
	return append(yesterday(c, now), "'10234695'", "'"+c.all[1].key+"'", "'460000000038049'", "'"+c.changed(c.all[1])+"'")
}

// changed is a bill of a business that was edited and whose lines were not read since, the first by
// its identifier.
func (c *companyFixture) changed(b business) string {
	var ids []string
	for key := range c.traps.heads {
		id, mine := strings.CutPrefix(key, b.dataCenter)
		if mine && !c.traps.fresh[key] && (b.dataCenter != "" || !strings.HasPrefix(key, "eu")) && !c.traps.single(key) {
			ids = append(ids, id)
		}
	}
	return slices.Min(ids)
}

// before is the answer for each business as it was yesterday.
func (c *companyFixture) before(of func(business, *ledger) []row) []row {
	var rows []row
	for _, b := range c.all {
		for _, r := range of(b, c.then[b.key]) {
			rows = append(rows, append(row{b.key}, r...))
		}
	}
	return rows
}

func balances(_ business, l *ledger) []row {
	var rows []row
	for _, r := range l.bills {
		rows = append(rows, row{r.text("bill_id"), r.text("status"), r.amount("balance"), rate(r)})
	}
	return rows
}

// explained are the open bills of a business with their addresses in the console.
func explained(b business, l *ledger) []row {
	var rows []row
	for _, r := range only(l.bills, open) {
		id := r.text("bill_id")
		address := "https://sluice.example.com/r/inventory.bills/" + url.PathEscape(id) + "?org=" + url.QueryEscape(b.key)
		rows = append(rows, row{id, r.amount("balance"), address})
	}
	slices.SortFunc(rows, func(a, b row) int { return strings.Compare(a[0].(string), b[0].(string)) })
	return rows
}

// shownByViews are the bills as views show them.
func shownByViews(_ business, l *ledger) []row {
	var rows []row
	for _, r := range l.bills {
		rows = append(rows, row{r.text("bill_id"), r.text("status"), r.amount("balance")})
	}
	return rows
}

const lookAtBills = "SELECT organization_id, bill_id, status, balance, exchange_rate FROM (%s) AS shown"

// role replaces the role in statements that grant rights: roles belong to the server, which tests
// share.
const role = "analysts_of_the_test"
