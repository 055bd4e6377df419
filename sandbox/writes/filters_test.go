package writes_test

import (
	"fmt"
	"net/url"
	"strings"
	"testing"
)

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
		if found := u.records(t, path+query, "vendorpayments"); len(found) != 1 || text(found[0]["payment_id"]) != id {
			t.Errorf("%s: %d payments, want the one that was written", query, len(found))
		}
	}
	all := u.records(t, path, "vendorpayments")
	name := text(all[len(all)-1]["vendor_name"])
	want := 0
	for _, payment := range all {
		if strings.HasPrefix(text(payment["vendor_name"]), name) {
			want++
		}
	}
	if got := u.records(t, path+"vendor_name_startswith="+url.QueryEscape(name), "vendorpayments"); len(got) != want || want == len(all) {
		t.Errorf("%d payments of %s, want %d of %d", len(got), name, want, len(all))
	}
}

// docs/upstream.md U225: item_description filters, at most 100 characters long.
func TestFiltersOfCreditNotes(t *testing.T) {
	t.Parallel()
	u := start(t)
	const path = "/inventory/v1/creditnotes?"
	customer := text(u.records(t, path, "creditnotes")[0]["customer_id"])
	u.call(t, post, path, fmt.Sprintf(`{"customer_id":%q,"line_items":[{"name":"a","description":"Quill, bent"}]}`, customer)).is(t, 201, `{"code":0}`)
	for query, want := range map[string]int{"item_description_startswith=quill": 1, "item_description_contains=bent": 1, "item_description_startswith=bent": 0} {
		if found := u.records(t, path+query, "creditnotes"); len(found) != want {
			t.Errorf("%s: %d notes, want %d", query, len(found), want)
		}
	}
	for _, note := range u.records(t, path+"status=closed", "creditnotes") {
		if text(note["status"]) != "closed" {
			t.Errorf("a note is %s", note["status"])
		}
	}
	u.call(t, "GET", path+"item_description_contains="+strings.Repeat("x", 101), "").is(t, 400, `{"code":2,"message":"*"}`)
	u.get(t, path+"item_description_contains="+strings.Repeat("x", 100)).is(t, 200, `{"code":0,"creditnotes":[]}`)
}
