package writes_test

import (
	"fmt"
	"net/url"
	"strings"
	"testing"
)

func TestContactPersonsOfInvoicing(t *testing.T) {
	t.Parallel()
	u := start(t)
	_, vendor, _ := u.openBill(t)
	const path = "/invoice/v3/contacts/contactpersons"
	created := u.call(t, post, path, fmt.Sprintf(`{"contact_id":%q,"first_name":"Bo","skype":"live:bo"}`, vendor))
	created.is(t, 201, fmt.Sprintf(`{"code":0,"contact_person":[{"contact_id":%q,"contact_person_id":"*","first_name":"Bo","skype":"live:bo"}]}`, vendor))
	id := created.at(t, "contact_person", "contact_person_id")
	errorIf(t, u.listed(t, "/books/v3/contacts/"+vendor+"/contactpersons", "contact_persons", "contact_person_id", id) == nil,
		"accounting does not list the person of invoicing")
	u.call(t, put, path+"/"+id, fmt.Sprintf(`{"contact_id":%q,"first_name":"Bob"}`, vendor)).is(t, 200, `{"contact_person":[{"first_name":"Bob","skype":"live:bo"}]}`)
	u.call(t, put, path+"/"+id, `{}`).refused(t, 400, 2, "contact_id: is required", "first_name: is required")
	u.call(t, post, path, fmt.Sprintf(`{"salutation":%q,"first_name":%q,"phone":%q}`, strings.Repeat("é", 26), strings.Repeat("x", 101), strings.Repeat("1", 51))).refused(t, 400, 2,
		"salutation: is longer than 25", "first_name: is longer than 100", "phone: is longer than 50")
	u.call(t, post, path, fmt.Sprintf(`{"salutation":%q,"first_name":"x"}`, strings.Repeat("é", 25))).is(t, 201, `{"code":0}`)
	u.call(t, remove, path+"/"+id, "").is(t, 200, `{"code":0,"message":"*"}`)
	u.call(t, remove, path+"/"+id, "").refused(t, 404, 1002)
}

func TestCurrencies(t *testing.T) {
	t.Parallel()
	u := start(t)
	const path = "/invoice/v3/settings/currencies"
	created := u.call(t, post, path, `{"currency_code":"SEK","currency_symbol":"kr","price_precision":0,"currency_format":"1,234"}`)
	created.is(t, 201, `{"code":0,"currency":[{"currency_id":"*","currency_code":"SEK","currency_symbol":"kr","price_precision":0,"currency_format":"1,234","is_base_currency":false}]}`)
	errorIf(t, strings.Contains(string(created.body), "exchange_rate"), "rates are output of the list only: %s", created.body)
	id := created.at(t, "currency", "currency_id")
	errorIf(t, u.listed(t, path+"?filter_by=Currencies.ExcludeBaseCurrency", "currencies", "currency_id", id) == nil, "not listed")
	u.call(t, put, path+"/"+id, `{"currency_code":"SEK","currency_symbol":"SEK"}`).is(t, 200, `{"currency":[{"currency_symbol":"SEK","currency_format":"1,234","price_precision":0}]}`)
	u.call(t, put, path+"/"+id, `{}`).refused(t, 400, 2, "currency_code: is required", "currency_symbol: is required")
	u.call(t, post, path, fmt.Sprintf(`{"currency_code":%q,"currency_symbol":"12345","currency_format":%q,"price_precision":"2.5"}`, strings.Repeat("c", 101), strings.Repeat("f", 101))).refused(t, 400, 2,
		"currency_code: is longer than 100", "currency_symbol: is longer than 4", "currency_format: is longer than 100", "price_precision: is no whole number")
	u.call(t, put, path+"/5", `{"currency_code":"X","currency_symbol":"X"}`).refused(t, 404, 1002)
}

func TestContactPersonsOfBilling(t *testing.T) {
	t.Parallel()
	u := start(t)
	customer := text(u.records(t, "/inventory/v1/creditnotes", "creditnotes")[0]["customer_id"])
	path := "/billing/v1/customers/" + customer + "/contactpersons"
	created := u.call(t, post, path, `{"first_name":"Cy","last_name":"Day","email":"cy@example.org","mobile":"1","phone":"2","fax":"3"}`)
	created.is(t, 201, fmt.Sprintf(`{"code":0,"contact_person":{"contactperson_id":"*","first_name":"Cy","last_name":"Day","email":"cy@example.org","mobile":"1","phone":"2","fax":"3",
		"customer_id":%q,"created_time":"2026-03-10T11:30:00+0530"}}`, customer))
	id := created.at(t, "contact_person", "contactperson_id")
	errorIf(t, u.listed(t, path, "contact_persons", "contactperson_id", id) == nil, "not listed")
	u.call(t, put, path+"/"+id, `{"email":"new@example.org"}`).is(t, 200, `{"contact_person":{"first_name":"Cy","email":"new@example.org"}}`)
	// docs/upstream.md U201: both times are also listed as update arguments.
	u.call(t, put, path+"/"+id, `{"email":"n@example.org","created_time":"2020-01-02T03:04:05+0000"}`).is(t, 200, `{"contact_person":{"created_time":"2020-01-02T03:04:05+0000"}}`)
	u.call(t, put, path+"/"+id, `{"first_name":"Cy","created_time":"then"}`).refused(t, 400, 2, "email: is required", "created_time: is no date-time")
	u.call(t, post, path, `{"first_name":"Cy"}`).refused(t, 400, 2, "email: is required")
	u.call(t, post, "/billing/v1/customers/7/contactpersons", `{"email":"a@example.org"}`).refused(t, 404, 1002)
	u.get(t, path+"/"+id).is(t, 200, `{"contact_person":{"email":"n@example.org"}}`)
}

// docs/upstream.md U174: written and generated records pass alike.
func TestFiltersOfVendorPayments(t *testing.T) {
	t.Parallel()
	u := start(t)
	_, vendor, _ := u.openBill(t)
	id := u.call(t, post, "/books/v3/vendorpayments", fmt.Sprintf(
		`{"vendor_id":%q,"amount":7,"date":"2020-02-03","description":"Quill pens","reference_number":"ZQ-77"}`, vendor)).at(t, "payment_id")
	const path = "/books/v3/vendorpayments?"
	for _, query := range []string{
		"reference_number_startswith=zq", "description_contains=pens", "date_before=2020-02-04&date_start=2020-02-03", "amount_less_equals=7&amount_greater_equals=7",
	} {
		found := u.records(t, path+query, "vendorpayments")
		errorIf(t, len(found) != 1 || text(found[0]["payment_id"]) != id, "%s: %d payments, want the one that was written", query, len(found))
	}
	all := u.records(t, path, "vendorpayments")
	name := text(all[len(all)-1]["vendor_name"])
	want := 0
	for _, payment := range all {
		if strings.HasPrefix(text(payment["vendor_name"]), name) {
			want++
		}
	}
	got := u.records(t, path+"vendor_name_startswith="+url.QueryEscape(name), "vendorpayments")
	errorIf(t, len(got) != want || want == len(all), "%d payments of %s, want %d of %d", len(got), name, want, len(all))
}

// docs/upstream.md U225: item_description filters, at most 100 characters long.
func TestFiltersOfCreditNotes(t *testing.T) {
	t.Parallel()
	u := start(t)
	const path = "/inventory/v1/creditnotes?"
	customer := text(u.records(t, path, "creditnotes")[0]["customer_id"])
	u.call(t, post, path, fmt.Sprintf(`{"customer_id":%q,"line_items":[{"name":"a","description":"Quill, bent"}]}`, customer)).is(t, 201, `{"code":0}`)
	for query, want := range map[string]int{"item_description_startswith=quill": 1, "item_description_contains=bent": 1, "item_description_startswith=bent": 0} {
		found := u.records(t, path+query, "creditnotes")
		errorIf(t, len(found) != want, "%s: %d notes, want %d", query, len(found), want)
	}
	for _, note := range u.records(t, path+"status=closed", "creditnotes") {
		same(t, text(note["status"]), "closed", note["status"])
	}
	u.call(t, "GET", path+"item_description_contains="+strings.Repeat("x", 101), "").is(t, 400, `{"code":2,"message":"*"}`)
	u.get(t, path+"item_description_contains="+strings.Repeat("x", 100)).is(t, 200, `{"code":0,"creditnotes":[]}`)
}
