package sandbox_test

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"testing"

	"sluice/sandbox"
	"sluice/sandbox/witness"
)

func wide() sandbox.Options {
	return sandbox.Options{
		Seed: 1, Records: 5000, Demo: true, Limits: off(),
		Networks: []string{"partners", "agencies"}, CustomModules: []string{"cm_projects", "cm_assets"},
	}
}

// leaves notes each path of a value, and whether it holds a value that is not empty. Arrays and
// objects of the sample contribute their members.
func leaves(path string, value json.RawMessage, filled map[string]bool) {
	var array []json.RawMessage
	var fields object
	switch {
	case json.Unmarshal(value, &array) == nil && len(array) > 0:
		for _, element := range array {
			leaves(path+"[]", element, filled)
		}
	case json.Unmarshal(value, &fields) == nil && fields != nil:
		for name, inner := range fields {
			leaves(path+"."+name, inner, filled)
		}
	default:
		trimmed := strings.TrimSpace(string(value))
		filled[path] = filled[path] || trimmed != "[]" && trimmed != `""` && trimmed != `" "` && trimmed != "null"
	}
}

// neverFilled lists the keys that no record fills, each with its reason. The documents show no
// element of these arrays.
func neverFilled() []string {
	return []string{
		"accounting.chart_of_accounts.documents", "accounting.vendor_payments.comments", "accounting.vendor_payments.documents",
		"accounting.vendor_payments.imported_transactions", "accounting.expenses.custom_fields",
		"accounting.expenses.acquisition_vat_summary", "accounting.expenses.reverse_charge_vat_summary",
		"inventory.items.documents", "inventory.credit_notes.line_items[].item_custom_fields",
	}
}

// Every key of every witness has a value in at least one record of a demonstration.
func TestDemoFillsEveryKey(t *testing.T) {
	t.Parallel()
	u := start(t, wide())
	all := sure(witness.All())(t)
	for _, sample := range all {
		if sample.Service == "" { // shared: organizations come for each service, the token is no record.
			continue
		}
		want, got := map[string]bool{}, map[string]bool{}
		name := sample.Service + "." + sample.Resource
		leaves(name, sample.Record, want)
		for record := range u.Truth(sample.Service, sample.Resource) {
			leaves(name, record, got)
		}
		var missing []string
		for path := range want {
			if got[path] == slices.Contains(neverFilled(), path) {
				missing = append(missing, path)
			}
		}
		slices.Sort(missing)
		equal(t, missing, []string(nil), name, len(slices.Collect(maps.Keys(want))))
	}
}
