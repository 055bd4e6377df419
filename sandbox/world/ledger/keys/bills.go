package keys

import (
	"fmt"
	"strconv"

	"sluice/sandbox/world/ids"
	"sluice/sandbox/world/ledger"
	"sluice/sandbox/world/overlay"
	"sluice/sandbox/world/words"
)

func billNumber(n int) string { return fmt.Sprintf("BILL-%05d", n) }

// bill gives the values of a bill.
func (a *Author) bill(v overlay.Values, n int) {
	b := &a.Ledger.Bills[n]
	paid := a.paid(n)
	balance := b.Gross() - paid - b.Credited()
	status := a.status(b, paid, balance)
	a.vendor(v.Object, b.Vendor)
	a.money(v.Object, b.Currency)
	v.SetText("status", status)
	v.SetText("current_sub_status", status)
	v.SetText("bill_number", billNumber(b.Number))
	day(v.Object, "date", b.Date)
	a.due(v.Object, b)
	a.billRate(v.Object, "exchange_rate", b)
	location(v.Object, b.Location)
	money(v.Object, "vendor_credits_applied", b.Credited())
	money(v.Object, "sub_total", b.Net)
	money(v.Object, "tax_total", b.Tax)
	money(v.Object, "total", b.Gross())
	money(v.Object, "balance", balance)
	money(v.Object, "balance_due", balance)
	money(v.Object, "payment_made", paid)
	a.accountOf(v.Object, "", ledger.Payable)
	v.SetText("gst_no", a.Ledger.Vendors[b.Vendor].Tax)
	v.SetFlag("is_reverse_charge_applied", b.Reverse)
	fields(v, b.Centre, n, b.Date)
	for at := range b.Lines {
		v.Lists["line_items"] = append(v.Lists["line_items"], a.line(b, n, at))
	}
	a.billTaxes(v, b)
	a.settlements(v, b, n)
}

// status follows from dates and amounts, as of the first day.
func (a *Author) status(b *ledger.Bill, paid, balance int64) string {
	switch {
	case b.Status == ledger.Draft:
		return "draft"
	case b.Status == ledger.Void:
		return "void"
	case balance == 0:
		return "paid"
	case b.Due != 0 && b.Due < a.Ledger.Today:
		return "overdue"
	case paid+b.Credited() > 0:
		return "partially_paid"
	default:
		return "open"
	}
}

// paid returns what live payments settle of a bill, in cents.
func (a *Author) paid(n int) int64 {
	var cents int64
	for _, payment := range a.Ledger.Bills[n].Shares {
		for _, share := range a.Ledger.Payments[payment].Shares {
			if share.Bill == n && a.Live(ids.Payments, payment) {
				cents += share.Cents
			}
		}
	}
	return cents
}

func (a *Author) due(o *overlay.Object, b *ledger.Bill) {
	terms := a.Ledger.Vendors[b.Vendor].Terms
	o.SetText("terms", fmt.Sprintf("Net %d", terms))
	day(o, "due_date", b.Due)
	if b.Due == 0 {
		o.SetText("due_by_days", "")
		o.SetText("due_in_days", "")
		return
	}
	o.SetWhole("payment_terms", terms)
	o.SetText("payment_terms_label", fmt.Sprintf("Net %d", terms))
	left := int(b.Due - a.Ledger.Today)
	o.SetWhole("due_by_days", left)
	if left < 0 {
		o.SetText("due_in_days", "")
	} else {
		o.SetWhole("due_in_days", left)
	}
}

// billRate writes the rate of a bill; an unknown one is absent or 0.
func (a *Author) billRate(o *overlay.Object, name string, b *ledger.Bill) {
	if b.Rate == 0 && !b.RateZero {
		o.SetText(name, "")
		return
	}
	rate(o, name, b.Rate)
}

func (a *Author) line(b *ledger.Bill, n, at int) *overlay.Object {
	line := &b.Lines[at]
	o := overlay.NewObject()
	o.SetText("line_item_id", ids.Child(ids.Bills, n, at))
	a.lineItem(o, line)
	o.SetText("description", "As ordered")
	a.accountOf(o, "", line.Account)
	if b.Rate == 0 {
		o.SetText("bcy_rate", "")
	} else {
		amount(o, "bcy_rate", ledger.Convert(line.Rate, int64(b.Rate)))
	}
	money(o, "item_total", line.Net)
	o.SetWhole("item_order", at)
	levied := line.Levy
	if b.Reverse { // the vendor charges none
		levied = ledger.Untaxed
		tax := words.TaxOf(line.Levy)
		o.SetText("reverse_charge_tax_id", tax.ID)
		o.SetText("reverse_charge_tax_name", tax.Name)
		o.SetWhole("reverse_charge_tax_percentage", int(tax.Percent))
		money(o, "reverse_charge_tax_amount", line.Reverse)
	}
	levy(o, levied)
	o.SetList("line_item_taxes", lineTaxes(levied, line.Tax))
	location(o, line.Location)
	return o
}

// lineItem writes the item of a line; a line without one is for an account.
func (a *Author) lineItem(o *overlay.Object, line *ledger.Line) {
	o.SetText("name", "")
	o.SetText("item_id", "")
	o.SetText("sku", "")
	o.SetText("product_type", "service")
	if line.Item >= 0 {
		o.SetText("item_id", ids.Of(ids.Items, line.Item))
		o.SetText("name", a.ItemName(line.Item))
		o.SetText("sku", sku(line.Item))
		if !a.Ledger.Items[line.Item].Service {
			o.SetText("product_type", "goods")
		}
	}
	o.SetText("unit", "pcs")
	pieces(o, "quantity", line.Quantity)
	money(o, "rate", line.Rate)
}

func lineTaxes(n int, cents int64) []*overlay.Object {
	o := overlay.NewObject()
	tax := words.TaxOf(n)
	o.SetText("tax_id", tax.ID)
	o.SetText("tax_name", tax.Name)
	money(o, "tax_amount", cents)
	return []*overlay.Object{o}
}

// billTaxes sums the lines' taxes by name; their sum is tax_total.
func (a *Author) billTaxes(v overlay.Values, b *ledger.Bill) {
	v.Lists["taxes"] = nil
	for n := range 3 { // the taxes of lines.
		used, cents := false, int64(0)
		for _, line := range b.Lines {
			if line.Levy == n && !b.Reverse || b.Reverse && n == ledger.Untaxed {
				used = true
				cents += line.Tax
			}
		}
		if used {
			v.Lists["taxes"] = append(v.Lists["taxes"], lineTaxes(n, cents)...)
		}
	}
}

// settlements gives the payments and credits of a bill.
func (a *Author) settlements(v overlay.Values, b *ledger.Bill, n int) {
	v.Lists["payments"], v.Lists["vendor_credits"] = nil, nil
	for place, payment := range b.Shares {
		if a.Live(ids.Payments, payment) {
			v.Lists["payments"] = append(v.Lists["payments"], a.settlement(n, place, payment))
		}
	}
	for at, credit := range b.Credits {
		o := overlay.NewObject()
		o.SetText("vendor_credit_id", ids.Fixed(ids.GroupCredit, n))
		o.SetText("vendor_credit_bill_id", ids.Child(ids.Bills, n, ledger.CreditChild+at))
		o.SetText("vendor_credit_number", fmt.Sprintf("VC-%05d", n+1))
		day(o, "date", credit.Date)
		money(o, "amount", credit.Cents)
		v.Lists["vendor_credits"] = append(v.Lists["vendor_credits"], o)
	}
}

func (a *Author) settlement(n, place, payment int) *overlay.Object {
	p := &a.Ledger.Payments[payment]
	var cents int64
	for _, share := range p.Shares {
		if share.Bill == n && share.Place == place {
			cents = share.Cents
		}
	}
	o := overlay.NewObject()
	o.SetText("payment_id", ids.Of(ids.Payments, payment))
	o.SetText("bill_id", ids.Of(ids.Bills, n))
	o.SetText("bill_payment_id", ids.Child(ids.Bills, n, ledger.PaymentChild(place)))
	o.SetText("payment_mode", p.Mode)
	o.SetText("payment_number", strconv.Itoa(payment+1))
	o.SetText("description", "")
	day(o, "date", p.Date)
	day(o, "apply_date", p.Date)
	o.SetText("reference_number", "")
	rate(o, "exchange_rate", p.Rate)
	money(o, "amount", cents)
	a.accountOf(o, "paid_through_", p.Account)
	o.SetText("paid_through_account_type", a.Ledger.Accounts[p.Account].Kind)
	o.SetFlag("is_single_bill_payment", len(p.Shares) == 1)
	return o
}
