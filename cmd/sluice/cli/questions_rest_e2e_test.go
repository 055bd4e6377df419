//go:build e2e

package cli

import (
	"math/big"
	"slices"

	"sluice/sandbox/world/ids"
	bookkeeping "sluice/sandbox/world/ledger"
	"sluice/sandbox/world/ledger/figures"
	"sluice/sandbox/world/words"
)

// exposed is what is owed and held in foreign currencies, by the market's rate of today.
func (o *organizationBooks) exposed() []row {
	owed := map[string][2]int{} // open bills, and those of them without a rate
	for _, item := range o.OpenItems(o.today) {
		counts := owed[item.Currency]
		counts[0]++
		if item.Base == nil {
			counts[1]++
		}
		owed[item.Currency] = counts
	}
	var rows []row
	for _, e := range o.Exposure(o.today) {
		bills := owed[e.Currency]
		known := bills[0] > bills[1]
		r := row{
			e.Currency, moneyIf(bills[0] > 0, e.Payables), moneyIf(known, e.Document), price(e.Rate), nil, moneyIf(known, e.Unrealized), nil,
		}
		if bills[0] > 0 { // all of them, not only those with a rate of their own
			r[4] = new(big.Rat).Mul(money(e.Payables), price(e.Rate))
		}
		if e.Currency == o.currency(o.Ledger.Second()) {
			r[6] = money(e.Bank)
		}
		rows = append(rows, r)
	}
	return rows
}

// revalued is the result of each account of loaded adjustments, and the whole of the others.
func (o *organizationBooks) revalued() []row {
	type place struct {
		date    figures.Day
		account string
	}
	sums := map[place]figures.Amount{}
	for _, a := range o.Adjustments() {
		at := place{a.Date, a.Account}
		if !o.adjusted[a.ID] {
			at.account = ""
		}
		sums[at] += a.Gain
	}
	var rows []row
	for at, sum := range sums {
		r := row{at.date, o.currency(o.Ledger.Second()), nil, money(sum)}
		if at.account != "" {
			r[2] = at.account
		}
		rows = append(rows, r)
	}
	return rows
}

// inEuros is what is open by age, in euros of today's market.
func (o *organizationBooks) inEuros() []row {
	rate := big.NewRat(1, 1)
	for _, r := range o.Rates(o.today) {
		if r.Currency == "EUR" {
			rate = price(r.Rate)
		}
	}
	sums := map[string]*figures.Amount{}
	for _, item := range o.OpenItems(o.today) {
		in := bucket(item.Due, o.today)
		if _, met := sums[in]; !met {
			sums[in] = nil
		}
		if item.Base == nil {
			continue
		}
		if sums[in] == nil {
			sums[in] = new(figures.Amount)
		}
		*sums[in] += *item.Base
	}
	var rows []row
	for in, sum := range sums {
		r := row{in, o.base(), nil, rate, nil, nil}
		if sum != nil {
			r[2], r[4] = money(*sum), rounded(new(big.Rat).Quo(money(*sum), rate))
		}
		rows = append(rows, r)
	}
	return rows
}

func (o *organizationBooks) reconciled() []row {
	c := o.Control()
	return []row{{
		o.base(), money(c.Bills), money(c.Unapplied), money(c.Subledger), money(c.Ledger), money(c.Ledger - c.Subledger),
		o.Ledger.Accounts[bookkeeping.Payable].Name,
	}}
}

func (o *organizationBooks) opened() []row {
	var debit, credit figures.Amount
	for _, line := range o.OpeningBalance() {
		debit, credit = debit+line.Debit, credit+line.Credit
	}
	return []row{{money(debit), money(credit)}}
}

// held is the stock by location; of items that are not loaded the location is unknown.
func (o *organizationBooks) held() []row {
	type sum struct {
		pieces int
		value  figures.Amount
	}
	sums := map[string]*sum{}
	for _, s := range o.Stock() {
		place := s.Location
		if !o.items[s.Item] {
			place = ""
		}
		if sums[place] == nil {
			sums[place] = &sum{}
		}
		sums[place].pieces += s.Pieces
		sums[place].value += s.Value
	}
	var rows []row
	for place, s := range sums {
		r := row{place, nil, s.pieces, money(s.value)}
		if place != "" {
			r[1] = o.names[place]
		}
		rows = append(rows, r)
	}
	return rows
}

func (o *organizationBooks) toReorder() []row {
	var rows []row
	for _, b := range o.Below() {
		rows = append(rows, row{b.Item, o.names[b.Item], b.Pieces, b.Reorder})
	}
	return rows
}

// rises are those that sluice could see: since the first copy.
func (o *organizationBooks) rises() []row {
	var rows []row
	for _, c := range o.PriceRises(o.today) {
		if c.At < askedAt().Format("2006-01-02T15:04:05Z") {
			continue
		}
		rows = append(rows, row{c.Item, c.Day, money(c.Before), money(c.After), rounded((*big.Rat)(c.Percent))})
	}
	return rows
}

// changed are the bills whose open amount differs from then, or that are gone.
func (o *organizationBooks) changed() []row {
	now := map[string]figures.Amount{}
	for _, item := range o.OpenItems(o.Ledger.Latest) {
		now[item.Bill] = item.Open
	}
	var rows []row
	for id, then := range o.then {
		if gone := slices.Contains(o.gone, id); gone || now[id] != then {
			open := money(now[id])
			if gone { // its row stays as it was
				open = money(then)
			}
			rows = append(rows, row{id, money(then), open, gone})
		}
	}
	return rows
}

// lost are the bills that were deleted since the first copy, with those that came back.
func (o *organizationBooks) lost() []row {
	var rows []row
	for _, id := range o.gone {
		rows = append(rows, row{"inventory.bills", id, !slices.Contains(o.back, id)})
	}
	return rows
}

// centres are the sums of loaded bills by cost centre, and of those without one.
func (o *organizationBooks) centres() []row {
	var rows []row
	for _, c := range o.loaded().CostCentres() {
		var value any
		if c.Value != "" {
			value = c.Value
		}
		rows = append(rows, row{value, c.Month, moneyIf(c.Bills > c.WithoutRate, c.Net)})
	}
	return rows
}

// taxes are those of loaded bills, by quarter. Of the others the list tells who owes the tax, not
// how much.
func (o *organizationBooks) taxes() []row {
	percent := map[string]int64{}
	for n := range 3 { // taxes of lines
		tax := words.TaxOf(n)
		percent[tax.Name] = tax.Percent
	}
	var rows []row
	for _, t := range o.loaded().InputTax() {
		if t.Source != figures.SourceBill {
			continue
		}
		if t.Charged != 0 {
			rows = append(rows, row{t.Quarter, t.Name, percent[t.Name], false, money(t.Charged), 0})
		}
		if t.Reverse != 0 {
			rows = append(rows, row{t.Quarter, t.Name, percent[t.Name], true, money(t.Reverse), 0})
		}
	}
	type place struct {
		quarter figures.Day
		reverse bool
	}
	missing := map[place]int{}
	for n := range o.Ledger.Bills {
		bill := &o.Ledger.Bills[n]
		if bill.Status == bookkeeping.Posted && o.Live(ids.Bills, n) && !o.bills[ids.Of(ids.Bills, n)] {
			missing[place{bill.Date.Quarter(), bill.Reverse}]++
		}
	}
	for at, n := range missing {
		rows = append(rows, row{at.quarter, nil, nil, at.reverse, nil, n})
	}
	return rows
}
