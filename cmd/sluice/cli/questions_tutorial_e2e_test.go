//go:build e2e

package cli

import (
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"sluice/sandbox/world/ids"
	bookkeeping "sluice/sandbox/world/ledger"
	"sluice/sandbox/world/ledger/figures"
)

// lesson is what the books say about one statement of the tutorial.
type lesson struct {
	// has is a text that only this statement contains; look selects what of the answer is compared.
	has, look string
	of        func(*organizationBooks) []row
	// wrong: the tutorial says that the statement is wrong, so its answer has to be.
	wrong bool
}

func lessons() []lesson {
	type o = organizationBooks
	return []lesson{
		{has: "SELECT organization_id, base_currency, time_zone, today", of: (*o).itself},
		{has: "sum(open_base) AS open_base FROM analytics.bills WHERE is_posted AND open > 0 GROUP BY organization_id, vendor_id", of: (*o).owes},
		{has: "count(open_base) AS with_rate", of: (*o).owesByCurrency},
		{has: "FROM analytics.quality", look: "SELECT organization_id, check_name, records FROM (%s) AS shown WHERE check_name IN ('rate_unknown', 'bill_number_repeated')", of: (*o).doubts},
		{has: "FROM analytics.freshness", look: "SELECT organization_id, state, share_complete FROM (%s) AS shown WHERE resource = 'inventory.bills'", of: func(*o) []row {
			return []row{{"copied", 1}}
		}},
		{has: "FROM analytics.completeness", look: "SELECT organization_id, sum(documents), sum(complete) FROM (%s) AS shown GROUP BY 1", of: (*o).documents},
		{has: "JOIN analytics.spend_lines AS l", wrong: true, of: func(b *o) []row { return []row{b.grossAndPaid()[0][1:]} }},
		{has: "sum(b.gross_base) AS gross_base, sum(a.paid_base)", of: (*o).grossAndPaid},
		{has: "AS entered_on", of: (*o).enteredOn},
		{has: "FROM analytics.ap_ageing_on('2026-10-31')", of: (*o).openInOctober},
		{has: "FROM analytics.catalog", look: "SELECT 'any', count(*) > 5 FROM (%s) AS shown"},
	}
}

// teaches asks every statement of the tutorial.
func (q *booksFixture) teaches(t *testing.T) {
	t.Helper()
	page := sure(os.ReadFile("../../../docs/analysts/README.md"))(t)
	used := 0
	for _, s := range statementsIn("the tutorial", string(page)) {
		at := slices.IndexFunc(lessons(), func(l lesson) bool { return strings.Contains(s.sql, l.has) })
		if at < 0 {
			t.Errorf("no test knows what the tutorial's statement has to answer:\n%s", s.sql)
			continue
		}
		used++
		known := lessons()[at]
		want := []string{sixth(row{"any", "t"})}
		if known.of != nil {
			want = nil
			for _, r := range q.each(known.of) {
				want = append(want, sixth(r))
			}
		}
		for _, zone := range sessions() {
			q.exec("SET TimeZone = '" + zone + "'")
			var got []string
			for _, r := range q.query(t, looked(known.look, s.sql)) {
				got = append(got, sixth(r))
			}
			slices.Sort(got)
			slices.Sort(want)
			if right := slices.Equal(got, want); right == known.wrong {
				t.Errorf("session in %s: right is %t:\n%s\nthe answer is\n%s\nand the books say\n%s", zone, right, s.sql, head(got), head(want))
			}
		}
	}
	q.exec("RESET TimeZone")
	if used != len(lessons()) {
		t.Errorf("the tutorial has %d statements, %d are known", used, len(lessons()))
	}
}

func looked(look, sql string) string {
	if look == "" {
		return sql
	}
	return strings.Replace(look, "%s", sql, 1)
}

func (o *organizationBooks) itself() []row {
	return []row{{o.base(), o.Ledger.Zone.String(), o.today}}
}

func (o *organizationBooks) owes() []row {
	var rows []row
	for _, r := range o.creditors() {
		rows = append(rows, row{r[0], r[1], r[3]})
	}
	return rows
}

func (o *organizationBooks) owesByCurrency() []row {
	sums := map[string]*figures.Ageing{}
	for _, a := range o.Ageing(o.today) {
		sum := sums[a.Currency]
		if sum == nil {
			sum = &figures.Ageing{}
			sums[a.Currency] = sum
		}
		sum.Bills, sum.Open, sum.Base, sum.WithoutRate = sum.Bills+a.Bills, sum.Open+a.Open, sum.Base+a.Base, sum.WithoutRate+a.WithoutRate
	}
	var rows []row
	for currency, s := range sums {
		rows = append(rows, row{currency, s.Bills, s.Bills - s.WithoutRate, money(s.Open), moneyIf(s.Bills > s.WithoutRate, s.Base)})
	}
	return rows
}

// doubts are the bills without a rate and those that were entered twice.
func (o *organizationBooks) doubts() []row {
	twice := map[string]bool{}
	for _, pair := range o.TwiceEntered() {
		twice[pair.First], twice[pair.Second] = true, true
	}
	return []row{{"rate_unknown", len(o.WithoutRate())}, {"bill_number_repeated", len(twice)}}
}

func (o *organizationBooks) documents() []row {
	live := 0
	for n := range o.Ledger.Bills {
		if o.Live(ids.Bills, n) {
			live++
		}
	}
	return []row{{live, live}}
}

func (o *organizationBooks) grossAndPaid() []row {
	var paid figures.Amount
	for _, a := range o.Applications() {
		paid += bookkeeping.Convert(a.Amount.Cents(), int64(o.bill(a.Bill).Rate))
	}
	return []row{{money(allSpend(o.Spend(figures.ByVendor)).Gross), money(paid)}}
}

func (o *organizationBooks) enteredOn() []row {
	days := map[figures.Day]int{}
	for n := range o.Ledger.Bills {
		if o.Live(ids.Bills, n) {
			days[bookkeeping.DayOf(time.Unix(o.Ledger.Bills[n].Entered, 0).In(o.Ledger.Zone))]++
		}
	}
	var rows []row
	for day, n := range days {
		rows = append(rows, row{day, n})
	}
	return rows
}

func (o *organizationBooks) openInOctober() []row {
	day := bookkeeping.DayOf(time.Date(2026, time.October, 31, 0, 0, 0, 0, time.UTC))
	bills, base := 0, figures.Amount(0)
	for _, a := range o.Ageing(day) {
		bills, base = bills+a.Bills, base+a.Base
	}
	return []row{{bills, money(base), 0}}
}
