package purchases

import (
	"strconv"

	"sluice/sandbox/world/books"
	"sluice/sandbox/world/draw"
	"sluice/sandbox/world/ids"
	"sluice/sandbox/world/records/parts"
	"sluice/sandbox/world/wire"
	"sluice/sandbox/world/words"
)

func purchaseID(b, line int) string {
	if b%3 != 0 {
		return ""
	}
	return ids.Fixed(ids.GroupPurchase, b*10+line) // ten lines an order.
}

func purchaseReference(b int) string {
	if b%4 == 0 { // one in four has none.
		return ""
	}
	return "PO-" + strconv.Itoa(b+1000) // four digits.
}

func (w Author) billLines(o *wire.Writer, b int, sum books.BillSum) {
	locationID, locationName := words.Location(b)
	o.Array("line_items", len(sum.Lines), func(n int) {
		line := sum.Lines[n]
		o.Open()
		o.Text("purchaseorder_item_id", purchaseID(b, n+1))
		o.Text("receive_item_id", w.Rare(b, ids.Fixed(ids.GroupPurchase, b*10+n+1))) // ten lines an order.
		o.Text("line_item_id", ids.Child(ids.Bills, b, n))
		o.Text("name", w.ItemName(line.Item))
		o.Text("account_id", ids.Of(ids.Accounts, 2)) // Cost of Goods Sold
		o.Text("account_name", w.AccountName(2))
		o.Text("description", w.Words.Remarks[w.Draw(ids.Bills, b+n, draw.Text, len(w.Words.Remarks))])
		o.Money("bcy_rate", line.Rate*w.BillCurrency(b).Rate/words.Millionths)
		o.Money("rate", line.Rate)
		o.Money("quantity", line.Quantity)
		o.Text("tax_id", line.Levy.ID)
		o.Text("tds_tax_id", w.Rare(b, words.TaxAt(1).ID))
		o.Text("tax_name", line.Levy.Name)
		o.Text("tax_type", "tax")
		o.Whole("tax_percentage", int(line.Levy.Percent))
		o.Money("item_total", line.Total)
		o.Whole("item_order", n)
		o.Text("unit", "pcs")
		o.Text("image_id", w.Rare(b, ids.Fixed(ids.GroupImage, line.Item)))
		o.Text("image_name", w.Rare(b, "photo.png"))
		o.Text("image_type", w.Rare(b, "png"))
		o.Text("reverse_charge_tax_id", w.Rare(b, words.TaxAt(2).ID))
		o.Text("reverse_charge_tax_name", w.Rare(b, words.TaxAt(2).Name))
		w.RareMoney(o, b, "reverse_charge_tax_percentage", 0)
		w.RareMoney(o, b, "reverse_charge_tax_amount", 0)
		o.Text("hsn_or_sac", parts.HSN(line.Item))
		o.Text("tax_exemption_code", w.Rare(b, "EX-1"))
		o.Text("tax_exemption_id", w.Rare(b, ids.Fixed(ids.GroupExemption, 0)))
		o.Text("location_id", locationID)
		o.Text("location_name", locationName)
		o.Close('}')
	})
}

// billTaxes sums the lines' taxes by name; their sum is tax_total.
func (w Author) billTaxes(o *wire.Writer, sum books.BillSum) {
	o.Array("taxes", 3, func(n int) {
		levy, amount, used := words.TaxOf(n), int64(0), false
		for _, line := range sum.Lines {
			if line.Levy == levy {
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

// billAddress writes the array form of bills and payments.
func (w Author) billAddress(o *wire.Writer, i int, spot words.Place, attention bool) {
	o.Array("billing_address", 1, func(int) {
		o.Open()
		o.Text("address", spot.Street)
		o.Text("city", spot.City)
		o.Text("state", spot.State)
		o.Text("zip", spot.Zip)
		o.Text("country", "India")
		o.Text("fax", w.Rare(i, books.Phone(i)))
		if attention {
			o.Text("attention", "Accounts")
		}
		o.Close('}')
	})
}

// billPayments writes what was paid: at the start by one payment, then by others.
func (w Author) billPayments(o *wire.Writer, b int) {
	var shares []books.PaymentShare
	if payment, paid := w.Payer(b); paid {
		shares = append(shares, books.PaymentShare{Bill: b, Payment: payment, Cents: w.Applied(b)})
	}
	shares = append(shares, w.SettlementsOf(b)...)
	o.Array("payments", len(shares), func(n int) {
		payment := shares[n].Payment
		o.Open()
		o.Text("payment_id", ids.Of(ids.Payments, payment))
		o.Text("bill_id", ids.Of(ids.Bills, b))
		o.Text("bill_payment_id", ids.Child(ids.Bills, b, paymentChild(n)))
		o.Text("payment_mode", w.PaymentMode(payment))
		o.Text("payment_number", strconv.Itoa(payment+1))
		o.Text("description", w.Rare(b, "January settlement"))
		o.Text("date", w.Day(w.Created(ids.Payments, payment), 0))
		o.Text("reference_number", books.PaymentReference(payment))
		o.Rate("exchange_rate", w.BillCurrency(b).Rate)
		o.Money("amount", shares[n].Cents)
		o.Text("paid_through_account_id", ids.Of(ids.Accounts, 0)) // Current Account
		o.Text("paid_through_account_name", w.AccountName(0))
		o.Flag("is_single_bill_payment", len(w.PaidBills(payment))+len(w.SettledBy(payment)) == 1)
		o.Close('}')
	})
}

func (w Author) billCredits(o *wire.Writer, b int, credit int64) {
	o.Array("vendor_credits", parts.Count(credit > 0), func(int) {
		o.Open()
		o.Text("vendor_credit_id", ids.Fixed(ids.GroupCredit, b))
		o.Text("vendor_credit_bill_id", ids.Child(ids.Bills, b, firstPayment+1))
		o.Text("vendor_credit_number", books.Number("VC", b+1))
		o.Text("date", w.Day(w.Created(ids.Bills, b), 7)) // a week later.
		o.Money("amount", credit)
		o.Close('}')
	})
}
