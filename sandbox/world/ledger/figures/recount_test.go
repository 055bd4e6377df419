package figures_test

import (
	"fmt"
	"math/big"
	"strconv"
	"strings"
	"testing"
	"time"

	"sluice/sandbox/world"
	"sluice/sandbox/world/ledger"
	"sluice/sandbox/world/ledger/figures"
)

func TestFiguresAreThoseOfTheRecords(t *testing.T) {
	t.Parallel()
	for seed, base := range []string{"INR", "EUR", "USD", "INR"} {
		w, books := founded(t, int64(seed), 900, base)
		recount(t, w, books)
		fatalIf(t, t.Failed(), "seed %d, base %s", seed, base)
	}
}

func recount(t *testing.T, w *world.World, books figures.Books) {
	t.Helper()
	bills, payments := records(t, w, world.Bills), records(t, w, world.Payments)
	for _, day := range []ledger.Day{books.Ledger.Today, books.MonthEnds()[3], books.MonthEnds()[17]} {
		ageing(t, books, bills, day)
	}
	for _, item := range books.OpenItems(books.Ledger.Today) { // the edges of the buckets
		if days := books.Ledger.Today - item.Due; item.Due != 0 && days > 91 {
			for _, late := range []ledger.Day{0, 1, 30, 31, 60, 61, 90, 91} {
				ageing(t, books, bills, item.Due+late)
			}
			break
		}
	}
	statuses(t, books, bills)
	spend(t, books, bills, records(t, w, world.Expenses))
	control(t, books, bills, payments, records(t, w, world.Accounts))
	applications(t, books, bills, payments)
	stock(t, books, records(t, w, world.Items))
	notes(t, books, records(t, w, world.CreditNotes))
}

// ageing recounts open items from dates: what was billed up to a day less what was settled by then.
func ageing(t *testing.T, books figures.Books, bills []fields, day ledger.Day) {
	t.Helper()
	want, got := sums{}, sums{}
	for _, b := range bills {
		date := day.String()
		if !b.posted() || b.text("date") > date {
			continue
		}
		open := new(big.Rat).Add(b.number("sub_total"), b.number("tax_total"))
		for _, list := range []string{"payments", "vendor_credits"} {
			for _, settled := range b.list(list) {
				if settled.text("date") <= date {
					open.Sub(open, settled.number("amount"))
				}
			}
		}
		place := b.text("vendor_id") + " " + b.text("currency_code")
		want.add(place+" open", open)
		want.add(place+" "+bucket(t, b.text("due_date"), day), open, b.number("exchange_rate"))
	}
	for _, a := range books.Ageing(day) {
		place := a.Vendor + " " + a.Currency
		got.add(place+" open", exact(t, a.Open))
		for name, sum := range map[string]ledger.Amount{
			"not due": a.NotDue, "to 30": a.To30, "to 60": a.To60, "to 90": a.To90, "over 90": a.Over90, "no due date": a.NoDueDate,
		} {
			got.add(place+" "+name, exact(t, sum))
		}
		total := a.NotDue + a.To30 + a.To60 + a.To90 + a.Over90 + a.NoDueDate
		same(t, total, a.Base, place)
	}
	agree(t, "ageing on "+day.String(), want, got)
}

// statuses: the status of a bill follows from what is open of it and from its dates.
func statuses(t *testing.T, books figures.Books, bills []fields) {
	t.Helper()
	seen := map[string]int{}
	for _, b := range bills {
		status, gross := b.text("status"), new(big.Rat).Add(b.number("sub_total"), b.number("tax_total"))
		seen[status]++
		want := "open"
		switch due := b.text("due_date"); {
		case !b.posted():
			want = status
		case b.number("balance").Sign() == 0:
			want = "paid"
		case due != "" && due < books.Ledger.Today.String():
			want = "overdue"
		case b.number("balance").Cmp(gross) < 0:
			want = "partially_paid"
		}
		same(t, status, want, b.text("bill_id"))
	}
	errorIf(t, len(seen) < 5, "statuses %v", seen) // a small business can be without a bill that is paid in part
}

func bucket(t *testing.T, due string, day ledger.Day) string {
	t.Helper()
	if due == "" {
		return "no due date"
	}
	at, err := ledger.ReadDay(due)
	must(t, err)
	for _, b := range []struct {
		most int
		name string
	}{{0, "not due"}, {30, "to 30"}, {60, "to 60"}, {90, "to 90"}} {
		if int(day-at) <= b.most {
			return b.name
		}
	}
	return "over 90"
}

// spend recounts by vendor and month, and input tax by tax and quarter.
func spend(t *testing.T, books figures.Books, bills, expenses []fields) {
	t.Helper()
	want, got, taxes, taxed := sums{}, sums{}, sums{}, sums{}
	unknown, counted := 0, 0
	for _, b := range bills {
		if !b.posted() {
			continue
		}
		if rate := b.text("exchange_rate"); rate == "" || rate == "0.000000" {
			unknown++
		}
		place := "bill " + b.text("date")[:7] + " " + b.text("vendor_id")
		want.add(place+" net", b.number("sub_total"), b.number("exchange_rate"))
		want.add(place+" tax", b.number("tax_total"), b.number("exchange_rate"))
		quarter := quarterOf(t, b.text("date"))
		for _, tax := range b.list("taxes") {
			taxes.add(quarter+" bill "+tax.text("tax_name"), tax.number("tax_amount"), b.number("exchange_rate"))
		}
		for _, line := range b.list("line_items") {
			if n, err := strconv.Atoi(line.text("name")[strings.LastIndex(line.text("name"), " ")+1:]); err == nil { // its name ends with the item's number
				want.add(fmt.Sprintf("pieces 46003000%07d000", n), line.number("quantity"))
			}
			taxes.add(quarter+" reverse "+line.text("reverse_charge_tax_name"), line.number("reverse_charge_tax_amount"), b.number("exchange_rate"))
		}
	}
	for _, e := range expenses {
		place := "expense " + e.text("date")[:7] + " " + e.text("vendor_id")
		want.add(place+" net", e.number("sub_total"))
		want.add(place+" tax", e.number("tax_amount"))
		taxes.add(quarterOf(t, e.text("date"))+" expense "+e.text("tax_name"), e.number("tax_amount"))
	}
	totals := map[figures.Cut]ledger.Amount{}
	for _, cut := range []figures.Cut{figures.ByVendor, figures.ByAccount, figures.ByItem, figures.ByLocation} {
		for _, s := range books.Spend(cut) {
			if s.Source == figures.SourceBill {
				totals[cut] += s.Net
			}
			if cut == figures.ByItem {
				got.add("pieces "+s.Item, big.NewRat(s.Pieces, 1))
			}
			if cut == figures.ByVendor {
				counted += s.WithoutRate
				place := s.Source + " " + s.Month.String()[:7] + " " + s.Vendor
				got.add(place+" net", exact(t, s.Net))
				got.add(place+" tax", exact(t, s.Tax))
			}
		}
		same(t, totals[cut], totals[figures.ByVendor], cut)
	}
	for _, tax := range books.InputTax() {
		taxed.add(tax.Quarter.String()+" "+tax.Source+" "+tax.Name, exact(t, tax.Charged))
		taxed.add(tax.Quarter.String()+" reverse "+tax.Name, exact(t, tax.Reverse))
	}
	errorIf(t, unknown != 2 || len(books.WithoutRate()) != 2 || counted < 2,
		"%d bills without a rate, %v, %d lines", unknown, books.WithoutRate(), counted)
	agree(t, "spend", want, got)
	agree(t, "input tax", taxes, taxed)
}

func quarterOf(t *testing.T, date string) string {
	t.Helper()
	day, err := ledger.ReadDay(date)
	must(t, err)
	return day.Quarter().String()
}

// control recounts the payables account, the tax account, and both sides of all balances.
func control(t *testing.T, books figures.Books, bills, payments, accounts []fields) {
	t.Helper()
	open := new(big.Rat)
	for _, b := range bills {
		if b.posted() {
			open.Add(open, new(big.Rat).Mul(b.number("balance"), b.number("exchange_rate")))
		}
	}
	for _, p := range payments {
		open.Sub(open, new(big.Rat).Mul(p.number("balance"), p.number("exchange_rate")))
	}
	shown := ""
	for _, a := range accounts {
		if a.text("account_type") == "accounts_payable" {
			shown += a.text("current_balance")
		}
	}
	same(t, open.FloatString(2), shown, open.FloatString(8))
	c := books.Control()
	errorIf(t, c.Difference != 0 || exact(t, c.Subledger).Cmp(open) != 0, "open are %s, control %+v", open.FloatString(8), c)
	var opening, movement, debit, credit ledger.Amount
	for _, balance := range books.Balances() {
		opening += balance.Opening
		movement += balance.Movement
	}
	for _, line := range books.OpeningBalance() {
		debit, credit = debit+line.Debit, credit+line.Credit
	}
	errorIf(t, opening != 0 || movement != 0 || debit != credit || debit == 0,
		"openings %s, movements %s, opening debits %s and credits %s", opening, movement, debit, credit)
}

// applications recounts which payment pays which bill, from both sides.
func applications(t *testing.T, books figures.Books, bills, payments []fields) {
	t.Helper()
	byBill, byPayment, got := sums{}, sums{}, sums{}
	timing, timed := sums{}, sums{}
	for _, b := range bills {
		for _, p := range b.list("payments") {
			gain := new(big.Rat).Sub(b.number("exchange_rate"), p.number("exchange_rate"))
			timing.add(p.text("bill_payment_id")+" days", apart(t, b.text("date"), p.text("date")))
			if b.text("due_date") != "" {
				timing.add(p.text("bill_payment_id")+" late", apart(t, b.text("due_date"), p.text("date")))
			}
			byBill.add(p.text("bill_payment_id")+" "+p.text("payment_id")+" "+b.text("bill_id"), p.number("amount"))
			if b.number("exchange_rate").Sign() > 0 {
				byBill.add(p.text("bill_payment_id")+" gain", p.number("amount"), gain)
			}
		}
	}
	amounts, told := sums{}, sums{}
	for _, p := range payments {
		refunded := new(big.Rat)
		for _, back := range p.list("vendorpayment_refunds") {
			refunded.Add(refunded, back.number("amount_fcy"))
		}
		amounts.add(p.text("payment_id")+" amount", p.number("amount"))
		amounts.add(p.text("payment_id")+" unapplied", p.number("balance"))
		amounts.add(p.text("payment_id")+" refunded", refunded)
		for _, b := range p.list("bills") {
			byPayment.add(b.text("bill_payment_id")+" "+p.text("payment_id")+" "+b.text("bill_id"), b.number("amount_applied"))
		}
	}
	for _, a := range books.Applications() {
		got.add(a.ID+" "+a.Payment+" "+a.Bill, exact(t, a.Amount))
		timed.add(a.ID+" days", big.NewRat(int64(a.DaysToPay), 1))
		if a.Late != nil {
			timed.add(a.ID+" late", big.NewRat(int64(*a.Late), 1))
		}
	}
	agree(t, "days to pay", timing, timed)
	agree(t, "applications by payment", byPayment, got)
	for _, a := range books.Applications() {
		if a.Gain != nil {
			got.add(a.ID+" gain", exact(t, *a.Gain))
		}
	}
	agree(t, "applications by bill", byBill, got)
	for _, p := range books.Payments() {
		same(t, p.Amount, p.Applied+p.Unapplied+p.Refunded, p)
		told.add(p.ID+" amount", exact(t, p.Amount))
		told.add(p.ID+" unapplied", exact(t, p.Unapplied))
		told.add(p.ID+" refunded", exact(t, p.Refunded))
	}
	agree(t, "payments", amounts, told)
}

// apart returns the days from one date to another.
func apart(t *testing.T, from, to string) *big.Rat {
	t.Helper()
	first, err := time.Parse(time.DateOnly, from)
	must(t, err)
	last, err := time.Parse(time.DateOnly, to)
	must(t, err)
	return big.NewRat(int64(last.Sub(first)/(24*time.Hour)), 1)
}

func stock(t *testing.T, books figures.Books, items []fields) {
	t.Helper()
	want, got, below, told := sums{}, sums{}, sums{}, sums{}
	for _, i := range items {
		total := new(big.Rat)
		for _, place := range i.list("locations") {
			total.Add(total, place.number("location_stock_on_hand"))
			want.add(place.text("location_id"), place.number("location_stock_on_hand"), i.number("purchase_rate"))
		}
		if i.text("reorder_level") != "" && total.Cmp(i.number("reorder_level")) < 0 {
			below.add(i.text("item_id"), i.number("reorder_level"))
		}
	}
	for _, s := range books.Stock() {
		got.add(s.Location, exact(t, s.Value))
	}
	for _, b := range books.Below() {
		told.add(b.Item, big.NewRat(int64(b.Reorder), 1))
	}
	agree(t, "value of the stock", want, got)
	agree(t, "items to reorder", below, told)
}

func notes(t *testing.T, books figures.Books, all []fields) {
	t.Helper()
	want, got := sums{}, sums{}
	statuses := map[string]int{}
	for _, n := range all {
		statuses[n.text("status")]++
		if n.text("status") == "open" {
			want.add(n.text("currency_code")+" "+n.text("creditnote_id"), n.number("balance"))
		}
	}
	for _, n := range books.OpenNotes() {
		got.add(n.Currency+" "+n.ID, exact(t, n.Open))
		for _, rate := range books.Rates(n.Date) {
			base := ledger.Convert(n.Open.Cents(), int64(rate.Rate))
			errorIf(t, rate.Currency == n.Currency && base != n.Base, "%+v is %s", n, base)
		}
	}
	same(t, len(statuses), 4, statuses)
	agree(t, "open credit notes", want, got)
}
