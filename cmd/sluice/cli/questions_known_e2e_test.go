//go:build e2e

package cli

import (
	"cmp"
	"fmt"
	"iter"
	"maps"
	"math/big"
	"slices"

	"sluice/sandbox/world/ids"
	bookkeeping "sluice/sandbox/world/ledger"
	"sluice/sandbox/world/ledger/figures"
	"sluice/sandbox/world/words"
)

// This file answers the thirty questions from the oracle of the books. Where an answer rests on
// single records, it counts those that are loaded, and says what the others leave unknown.

func money(a figures.Amount) *big.Rat {
	return big.NewRat(int64(a), int64(bookkeeping.FromCents(100)))
}

func moneyIf(known bool, a figures.Amount) any {
	if !known {
		return nil
	}
	return money(a)
}

// textIf is unknown where there is no text.
func textIf(text string) any {
	if text == "" {
		return nil
	}
	return text
}

// moneyOf is unknown for nil.
func moneyOf(a *figures.Amount) any {
	if a == nil {
		return nil
	}
	return money(*a)
}

func centsIf(known bool, a figures.Amount) any {
	if !known {
		return nil
	}
	return rounded(money(a))
}

func fourth(value *big.Rat) *big.Rat {
	text, _ := new(big.Rat).SetString(value.FloatString(4))
	return text
}

func price(rate bookkeeping.Rate) *big.Rat { return big.NewRat(int64(rate), 1_000_000) }

// rowsOf makes a row of each.
func rowsOf[K, V any](all iter.Seq2[K, V], of func(K, V) row) []row {
	var rows []row
	for k, v := range all {
		rows = append(rows, of(k, v))
	}
	return rows
}

// sumAt is the sum of a place, a new one where it has none yet.
func sumAt[K comparable, V any](sums map[K]*V, at K) *V {
	if sums[at] == nil {
		sums[at] = new(V)
	}
	return sums[at]
}

// posted are the bills that are posted and not deleted, by identifier.
func (o *organizationBooks) posted() iter.Seq2[string, *bookkeeping.Bill] {
	return func(yield func(string, *bookkeeping.Bill) bool) {
		for n := range o.Ledger.Bills {
			bill := &o.Ledger.Bills[n]
			if bill.Status == bookkeeping.Posted && o.Live(ids.Bills, n) && !yield(ids.Of(ids.Bills, n), bill) {
				return
			}
		}
	}
}

// some is the oracle of the bills for which a condition holds.
func (o *organizationBooks) some(holds func(id string) bool) figures.Books {
	books := o.Books
	books.Live = func(kind ids.Kind, i int) bool {
		return o.Live(kind, i) && (kind != ids.Bills || holds(ids.Of(kind, i)))
	}
	return books
}

func (o *organizationBooks) loaded() figures.Books {
	return o.some(func(id string) bool { return o.bills[id] })
}

func (o *organizationBooks) notLoaded() figures.Books {
	return o.some(func(id string) bool { return !o.bills[id] })
}

func (o *organizationBooks) vendor(id string) string {
	n, _ := ids.FixedIndex(ids.GroupVendor, id)
	return o.Ledger.Vendors[n].Name
}

func (o *organizationBooks) bill(id string) *bookkeeping.Bill {
	n, _ := ids.Index(ids.Bills, id)
	return &o.Ledger.Bills[n]
}

func (o *organizationBooks) currency(n int) string { return o.Ledger.Currencies[n].Code }

func (o *organizationBooks) base() string { return o.currency(0) }

func (o *organizationBooks) monthEnd() figures.Day { return o.today.Month() - 1 }

// applications are those that sluice can know: of loaded bills and of loaded payments.
func (o *organizationBooks) applications() []figures.Application {
	return slices.DeleteFunc(o.Applications(), func(a figures.Application) bool { return !o.bills[a.Bill] && !o.payments[a.Payment] })
}

// aged is a row of an ageing, without its key.
func aged(a *figures.Ageing) row {
	return row{moneyIf(a.Bills > a.WithoutRate, a.Base), money(a.NotDue), money(a.To30), money(a.To60), money(a.To90), money(a.Over90), money(a.NoDueDate)}
}

func (o *organizationBooks) byAge() []row {
	return rowsOf(slices.All(o.Ageing(o.today)), func(_ int, a figures.Ageing) row {
		return append(append(row{a.Vendor, o.vendor(a.Vendor), a.Currency}, aged(&a)...), a.WithoutRate)
	})
}

// byAgeThen is the ageing of the end of last month. Bills are unknown whose settlements are not all
// loaded.
func (o *organizationBooks) byAgeThen() []row {
	settled := map[string]figures.Amount{}
	for _, a := range o.applications() {
		settled[a.Bill] += a.Amount
	}
	open := map[string]figures.Amount{}
	for _, item := range o.OpenItems(o.Ledger.Latest) {
		open[item.Bill] = item.Open
	}
	unknown, places := map[string]bool{}, map[[2]string]int{}
	for id, bill := range o.posted() {
		gross := bookkeeping.FromCents(bill.Gross())
		if bill.Date <= o.monthEnd() && !o.bills[id] && gross-open[id] != settled[id] {
			unknown[id] = true
			places[[2]string{bookkeeping.VendorID(bill.Vendor), o.currency(bill.Currency)}]++
		}
	}
	var rows []row
	sums := map[[2]string]*figures.Ageing{}
	for _, item := range o.OpenItems(o.monthEnd()) {
		place := [2]string{item.Vendor, item.Currency}
		if !unknown[item.Bill] {
			addTo(sums, place, &item, o.monthEnd())
		}
	}
	for place, a := range sums {
		rows = append(rows, append(append(row{place[0], place[1]}, aged(a)...), places[place]))
		delete(places, place)
	}
	for place, n := range places {
		rows = append(rows, append(append(row{place[0], place[1]}, aged(&figures.Ageing{})...), n))
	}
	return rows
}

func addTo(sums map[[2]string]*figures.Ageing, place [2]string, item *figures.OpenItem, day figures.Day) {
	sum := sumAt(sums, place)
	sum.Bills++
	if item.Base == nil {
		sum.WithoutRate++
		return
	}
	sum.Base += *item.Base
	part := map[string]*figures.Amount{
		"not due": &sum.NotDue, "1 to 30": &sum.To30, "31 to 60": &sum.To60, "61 to 90": &sum.To90, "over 90": &sum.Over90, "no due date": &sum.NoDueDate,
	}[bucket(item.Due, day)]
	*part += *item.Base
}

func (o *organizationBooks) creditors() []row {
	sums := map[string]*figures.Ageing{}
	for _, a := range o.Ageing(o.today) {
		sum := sumAt(sums, a.Vendor)
		sum.Bills, sum.Base, sum.WithoutRate = sum.Bills+a.Bills, sum.Base+a.Base, sum.WithoutRate+a.WithoutRate
	}
	return rowsOf(maps.All(sums), func(vendor string, sum *figures.Ageing) row {
		return row{vendor, o.vendor(vendor), sum.Bills, moneyIf(sum.Bills > sum.WithoutRate, sum.Base), sum.WithoutRate}
	})
}

func (o *organizationBooks) dueSoon() []row {
	return rowsOf(slices.All(o.Due(o.today)), func(_ int, item figures.OpenItem) row {
		return row{item.Due, item.Bill, o.vendor(item.Vendor), item.Currency, money(item.Open), moneyOf(item.Base)}
	})
}

func (o *organizationBooks) late() []row {
	var rows []row
	for _, item := range o.OpenItems(o.today) {
		if late := o.today - item.Due; item.Due > 0 && late > 0 {
			rows = append(rows, row{item.Bill, o.vendor(item.Vendor), item.Due, int(late), bucket(item.Due, o.today), moneyOf(item.Base)})
		}
	}
	return rows
}

func bucket(due, day figures.Day) string {
	switch late := day - due; {
	case due == 0:
		return "no due date"
	case late <= 0:
		return "not due"
	case late <= 30:
		return "1 to 30"
	case late <= 60:
		return "31 to 60"
	case late <= 90:
		return "61 to 90"
	}
	return "over 90"
}

func (o *organizationBooks) applied() []row {
	var rows []row
	for _, a := range o.applications() {
		seen := "payment"
		if o.bills[a.Bill] {
			seen = "bill"
			if o.payments[a.Payment] {
				seen = "both"
			}
		}
		rows = append(rows, row{a.Bill, a.Payment, a.Date, a.Currency, money(a.Amount), seen})
	}
	return rows
}

// leftOver are payments that are not used up. What of them was applied and refunded is known where
// their single record is loaded, or nothing of them is used.
func (o *organizationBooks) leftOver() []row {
	var rows []row
	for _, p := range o.Payments() {
		known := o.payments[p.ID] || p.Unapplied == p.Amount
		if p.Unapplied > 0 || known && p.Refunded > 0 {
			rows = append(rows, row{p.ID, p.Date, o.vendor(p.Vendor), p.Currency, money(p.Amount), moneyIf(known, p.Applied), money(p.Unapplied), moneyIf(known, p.Refunded)})
		}
	}
	return rows
}

func (o *organizationBooks) openNotes() []row {
	return rowsOf(slices.All(o.OpenNotes()), func(_ int, n figures.OpenNote) row {
		c, _ := ids.FixedIndex(ids.GroupCustomer, n.Customer)
		return row{n.ID, o.Ledger.Customers[c].Name, n.Date, n.Currency, money(n.Open), money(n.Base)}
	})
}

// moved is what a month did to what is owed.
type moved struct{ billed, paid, credited, undated figures.Amount }

// activity has what was paid and credited in the months in which loaded records say so. The rest of
// what is settled stands in the month of its bill, as undated.
func (o *organizationBooks) activity() []row {
	months := map[figures.Day]*moved{}
	in := func(day figures.Day) *moved { return sumAt(months, day.Month()) }
	for _, a := range o.Activity() {
		in(a.Month).billed += a.Billed
	}
	// Of bills that are not loaded, only loaded payments tell.
	for _, a := range o.loaded().Activity() {
		in(a.Month).credited += a.Credited
	}
	inBase := func(a figures.Application) figures.Amount {
		return bookkeeping.Convert(a.Amount.Cents(), int64(o.bill(a.Bill).Rate))
	}
	settled := map[string]figures.Amount{}
	for _, a := range o.Applications() {
		settled[a.Bill] += inBase(a)
	}
	for _, a := range o.applications() {
		in(max(a.Date, o.bill(a.Bill).Date)).paid += inBase(a)
		settled[a.Bill] -= inBase(a)
	}
	for id, bill := range o.posted() {
		in(bill.Date).undated += settled[id]
		if !o.bills[id] {
			in(bill.Date).undated += bookkeeping.Convert(bill.Credited(), int64(bill.Rate))
		}
	}
	var rows []row
	open := figures.Amount(0)
	for month := slices.Min(slices.Collect(maps.Keys(months))); month <= o.today; month = month.NextMonth() {
		m := in(month)
		closing := open + m.billed - m.paid - m.credited - m.undated
		rows = append(rows, row{month, money(open), money(m.billed), money(m.paid), money(m.credited), money(m.undated), money(closing)})
		open = closing
	}
	return rows
}

func (o *organizationBooks) punctual() []row {
	type tally struct{ n, known, days, late int }
	sums := map[string]*tally{}
	for _, a := range o.applications() {
		sum := sumAt(sums, a.Vendor)
		sum.n++
		if a.Late == nil {
			continue
		}
		sum.known++
		sum.days += *a.Late
		if *a.Late > 0 {
			sum.late++
		}
	}
	return rowsOf(maps.All(sums), func(vendor string, sum *tally) row {
		var days any
		if sum.known > 0 {
			days = sum.days
		}
		return row{vendor, o.vendor(vendor), sum.n, days, sum.late}
	})
}

func (o *organizationBooks) exchangeResult() []row {
	type place struct {
		currency string
		month    figures.Day
	}
	sums := map[place]*figures.Amount{}
	for _, a := range o.applications() {
		if a.Currency == o.base() {
			continue
		}
		at := place{a.Currency, a.Date.Month()}
		if _, met := sums[at]; !met {
			sums[at] = nil
		}
		if a.Gain != nil {
			sum := *cmp.Or(sums[at], new(figures.Amount)) + *a.Gain
			sums[at] = &sum
		}
	}
	return rowsOf(maps.All(sums), func(at place, sum *figures.Amount) row {
		return row{at.currency, at.month, moneyOf(sum)}
	})
}

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
	return rowsOf(maps.All(sums), func(at place, sum figures.Amount) row {
		return row{at.date, o.currency(o.Ledger.Second()), textIf(at.account), money(sum)}
	})
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
		*sumAt(sums, in) += *item.Base
	}
	return rowsOf(maps.All(sums), func(in string, sum *figures.Amount) row {
		r := row{in, o.base(), nil, rate, nil, nil}
		if sum != nil {
			r[2], r[4] = money(*sum), rounded(new(big.Rat).Quo(money(*sum), rate))
		}
		return r
	})
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
		at := sumAt(sums, place)
		at.pieces += s.Pieces
		at.value += s.Value
	}
	return rowsOf(maps.All(sums), func(place string, s *sum) row {
		r := row{place, nil, s.pieces, money(s.value)}
		if place != "" {
			r[1] = o.names[place]
		}
		return r
	})
}

func (o *organizationBooks) toReorder() []row {
	return rowsOf(slices.All(o.Below()), func(_ int, b figures.Below) row { return row{b.Item, o.names[b.Item], b.Pieces, b.Reorder} })
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
	return rowsOf(slices.All(o.gone), func(_ int, id string) row { return row{"inventory.bills", id, !slices.Contains(o.back, id)} })
}

// centres are the sums of loaded bills by cost centre, and of those without one.
func (o *organizationBooks) centres() []row {
	return rowsOf(slices.All(o.loaded().CostCentres()), func(_ int, c figures.Centre) row {
		return row{textIf(c.Value), c.Month, moneyIf(c.Bills > c.WithoutRate, c.Net)}
	})
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
	for id, bill := range o.posted() {
		if !o.bills[id] {
			missing[place{bill.Date.Quarter(), bill.Reverse}]++
		}
	}
	for at, n := range missing {
		rows = append(rows, row{at.quarter, nil, nil, at.reverse, nil, n})
	}
	return rows
}

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
	for id, bill := range o.posted() {
		if !o.bills[id] {
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
	for id := range o.posted() {
		if !o.bills[id] {
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
		sum := sumAt(paid, at)
		sum.Add(sum, new(big.Rat).Mul(money(p.Price), big.NewRat(p.Pieces, 1)))
		pieces[at] += p.Pieces
	}
	return rowsOf(maps.All(paid), func(at place, sum *big.Rat) row {
		return row{at.item, at.date, at.currency, fourth(new(big.Rat).Quo(sum, big.NewRat(pieces[at], 1))), pieces[at]}
	})
}
