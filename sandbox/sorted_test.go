package sandbox_test

import (
	"fmt"
	"slices"
	"testing"

	"sluice/sandbox"
)

// TestListedIsTheOrderOfTheList compares the identifiers with those of the list's pages, after
// deletions, edits and insertions.
func TestListedIsTheOrderOfTheList(t *testing.T) {
	t.Parallel()
	for _, byType := range []bool{false, true} {
		u := start(t, sandbox.Options{Seed: 31, Records: 1200, Limits: off(), AccountsByType: byType})
		u.change(t, sandbox.Change{Seed: 3, Inserts: 5, Edits: 9, Deletes: 4})
		for _, list := range []struct{ path, service, name, key, id string }{
			{"/inventory/v1/items", "inventory", "items", "items", "item_id"},
			{"/inventory/v1/bills", "inventory", "bills", "bills", "bill_id"},
			{"/books/v3/chartofaccounts", "accounting", "chart_of_accounts", "chartofaccounts", "account_id"},
		} {
			var shown []string
			for page := 1; page < 5; page++ {
				answer := u.get(t, list.path, "page", fmt.Sprint(page), "per_page", "200", "filter_by", "AccountType.All")
				shown = append(shown, texts(t, slices.Values(readPage(t, answer, list.key).Records), list.id)...)
			}
			if got := u.Listed(list.service, list.name); len(got) < 20 || !slices.Equal(got, shown) {
				t.Errorf("by type %t: %d %s are listed, and the pages show %d in another order", byType, len(got), list.name, len(shown))
			}
		}
	}
	u := start(t, sandbox.Options{Records: 100, Limits: off()})
	equal(t, u.Listed("inventory", "unicorns"), nil, "an unknown resource lists")
}

// TestAccountsByType checks the order seen live, and that a requested sort replaces it.
func TestAccountsByType(t *testing.T) {
	t.Parallel()
	u := start(t, sandbox.Options{Seed: 31, Records: 5000, Limits: off(), AccountsByType: true})
	column := func(name string, params ...string) []string {
		p := readPage(t, u.get(t, "/books/v3/chartofaccounts", append(params, "per_page", "200")...), "chartofaccounts")
		return texts(t, slices.Values(p.Records), name)
	}
	types := column("account_type")
	errorIf(t, !slices.IsSorted(types) || len(slices.Compact(types)) < 3, "without a sort the types are %q", types)
	names := column("account_name", "sort_column", "account_name", "sort_order", "A")
	errorIf(t, !slices.IsSorted(names) || len(names) < 50, "by name the names are %q", names)
}
