package purchases

import (
	"sluice/sandbox/world/books"
	"sluice/sandbox/world/ids"
	"sluice/sandbox/world/records/parts"
	"sluice/sandbox/world/wire"
	"sluice/sandbox/world/words"
)

// purchaseID writes the identifier of a purchase order or of one of its lines: one bill in three
// has one.
func purchaseID(o *wire.Writer, name string, b, line int) {
	parts.ID(o, name, b%3 == 0, ids.GroupPurchase, b*10+line) // ten lines an order.
}

func (w Author) billLines(o *wire.Writer, b int, sum books.BillSum) {
	rate := w.BillCurrency(b).Rate
	o.Array("line_items", len(sum.Lines), func(n int) {
		line := &sum.Lines[n]
		o.Open()
		purchaseID(o, "purchaseorder_item_id", b, n+1)
		parts.ID(o, "receive_item_id", w.IsRare(b), ids.GroupPurchase, b*10+n+1) // ten lines an order.
		o.ID("line_item_id", ids.ChildNumber(ids.Bills, b, n))
		o.Text("name", w.ItemName(line.Item))
		o.ID("account_id", ids.Number(ids.Accounts, 2)) // Cost of Goods Sold
		o.Text("account_name", w.AccountName(2))
		w.Remark(o, "description", ids.Bills, b+n)
		o.Money("bcy_rate", line.Rate*rate/words.Millionths)
		o.Money("rate", line.Rate)
		o.Money("quantity", line.Quantity)
		w.lineTax(o, b, line.Levy)
		o.Money("item_total", line.Total)
		o.Whole("item_order", n)
		w.lineUnit(o, b, line.Item)
		parts.HSN(o, line.Item)
		w.lineEnd(o, b)
		o.Close('}')
	})
}

func (w Author) lineTax(o *wire.Writer, b, levy int) {
	tax := words.TaxOf(levy)
	o.Text("tax_id", tax.ID)
	o.Text("tds_tax_id", w.Rare(b, words.TaxAt(1).ID))
	o.Text("tax_name", tax.Name)
	o.Text("tax_type", "tax")
	o.Whole("tax_percentage", int(tax.Percent))
}

func (w Author) lineUnit(o *wire.Writer, b, item int) {
	o.Text("unit", "pcs")
	o.Text("image_id", w.Rare(b, ids.Fixed(ids.GroupImage, item)))
	o.Text("image_name", w.Rare(b, "photo.png"))
	o.Text("image_type", w.Rare(b, "png"))
	o.Text("reverse_charge_tax_id", w.Rare(b, words.TaxAt(2).ID))
	o.Text("reverse_charge_tax_name", w.Rare(b, words.TaxAt(2).Name))
	w.RareMoney(o, b, "reverse_charge_tax_percentage", 0)
	w.RareMoney(o, b, "reverse_charge_tax_amount", 0)
}

func (w Author) lineEnd(o *wire.Writer, b int) {
	locationID, locationName := words.Location(b)
	o.Text("tax_exemption_code", w.Rare(b, "EX-1"))
	o.Text("tax_exemption_id", w.Rare(b, ids.Fixed(ids.GroupExemption, 0)))
	o.Text("location_id", locationID)
	o.Text("location_name", locationName)
}

// billTaxes sums the lines' taxes by name; their sum is tax_total.
func (w Author) billTaxes(o *wire.Writer, sum books.BillSum) {
	o.Array("taxes", words.LineTaxes, func(n int) {
		levy, amount, used := words.TaxOf(n), int64(0), false
		for _, line := range sum.Lines {
			if line.Levy == n {
				used = true
				amount += line.Total * levy.Percent / words.Cents
			}
		}
		if !used {
			return
		}
		o.Open()
		o.Text("tax_name", levy.Name)
		o.Money("tax_amount", amount)
		o.Close('}')
	})
}

// billPayments writes the payments of a bill: the initial one, then later ones.
func (w Author) billPayments(o *wire.Writer, b int, sum books.BillSum) {
	settled, first := w.SettlementsOf(b), 0
	payer, paid := w.Payer(b)
	if paid {
		first = 1
	}
	o.Array("payments", first+len(settled), func(n int) {
		if n < first {
			w.billPayment(o, b, n, books.PaymentShare{Bill: b, Payment: payer, Cents: w.AppliedOf(b, sum)})
		} else {
			w.billPayment(o, b, n, settled[n-first])
		}
	})
}

func (w Author) billPayment(o *wire.Writer, b, n int, share books.PaymentShare) {
	payment := share.Payment
	o.Open()
	o.ID("payment_id", ids.Number(ids.Payments, payment))
	o.ID("bill_id", ids.Number(ids.Bills, b))
	o.ID("bill_payment_id", ids.ChildNumber(ids.Bills, b, paymentChild(n)))
	o.Text("payment_mode", w.PaymentMode(payment))
	o.Numbered("payment_number", "", payment+1)
	o.Text("description", w.Rare(b, "January settlement"))
	w.Date(o, "date", w.Created(ids.Payments, payment), 0)
	paymentReference(o, payment)
	o.Rate("exchange_rate", w.BillCurrency(b).Rate)
	o.Money("amount", share.Cents)
	w.paidThrough(o)
	o.Flag("is_single_bill_payment", w.PaidBills(payment)+len(w.SettledBy(payment)) == 1)
	o.Close('}')
}

func (w Author) billCredits(o *wire.Writer, b int, credit int64) {
	o.Array("vendor_credits", parts.Count(credit > 0), func(int) {
		o.Open()
		o.ID("vendor_credit_id", ids.FixedNumber(ids.GroupCredit, b))
		o.ID("vendor_credit_bill_id", ids.ChildNumber(ids.Bills, b, firstPayment+1))
		parts.Number(o, "vendor_credit_number", "VC-", b+1)
		w.Date(o, "date", w.Created(ids.Bills, b), 7) // a week later.
		o.Money("amount", credit)
		o.Close('}')
	})
}
