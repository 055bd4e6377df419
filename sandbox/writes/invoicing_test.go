package writes_test

import (
	"fmt"
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
	if u.listed(t, "/books/v3/contacts/"+vendor+"/contactpersons", "contact_persons", "contact_person_id", id) == nil {
		t.Error("accounting does not list the person of invoicing")
	}
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
	if strings.Contains(string(created.body), "exchange_rate") {
		t.Errorf("rates are output of the list only: %s", created.body)
	}
	id := created.at(t, "currency", "currency_id")
	if u.listed(t, path+"?filter_by=Currencies.ExcludeBaseCurrency", "currencies", "currency_id", id) == nil {
		t.Error("not listed")
	}
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
	if u.listed(t, path, "contact_persons", "contactperson_id", id) == nil {
		t.Error("not listed")
	}
	u.call(t, put, path+"/"+id, `{"email":"new@example.org"}`).is(t, 200, `{"contact_person":{"first_name":"Cy","email":"new@example.org"}}`)
	// docs/upstream.md U201: both times are also listed as update arguments.
	u.call(t, put, path+"/"+id, `{"email":"n@example.org","created_time":"2020-01-02T03:04:05+0000"}`).is(t, 200, `{"contact_person":{"created_time":"2020-01-02T03:04:05+0000"}}`)
	u.call(t, put, path+"/"+id, `{"first_name":"Cy","created_time":"then"}`).refused(t, 400, 2, "email: is required", "created_time: is no date-time")
	u.call(t, post, path, `{"first_name":"Cy"}`).refused(t, 400, 2, "email: is required")
	u.call(t, post, "/billing/v1/customers/7/contactpersons", `{"email":"a@example.org"}`).refused(t, 404, 1002)
	u.get(t, path+"/"+id).is(t, 200, `{"contact_person":{"email":"n@example.org"}}`)
}
