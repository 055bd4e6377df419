package draft

import (
	"fmt"
	"math/big"
	"strconv"
	"time"

	"sluice/sandbox/rules"
	"sluice/sandbox/world"
	"sluice/sandbox/world/overlay"
)

// firstApplied is the first number of the entries that a payment applies.
const firstApplied = 700

// CheckPayment returns why a payment is refused: bills of another vendor, more than a bill asks
// for, more than was paid. index is the payment to change, whose former amounts do not count; -1
// for a new one.
func CheckPayment(w *world.World, body rules.Body, index int) []rules.Problem {
	before := overlay.NewObject()
	if index >= 0 {
		before = w.Record(world.Payments, index)
	}
	vendor, paid := body.Text("vendor_id"), body.Amount("amount")
	if vendor == "" {
		vendor = before.Text("vendor_id")
	}
	if rules.Absent(body["amount"]) {
		paid = before.Number("amount")
	}
	var problems []rules.Problem
	applied, open := sum(before.List("bills"), "amount_applied"), map[string]*big.Rat{}
	if _, sent := body["bills"]; sent {
		applied = new(big.Rat)
	}
	for n, entry := range body.List("bills") {
		at, id, amount := fmt.Sprintf("bills[%d].", n), entry.Text("bill_id"), entry.Amount("amount_applied")
		i, found := w.Index(world.Bills, id)
		if !found {
			problems = append(problems, rules.Problem{Field: at + "bill_id", Text: "is needed"})
			continue
		}
		bill := w.Record(world.Bills, i)
		if open[id] == nil {
			open[id] = new(big.Rat).Add(bill.Number("balance"), paidBefore(before, id))
		}
		if bill.Text("vendor_id") != vendor {
			problems = append(problems, rules.Problem{Field: at + "bill_id", Text: "is a bill of another vendor"})
		}
		if amount.Cmp(open[id]) > 0 || amount.Sign() < 0 {
			problems = append(problems, rules.Problem{Field: at + "amount_applied", Text: "is more than the balance of " + open[id].FloatString(2)})
		}
		open[id].Sub(open[id], amount)
		applied.Add(applied, amount)
	}
	if known := index >= 0 || !rules.Absent(body["amount"]); known && applied.Cmp(paid) > 0 {
		problems = append(problems, rules.Problem{Field: "amount", Text: "is less than what is applied to bills"})
	}
	return problems
}

// paidBefore returns the amount that a payment applies to a bill so far.
func paidBefore(payment *overlay.Object, bill string) *big.Rat {
	paid := new(big.Rat)
	for _, entry := range payment.List("bills") {
		if entry.Text("bill_id") == bill {
			paid.Add(paid, entry.Number("amount_applied"))
		}
	}
	return paid
}

// payment completes a vendor payment and lowers the balance of its bills.
func (d *Draft) payment() {
	o := d.Record
	d.id("payment_id")
	d.preset("payment_number", strconv.Itoa(d.Index+1))
	d.preset("date", d.Today)
	d.preset("payment_mode", "cash")
	d.preset("paid_through_account_id", d.World.ID(world.Accounts, 0))
	d.money()
	o.SetText("paid_through_account_type", d.look(world.Accounts, o.Text("paid_through_account_id")).Text("account_type"))
	d.names(o)
	if checks := o.List("check_details"); len(d.Body.List("check_details")) > 0 {
		o.Set("check_details", checks[0].Append(nil)) // a list on input, an object in answers.
	}
	if _, sent := d.Body["bills"]; !sent && !d.Created {
		d.balance()
		return
	}
	if !d.Created {
		d.withdraw()
	}
	entries := o.List("bills")
	if rules.Absent(d.Body["amount"]) && d.Created {
		o.SetAmount("amount", sum(entries, "amount_applied"))
	}
	for n, entry := range entries {
		d.apply(entry, n)
	}
	o.SetList("bills", entries)
	o.SetAmount("tax_amount_withheld", sum(entries, "tax_amount_withheld"))
	d.balance()
}

// balance writes the amount that no bill has used.
func (d *Draft) balance() {
	o := d.Record
	o.SetAmount("balance", new(big.Rat).Sub(o.Number("amount"), sum(o.List("bills"), "amount_applied")))
}

// withdraw takes the payment's former amounts back from its bills.
func (d *Draft) withdraw() {
	payment := d.Record.Text("payment_id")
	for _, entry := range d.World.Record(d.Kind, d.Index).List("bills") {
		i, found := d.World.Index(world.Bills, entry.Text("bill_id"))
		if !found {
			continue
		}
		bill := overlay.Freeze(d.World.Record(world.Bills, i))
		var kept []*overlay.Object
		for _, other := range bill.List("payments") {
			if other.Text("payment_id") != payment {
				kept = append(kept, other)
			}
		}
		bill.SetList("payments", kept)
		d.settle(i, bill, new(big.Rat).Add(bill.Number("balance"), entry.Number("amount_applied")))
	}
}

// apply pays a bill with an entry of the payment; the entry then shows the bill's state.
func (d *Draft) apply(entry *overlay.Object, n int) {
	i, found := d.World.Index(world.Bills, entry.Text("bill_id"))
	if !found {
		return
	}
	bill := overlay.Freeze(d.World.Record(world.Bills, i))
	if entry.Text("bill_payment_id") == "" {
		entry.SetText("bill_payment_id", d.World.Child(d.Kind, d.Index, firstApplied+n))
	}
	left := new(big.Rat).Sub(bill.Number("balance"), entry.Number("amount_applied"))
	entry.Set("bill_number", bill.Get("bill_number"))
	entry.Set("date", bill.Get("date"))
	entry.Set("due_date", bill.Get("due_date"))
	entry.SetWhole("price_precision", 2) // cents.
	entry.SetAmount("total", new(big.Rat).Add(bill.Number("sub_total"), bill.Number("tax_total")))
	entry.SetAmount("balance", left)
	paid := d.World.Sample(world.Bills, "payments")
	for _, name := range paid.Names() {
		switch {
		case entry.Has(name) && name != "date":
			paid.Set(name, entry.Get(name))
		case d.Record.Has(name) && name != "amount":
			paid.Set(name, d.Record.Get(name))
		}
	}
	paid.SetAmount("amount", entry.Number("amount_applied"))
	paid.SetFlag("is_single_bill_payment", len(d.Record.List("bills")) == 1)
	bill.SetList("payments", append(bill.List("payments"), paid))
	d.settle(i, bill, left)
}

// settle writes the open amount of a bill, and its status.
func (d *Draft) settle(i int, bill *overlay.Object, left *big.Rat) {
	bill.SetAmount("balance", left)
	switch {
	case left.Sign() <= 0:
		bill.SetText("status", "paid")
	case len(bill.List("payments")) > 0:
		bill.SetText("status", "partially_paid")
	default:
		bill.SetText("status", "open")
	}
	d.World.Put(world.Bills, i, d.Now, "", bill)
}

// bill computes lines, taxes and the open amount.
func (d *Draft) bill() {
	o := d.Record
	d.id("bill_id")
	d.preset("bill_number", fmt.Sprintf("BILL-%05d", d.Index+1))
	d.preset("date", d.Today)
	d.preset("due_date", o.Text("date"))
	d.preset("status", "open")
	d.money()
	o.SetWhole("price_precision", 2) // cents.
	o.SetWhole("due_by_days", daysBetween(d.Today, o.Text("due_date")))
	o.SetText("attachment_name", d.File)
	d.names(o)
	lines := o.List(lineItems)
	sub, tax := d.lines(lines, "item_total", o.Text("is_inclusive_tax") == "true" || d.Body.Flag("is_inclusive_tax"))
	for _, line := range lines {
		line.SetAmount("bcy_rate", cents(times(line.Number("rate"), o.Number(rateName))))
	}
	o.SetList(lineItems, lines)
	o.SetList("taxes", d.taxes(lines, tax))
	o.SetAmount("sub_total", sub)
	total := new(big.Rat)
	for _, amount := range tax {
		total.Add(total, amount)
	}
	o.SetAmount("tax_total", total)
	o.SetAmount("balance", new(big.Rat).Add(sub, total))
}

func daysBetween(from, to string) int {
	first, errFirst := time.Parse(time.DateOnly, from)
	last, errLast := time.Parse(time.DateOnly, to)
	if errFirst != nil || errLast != nil {
		return 0
	}
	return int(last.Sub(first) / (hoursADay * time.Hour))
}

const hoursADay = 24
