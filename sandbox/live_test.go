package sandbox_test

import (
	"encoding/json"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"testing"

	"sluice/sandbox"
	"sluice/sandbox/witness"
)

// liveListings are lists whose records live services send otherwise than the documents, with the
// key that only the single record carries and the one that only the list does, of those that a
// reader tells headers by.
func liveListings() []listing {
	return append(listings(),
		listing{"accounting", "expenses", "/books/v3/expenses", "expenses", "expense_id", "expense"},
		listing{"inventory", "composite_items", "/inventory/v1/compositeitems", "composite_items", "composite_item_id", "composite_item"},
		listing{"inventory", "taxes", "/inventory/v1/settings/taxes", "taxes", "tax_id", "tax"},
		listing{"inventory", "locations", "/inventory/v1/locations", "locations", "", ""},
		listing{"invoicing", "currencies", "/invoice/v3/settings/currencies", "currencies", "currency_id", "currency"},
		listing{"accounting", "custom_module_records", "/books/v3/cm_projects", "module_record", "module_record_id", "module_record"},
		listing{"accounting", "contact_persons", "/books/v3/contacts/460000000300000000/contactpersons", "contact_persons", "", ""},
		listing{"invoicing", "contact_persons", "/invoice/v3/contacts/460000000300000000/contactpersons", "contact_persons", "", ""},
		listing{"accounting", "organizations", "/books/v3/organizations", "organizations", "", ""},
		listing{"invoicing", "organizations", "/invoice/v3/organizations", "organizations", "", ""},
		listing{"billing", "organizations", "/billing/v1/organizations", "organizations", "", ""},
		listing{"inventory", "organizations", "/inventory/v1/organizations", "organizations", "", ""},
		listing{"chat", "channels", "/api/v2/channels", "channels", "", ""},
		listing{"chat", "network_channels", "/network/partners/api/v2/channels", "channels", "", ""},
	)
}

func livePlayed(records int) sandbox.Options {
	options := wide()
	options.Records, options.AsLive = records, true
	return options
}

// listed returns the first page of a list.
func (u *upstream) listed(t *testing.T, l listing) []object {
	t.Helper()
	var envelope object
	decode(t, u.get(t, l.path, "filter_by", "AccountType.All"), &envelope) // an answer of chat has no code.
	return elements(t, envelope, l.key)
}

// alone returns the single record of a listed one; nil for lists without.
func (u *upstream) alone(t *testing.T, l listing, listed object) object {
	t.Helper()
	if l.one == "" {
		return nil
	}
	var envelope, single object
	decode(t, u.get(t, l.path+"/"+text(t, listed[l.id])), &envelope)
	if array := []object{}; json.Unmarshal(envelope[l.one], &array) == nil {
		return array[0]
	}
	unmarshal(t, envelope[l.one], &single)
	return single
}

// unplayed are keys of live witnesses that the sandbox does not send, by their beginning or end:
// those of which no name is known, only a pattern, and the picture of a channel, which comes with a
// single record that the sandbox does not serve.
func unplayed(path string) bool {
	name := path[strings.LastIndexByte(path, '.')+1:]
	return strings.HasSuffix(name, "_formatted") && name != "currency_name_formatted" || strings.HasPrefix(name, "submitted_") ||
		strings.HasPrefix(name, "scanned_po_") || name == "image_url"
}

// Every live key of every witness has a value in at least one record on the wire.
func TestAsLiveFillsEveryKey(t *testing.T) {
	t.Parallel()
	u := start(t, livePlayed(1500))
	all := sure(witness.All())(t)
	for _, l := range liveListings() {
		at := slices.IndexFunc(all, func(w witness.Witness) bool { return w.Service == l.service && w.Resource == l.name })
		if at < 0 || len(all[at].Live) == 0 {
			continue
		}
		want, got := map[string]bool{}, map[string]bool{}
		leaves("", all[at].Live, want)
		for _, record := range u.listed(t, l) {
			for _, shown := range []object{record, u.alone(t, l, record)} {
				leaves("", whole(t, shown), got)
			}
		}
		for _, path := range slices.Sorted(maps.Keys(want)) {
			errorIf(t, !filled(got, path) && !unplayed(path), "%s.%s: no record has a value of the live key %s", l.service, l.name, path)
		}
	}
}

// filled reports whether a path has a value, or a path below it: the sandbox can show elements
// where the witness has none. What is an array in the documents can be an object on the wire.
func filled(got map[string]bool, path string) bool {
	plain := strings.NewReplacer("[]", "")
	path = plain.Replace(path)
	for other, has := range got {
		if other = plain.Replace(other); has && (other == path || strings.HasPrefix(other, path+".")) {
			return true
		}
	}
	return false
}

func whole(t *testing.T, record object) json.RawMessage {
	t.Helper()
	raw := sure(json.Marshal(record))(t)
	return raw
}

// TestAsLiveShowsHeaders checks what lists leave out, what single records leave out, and the names
// that live services use (docs/upstream.md U87, U313 to U321).
func TestAsLiveShowsHeaders(t *testing.T) {
	t.Parallel()
	u := start(t, livePlayed(600))
	words := strings.Fields
	for name, want := range map[string]struct{ both, single, list, never []string }{
		"bills": {
			words("total balance vendor_credits_applied tags last_modified_time"),
			words("line_items sub_total tax_total currency_symbol due_by_days payment_made notes terms taxes payments purchaseorder_ids"),
			words("balance_due tds_total due_days created_by"), words("purchaseorder_id"),
		},
		"credit_notes": {
			words("last_modified_time currency_id exchange_rate total balance"), words("line_items invoices_credited creditnote_refunds sub_total notes"),
			words("applied_invoices has_attachment"), words("updated_time invoices email"),
		},
		"vendor_payments": {words("status currency_code amount"), words("bills check_details billing_address created_by_name"), words("bcy_amount bill_numbers"), nil},
		"expenses": {
			words("created_time vendor_name total bcy_total account_name"), words("account_id amount sub_total tax_id line_items user_id"),
			words("total_without_tax has_attachment"), words("transaction_id is_itemized_expense product_type"),
		},
		"chart_of_accounts": {
			words("account_name placeholder"), words("closing_balance transactions custom_fields isdebit"),
			words("created_time last_modified_time current_balance show_on_dashboard"), words("include_in_vat_return"),
		},
		"items":           {words("stock_on_hand brand account_id"), words("locations asset_value unit_id custom_fields package_details"), words("length item_name"), nil},
		"composite_items": {words("combo_type category_id stock_on_hand"), words("mapped_items warehouses sales_rate"), nil, nil},
	} {
		at := slices.IndexFunc(liveListings(), func(l listing) bool { return l.name == name })
		l := liveListings()[at]
		listed := u.listed(t, l)[0]
		single := u.alone(t, l, listed)
		check := func(keys []string, inList, inSingle bool) {
			for _, key := range keys {
				_, has := listed[key]
				errorIf(t, has != inList, "%s: %s in the list: %t", name, key, has)
				_, has = single[key]
				errorIf(t, has != inSingle, "%s: %s in the single record: %t", name, key, has)
			}
		}
		check(want.both, true, true)
		check(want.single, false, true)
		check(want.list, true, false)
		check(want.never, false, false)
		for key, value := range listed {
			other, has := single[key]
			errorIf(t, has && string(other) != string(value), "%s: %s is %s in the list and %s in the single record", name, key, value, other)
		}
	}
}

// TestAsLiveOrders checks the orders seen live (docs/upstream.md U101), and the one sort that only
// live services know.
func TestAsLiveOrders(t *testing.T) {
	t.Parallel()
	u := start(t, livePlayed(3000))
	u.change(t, sandbox.Change{Seed: 3, Inserts: 5, Edits: 9, Deletes: 4})
	for _, l := range []struct {
		path, key, column string
		falls             bool
		query             []string
	}{
		{"/inventory/v1/items", "items", "name", false, nil},
		{"/inventory/v1/settings/taxes", "taxes", "tax_name", false, nil},
		{"/books/v3/chartofaccounts", "chartofaccounts", "account_type", false, nil},
		{"/books/v3/vendorpayments", "vendorpayments", "date", true, nil},
		{"/inventory/v1/bills", "bills", "created_time", true, nil},
		{"/books/v3/expenses", "expenses", "created_time", true, nil},
		{"/inventory/v1/items", "items", "last_modified_time", false, []string{"sort_column", "last_modified_time", "sort_order", "A"}},
	} {
		p := readPage(t, u.get(t, l.path, l.query...), l.key)
		values := texts(t, slices.Values(p.Records), l.column)
		if l.falls {
			slices.Reverse(values)
		}
		errorIf(t, !slices.IsSorted(values) || len(slices.Compact(values)) < 3 || p.Context.Column != l.column,
			"%s by %s: %q, context %+v", l.path, l.column, values, p.Context)
	}
	p := readPage(t, u.get(t, "/books/v3/vendorpayments", "sort_column", "last_modified_time"), "vendorpayments")
	equal(t, p.Context.Column, "date", "payments are sorted by")
}

// TestAsLiveSums checks by the pages what response_option=3 sums, and which records a range of days
// leaves (docs/upstream.md U93 and U94); of items it leaves all.
func TestAsLiveSums(t *testing.T) {
	t.Parallel()
	u := start(t, livePlayed(600))
	u.change(t, sandbox.Change{Seed: 3, Inserts: 5, Edits: 9, Deletes: 4})
	for path, columns := range map[string]string{"/inventory/v1/bills": "total balance", "/inventory/v1/creditnotes": "total balance", "/books/v3/expenses": "total", "/inventory/v1/items": ""} {
		key := path[strings.LastIndexByte(path, '/')+1:]
		asked := func(query ...string) ([]object, object, object) {
			var envelope, about, sums object
			decode(t, u.get(t, path, append([]string{"response_option", "3"}, query...)...), &envelope)
			unmarshal(t, envelope["page_context"], &about)
			unmarshal(t, about["sum_columns"], &sums)
			return elements(t, envelope, key), about, sums
		}
		all, about, sums := asked()
		equal(t, string(about["total"]), strconv.Itoa(len(all)), key)
		equal(t, len(sums), len(strings.Fields(columns)), key, sums)
		for column := range strings.FieldsSeq(columns) {
			same(t, column, key, number(t, sums[column]), sumOver(t, all, column))
		}
		if columns == "" {
			some, _, _ := asked("date_start", "2999-01-01")
			equal(t, len(some), len(all), key)
			continue
		}
		days := slices.Sorted(slices.Values(texts(t, slices.Values(all), "date")))
		from, to := days[len(days)/3], days[len(days)/2]
		some, about, sums := asked("date_start", from, "date_end", to)
		inside := slices.DeleteFunc(slices.Clone(days), func(day string) bool { return day < from || day > to })
		equal(t, slices.Sorted(slices.Values(texts(t, slices.Values(some), "date"))), inside, key)
		equal(t, string(about["total"]), strconv.Itoa(len(inside)), key)
		same(t, "total", key, number(t, sums["total"]), sumOver(t, some, "total"))
	}
}

// TestAsLiveShowsWrittenRecords checks that a record written through the API gets live keys that
// follow from its values.
func TestAsLiveShowsWrittenRecords(t *testing.T) {
	t.Parallel()
	u := start(t, livePlayed(300))
	account := text(t, u.listed(t, liveListings()[0])[0]["account_id"])
	body := `{"account_id":"` + account + `","date":"2026-03-01","amount":500,"tax_id":"460000000200000000","description":"Paper"}`
	answer := u.send(t, http.MethodPost, target("/books/v3/expenses"), http.Header{"Content-Type": {"application/json"}}, body)
	var written struct {
		Expense object `json:"expense"`
	}
	decode(t, answer, &written)
	l := liveListings()[slices.IndexFunc(liveListings(), func(l listing) bool { return l.name == "expenses" })]
	at := slices.IndexFunc(u.listed(t, l), func(o object) bool { return string(o["expense_id"]) == string(written.Expense["expense_id"]) })
	fatalIf(t, answer.Code != http.StatusCreated || at < 0, "status %d, place %d in the list: %.300s", answer.Code, at, answer.Body)
	listed := u.listed(t, l)[at]
	lines := elements(t, u.alone(t, l, listed), "line_items")
	errorIf(t, string(listed["total_without_tax"]) != "500.00" || len(lines) != 1 || string(lines[0]["tax_amount"]) != "90.00",
		"without tax %s, lines %s", listed["total_without_tax"], lines)
}
