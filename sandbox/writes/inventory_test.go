package writes_test

import (
	"fmt"
	"strings"
	"testing"
)

func TestLocations(t *testing.T) {
	t.Parallel()
	u := start(t)
	const path = "/inventory/v1/locations"
	u.call(t, post, "/inventory/v1/settings/locations/enable", "").is(t, 200, `{"code":0,"message":"Locations are being enabled."}`)
	created := u.call(t, post, path, `{"location_name":"Depot","type":"line_item_only","email":"d@example.org","phone":"1",
		"address":{"city":"Pune","state_code":"MH","street_address1":"Gate 4"},"associated_series_ids":["4","5"],"is_all_users_selected":false}`)
	created.is(t, 201, `{"code":0,"locations":{"location_id":"*","location_name":"Depot","type":"line_item_only","status":"active","is_primary":false,
		"email":"d@example.org","address":{"city":"Pune","state":"","country":"","attention":"","state_code":"MH","street_address1":"Gate 4","street_address2":""},
		"associated_series_ids":["4","5"],"parent_location_id":""}}`)
	id := created.at(t, "locations", "location_id")
	fatalIf(t, u.listed(t, path, "locations", "location_name", "Depot") == nil, "not listed")
	user := ""
	for _, location := range u.records(t, path, "locations") {
		if parts := strings.Split(string(location["associated_users"]), `"`); len(parts) > 3 {
			user = parts[3]
		}
	}
	updated := u.call(t, put, path+"/"+id, fmt.Sprintf(`{"location_name":"Depot 2","user_ids":%q}`, user))
	updated.is(t, 200, fmt.Sprintf(`{"locations":{"location_id":%q,"location_name":"Depot 2","type":"line_item_only","associated_users":[{"user_id":%q,"user_name":"*"}]}}`, id, user))
	errorIf(t, updated.assumed == "", "the answer of the update is a gap of the document")
	u.call(t, post, path, `{"type":"moon","address":[],"parent_location_id":"3"}`).refused(t, 400, 2,
		"location_name: is needed", "type: is none of general, line_item_only", "address: is no object", "there is no parent_location 3")
	u.call(t, put, path+"/3", `{}`).refused(t, 404, 1002)
}

func TestTaxes(t *testing.T) {
	t.Parallel()
	u := start(t)
	const path = "/inventory/v1/settings/taxes"
	account := text(u.records(t, "/books/v3/chartofaccounts", "chartofaccounts")[0]["account_id"])
	created := u.call(t, post, path, fmt.Sprintf(`{"tax_name":"Levy","tax_percentage":7.5,"tax_type":"compound_tax","tax_specific_type":"cess",
		"purchase_tax_expense_account_id":%s,"is_value_added":true,"country_code":"IN"}`, account))
	created.is(t, 201, `{"code":0,"tax":[{"tax_id":"*","tax_name":"Levy","tax_percentage":7.5,"tax_type":"compound_tax","tax_factor":"rate","tax_specific_type":"cess",
		"is_value_added":true,"country_code":"IN","is_default_tax":false}]}`)
	if got := created.at(t, "tax", "purchase_tax_expense_account_id"); got != account || !strings.Contains(string(created.body), `"purchase_tax_expense_account_id":`+account) {
		t.Errorf("the document calls this identifier an integer: %s", got)
	}
	id := created.at(t, "tax", "tax_id")
	errorIf(t, u.listed(t, path, "taxes", "tax_id", id) == nil || u.listed(t, path+"?filter_by=Taxes.Inactive", "taxes", "tax_id", id) != nil,
		"a new tax is listed with the active ones only")
	updated := u.call(t, put, path+"/"+id, fmt.Sprintf(`{"tax_percentage":8,"tds_payable_account_id":%q}`, account))
	updated.is(t, 200, fmt.Sprintf(`{"code":0,"tax":{"tax_id":%q,"tax_name":"Levy","tax_percentage":8,"tax_type":"compound_tax","tax_authority_id":"","tax_authority_name":"","is_value_added":true}}`, id))
	errorIf(t, strings.Contains(string(updated.body), "country"), "the document names seven fields only: %s", updated.body)
	u.get(t, path+"/"+id).is(t, 200, fmt.Sprintf(`{"tax":[{"tax_id":%q,"tax_percentage":8,"tds_payable_account_id":%q}]}`, id, account))
	u.call(t, post, path, `{"tax_percentage":"much","tax_type":"x"}`).refused(t, 400, 2, "tax_name: is needed", "tax_percentage: is no number", "tax_type: is none of")
}

func TestItems(t *testing.T) {
	t.Parallel()
	u := start(t)
	const path = "/inventory/v1/items"
	site := text(u.listed(t, "/inventory/v1/locations", "locations", "is_primary", "true")["location_id"])
	tax := text(u.listed(t, "/inventory/v1/settings/taxes", "taxes", "tax_name", "GST5")["tax_id"])
	created := u.call(t, post, path, fmt.Sprintf(`{"name":"Hook","rate":12.5,"purchase_rate":8,"tax_id":%q,"sku":"H-1","item_type":"inventory","product_type":"goods",
		"locations":[{"location_id":%q,"initial_stock":40,"initial_stock_rate":8}],"item_tax_preferences":[{"tax_id":%q,"tax_specification":"inter"}],
		"custom_fields":[{"customfield_id":"8","value":"Shelf"}]}`, tax, site, tax))
	created.is(t, 201, fmt.Sprintf(`{"code":0,"item":{"item_id":"*","name":"Hook","rate":12.5,"pricebook_rate":12.5,"purchase_rate":8,"tax_name":"GST5","tax_percentage":5,
		"is_taxable":true,"status":"active","source":"user","sku":"H-1","is_combo_product":false,"locations":[{"location_id":%q,"location_name":"*","status":"active",
		"location_stock_on_hand":40,"location_available_stock":40}],"item_tax_preferences":[{"tax_id":%q,"tax_specification":"inter"}],
		"custom_fields":[{"customfield_id":"8","value":"Shelf"}],"created_time":"2026-03-10T11:30:00+0530"}}`, site, tax))
	id := created.at(t, "item", "item_id")
	errorIf(t, !strings.Contains(string(created.body), `"rate":12.50,"pricebook_rate":12.50,"purchase_rate":8.00,`),
		"amounts have two decimals on the wire: %s", created.body)
	u.get(t, "/inventory/v1/itemdetails?item_ids="+id).is(t, 200, fmt.Sprintf(`{"items":[{"item_id":%q,"name":"Hook"}]}`, id))
	same(t, text(u.records(t, path, "items")[0]["item_id"]), id, "the default order is newest first, and the first is")
	u.call(t, post, path, `{"name":"Hook","group_id":"4","item_type":"sales"}`).refused(t, 400, 2, "item_type: must be inventory when the item belongs to a group")
	u.call(t, post, path, `{"item_type":"dream","item_tax_preferences":[{"tax_specification":"odd"}]}`).refused(t, 400, 2,
		"name: is needed", "item_type: is none of", "item_tax_preferences[0].tax_specification: is none of intra, inter")
}

func TestCompositeItems(t *testing.T) {
	t.Parallel()
	u := start(t)
	const path = "/inventory/v1/compositeitems"
	item := u.records(t, "/inventory/v1/items", "items")[0]
	created := u.call(t, post, path, fmt.Sprintf(`{"name":"AAA Set","rate":30,"purchase_rate":20,"initial_stock":4,"initial_stock_rate":20,"reorder_level":9,
		"mapped_items":[{"item_id":%q,"quantity":2}]}`, text(item["item_id"])))
	created.is(t, 201, fmt.Sprintf(`{"code":0,"composite_item":{"composite_item_id":"*","name":"AAA Set","is_combo_product":true,"item_type":"inventory","status":"active",
		"rate":30,"stock_on_hand":4,"available_stock":4,"asset_value":80,"reorder_level":9,"image_name":"",
		"mapped_items":[{"line_item_id":"*","item_id":%q,"name":%s,"quantity":2}]}}`, text(item["item_id"]), item["name"]))
	id := created.at(t, "composite_item", "composite_item_id")
	for filter, want := range map[string]bool{"Status.All": true, "Status.Active": true, "Inactive": false, "Lowstock": true} {
		same(t, u.listed(t, path+"?filter_by="+filter, "composite_items", "composite_item_id", id) != nil, want, filter)
	}
	for _, column := range []string{"name", "rate"} { // "AAA" is the first name, 30 a low price
		same(t, text(u.records(t, path+"?sort_order=A&sort_column="+column, "composite_items")[0]["name"]), "AAA Set", column)
	}
	u.call(t, put, path+"/"+id, `{"name":"Set","description":"In a box"}`).is(t, 200, `{"composite_item":{"name":"Set","description":"In a box","rate":30,"stock_on_hand":4}}`)

	send := func(part, file string) reply { return u.form(t, path+"/"+id+"/image", "", part, file) }
	for extension := range strings.FieldsSeq("gif png jpeg jpg bmp") { // docs/upstream.md U211
		send("image", "kit."+extension).is(t, 200, `{"code":0,"message":"*"}`)
	}
	u.get(t, path+"/"+id).is(t, 200, `{"composite_item":{"name":"Set","image_name":"kit.bmp","image_id":"*"}}`)
	send("image", "kit.pdf").refused(t, 400, 2, "image: send one of gif, png, jpeg, jpg, bmp")
	send("photo", "kit.png").refused(t, 400, 2, "part image is missing")
	u.call(t, post, path+"/"+id+"/image", `{}`).refused(t, 400, 2, "form-data")
	u.call(t, post, path, `{"name":"x","mapped_items":[{"item_id":"5"}],"item_type":"sales"}`).refused(t, 400, 2,
		"mapped_items[0].item_id: there is no item 5", "item_type: is none of inventory")
}

func TestBills(t *testing.T) {
	t.Parallel()
	u := start(t)
	const path = "/inventory/v1/bills"
	_, vendor, _ := u.openBill(t)
	gst18 := text(u.listed(t, "/inventory/v1/settings/taxes", "taxes", "tax_name", "GST18")["tax_id"])
	gst5 := text(u.listed(t, "/inventory/v1/settings/taxes", "taxes", "tax_name", "GST5")["tax_id"])
	body := fmt.Sprintf(`{"vendor_id":%q,"bill_number":"X-1","date":"2026-03-01","due_date":"2026-03-15","notes":"Gate","line_items":[
		{"name":"Rope","rate":10.10,"quantity":3,"tax_id":%q},{"name":"Nails","rate":2,"quantity":5,"tax_id":%q},{"name":"Net","rate":1.115,"quantity":1,"tax_id":%q}]}`,
		vendor, gst18, gst5, gst18)
	created := u.call(t, post, path, body)
	// 30.30 + 10.00 + 1.12 (1.115 rounded half up); taxes 18 % of 30.30 = 5.45 and of 1.12 = 0.20,
	// 5 % of 10 = 0.50.
	created.is(t, 201, fmt.Sprintf(`{"code":0,"bill":{"bill_id":"*","vendor_id":%q,"vendor_name":"*","bill_number":"X-1","date":"2026-03-01","due_date":"2026-03-15","due_by_days":5,
		"status":"open","currency_code":"INR","notes":"Gate","sub_total":41.42,"tax_total":6.15,"balance":47.57,"payments":[],"vendor_credits":[],"line_items":[
		{"line_item_id":"*","name":"Rope","rate":10.1,"quantity":3,"item_total":30.3,"item_order":0,"tax_name":"GST18","tax_percentage":18},
		{"name":"Nails","item_total":10,"item_order":1,"tax_percentage":5},{"name":"Net","rate":1.115,"item_total":1.12,"item_order":2}],
		"taxes":[{"tax_name":"GST18","tax_amount":5.65},{"tax_name":"GST5","tax_amount":0.5}]}}`, vendor))
	id := created.at(t, "bill", "bill_id")
	errorIf(t, u.listed(t, path, "bills", "bill_id", id) == nil, "not listed")
	u.call(t, post, path, fmt.Sprintf(`{"vendor_id":%q,"is_inclusive_tax":true,"line_items":[{"rate":118,"quantity":1,"tax_id":%q}]}`, vendor, gst18)).is(t, 201,
		`{"bill":{"sub_total":100,"tax_total":18,"balance":118,"bill_number":"*"}}`)
	u.call(t, post, path, `{"vendor_id":"6","gst_treatment":"none","date":"soon","line_items":{}}`).refused(t, 400, 2,
		"vendor_id: there is no vendor 6", "gst_treatment: is none of business_gst", "date: is no date", "line_items: is no list")

	form := func(file string) reply { return u.form(t, path, body, "attachment", file) }
	for extension := range strings.FieldsSeq("gif png jpeg jpg bmp pdf") { // docs/upstream.md U220
		form("bill."+extension).is(t, 201, fmt.Sprintf(`{"bill":{"attachment_name":"bill.%s","balance":47.57}}`, extension))
	}
	form("bill.docx").refused(t, 400, 2, "attachment: send one of gif")
}

// A user would see this: a payment lowers the balance of its bills.
func TestPaymentsPayBills(t *testing.T) {
	t.Parallel()
	u := start(t)
	_, vendor, _ := u.openBill(t)
	const bills, path = "/inventory/v1/bills", "/books/v3/vendorpayments"
	bill := u.call(t, post, bills, fmt.Sprintf(`{"vendor_id":%q,"bill_number":"X-2","line_items":[{"rate":100,"quantity":1}]}`, vendor)).at(t, "bill", "bill_id")
	pay := func(amount, applied string) string {
		return fmt.Sprintf(`{"vendor_id":%q,"amount":%s,"payment_mode":"check","date":"2026-03-09","reference_number":"AAA","bills":[{"bill_id":%q,"amount_applied":%s}],
			"check_details":[{"check_number":"7","memo":"March"}],"custom_fields":[{"index":1,"value":"U-1"}]}`, vendor, amount, bill, applied)
	}
	created := u.call(t, post, path, pay("70", "60"))
	created.is(t, 201, fmt.Sprintf(`{"code":0,"message":"*","payment_id":"*","payment_number":"*","vendor_id":%q,"vendor_name":"*","amount":70,"balance":10,
		"date":"2026-03-09","payment_mode":"check","paid_through_account_name":"*","paid_through_account_type":"*","check_details":{"check_number":"7","memo":"March"},
		"bills":[{"bill_payment_id":"*","bill_id":%q,"bill_number":"X-2","amount_applied":60,"balance":40,"total":100}],"custom_fields":[{"index":1,"value":"U-1"}]}`, vendor, bill))
	payment := created.at(t, "payment_id")
	u.get(t, bills+"/"+bill).is(t, 200, fmt.Sprintf(`{"bill":{"balance":40,"status":"partially_paid","last_modified_time":"2026-03-10T11:30:00+0530",
		"payments":[{"payment_id":%q,"bill_id":%q,"payment_mode":"check","amount":60,"date":"2026-03-09","reference_number":"AAA"}]}}`, payment, bill))

	u.call(t, post, path, pay("50", "41")).refused(t, 400, 2, "bills[0].amount_applied: is more than the balance of 40.00")
	u.call(t, post, path, pay("30", "35")).refused(t, 400, 2, "amount: is less than what is applied")
	u.call(t, post, path, pay("5", "-1")).refused(t, 400, 2, "amount_applied")
	twice := fmt.Sprintf(`{"bill_id":%q,"amount_applied":25}`, bill)
	u.call(t, post, path, fmt.Sprintf(`{"vendor_id":%q,"amount":50,"bills":[%s,%s]}`, vendor, twice, twice)).refused(t, 400, 2, "bills[1].amount_applied: is more than the balance of 15.00")
	other := ""
	for _, record := range u.records(t, bills, "bills") {
		if text(record["vendor_id"]) != vendor && text(record["status"]) == "open" {
			other = text(record["bill_id"])
		}
	}
	u.call(t, post, path, strings.Replace(pay("5", "1"), bill, other, 1)).refused(t, 400, 2, "is a bill of another vendor")
	u.get(t, bills+"/"+bill).is(t, 200, `{"bill":{"balance":40}}`)

	unique := []string{"X-Unique-Identifier-Key", "cf_voucher", "X-Unique-Identifier-Value", "U-1"}
	u.call(t, put, path, `{"amount":59}`, unique...).refused(t, 400, 2, "amount: is less than what is applied")
	u.call(t, put, path, pay("100", "100"), unique...).is(t, 200, fmt.Sprintf(`{"vendorpayment":[{"payment_id":%q,"amount":100,"balance":0,"bills":[{"amount_applied":100,"balance":0}]}]}`, payment))
	u.get(t, bills+"/"+bill).is(t, 200, `{"bill":{"balance":0,"status":"paid","payments":[{"amount":100}]}}`)
	u.call(t, put, path, fmt.Sprintf(`{"vendor_id":%q,"bills":[]}`, vendor), unique...).is(t, 200, `{"vendorpayment":[{"amount":100,"balance":100,"bills":[]}]}`)
	u.get(t, bills+"/"+bill).is(t, 200, `{"bill":{"balance":100,"status":"open","payments":[]}}`)

	for filter, want := range map[string]bool{"All": true, "Check": true, "Cash": false} {
		same(t, u.listed(t, path+"?filter_by=PaymentMode."+filter, "vendorpayments", "payment_id", payment) != nil, want, filter)
	}
}

// A generated bill is paid like a written one.
func TestPaymentsPayGeneratedBills(t *testing.T) {
	t.Parallel()
	u := start(t)
	bill, vendor, balance := u.openBill(t)
	u.call(t, post, "/books/v3/vendorpayments", fmt.Sprintf(`{"vendor_id":%q,"bills":[{"bill_id":%q,"amount_applied":%s}]}`, vendor, bill, balance)).is(t, 201,
		fmt.Sprintf(`{"amount":%s,"balance":0,"payment_mode":"cash","date":"2026-03-10"}`, balance))
	u.get(t, "/inventory/v1/bills/"+bill).is(t, 200, fmt.Sprintf(`{"bill":{"balance":0,"status":"paid","payments":[{"amount":%s}]}}`, balance))
	for record := range u.Truth("inventory", "bills") {
		if strings.Contains(string(record), `"bill_id":"`+bill+`"`) && strings.Contains(string(record), `"balance":0.00,"created_time"`) {
			return
		}
	}
	t.Error("the truth does not know the payment")
}

func TestCreditNotes(t *testing.T) {
	t.Parallel()
	u := start(t)
	const path = "/inventory/v1/creditnotes"
	customer := text(u.records(t, path, "creditnotes")[0]["customer_id"])
	item := u.records(t, "/inventory/v1/items", "items")[0]
	tax := text(u.listed(t, "/inventory/v1/settings/taxes", "taxes", "tax_name", "GST5")["tax_id"])
	created := u.call(t, post, path, fmt.Sprintf(`{"customer_id":%q,"creditnote_number":"AA-1","date":"2026-03-02","is_draft":true,"cfdi_usage":"payroll",
		"line_items":[{"item_id":%q,"quantity":2,"rate":10,"tax_id":%q,"serial_numbers":["S1","S2"]}]}`, customer, text(item["item_id"]), tax))
	created.is(t, 201, fmt.Sprintf(`{"code":0,"creditnote":{"creditnote_id":"*","creditnote_number":"AA-1","date":"2026-03-02","status":"draft","customer_id":%q,"customer_name":"*",
		"cfdi_usage":"payroll","total":21,"balance":21,"currency_code":"INR","invoices":[],"line_items":[{"line_item_id":"*","item_id":%q,"name":%s,"quantity":2,"rate":10,
		"serial_numbers":["S1","S2"]}],"taxes":[{"tax_id":%q,"tax_name":"GST5","tax_amount":1}],"updated_time":"2026-03-10T11:30:00+0530"}}`,
		customer, text(item["item_id"]), item["name"], tax))
	id := created.at(t, "creditnote", "creditnote_id")
	for filter, want := range map[string]bool{"All": true, "Draft": true, "Open": false, "Void": false} {
		same(t, u.listed(t, path+"?filter_by=Status."+filter, "creditnotes", "creditnote_id", id) != nil, want, filter)
	}
	same(t, text(u.records(t, path+"?sort_column=total&sort_order=A", "creditnotes")[0]["creditnote_id"]), id, "sorted by total, the first is")
	u.call(t, post, path, fmt.Sprintf(`{"customer_id":%q}`, customer)).is(t, 201, `{"creditnote":{"status":"open","total":0,"creditnote_number":"*"}}`)
	u.call(t, post, path, `{"cfdi_usage":"fun","cfdi_reference_type":"x","vat_treatment":"y","contact_persons":"7"}`).refused(t, 400, 2,
		"customer_id: is needed", "cfdi_usage", "cfdi_reference_type", "vat_treatment", "contact_persons: is no list")
}
