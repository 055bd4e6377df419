//go:build e2e

package cli

import (
	"cmp"
	"maps"
	"math/big"
	"slices"

	"sluice/sandbox/world/ids"
	bookkeeping "sluice/sandbox/world/ledger"
	"sluice/sandbox/world/ledger/figures"
)

// This file answers the thirty questions from the oracle of the books. Where an answer rests on
// single records, it counts those that are loaded, and says what the others leave unknown.

// money is an amount as a fraction.
func money(a figures.Amount) *big.Rat {
	return big.NewRat(int64(a), int64(bookkeeping.FromCents(100)))
}

// moneyIf is an amount if it is known.
func moneyIf(known bool, a figures.Amount) any {
	if !known {
		return nil
	}
	return money(a)
}

// centsIf is moneyIf, rounded to cents.
func centsIf(known bool, a figures.Amount) any {
	if !known {
		return nil
	}
	return rounded(money(a))
}

// fourth rounds to four decimals.
func fourth(value *big.Rat) *big.Rat {
	text, _ := new(big.Rat).SetString(value.FloatString(4))
	return text
}

func price(rate bookkeeping.Rate) *big.Rat { return big.NewRat(int64(rate), 1_000_000) }

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

// vendor is the name of a vendor.
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

// monthEnd is the last day of the month before today's.
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
	var rows []row
	for _, a := range o.Ageing(o.today) {
		rows = append(rows, append(append(row{a.Vendor, o.vendor(a.Vendor), a.Currency}, aged(&a)...), a.WithoutRate))
	}
	return rows
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
	for n := range o.Ledger.Bills {
		bill, id := &o.Ledger.Bills[n], ids.Of(ids.Bills, n)
		if bill.Status != bookkeeping.Posted || !o.Live(ids.Bills, n) || bill.Date > o.monthEnd() || o.bills[id] {
			continue
		}
		if gross := bookkeeping.FromCents(bill.Gross()); gross-open[id] != settled[id] {
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

// addTo adds an open bill to an ageing.
func addTo(sums map[[2]string]*figures.Ageing, place [2]string, item *figures.OpenItem, day figures.Day) {
	sum := sums[place]
	if sum == nil {
		sum = &figures.Ageing{}
		sums[place] = sum
	}
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
		sum := sums[a.Vendor]
		if sum == nil {
			sum = &figures.Ageing{}
			sums[a.Vendor] = sum
		}
		sum.Bills, sum.Base, sum.WithoutRate = sum.Bills+a.Bills, sum.Base+a.Base, sum.WithoutRate+a.WithoutRate
	}
	var rows []row
	for vendor, sum := range sums {
		rows = append(rows, row{vendor, o.vendor(vendor), sum.Bills, moneyIf(sum.Bills > sum.WithoutRate, sum.Base), sum.WithoutRate})
	}
	return rows
}

func baseOf(item *figures.OpenItem) any {
	if item.Base == nil {
		return nil
	}
	return money(*item.Base)
}

func (o *organizationBooks) dueSoon() []row {
	var rows []row
	for _, item := range o.Due(o.today) {
		rows = append(rows, row{item.Due, item.Bill, o.vendor(item.Vendor), item.Currency, money(item.Open), baseOf(&item)})
	}
	return rows
}

func (o *organizationBooks) late() []row {
	var rows []row
	for _, item := range o.OpenItems(o.today) {
		if late := o.today - item.Due; item.Due > 0 && late > 0 {
			rows = append(rows, row{item.Bill, o.vendor(item.Vendor), item.Due, int(late), bucket(item.Due, o.today), baseOf(&item)})
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
	var rows []row
	for _, n := range o.OpenNotes() {
		c, _ := ids.FixedIndex(ids.GroupCustomer, n.Customer)
		rows = append(rows, row{n.ID, o.Ledger.Customers[c].Name, n.Date, n.Currency, money(n.Open), money(n.Base)})
	}
	return rows
}

// moved is what a month did to what is owed.
type moved struct{ billed, paid, credited, undated figures.Amount }

// activity has what was paid and credited in the months in which loaded records say so. The rest of
// what is settled stands in the month of its bill, as undated.
func (o *organizationBooks) activity() []row {
	months := map[figures.Day]*moved{}
	in := func(day figures.Day) *moved {
		if months[day.Month()] == nil {
			months[day.Month()] = &moved{}
		}
		return months[day.Month()]
	}
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
	for n := range o.Ledger.Bills {
		bill, id := &o.Ledger.Bills[n], ids.Of(ids.Bills, n)
		if bill.Status != bookkeeping.Posted || !o.Live(ids.Bills, n) {
			continue
		}
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
		sum := sums[a.Vendor]
		if sum == nil {
			sum = &tally{}
			sums[a.Vendor] = sum
		}
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
	var rows []row
	for vendor, sum := range sums {
		var days any
		if sum.known > 0 {
			days = sum.days
		}
		rows = append(rows, row{vendor, o.vendor(vendor), sum.n, days, sum.late})
	}
	return rows
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
	var rows []row
	for at, sum := range sums {
		r := row{at.currency, at.month, nil}
		if sum != nil {
			r[2] = money(*sum)
		}
		rows = append(rows, r)
	}
	return rows
}
