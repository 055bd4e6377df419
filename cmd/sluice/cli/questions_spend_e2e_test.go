//go:build e2e

package cli

import (
	"cmp"
	"fmt"
	"math/big"

	"sluice/sandbox/world/ids"
	bookkeeping "sluice/sandbox/world/ledger"
	"sluice/sandbox/world/ledger/figures"
)

// This file answers what was spent, from the oracle of the books.

// bought sums spend on bills by a key; a sum is unknown if every line lacks a rate.
func bought(spend []figures.Spend, key func(figures.Spend) string) map[string]*figures.Spend {
	sums := map[string]*figures.Spend{}
	for _, s := range spend {
		if s.Source != figures.SourceBill {
			continue
		}
		sum := sums[key(s)]
		if sum == nil {
			sum = &figures.Spend{Month: s.Month, Vendor: s.Vendor, Account: s.Account}
			sums[key(s)] = sum
		}
		sum.Net, sum.Gross, sum.WithoutRate = sum.Net+s.Net, sum.Gross+s.Gross, sum.WithoutRate+s.WithoutRate
	}
	return sums
}

// byVendorAndMonth has the sums without tax of loaded bills alone: lists have only those with it.
func (o *organizationBooks) byVendorAndMonth() []row {
	place := func(s figures.Spend) string { return fmt.Sprint(s.Vendor, s.Month) }
	lines, unknown := bought(o.loaded().Spend(figures.ByVendor), place), map[string]int{}
	for n := range o.Ledger.Bills {
		bill, id := &o.Ledger.Bills[n], ids.Of(ids.Bills, n)
		if bill.Status == bookkeeping.Posted && o.Live(ids.Bills, n) && !o.bills[id] {
			unknown[fmt.Sprint(bookkeeping.VendorID(bill.Vendor), bill.Date.Month())]++
		}
	}
	var rows []row
	for at, s := range bought(o.Spend(figures.ByVendor), place) {
		net := cmp.Or(lines[at], &figures.Spend{})
		rows = append(rows, row{s.Vendor, s.Month, centsIf(net.Net != 0, net.Net), centsIf(s.Gross != 0, s.Gross), net.WithoutRate + unknown[at]})
	}
	return rows
}

// allSpend is the sum of all spend on bills.
func allSpend(spend []figures.Spend) figures.Spend {
	for _, s := range bought(spend, func(figures.Spend) string { return "" }) {
		return *s
	}
	return figures.Spend{}
}

// byAccountLoaded is spend by account over the loaded lines, and the headers of the others.
func (o *organizationBooks) byAccountLoaded() []row {
	var rows []row
	for account, s := range bought(o.loaded().Spend(figures.ByAccount), func(s figures.Spend) string { return s.Account }) {
		n, _ := ids.Index(ids.Accounts, account)
		rows = append(rows, row{account, o.Ledger.Accounts[n].Name, centsIf(s.Net != 0, s.Net), nil})
	}
	if heads := allSpend(o.notLoaded().Spend(figures.ByVendor)); heads.Gross != 0 {
		rows = append(rows, row{nil, nil, nil, centsIf(true, heads.Gross)})
	}
	return rows
}

// bySum is spend of the whole organization. Rows without a net sum are lines where they are loaded,
// and bills elsewhere.
func (o *organizationBooks) bySum() []row {
	lines, unknown := allSpend(o.loaded().Spend(figures.ByVendor)), 0
	for n := range o.Ledger.Bills {
		if o.Ledger.Bills[n].Status == bookkeeping.Posted && o.Live(ids.Bills, n) && !o.bills[ids.Of(ids.Bills, n)] {
			unknown++
		}
	}
	return []row{{o.base(), centsIf(true, lines.Net), centsIf(true, allSpend(o.Spend(figures.ByVendor)).Gross), lines.WithoutRate + unknown}}
}

func (o *organizationBooks) pricesPaid() []row {
	type place struct {
		item, currency string
		date           figures.Day
	}
	paid, pieces := map[place]*big.Rat{}, map[place]int64{}
	for _, p := range o.loaded().PricesPaid() {
		at := place{p.Item, p.Currency, p.Date}
		if paid[at] == nil {
			paid[at] = new(big.Rat)
		}
		paid[at].Add(paid[at], new(big.Rat).Mul(money(p.Price), big.NewRat(p.Pieces, 1)))
		pieces[at] += p.Pieces
	}
	var rows []row
	for at, sum := range paid {
		rows = append(rows, row{at.item, at.date, at.currency, fourth(new(big.Rat).Quo(sum, big.NewRat(pieces[at], 1))), pieces[at]})
	}
	return rows
}
