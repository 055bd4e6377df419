package ledger

import (
	"sluice/sandbox/world/draw"
	"sluice/sandbox/world/ids"
	"sluice/sandbox/world/records/parts"
	"sluice/sandbox/world/wire"
	"sluice/sandbox/world/words"
)

// Expense writes an expense. One in three is for mileage, one in three for a customer; keys of
// other editions are rare.
func (w Author) Expense(o *wire.Writer, i int) {
	tax := words.TaxOf(i)
	amount := w.ExpenseAmount(i)
	levied := amount * tax.Percent / words.Cents
	account := 10 + w.Draw(ids.Expenses, i, draw.Parent, 2) // none of the system's.
	siteID, siteName := words.Location(i)
	home := words.CurrencyOf(false)
	id := ids.Of(ids.Expenses, i)
	o.Text("expense_id", id)
	o.Text("transaction_id", id)
	o.Text("transaction_type", "expense")
	o.Text("expense_type", [...]string{"service", "goods"}[i%2])
	o.Text("status", [...]string{"unbilled", "nonbillable"}[parts.Count(i%3 != 0)])
	w.Date(o, "date", w.Created(ids.Expenses, i), 0)
	o.ID("account_id", ids.Number(ids.Accounts, account))
	o.Text("account_name", w.AccountName(account))
	o.ID("paid_through_account_id", ids.Number(ids.Accounts, 0)) // Current Account
	o.Text("paid_through_account_name", w.AccountName(0))
	parts.ID(o, "vendor_id", i%2 == 0, ids.GroupVendor, w.Draw(ids.Expenses, i, draw.Vendor, w.Vendors()))
	w.expenseCustomer(o, i)
	o.Text("location_id", siteID)
	o.Text("location_name", siteName)
	o.Text("currency_id", home.ID)
	o.Text("currency_code", home.Code)
	o.Rate("exchange_rate", home.Rate)
	o.Money("amount", amount)
	o.Text("tax_id", tax.ID)
	o.Text("tax_name", tax.Name)
	o.Whole("tax_percentage", int(tax.Percent))
	o.Money("tax_amount", levied)
	o.Money("sub_total", amount)
	o.Money("total", amount+levied)
	o.Money("bcy_total", amount+levied)
	o.Flag("is_inclusive_tax", false)
	o.Flag("is_personal", false)
	o.Flag("is_itemized_expense", i%4 == 0)
	o.Flag("is_pre_gst", false)
	parts.Padded(o, "reference_number", i%5 > 0, "EXP-", i+1, 5)
	w.Remark(o, "description", ids.Expenses, i)
	o.ID("expense_item_id", ids.ChildNumber(ids.Expenses, i, 0))
	parts.HSN(o, i)
	w.expenseTaxes(o, i)
	w.expenseMileage(o, i)
	o.Text("expense_receipt_name", parts.Either(i%2 == 1, "receipt.pdf"))
	o.Text("expense_receipt_type", parts.Either(i%2 == 1, "pdf"))
	w.Time(o, "last_modified_time", w.Modified(ids.Expenses, i))
	w.expenseLines(o, i, account, amount, siteID, tax)
	o.Array("taxes", parts.Count(tax.Percent > 0), func(int) {
		o.Open()
		o.Text("tax_id", tax.ID)
		o.Money("tax_amount", levied)
		o.Close('}')
	})
	o.Array("custom_fields", 0, nil)
}

func (w Author) expenseCustomer(o *wire.Writer, i int) {
	billable := i%3 == 0
	customer := w.Draw(ids.Expenses, i, draw.Customer, w.Customers())
	user, _ := words.User(i % words.Users)
	o.Flag("is_billable", billable)
	parts.ID(o, "customer_id", billable, ids.GroupCustomer, customer)
	o.Text("customer_name", parts.Either(billable, w.Words.CustomerName(customer)))
	parts.ID(o, "project_id", billable, ids.GroupProject, i%10)
	o.Text("project_name", parts.Either(billable, "Shop fitting"))
	parts.ID(o, "invoice_id", billable && i%2 == 0, ids.GroupInvoice, i)
	parts.Padded(o, "invoice_number", billable && i%2 == 0, "INV-", i+1, 5)
	o.Text("employee_id", user)
}

// expenseTaxes writes the tax keys of the editions.
func (w Author) expenseTaxes(o *wire.Writer, i int) {
	spot := w.Words.Place(i)
	o.Text("source_of_supply", spot.Code)
	o.Text("destination_of_supply", "MH")
	o.Text("destination_of_supply_state", "Maharashtra")
	o.Text("place_of_supply", w.Rare(i, "DU"))
	o.Text("gst_no", parts.Either(i%2 == 0, "27AAACB1234F1Z5"))
	o.Text("gst_treatment", [...]string{"business_gst", "consumer", "overseas"}[i%3])
	o.Text("vat_treatment", w.Rare(i, "uk"))
	o.Text("vat_reg_no", w.Rare(i, "GB123456789"))
	o.Text("tax_treatment", w.Rare(i, "vat_registered"))
	o.Text("product_type", [...]string{"goods", "service"}[i%2])
	vat := w.Rare(i, words.TaxAt(0).ID)
	o.Text("acquisition_vat_id", vat)
	o.Money("acquisition_vat_total", 0)
	o.Array("acquisition_vat_summary", 0, nil)
	o.Text("reverse_charge_vat_id", vat)
	o.Money("reverse_charge_vat_total", 0)
	o.Array("reverse_charge_vat_summary", 0, nil)
	o.Text("reverse_charge_tax_id", vat)
	o.Text("reverse_charge_tax_name", w.Rare(i, words.TaxAt(0).Name))
	if w.IsRare(i) {
		o.Whole("reverse_charge_tax_percentage", int(words.TaxAt(0).Percent))
		o.Money("reverse_charge_tax_amount", words.Cents)
	} else {
		o.Text("reverse_charge_tax_percentage", "")
		o.Text("reverse_charge_tax_amount", "")
	}
}

func (w Author) expenseMileage(o *wire.Writer, i int) {
	driven := i%3 == 1
	o.Text("mileage_type", [...]string{"non_mileage", "odometer"}[parts.Count(driven)])
	o.Text("mileage_unit", parts.Either(driven, "km"))
	if driven {
		from, distance := 1000*i, 1+w.Draw(ids.Expenses, i, draw.Quantity, 300)
		o.Money("mileage_rate", 850) // 8.50 a kilometre.
		o.Whole("start_reading", from)
		o.Whole("end_reading", from+distance)
		o.Whole("distance", distance)
	} else {
		for _, name := range []string{"mileage_rate", "start_reading", "end_reading", "distance"} {
			o.Text(name, "")
		}
	}
	o.Text("vehicle_type", parts.Either(driven, "car"))
	o.Text("fuel_type", parts.Either(driven, "diesel"))
	o.Text("engine_capacity_range", parts.Either(driven, "less_than_1400cc"))
	o.Flag("can_reclaim_vat_on_mileage", false)
	parts.ID(o, "trip_id", driven, ids.GroupTrip, i)
	parts.Padded(o, "trip_number", driven, "TRIP-", i+1, 5)
}

// expenseLines writes one line, or two that share the amount.
func (w Author) expenseLines(o *wire.Writer, i, account int, amount int64, siteID string, tax words.Tax) {
	shares := []int64{amount}
	if i%4 == 0 { // itemized.
		shares = []int64{amount / 3, amount - amount/3}
	}
	o.Array("line_items", len(shares), func(n int) {
		o.Open()
		o.ID("line_item_id", ids.ChildNumber(ids.Expenses, i, n+1))
		o.ID("account_id", ids.Number(ids.Accounts, account))
		w.Remark(o, "description", ids.Expenses, i+n)
		o.Money("amount", shares[n])
		o.Text("tax_id", tax.ID)
		o.Whole("item_order", n+1)
		o.Text("product_type", [...]string{"goods", "service"}[i%2])
		for _, name := range []string{"acquisition_vat_id", "reverse_charge_vat_id", "reverse_charge_tax_id"} {
			o.Text(name, w.Rare(i, words.TaxAt(0).ID))
		}
		o.Text("tax_exemption_code", w.Rare(i, "EX-1"))
		o.Text("tax_exemption_id", w.Rare(i, ids.Fixed(ids.GroupExemption, 0)))
		o.Text("location_id", siteID)
		o.Close('}')
	})
}
