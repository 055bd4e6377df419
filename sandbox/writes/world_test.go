package writes_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"testing"

	"sluice/sandbox"
	"sluice/sandbox/witness"
)

// shapes notes the paths of all keys of a value; lists are one step.
func shapes(path string, value json.RawMessage, into map[string]bool) {
	var elements []json.RawMessage
	var fields object
	if json.Unmarshal(value, &elements) == nil {
		for _, element := range elements {
			shapes(path+"[]", element, into)
		}
	} else if json.Unmarshal(value, &fields) == nil && fields != nil {
		for name := range fields {
			into[path+"."+name] = true
			shapes(path+"."+name, fields[name], into)
		}
	}
}

// A written record has only keys of the resource's witness, and at its top all of them: readers
// cannot distinguish it from a generated one.
func TestWrittenRecordsLookLikeTheWitness(t *testing.T) {
	t.Parallel()
	u := start(t)
	_, vendor, _ := u.openBill(t)
	customer := text(u.records(t, "/inventory/v1/creditnotes", "creditnotes")[0]["customer_id"])
	account := text(u.records(t, "/books/v3/chartofaccounts", "chartofaccounts")[0]["account_id"])
	item := text(u.records(t, "/inventory/v1/items", "items")[0]["item_id"])
	site := text(u.records(t, "/inventory/v1/locations", "locations")[0]["location_id"])
	tax := text(u.listed(t, "/inventory/v1/settings/taxes", "taxes", "tax_name", "GST18")["tax_id"])
	bill := u.call(t, post, "/inventory/v1/bills", fmt.Sprintf(
		`{"vendor_id":%q,"location_id":%q,"custom_fields":[{"customfield_id":"1","value":"x"}],"billing_address":[{"city":"Pune"}],"line_items":[{"item_id":%q,"tax_id":%q}]}`, vendor, site, item, tax)).at(t, "bill", "bill_id")
	for _, c := range []struct{ service, resource, method, path, body, id string }{
		{"inventory", "items", post, "/inventory/v1/items", fmt.Sprintf(`{"name":"a","locations":[{"location_id":%q,"initial_stock":1}],"custom_fields":[{"customfield_id":"1","value":"x"}],"item_tax_preferences":[{"tax_id":%q}]}`, site, tax), "item.item_id"},
		{"inventory", "credit_notes", post, "/inventory/v1/creditnotes", fmt.Sprintf(`{"customer_id":%q,"line_items":[{"item_id":%q,"tax_id":%q}],"custom_fields":[{"label":"a","value":"x"}]}`, customer, item, tax), "creditnote.creditnote_id"},
		{"inventory", "composite_items", post, "/inventory/v1/compositeitems", fmt.Sprintf(`{"name":"a","mapped_items":[{"item_id":%q,"quantity":1}],"custom_fields":[{"custom_field_id":"1","value":"x"}]}`, item), "composite_item.composite_item_id"},
		{"inventory", "taxes", post, "/inventory/v1/settings/taxes", `{"tax_name":"a","tax_percentage":1}`, "tax.tax_id"},
		{"inventory", "locations", post, "/inventory/v1/locations", `{"location_name":"a","address":{"city":"Pune"},"is_all_users_selected":true}`, "locations.location_id"},
		{"accounting", "vendor_payments", post, "/books/v3/vendorpayments", fmt.Sprintf(`{"vendor_id":%q,"bills":[{"bill_id":%q,"amount_applied":1}],"custom_fields":[{"index":1,"value":"x"}],"check_details":[{"memo":"x"}]}`, vendor, bill), "payment_id"},
		{"accounting", "expenses", post, "/books/v3/expenses", fmt.Sprintf(`{"account_id":%q,"amount":1,"tax_id":%q}`, account, tax), "expense.expense_id"},
		{"accounting", "chart_of_accounts", post, "/books/v3/chartofaccounts", `{"account_name":"a","account_type":"bank","custom_fields":[{"customfield_id":"1","value":"x"}]}`, "chart_of_account.account_id"},
		{"accounting", "contact_persons", post, "/books/v3/contacts/contactpersons", fmt.Sprintf(`{"contact_id":%q}`, vendor), "contact_person.contact_person_id"},
		{"invoicing", "currencies", post, "/invoice/v3/settings/currencies", `{"currency_code":"a","currency_symbol":"a"}`, "currency.currency_id"},
		{"billing", "contact_persons", post, "/billing/v1/customers/" + customer + "/contactpersons", `{"email":"a"}`, "contact_person.contactperson_id"},
	} {
		path := strings.Split(c.id, ".")
		id := u.call(t, c.method, c.path, c.body).at(t, path...)
		matchWitness(t, u, c.service, c.resource, path[len(path)-1], id)
	}
	matchWitness(t, u, "inventory", "bills", "bill_id", bill)
}

func matchWitness(t *testing.T, u *upstream, service, resource, key, id string) {
	t.Helper()
	sample, err := witness.Load(service, resource)
	must(t, err)
	want, got := map[string]bool{}, map[string]bool{}
	shapes("", sample.Record, want)
	for record := range u.Truth(service, resource) {
		var fields object
		if json.Unmarshal(record, &fields) == nil && text(fields[key]) == id {
			shapes("", record, got)
		}
	}
	errorIf(t, len(got) == 0, "%s/%s %s is not in the truth", service, resource, id)
	for path := range got {
		errorIf(t, !want[path], "%s/%s: %s is in no witness", service, resource, path)
	}
	for path := range want {
		errorIf(t, strings.Count(path, ".") == 1 && !got[path], "%s/%s: %s was not written", service, resource, path)
	}
}

// The world's own edits change written records too, in one value each.
func TestTheWorldEditsWhatWasWritten(t *testing.T) {
	t.Parallel()
	u := start(t)
	_, vendor, _ := u.openBill(t)
	id := u.call(t, post, "/inventory/v1/bills", fmt.Sprintf(`{"vendor_id":%q,"notes":"Gate","line_items":[{"rate":100}]}`, vendor)).at(t, "bill", "bill_id")
	before := map[string]string{}
	var fields object
	must(t, json.Unmarshal([]byte(u.get(t, "/inventory/v1/bills/"+id).at(t, "bill")), &fields))
	for name, value := range fields {
		before[name] = string(value)
	}
	u.Advance(1e12)
	changed, err := u.Change(sandbox.Change{Seed: 3, Edits: 1000, Resources: []string{"bills"}})
	fatalIf(t, err != nil || !slices.Contains(changed["bills"].Edited, id), "%v: %v", err, changed["bills"].Edited)
	var after object
	must(t, json.Unmarshal([]byte(u.get(t, "/inventory/v1/bills/"+id).at(t, "bill")), &after))
	var differ []string
	for _, name := range slices.Sorted(maps.Keys(after)) {
		if string(after[name]) != before[name] {
			differ = append(differ, name)
		}
	}
	errorIf(t, !slices.Equal(differ, []string{"last_modified_time", "notes"}), "changed: %v", differ)
}

// A refused write changes nothing.
func TestRefusalsChangeNothing(t *testing.T) {
	t.Parallel()
	u := start(t)
	count := func() int {
		n := 0
		for range u.Truth("inventory", "bills") {
			n++
		}
		return n
	}
	before := count()
	_, vendor, _ := u.openBill(t)
	u.call(t, post, "/inventory/v1/bills", fmt.Sprintf(`{"vendor_id":%q,"line_items":[{"item_id":"9"}]}`, vendor)).refused(t, 400, 2, "line_items[0].item_id: there is no item 9")
	u.call(t, post, "/inventory/v1/bills", `{"vendor_id":`).refused(t, 400, 2, "no JSON object")
	u.call(t, post, "/inventory/v1/bills", "--x\r\nContent-Disposition: form-data; name=\"JSONString\"\r\n\r\n{",
		"Content-Type", "multipart/form-data; boundary=x").refused(t, 400, 2, "the form cannot be read")
	same(t, count(), before, "bills, had")
}

// Of concurrent calls, each makes its record once.
func TestWritesAtOnce(t *testing.T) {
	t.Parallel()
	u := start(t)
	const calls = 40
	found := make([]string, calls)
	var group sync.WaitGroup
	for n := range calls {
		group.Go(func() {
			found[n] = u.call(t, post, "/inventory/v1/items", fmt.Sprintf(`{"name":"n%d"}`, n)).at(t, "item", "item_id")
			u.call(t, "GET", "/inventory/v1/items?per_page=3", "")
		})
	}
	group.Wait()
	slices.Sort(found)
	same(t, len(slices.Compact(found)), calls, "identifiers for")
}
