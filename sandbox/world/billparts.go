package world

import (
	"fmt"
	"strconv"
)

func purchaseID(b, line int) string {
	if b%3 != 0 {
		return ""
	}
	return fixedID(groupPurchase, b*10+line) // ten lines an order.
}

func purchaseReference(b int) string {
	if b%4 == 0 { // one in four has none.
		return ""
	}
	return fmt.Sprintf("PO-%d", b+1000) // four digits.
}

func (w *World) billLines(o *writer, b int, sum billSum) {
	locationID, locationName := location(b)
	o.array("line_items", len(sum.lines), func(n int) {
		line := sum.lines[n]
		o.open()
		o.text("purchaseorder_item_id", purchaseID(b, n+1))
		o.text("receive_item_id", "")
		o.text("line_item_id", childID(Bills, b, n))
		o.text("name", w.itemName(line.item))
		o.text("account_id", w.ID(Accounts, 2)) // Cost of Goods Sold
		o.text("account_name", w.accountName(2))
		o.text("description", w.words.remarks[w.draw(Bills, b+n, fieldText, len(w.words.remarks))])
		o.money("bcy_rate", line.rate*w.billCurrency(b).rate/rateDecimals)
		o.money("rate", line.rate)
		o.money("quantity", line.quantity)
		o.text("tax_id", line.levy.id)
		o.text("tds_tax_id", "")
		o.text("tax_name", line.levy.name)
		o.text("tax_type", "tax")
		o.whole("tax_percentage", int(line.levy.percent))
		o.money("item_total", line.total)
		o.whole("item_order", n)
		o.text("unit", "pcs")
		o.text("image_id", "")
		o.text("image_name", "")
		o.text("image_type", "")
		o.text("reverse_charge_tax_id", "")
		o.text("reverse_charge_tax_name", "")
		o.text("reverse_charge_tax_percentage", "")
		o.text("reverse_charge_tax_amount", "")
		o.text("hsn_or_sac", hsnOf(line.item))
		o.text("tax_exemption_code", "")
		o.text("tax_exemption_id", "")
		o.text("location_id", locationID)
		o.text("location_name", locationName)
		o.close('}')
	})
}

// billTaxes sums the lines' taxes by name; their sum is tax_total.
func (w *World) billTaxes(o *writer, sum billSum) {
	o.array("taxes", 3, func(n int) {
		levy, amount, used := taxOf(n), int64(0), false
		for _, line := range sum.lines {
			if line.levy == levy {
				used = true
				amount += line.total * levy.percent / cents
			}
		}
		if !used {
			return
		}
		o.open()
		o.text("tax_name", levy.name)
		o.money("tax_amount", amount)
		o.close('}')
	})
}

// billAddress writes the array form of bills and payments.
func (w *World) billAddress(o *writer, spot place, attention bool) {
	o.array("billing_address", 1, func(int) {
		o.open()
		o.text("address", spot.street)
		o.text("city", spot.city)
		o.text("state", spot.state)
		o.text("zip", spot.zip)
		o.text("country", "India")
		o.text("fax", "")
		if attention {
			o.text("attention", "Accounts")
		}
		o.close('}')
	})
}

func (w *World) billPayments(o *writer, b, payment int, hasPayment bool, paid int64) {
	o.array("payments", boolInt(hasPayment), func(int) {
		o.open()
		o.text("payment_id", w.ID(Payments, payment))
		o.text("bill_id", w.ID(Bills, b))
		o.text("bill_payment_id", childID(Bills, b, firstPayment))
		o.text("payment_mode", w.paymentMode(payment))
		o.text("payment_number", strconv.Itoa(payment+1))
		o.text("description", "")
		o.text("date", w.day(w.created(Payments, payment), 0))
		o.text("reference_number", paymentReference(payment))
		o.rate("exchange_rate", w.billCurrency(b).rate)
		o.money("amount", paid)
		o.text("paid_through_account_id", w.ID(Accounts, 0)) // Current Account
		o.text("paid_through_account_name", w.accountName(0))
		o.flag("is_single_bill_payment", len(w.paidBills(payment)) == 1)
		o.close('}')
	})
}

func (w *World) billCredits(o *writer, b int, credit int64) {
	o.array("vendor_credits", boolInt(credit > 0), func(int) {
		o.open()
		o.text("vendor_credit_id", fixedID(groupCredit, b))
		o.text("vendor_credit_bill_id", childID(Bills, b, firstPayment+1))
		o.text("vendor_credit_number", number("VC", b+1))
		o.text("date", w.day(w.created(Bills, b), 7)) // a week later.
		o.money("amount", credit)
		o.close('}')
	})
}
