package cli

import (
	"net/url"
	"slices"
	"strings"
	"time"
)

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

// changed is a bill of a business that was edited once, the first by its identifier.
func (c *companyFixture) changed(b business) string { return slices.Min(c.edited[b.key]) }

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
		rows = append(rows, row{r.text("bill_id"), r.text("status"), r.amount("balance"), r.amount("exchange_rate")})
	}
	return rows
}

// explained are the open bills of a business with their addresses in the console.
func explained(b business, l *ledger) []row {
	var rows []row
	for _, r := range l.bills {
		id, owed := r.text("bill_id"), r.amount("balance")
		if status := r.text("status"); status == "draft" || status == "void" || owed == nil || owed.Sign() <= 0 {
			continue
		}
		address := "https://sluice.example.com/r/inventory.bills/" + url.PathEscape(id) + "?org=" + url.QueryEscape(b.key)
		rows = append(rows, row{id, owed, address})
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
