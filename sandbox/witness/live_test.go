package witness_test

import (
	"encoding/json"
	"testing"

	"sluice/sandbox/witness"
)

// TestLiveKeyCounts counts the keys that live services add: at every level, those of the first
// element of an array, those of arrays and objects that hold keys themselves, too.
func TestLiveKeyCounts(t *testing.T) {
	t.Parallel()
	// The keys of blocks that recur (docs/upstream.md U310 and U311), counted with the block
	// itself.
	const tags, documents, comments, taxes = 1 + 5, 1 + 9, 1 + 10, 1 + 3
	// The same for blocks whose array the document names, which adds elements only, and for the
	// keys that custom fields add to an identifier and a value.
	const documentsElements, commentsElements, fields = 9, 10, 5
	// Print, which is not copied.
	const printed = 7
	// The four organizations, the two contact persons and the two kinds of channels are alike.
	// 14 of 49 come with the single record alone, which is not read; custom_fields have three keys.
	const organizations = 49 - 14 + 3
	const contactPersons = 11 + 3 + 7
	// One of 12 comes with the single record alone, which is not read.
	const channels = 12 - 1 + 1 + 5 + 3*2
	want := map[string]int{
		"accounting/chart_of_accounts": 10 + 2 + 4,
		// 45, 4 of tds_summary, the hash with 2.
		"accounting/vendor_payments": 45 + 4 + 3 + tags + documentsElements + commentsElements + printed,
		// 44, 3 of imported_transactions.
		"accounting/expenses":      44 + 3 + 2*tags + taxes + documents,
		"accounting/organizations": organizations, "inventory/organizations": organizations,
		"invoicing/organizations": organizations, "billing/organizations": organizations,
		"accounting/contact_persons": contactPersons, "invoicing/contact_persons": contactPersons,
		"chat/channels": channels, "chat/network_channels": channels,
		// 102, then preferred_vendors, package_details, batches, storages, unit_conversions, the
		// two brackets, sales_channels and integration_references.
		"inventory/items": 102 + 6 + 6 + 2 + 2 + 5 + 2*3 + 2 + 2 + tags + documentsElements + fields,
		// 140, then purchaseorders, tds_summary, gst_return_details, the two VAT summaries,
		// retention, the two landed costs, journal_credits, credit_notes, invoices, check_details;
		// of lines discounts, batches, storages, custom fields and the elements of line_item_taxes;
		// 24 of web client, forms, feeds and approval.
		"inventory/bills": 140 + 4 + 4 + 2 + 2*2 + 2 + 2*2 + 2 + 2 + 2 + 2 + 3 + 6 + 3 + 7 + 3 +
			2*tags + documents + comments + fields + printed + 24,
		// 93, then invoices_credited, creditnote_refunds, shipping_charge_taxes, exceptions,
		// contact_persons_associated; of lines discounts, mapped_items and line_item_taxes; three
		// more keys of custom fields; 5 of print, 10 of web client, forms and approval.
		"inventory/credit_notes": 93 + 7 + 7 + 3 + 2 + 5 + 3 + 2 + 3 + 3 + 2*tags + documents + 5 + 10,
		// 46, then package_details, warehouses, the two kinds of components, custom fields,
		// specifications, sales_channels and preferred_vendors.
		"inventory/composite_items": 46 + 6 + 13 + 2*19 + 3 + 2 + 2 + 2 + tags + documents,
		"inventory/locations":       3,
		"inventory/taxes":           11,
		"invoicing/currencies":      2,
	}
	all, err := witness.All()
	must(t, err)
	met := 0
	for _, sample := range all {
		name := sample.Service + "/" + sample.Resource
		if len(sample.Live) == 0 {
			errorIf(t, want[name] != 0, "%s has no live keys, want %d", name, want[name])
			continue
		}
		met++
		got := added(sample.Record, sample.Live)
		errorIf(t, got != want[name], "%s: live services add %d keys, want %d", name, got, want[name])
		_, err := sample.Whole()
		errorIf(t, err != nil, "%v", err)
	}
	errorIf(t, met != len(want), "%d witnesses have live keys, want %d", met, len(want))
}

// added counts the keys of live that the record lacks.
func added(record, live json.RawMessage) int {
	var recordArray, liveArray []json.RawMessage
	if json.Unmarshal(live, &liveArray) == nil {
		if len(liveArray) == 0 {
			return 0
		}
		if json.Unmarshal(record, &recordArray) == nil && len(recordArray) > 0 {
			return added(recordArray[0], liveArray[0])
		}
		return added(nil, liveArray[0])
	}
	var recordObject, liveObject map[string]json.RawMessage
	if json.Unmarshal(live, &liveObject) != nil {
		return 0
	}
	_ = json.Unmarshal(record, &recordObject) // what is no object has no keys
	count := 0
	for key, value := range liveObject {
		beneath, both := recordObject[key]
		if !both {
			count++
		}
		count += added(beneath, value)
	}
	return count
}

// TestWhole lays live keys over records: by key, by element, and beyond the last element.
func TestWhole(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ record, live, want string }{
		{`{"a":1.50}`, ``, `{"a":1.50}`},
		{`{"a":1.50}`, `{"b":2.00}`, `{"a":1.50,"b":2.00}`},
		{`{"a":{"b":1}}`, `{"a":{"c":2}}`, `{"a":{"b":1,"c":2}}`},
		{`{"a":[{"b":1},{"b":2}]}`, `{"a":[{"c":3}]}`, `{"a":[{"b":1,"c":3},{"b":2}]}`},
		{`{"a":[]}`, `{"a":[{"c":3}]}`, `{"a":[{"c":3}]}`},
		{`{"a":1}`, `{"a":2}`, ``},
		{`{"a":null}`, `{"a":{"b":1}}`, ``},
		{`{"a":null}`, `{"a":[1]}`, ``},
		{`{"a":[1]}`, `{"a":{"b":1}}`, ``},
		{`{"a":[{"b":1}]}`, `{"a":[{"b":1}]}`, ``},
	} {
		sample := witness.Witness{Record: json.RawMessage(c.record), Live: json.RawMessage(c.live)}
		whole, err := sample.Whole()
		errorIf(t, string(whole) != c.want || (err != nil) != (c.want == ""),
			"%s under %s: %s (%v), want %s", c.record, c.live, whole, err, c.want)
	}
}
