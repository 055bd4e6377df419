package writes_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
)

const (
	post   = http.MethodPost
	put    = http.MethodPut
	remove = http.MethodDelete
)

func TestContactPersonsOfAccounting(t *testing.T) {
	t.Parallel()
	u := start(t)
	_, vendor, _ := u.openBill(t)
	created := u.call(t, post, "/books/v3/contacts/contactpersons", fmt.Sprintf(
		`{"contact_id":%q,"salutation":"Ms.","first_name":"Ada","last_name":"Löv","email":"ada@example.org","phone":"+46 8 1","enable_portal":true}`, vendor))
	created.is(t, 201, fmt.Sprintf(`{"code":0,"message":"*","contact_person":[{"contact_id":%q,"contact_person_id":"*","salutation":"Ms.",
		"first_name":"Ada","last_name":"Löv","email":"ada@example.org","phone":"+46 8 1","mobile":"","is_primary_contact":false,"is_added_in_portal":true}]}`, vendor))
	id := created.at(t, "contact_person", "contact_person_id")
	people := "/books/v3/contacts/" + vendor + "/contactpersons"
	errorIf(t, u.listed(t, people, "contact_persons", "contact_person_id", id) == nil, "the new person is not listed under its contact")

	path := "/books/v3/contacts/contactpersons/" + id
	u.call(t, put, path, `{"designation":"Owner","is_primary_contact":true}`).is(t, 200,
		`{"code":0,"contact_person":[{"first_name":"Ada","designation":"Owner","is_primary_contact":true}]}`)
	primary := 0
	for _, person := range u.records(t, people, "contact_persons") {
		if string(person["is_primary_contact"]) == "true" {
			primary++
		}
	}
	same(t, primary, 1, "primary contacts")

	u.call(t, remove, path, "").is(t, 200, `{"code":0,"message":"*"}`)
	errorIf(t, u.listed(t, people, "contact_persons", "contact_person_id", id) != nil, "the deleted person is still listed")
	u.call(t, remove, path, "").refused(t, 404, 1002)
	u.call(t, put, path, `{}`).refused(t, 404, 1002)
	u.call(t, post, "/books/v3/contacts/contactpersons", `{"contact_id":"12"}`).refused(t, 400, 2, "contact_id")
}

func TestCustomModules(t *testing.T) {
	t.Parallel()
	u := start(t)
	first := u.call(t, post, "/books/v3/cm_projects", `{"record_name":"Mill","cf_amount":12.5,"cf_colour":"red"}`)
	first.is(t, 201, `{"code":0,"module_record":[{"module_record_id":"*","module_api_name":"cm_projects","record_name":"Mill",
		"record_name_formatted":"Mill","cf_amount":12.5,"cf_colour":"red","cf_colour_formatted":"red",
		"created_time":"2026-03-10T11:30:00+0530","last_modified_time":"2026-03-10T11:30:00+0530","created_by_id":"*"}]}`)
	second := u.call(t, post, "/books/v3/projects", `{"record_name":"Barn"}`)
	a, b := first.at(t, "module_record", "module_record_id"), second.at(t, "module_record", "module_record_id")

	// docs/upstream.md U160: module_record_id as comma-separated string; each item with code and
	// message.
	u.call(t, put, "/books/v3/cm_projects", fmt.Sprintf(`{"module_record_id":"%s,%s,77","cf_colour":"blue"}`, a, b)).is(t, 200, fmt.Sprintf(
		`{"code":0,"module_record":[{"code":0,"message":"*","module_record_id":%q,"record_name":"Mill","cf_colour":"blue"},
		{"code":0,"message":"*","module_record_id":%q,"record_name":"Barn","cf_colour":"blue"},{"code":1002,"message":"*","module_record_id":"77"}]}`, a, b))
	u.call(t, put, "/books/v3/cm_projects", `{"cf_colour":"blue"}`).refused(t, 400, 2, "module_record_id: is required")

	single := u.call(t, put, "/books/v3/cm_projects/"+a, `{"record_name":"Old mill"}`)
	single.is(t, 200, `{"code":0,"module_record":[{"record_name":"Old mill","cf_colour":"blue"}]}`)
	errorIf(t, single.assumed == "", "the answer of a single update is a gap of the document")
	got := u.listed(t, "/books/v3/cm_projects", "module_record", "module_record_id", a)
	errorIf(t, text(got["record_name"]) != "Old mill" || text(got["cf_colour"]) != "blue", "listed: %s", got)
	u.call(t, put, "/books/v3/cm_assets/"+a, `{}`).refused(t, 404, 1002)
	for _, method := range []string{post, put, remove} {
		u.call(t, method, "/books/v3/cm_unknown", `{}`).refused(t, 404, 5)
		u.call(t, method, "/books/v3/items", `{}`).refused(t, 404, 5)
	}

	u.call(t, remove, "/books/v3/cm_projects?module_record_id="+a, "").is(t, 200, `{"code":0,"message":"*"}`)
	errorIf(t, u.listed(t, "/books/v3/cm_projects", "module_record", "module_record_id", a) != nil, "the deleted record is still listed")
	u.call(t, remove, "/books/v3/projects", "").refused(t, 404, 5)
	assets := len(u.records(t, "/books/v3/cm_assets", "module_record"))
	u.call(t, remove, "/books/v3/cm_projects", "").is(t, 200, `{"code":0,"message":"*"}`)
	if left := len(u.records(t, "/books/v3/cm_projects", "module_record")); left != 0 || assets == 0 || assets != len(u.records(t, "/books/v3/cm_assets", "module_record")) {
		t.Errorf("%d records left in the module, %d in the other one before", left, assets)
	}
}

func TestOpeningBalance(t *testing.T) {
	t.Parallel()
	u := start(t)
	const path = "/books/v3/settings/openingbalances"
	accounts := u.records(t, "/books/v3/chartofaccounts", "chartofaccounts")
	bank, equity := text(accounts[0]["account_id"]), text(accounts[1]["account_id"])
	body := func(id, debit, credit string) string {
		return fmt.Sprintf(`{%s"date":"2025-04-01","accounts":[{"account_id":%q,"debit_or_credit":"debit","exchange_rate":80,"amount":%s},
			{"account_id":%q,"debit_or_credit":"credit","amount":%s}]}`, id, bank, debit, equity, credit)
	}
	u.call(t, post, path, body("", "2.50", "199")).refused(t, 400, 2, "debits of 200.00 do not equal credits of 199.00")
	created := u.call(t, post, path, body("", "2.50", "200"))
	created.is(t, 201, fmt.Sprintf(`{"code":0,"opening_balance":{"opening_balance_id":"*","date":"2025-04-01","price_precision":2,"total":200,"accounts":[
		{"acount_split_id":"*","account_id":%q,"account_name":"*","debit_or_credit":"debit","exchange_rate":80,"currency_code":"INR","bcy_amount":200,"amount":2.5},
		{"acount_split_id":"*","account_id":%q,"debit_or_credit":"credit","exchange_rate":1,"bcy_amount":200,"amount":200}]}}`, bank, equity))
	id := created.at(t, "opening_balance", "opening_balance_id")
	same(t, u.get(t, path).at(t, "opening_balance", "opening_balance_id"), id, "the opening balance is")
	u.call(t, put, path, body("", "5", "400")).refused(t, 400, 2, "opening_balance_id: is required")
	u.call(t, put, path, body(fmt.Sprintf(`"opening_balance_id":%q,`, id), "5", "400")).is(t, 200,
		fmt.Sprintf(`{"code":0,"opening_balance":{"opening_balance_id":%q,"total":400}}`, id))
	u.call(t, remove, path, "").is(t, 200, `{"code":0,"message":"*"}`)
	u.get(t, path).is(t, 200, `{"code":0,"opening_balance":{}}`)
	u.call(t, remove, path, "").refused(t, 404, 1002)
	u.call(t, put, path, body(fmt.Sprintf(`"opening_balance_id":%q,`, id), "5", "400")).refused(t, 404, 1002)
}

func TestAccounts(t *testing.T) {
	t.Parallel()
	u := start(t)
	const path = "/books/v3/chartofaccounts"
	parent := u.call(t, post, path, `{"account_name":"AAA Travel","account_code":"T-1","account_type":"expense","description":"Trains"}`)
	parent.is(t, 201, `{"code":0,"chart_of_account":{"account_id":"*","account_name":"AAA Travel","account_code":"T-1","account_type":"expense",
		"description":"Trains","is_active":true,"is_user_created":true,"is_system_account":false,"currency_code":"INR","parent_account_id":"",
		"created_time":"2026-03-10T11:30:00+0530","last_modified_time":"2026-03-10T11:30:00+0530"}}`)
	errorIf(t, parent.assumed == "", "the answer of the create is a gap of the document")
	id := parent.at(t, "chart_of_account", "account_id")
	child := u.call(t, post, path, fmt.Sprintf(`{"account_name":"Rail","account_type":"expense","parent_account_id":%q,"custom_fields":[{"customfield_id":"9","value":"x"}]}`, id))
	child.is(t, 201, fmt.Sprintf(`{"chart_of_account":{"parent_account_id":%q,"custom_fields":[{"customfield_id":"9","value":"x"}]}}`, id))

	listed := u.listed(t, path+"?sort_column=account_name&sort_order=A&filter_by=AccountType.Expense", "chartofaccounts", "account_id", id)
	errorIf(t, listed == nil || string(listed["child_count"]) != "1" || string(listed["is_child_present"]) != "true",
		"the parent is listed as %s", listed)
	sorted := u.records(t, path+"?sort_column=account_name&sort_order=A", "chartofaccounts")
	same(t, text(sorted[0]["account_name"]), "AAA Travel", "sorted by name")
	for filter, want := range map[string]bool{"Active": true, "All": true, "Inactive": false, "Asset": false, "Income": false} {
		same(t, u.listed(t, path+"?filter_by=AccountType."+filter, "chartofaccounts", "account_id", id) != nil, want, filter)
	}
	errorIf(t, u.listed(t, path+"?last_modified_time=2026-03-10T06%3A00%3A00%2B0000", "chartofaccounts", "account_id", id) == nil,
		"not listed as modified since the write")
	u.call(t, put, path+"/"+id, `{"account_name":"Travel","account_type":"other_expense"}`).is(t, 200,
		`{"code":0,"chart_of_account":{"account_name":"Travel","account_type":"other_expense","account_code":"T-1"}}`)
	u.call(t, put, path+"/"+id, fmt.Sprintf(`{"parent_account_id":%q}`, id)).refused(t, 400, 2, "parent_account_id: is the record itself")
	u.call(t, post, path, `{"account_name":7,"account_type":"spoons","currency_id":"5"}`).refused(t, 400, 2,
		"account_name: is no text", "account_type: is none of", "currency_id: there is no currency 5")
	u.call(t, post, path, `{}`).refused(t, 400, 2, "account_name: is needed", "account_type: is needed")
	u.call(t, post, path, `[]`).refused(t, 400, 2, "no JSON object")
}

func TestAnUpdateKeepsWhatWasGenerated(t *testing.T) {
	t.Parallel()
	u := start(t)
	before := u.records(t, "/books/v3/chartofaccounts", "chartofaccounts")[0]
	id := text(before["account_id"])
	u.call(t, put, "/books/v3/chartofaccounts/"+id, `{"description":"Ours"}`).is(t, 200, `{"chart_of_account":{"description":"Ours"}}`)
	after := u.listed(t, "/books/v3/chartofaccounts", "chartofaccounts", "account_id", id)
	for name := range before {
		want := string(before[name])
		switch name {
		case "description":
			want = `"Ours"`
		case "last_modified_time":
			want = `"2026-03-10T11:30:00+0530"`
		}
		same(t, string(after[name]), want, name, after[name])
	}
	same(t, len(after), len(before), "keys, had")
}

func TestBaseCurrencyAdjustments(t *testing.T) {
	t.Parallel()
	u := start(t)
	const path = "/books/v3/basecurrencyadjustment"
	dollar := u.listed(t, "/invoice/v3/settings/currencies", "currencies", "currency_code", "USD")
	currency := text(dollar["currency_id"])
	body := fmt.Sprintf(`{"currency_id":%q,"adjustment_date":"2026-03-09","exchange_rate":90.5,"notes":"Spring"}`, currency)
	preview := u.get(t, path+"/accounts?currency_id="+currency+"&adjustment_date=2026-03-09&exchange_rate=90.5&notes=x")
	account := preview.at(t, "data", "accounts", "account_id")
	created := u.call(t, post, path+"?account_ids="+account, body)
	created.is(t, 201, fmt.Sprintf(`{"code":0,"data":{"base_currency_adjustment_id":"*","adjustment_date":"2026-03-09","exchange_rate":90.5,
		"currency_id":%q,"currency_code":"USD","notes":"Spring","accounts":[{"account_id":%q,"account_name":"*","gain_or_loss":%s}]}}`,
		currency, account, preview.at(t, "data", "accounts", "gain_or_loss")))
	id := created.at(t, "data", "base_currency_adjustment_id")
	listed := u.listed(t, path+"?filter_by=Date.ThisWeek", "base_currency_adjustments", "base_currency_adjustment_id", id)
	errorIf(t, string(listed["gain_or_loss"]) != preview.at(t, "data", "accounts", "gain_or_loss") || listed["accounts"] != nil,
		"listed as %s", listed)
	errorIf(t, u.listed(t, path+"?filter_by=Date.Today", "base_currency_adjustments", "base_currency_adjustment_id", id) != nil,
		"an adjustment of yesterday is listed as of today")
	u.get(t, path+"/"+id).is(t, 200, fmt.Sprintf(`{"data":{"base_currency_adjustment_id":%q,"accounts":[{"account_id":%q}]}}`, id, account))
	u.call(t, remove, path+"/"+id, "").is(t, 200, `{"code":0,"message":"*"}`)
	u.call(t, http.MethodGet, path+"/"+id, "").is(t, 404, `{"code":1002}`)
	u.call(t, post, path, `{"currency_id":"1","exchange_rate":"x"}`).refused(t, 400, 2,
		"adjustment_date: is needed", "exchange_rate: is no number", "currency_id: there is no currency 1")
	u.call(t, post, path+"?account_ids=3", body).refused(t, 400, 2, "there is no account 3")
}

func TestExpenses(t *testing.T) {
	t.Parallel()
	u := start(t)
	const path = "/books/v3/expenses"
	account := text(u.records(t, "/books/v3/chartofaccounts", "chartofaccounts")[0]["account_id"])
	tax := text(u.listed(t, "/inventory/v1/settings/taxes", "taxes", "tax_name", "GST18")["tax_id"])
	created := u.call(t, post, path, fmt.Sprintf(`{"account_id":%q,"date":"2026-03-01","amount":500,"tax_id":%q,"is_billable":true,"description":"Paper","gst_treatment":"business_gst"}`, account, tax))
	created.is(t, 201, fmt.Sprintf(`{"code":0,"expense":{"expense_id":"*","account_id":%q,"account_name":"*","date":"2026-03-01","amount":500,"tax_amount":90,
		"tax_name":"GST18","tax_percentage":18,"sub_total":500,"total":590,"bcy_total":590,"status":"unbilled","is_itemized_expense":false,"gst_treatment":"business_gst",
		"line_items":[{"account_id":%q,"amount":500,"item_order":1}],"taxes":[{"tax_id":%q,"tax_amount":90}],"currency_code":"INR"}}`, account, account, tax))
	u.call(t, post, path, fmt.Sprintf(`{"amount":118,"account_id":%q,"tax_id":%q,"is_inclusive_tax":true}`, account, tax)).is(t, 201,
		`{"expense":{"amount":118,"tax_amount":18,"sub_total":100,"total":118,"date":"2026-03-10"}}`)
	u.call(t, post, path, fmt.Sprintf(`{"line_items":[{"account_id":%q,"amount":10.25},{"account_id":%q,"amount":"5"}]}`, account, account)).is(t, 201,
		`{"expense":{"status":"unbilled","amount":15.25,"is_itemized_expense":true,"line_items":[{"amount":10.25,"item_order":1},{"amount":5,"item_order":2}]}}`)
	u.call(t, post, path, fmt.Sprintf(`{"account_id":%q,"mileage_type":"odometer","start_reading":10,"end_reading":30,"mileage_rate":2.5}`, account)).is(t, 201,
		`{"expense":{"distance":20,"amount":50,"total":50}}`)
	id := created.at(t, "expense", "expense_id")
	errorIf(t, u.listed(t, path, "expenses", "expense_id", id) == nil, "not listed")
	u.call(t, post, path, `{"amount":1,"fuel_type":"coal","tax_treatment":"nobody","product_type":"air","start_reading":"a"}`).refused(t, 400, 2,
		"fuel_type: is none of petrol, lpg, diesel", "tax_treatment", "product_type", "start_reading: is no number")
	u.call(t, post, path, `{"description":"nothing"}`).refused(t, 400, 2, "account_id: is needed", "amount: is needed")
}

func TestReceipts(t *testing.T) {
	t.Parallel()
	u := start(t)
	account := text(u.records(t, "/books/v3/chartofaccounts", "chartofaccounts")[0]["account_id"])
	send := func(file string) reply {
		return u.form(t, "/books/v3/expenses", fmt.Sprintf(`{"account_id":%q,"amount":5}`, account), "receipt", file)
	}
	// docs/upstream.md U190: gif, png, jpeg, jpg, bmp, pdf, xls, xlsx, doc, docx.
	for extension := range strings.FieldsSeq("gif png jpeg jpg bmp pdf xls xlsx doc docx PDF") {
		send("taxi."+extension).is(t, 201, fmt.Sprintf(`{"expense":{"amount":5,"expense_receipt_name":"taxi.%s","expense_receipt_type":%q}}`,
			extension, strings.ToLower(extension)))
	}
	for _, file := range []string{"taxi.exe", "taxi", "taxi.tiff"} {
		send(file).refused(t, 400, 2, "receipt: send one of gif")
	}
}

// docs/upstream.md U177: the record is found by a custom field that is configured to reject
// duplicates.
func TestUniqueValueUpdate(t *testing.T) {
	t.Parallel()
	u := start(t)
	const path = "/books/v3/expenses"
	account := text(u.records(t, "/books/v3/chartofaccounts", "chartofaccounts")[0]["account_id"])
	body := fmt.Sprintf(`{"account_id":%q,"amount":9}`, account)
	by := func(value string, more ...string) []string {
		return append([]string{"X-Unique-Identifier-Key", "cf_order", "X-Unique-Identifier-Value", value}, more...)
	}
	u.call(t, put, path, body).refused(t, 400, 2, "X-Unique-Identifier-Key", "X-Unique-Identifier-Value")
	u.call(t, put, path, body, by("A-1")...).refused(t, 404, 1002)
	u.call(t, put, path, body, by("A-1", "X-Upsert", "false")...).refused(t, 404, 1002)
	u.call(t, put, path, `{}`, by("A-1", "X-Upsert", "true")...).refused(t, 400, 2, "account_id: is needed")
	created := u.call(t, put, path, body, by("A-1", "X-Upsert", "true")...)
	created.is(t, 201, `{"code":0,"expense":{"expense_id":"*","amount":9,"custom_fields":[{"label":"cf_order","value":"A-1"}]}}`)
	id := created.at(t, "expense", "expense_id")
	for range 2 { // an upsert of what is there is an update
		u.call(t, put, path, `{"amount":11}`, by("A-1", "X-Upsert", "true")...).is(t, 200, fmt.Sprintf(`{"expense":{"expense_id":%q,"amount":11,"total":11}}`, id))
	}
	lines := fmt.Sprintf(`{"line_items":[{"account_id":%q,"amount":3},{"account_id":%q,"amount":4}]}`, account, account)
	u.call(t, put, path, lines, by("A-1")...).is(t, 200, `{"expense":{"amount":7,"is_itemized_expense":true}}`)
	u.call(t, put, path, `{"description":"Both lines stay","is_billable":true}`, by("A-1")...).is(t, 200,
		`{"expense":{"amount":7,"description":"Both lines stay","is_billable":true,"line_items":[{"amount":3},{"amount":4}]}}`)
	u.call(t, put, path, `{"description":null,"is_billable":""}`, by("A-1")...).is(t, 200, `{"expense":{"description":"","is_billable":false}}`)
	u.call(t, put, path, `{"amount":12}`, by("A-2")...).refused(t, 404, 1002)
	u.call(t, put, path, `{"amount":12}`, "X-Unique-Identifier-Key", "cf_other", "X-Unique-Identifier-Value", "A-1").refused(t, 404, 1002)

	_, vendor, _ := u.openBill(t)
	u.call(t, post, "/books/v3/vendorpayments", fmt.Sprintf(`{"vendor_id":%q,"amount":40,"custom_fields":[{"index":1,"value":"P-7"}]}`, vendor)).is(t, 201, `{"code":0}`)
	u.call(t, put, "/books/v3/vendorpayments", `{"description":"Found"}`, by("P-7")...).is(t, 200,
		`{"code":0,"vendorpayment":[{"payment_id":"*","amount":40,"balance":40,"description":"Found"}]}`)
}
