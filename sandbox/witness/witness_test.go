package witness_test

import (
	"encoding/json"
	"errors"
	"io/fs"
	"slices"
	"strings"
	"testing"

	"sluice/sandbox/witness"
)

func TestEverySampleIsComplete(t *testing.T) {
	t.Parallel()
	all, err := witness.All()
	must(t, err)
	var names []string
	for _, sample := range all {
		names = append(names, sample.Service+"/"+sample.Resource)
		errorIf(t, !strings.HasPrefix(sample.Passage, "docs/upstream.md U"),
			"%s/%s cites no fact: %q", sample.Service, sample.Resource, sample.Passage)
		errorIf(t, len(sample.Assumed) == 0, "%s/%s assumes nothing, which no document allows", sample.Service, sample.Resource)
		var record map[string]json.RawMessage
		err := json.Unmarshal(sample.Record, &record)
		errorIf(t, err != nil || len(record) == 0, "%s/%s has no record: %v", sample.Service, sample.Resource, err)
	}
	want := []string{
		"accounting/base_currency_adjustments", "accounting/chart_of_accounts", "accounting/contact_persons",
		"accounting/custom_module_records", "accounting/expenses", "accounting/opening_balances", "accounting/organizations",
		"accounting/vendor_payments",
		"billing/contact_persons", "billing/organizations",
		"chat/channels", "chat/conversations", "chat/network_channels", "chat/network_conversations",
		"inventory/bills", "inventory/composite_items", "inventory/credit_notes", "inventory/items", "inventory/locations",
		"inventory/organizations", "inventory/taxes",
		"invoicing/contact_persons", "invoicing/currencies", "invoicing/organizations",
		"/token",
	}
	errorIf(t, !slices.Equal(names, want), "samples %v, want %v", names, want)
}

// The number of keys is counted in the documents, by hand.
func TestKeyCounts(t *testing.T) {
	t.Parallel()
	for _, want := range []struct {
		service, resource string
		keys              int
		array             string
		arrayKeys         int
	}{
		{"accounting", "chart_of_accounts", 25, "custom_fields", 2},
		{"accounting", "vendor_payments", 33, "bills", 10},
		{"inventory", "items", 49, "locations", 7},
		{"inventory", "bills", 42, "line_items", 30},
		{"inventory", "credit_notes", 35, "line_items", 29},
		{"chat", "conversations", 7, "", 0},
		{"accounting", "organizations", 15, "", 0},
		{"invoicing", "organizations", 15, "", 0},
		{"billing", "organizations", 15, "", 0},
		{"inventory", "organizations", 15, "", 0},
		{"accounting", "contact_persons", 13, "", 0},
		{"invoicing", "contact_persons", 13, "", 0},
		{"billing", "contact_persons", 10, "", 0},
		{"accounting", "custom_module_records", 14, "", 0}, // 10 and two pairs of cf_ keys.
		{"accounting", "opening_balances", 5, "accounts", 11},
		{"accounting", "base_currency_adjustments", 8, "accounts", 7},
		{"accounting", "expenses", 78, "line_items", 13},
		{"invoicing", "currencies", 9, "", 0},
		{"inventory", "locations", 13, "associated_users", 2},
		{"inventory", "composite_items", 45, "mapped_items", 17},
		{"inventory", "taxes", 18, "", 0},
		{"chat", "channels", 15, "", 0}, // none named by the document.
		{"chat", "network_channels", 15, "", 0},
		{"chat", "network_conversations", 7, "", 0},
	} {
		t.Run(want.service+"/"+want.resource, func(t *testing.T) {
			t.Parallel()
			sample, err := witness.Load(want.service, want.resource)
			must(t, err)
			var record map[string]json.RawMessage
			must(t, json.Unmarshal(sample.Record, &record))
			errorIf(t, len(record) != want.keys, "%d keys, the document names %d", len(record), want.keys)
			if want.array == "" {
				return
			}
			var elements []map[string]json.RawMessage
			if err := json.Unmarshal(record[want.array], &elements); err != nil || len(elements) == 0 {
				t.Fatalf("%s has no element: %v", want.array, err)
			}
			errorIf(t, len(elements[0]) != want.arrayKeys, "%s: %d keys, the document names %d", want.array, len(elements[0]), want.arrayKeys)
		})
	}
}

func TestLoadUnknown(t *testing.T) {
	t.Parallel()
	_, err := witness.Load("inventory", "no_such_thing")
	errorIf(t, !errors.Is(err, fs.ErrNotExist), "error %v, want fs.ErrNotExist", err)
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// errorIf fails the test where something is not as it should be, and says what.
func errorIf(tb testing.TB, wrong bool, format string, args ...any) {
	tb.Helper()
	if wrong {
		tb.Errorf(format, args...)
	}
}
