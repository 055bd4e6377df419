package keys

import (
	"fmt"
	"strconv"
	"strings"

	"sluice/sandbox/world/ids"
	"sluice/sandbox/world/ledger"
	"sluice/sandbox/world/overlay"
	"sluice/sandbox/world/words"
)

// payment gives the values of a payment.
func (a *Author) payment(v overlay.Values, n int) {
	p := &a.Ledger.Payments[n]
	a.vendor(v.Object, p.Vendor)
	a.money(v.Object, p.Currency)
	v.SetText("payment_number", strconv.Itoa(n+1))
	v.SetText("status", "paid")
	day(v.Object, "date", p.Date)
	rate(v.Object, "exchange_rate", p.Rate)
	money(v.Object, "amount", p.Amount())
	money(v.Object, "total_payment_amount", p.Amount())
	money(v.Object, "balance", p.Unapplied)
	amount(v.Object, "bcy_amount", ledger.Convert(p.Amount(), int64(p.Rate)))
	amount(v.Object, "bcy_balance", ledger.Convert(p.Unapplied, int64(p.Rate)))
	a.accountOf(v.Object, "paid_through_", p.Account)
	v.SetText("paid_through_account_type", a.Ledger.Accounts[p.Account].Kind)
	a.accountOf(v.Object, "offset_", ledger.Payable)
	v.SetText("payment_mode", p.Mode)
	v.SetFlag("is_paid_via_print_check", p.Mode == "check")
	v.SetFlag("is_advance_payment", len(p.Shares) == 0)
	location(v.Object, 0)
	fields(v, p.Centre, n, p.Date)
	var numbers []string
	v.Lists["bills"], v.Lists["vendorpayment_refunds"] = nil, nil
	for _, share := range p.Shares {
		b := &a.Ledger.Bills[share.Bill]
		numbers = append(numbers, billNumber(b.Number))
		o := overlay.NewObject()
		o.SetText("bill_payment_id", ids.Child(ids.Bills, share.Bill, ledger.PaymentChild(share.Place)))
		o.SetText("bill_id", ids.Of(ids.Bills, share.Bill))
		o.SetText("bill_number", billNumber(b.Number))
		money(o, "amount_applied", share.Cents)
		money(o, "tax_amount_withheld", 0)
		money(o, "balance", share.Left)
		day(o, "date", b.Date)
		day(o, "apply_date", p.Date)
		day(o, "due_date", b.Due)
		o.SetWhole("price_precision", 2)
		money(o, "total", b.Gross())
		v.Lists["bills"] = append(v.Lists["bills"], o)
	}
	v.SetText("bill_numbers", strings.Join(numbers, ","))
	for at, back := range p.Refunds {
		o := overlay.NewObject()
		o.SetText("vendorpayment_refund_id", ids.Child(ids.Payments, n, ledger.PaymentChild(at+1)))
		o.SetText("vendorpayment_id", ids.Of(ids.Payments, n))
		day(o, "date", back.Date)
		o.SetText("refund_mode", "bank_transfer")
		o.SetText("reference_number", "")
		o.SetText("description", "Paid twice")
		amount(o, "amount_bcy", ledger.Convert(back.Cents, int64(p.Rate)))
		money(o, "amount_fcy", back.Cents)
		o.SetText("to_account_id", ids.Of(ids.Accounts, p.Account))
		v.Lists["vendorpayment_refunds"] = append(v.Lists["vendorpayment_refunds"], o)
	}
}

// note gives the values of a credit note.
func (a *Author) note(v overlay.Values, n int) {
	note := &a.Ledger.Notes[n]
	v.SetText("customer_id", ledger.CustomerID(note.Customer))
	v.SetText("customer_name", a.Ledger.Customers[note.Customer].Name)
	a.money(v.Object, note.Currency)
	rate(v.Object, "exchange_rate", note.Rate)
	day(v.Object, "date", note.Date)
	day(v.Object, "issued_date", note.Date)
	v.SetText("status", noteStatus(note))
	v.SetText("current_sub_status", noteStatus(note))
	money(v.Object, "sub_total", note.Net)
	money(v.Object, "tax_total", note.Tax)
	money(v.Object, "total", note.Total())
	money(v.Object, "balance", note.Open())
	money(v.Object, "total_credits_used", note.Applied)
	money(v.Object, "total_refunded_amount", note.Refunded)
	a.accountOf(v.Object, "", ledger.Receivable)
	location(v.Object, n%2)
	fields(v, note.Centre, n, note.Date)
	for at := range note.Lines {
		line := &note.Lines[at]
		o := overlay.NewObject()
		o.SetText("line_item_id", ids.Child(ids.CreditNotes, n, at))
		a.lineItem(o, line)
		a.accountOf(o, "", line.Account)
		o.SetWhole("item_order", at)
		money(o, "item_total", line.Net)
		amount(o, "bcy_rate", ledger.Convert(line.Rate, int64(note.Rate)))
		levy(o, line.Levy)
		o.SetList("line_item_taxes", lineTaxes(line.Levy, line.Tax))
		location(o, line.Location)
		v.Lists["line_items"] = append(v.Lists["line_items"], o)
	}
	v.Lists["taxes"] = nil
	for at := range 3 { // the taxes of lines.
		used, cents := false, int64(0)
		for _, line := range note.Lines {
			if line.Levy == at {
				used = true
				cents += line.Tax
			}
		}
		if used {
			v.Lists["taxes"] = append(v.Lists["taxes"], lineTaxes(at, cents)...)
		}
	}
	a.noteUses(v, note, n)
}

func (a *Author) noteUses(v overlay.Values, note *ledger.Note, n int) {
	v.Lists["invoices"], v.Lists["invoices_credited"], v.Lists["creditnote_refunds"] = nil, nil, nil
	invoice := ids.Fixed(ids.GroupInvoice, n*2) // as package records numbers them.
	if note.Applied > 0 {
		o := overlay.NewObject()
		o.SetText("creditnote_invoice_id", ids.Child(ids.CreditNotes, n, ledger.PaymentChild(0)))
		o.SetText("invoice_id", invoice)
		o.SetText("invoice_number", fmt.Sprintf("INV-%05d", n+1))
		day(o, "date", note.Date)
		money(o, "amount", note.Applied)
		money(o, "credited_amount", note.Applied)
		v.Lists["invoices"] = []*overlay.Object{o}
		v.Lists["invoices_credited"] = v.Lists["invoices"]
	}
	if note.Refunded > 0 {
		o := overlay.NewObject()
		o.SetText("creditnote_refund_id", ids.Child(ids.CreditNotes, n, ledger.PaymentChild(1)))
		day(o, "date", note.Date)
		o.SetText("refund_mode", "bank_transfer")
		o.SetText("reference_number", "")
		o.SetText("description", "Returned")
		amount(o, "amount_bcy", ledger.Convert(note.Refunded, int64(note.Rate)))
		money(o, "amount_fcy", note.Refunded)
		v.Lists["creditnote_refunds"] = []*overlay.Object{o}
	}
}

// noteStatus follows from what was used.
func noteStatus(note *ledger.Note) string {
	switch {
	case note.Status == ledger.Draft:
		return "draft"
	case note.Status == ledger.Void:
		return "void"
	case note.Open() == 0:
		return "closed"
	default:
		return "open"
	}
}

// expense gives the values of an expense.
func (a *Author) expense(v overlay.Values, n int) {
	e := &a.Ledger.Expenses[n]
	tax := words.TaxOf(e.Levy)
	day(v.Object, "date", e.Date)
	a.accountOf(v.Object, "", e.Account)
	a.accountOf(v.Object, "paid_through_", ledger.Bank)
	v.SetText("vendor_id", "")
	v.SetText("vendor_name", "")
	v.SetText("gst_no", "")
	if e.Vendor >= 0 {
		a.vendor(v.Object, e.Vendor)
		v.SetText("gst_no", a.Ledger.Vendors[e.Vendor].Tax)
	}
	a.money(v.Object, 0)
	rate(v.Object, "exchange_rate", a.Ledger.RateOn(0, e.Date))
	levy(v.Object, e.Levy)
	for name, cents := range map[string]int64{
		"amount": e.Net, "sub_total": e.Net, "total_without_tax": e.Net, "bcy_total_without_tax": e.Net, "tax_amount": e.Tax,
		"total": e.Net + e.Tax, "bcy_total": e.Net + e.Tax,
	} {
		money(v.Object, name, cents)
	}
	v.SetFlag("is_itemized_expense", len(e.Parts) > 1)
	for at, part := range e.Parts {
		o := overlay.NewObject()
		o.SetText("line_item_id", ids.Child(ids.Expenses, n, at+1))
		a.accountOf(o, "", e.Account)
		o.SetText("description", "As paid")
		money(o, "amount", part)
		money(o, "item_total", part)
		levy(o, e.Levy)
		o.SetWhole("item_order", at+1)
		location(o, n)
		v.Lists["line_items"] = append(v.Lists["line_items"], o)
	}
	v.Lists["taxes"] = nil
	if tax.Percent > 0 {
		o := overlay.NewObject()
		o.SetText("tax_id", tax.ID)
		o.SetText("tax_name", tax.Name)
		money(o, "tax_amount", e.Tax)
		v.Lists["taxes"] = []*overlay.Object{o}
	}
}
