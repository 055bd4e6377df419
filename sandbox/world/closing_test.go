package world_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"time"

	"sluice/sandbox/world"
)

func closed(t *testing.T, records int, base string) *world.World {
	t.Helper()
	return world.New(world.Settings{
		Seed: 4, Records: records, Zone: time.UTC, Anchor: time.Date(2026, 3, 5, 0, 0, 0, 0, time.UTC), Base: base,
		Modules: []string{"cm_a", "cm_b"}, Networks: []string{"n1"}, Organization: "60012345678",
	})
}

// TestClosedBooksHaveTheKeysOfTheOthers: the keys of records, of their forms and of the objects in
// their lists are those of worlds of single records.
func TestClosedBooksHaveTheKeysOfTheOthers(t *testing.T) {
	t.Parallel()
	plain, w := small(2000), closed(t, 2000, "EUR")
	for _, kind := range append(everyKind(), world.Organizations) {
		for _, form := range []world.Form{world.Full, world.Headers, world.Single, world.WithoutBalance} {
			want, got := keysOf(t, plain, kind, form), keysOf(t, w, kind, form)
			for key := range got {
				errorIf(t, !want[key], "kind %d form %d: key %s is new", kind, form, key)
			}
			for key := range want {
				errorIf(t, !got[key] && !strings.Contains(key, "[]"), "kind %d form %d: key %s is missing", kind, form, key) // some lists are empty
			}
		}
	}
}

// keysOf returns the keys of all records of a kind; list[].key for those of objects in lists.
func keysOf(t *testing.T, w *world.World, kind world.Kind, form world.Form) map[string]bool {
	t.Helper()
	keys := map[string]bool{}
	for i := range w.Len(kind) {
		var record map[string]any
		if err := json.Unmarshal(w.AppendRecord(nil, kind, i, form), &record); err != nil {
			t.Fatalf("kind %d record %d: %v", kind, i, err)
		}
		for name, value := range record {
			keys[name] = true
			list, _ := value.([]any)
			for _, element := range list {
				object, _ := element.(map[string]any)
				for inner := range object {
					keys[name+"[]."+inner] = true
				}
			}
		}
	}
	return keys
}

// TestClosedBooksAreSortedAndFiltered: lists follow the values that the records show.
func TestClosedBooksAreSortedAndFiltered(t *testing.T) {
	t.Parallel()
	w := closed(t, 900, "INR")
	value := func(kind world.Kind, i int32, name string) string {
		var record map[string]json.RawMessage
		if err := json.Unmarshal(w.AppendRecord(nil, kind, int(i), world.Full), &record); err != nil {
			t.Fatal(err)
		}
		return strings.Trim(string(record[name]), `"`)
	}
	order := w.Order(world.Query{Kind: world.Bills, Sort: "date", Ascending: true})
	errorIf(t, !slices.IsSortedFunc(order, func(a, b int32) int {
		return strings.Compare(value(world.Bills, a, "date"), value(world.Bills, b, "date"))
	}), "bills are not in the order of their dates")
	errorIf(t, len(order) != w.Len(world.Bills)-4, "%d of %d bills are listed", len(order), w.Len(world.Bills)) // four are deleted.
	order = w.Order(world.Query{Kind: world.Payments, Sort: "vendor_name", Ascending: true})
	errorIf(t, !slices.IsSortedFunc(order, func(a, b int32) int {
		return strings.Compare(value(world.Payments, a, "vendor_name"), value(world.Payments, b, "vendor_name"))
	}), "payments are not in the order of their vendors")
	for filter, status := range map[string]string{"Draft": "draft", "Open": "open", "Closed": "closed", "Void": "void"} {
		order = w.Order(world.Query{Kind: world.CreditNotes, Filter: filter})
		errorIf(t, len(order) == 0, "no credit note is %s", status)
		for _, i := range order {
			got := value(world.CreditNotes, i, "status")
			errorIf(t, got != status, "filter %s passes one that is %s", filter, got)
		}
	}
	for _, i := range w.Order(world.Query{Kind: world.Accounts, Filter: "Liability"}) {
		if kind := value(world.Accounts, i, "account_type"); kind != "accounts_payable" && kind != "credit_card" && !strings.HasSuffix(kind, "liability") {
			t.Errorf("account type %s is a liability", kind)
		}
	}
	from := w.Order(world.Query{Kind: world.Adjustments, From: "2025-06-01"})
	errorIf(t, len(from) != 3, "%d adjustments since June", len(from)) // the quarters that ended in June, September and December.
}

// TestEditsLeaveClosedBooksAlone: an edit moves the modification time and a remark, no amount.
func TestEditsLeaveClosedBooksAlone(t *testing.T) {
	t.Parallel()
	w := closed(t, 500, "USD")
	at := time.Date(2026, 3, 5, 9, 0, 0, 0, time.UTC).Unix()
	for _, kind := range []world.Kind{world.Bills, world.Payments, world.CreditNotes, world.Expenses, world.Items, world.Accounts} {
		before, after := map[string]json.RawMessage{}, map[string]json.RawMessage{}
		if err := json.Unmarshal(w.AppendRecord(nil, kind, 7, world.Full), &before); err != nil {
			t.Fatal(err)
		}
		w.Edit(kind, 7, at)
		if err := json.Unmarshal(w.AppendRecord(nil, kind, 7, world.Full), &after); err != nil {
			t.Fatal(err)
		}
		var changed []string
		for name := range after {
			if string(before[name]) != string(after[name]) {
				changed = append(changed, name)
			}
		}
		slices.Sort(changed)
		for _, name := range changed {
			errorIf(t, !slices.Contains([]string{"notes", "description", "last_modified_time", "updated_time", "name"}, name),
				"kind %d: %s changed", kind, name)
		}
		errorIf(t, len(changed) < 2, "kind %d: only %v changed", kind, changed)
	}
}
