package sandbox_test

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"sluice/sandbox"
)

// sortedDigest is the digest of the pages as they were when each call built its order, without an
// index.
const sortedDigest = "da6b0b104c0b338ad3aad37ded4c6a07"

// TestSortedPagesAreTheSame requests pages in all orders, each from another instant, as keyset
// paging does. It does so before and after records change by edits, by the business's own activity
// and by writes of clients.
func TestSortedPagesAreTheSame(t *testing.T) {
	t.Parallel()
	u := start(t, sandbox.Options{Seed: 79, Records: 1500, SortsModified: true, Limits: off(), Activity: sandbox.Activity{Inserts: 30, Edits: 20, Deletes: 5, Payments: 20}})
	sum, answers := sha256.New(), 0
	ask := func() {
		for _, path := range []string{"/books/v3/vendorpayments", "/inventory/v1/items", "/inventory/v1/compositeitems", "/books/v3/chartofaccounts", "/inventory/v1/bills"} {
			for n, column := range []string{"last_modified_time", "created_time", "amount", "rate", "name", "account_name"} {
				for _, order := range []string{"A", "D"} {
					for _, since := range []string{"2024-05-01", "2025-02-11", "2025-09-01", "2025-12-30", "2026-03-10"} {
						answer := u.get(t, path, "sort_column", column, "sort_order", order, "last_modified_time", since+"T00:00:00+0000",
							"page", fmt.Sprint(1+n%2), "per_page", "40")
						_, _ = fmt.Fprintln(sum, path, column, order, since, answer.Code, answer.Body) // a hash accepts every write
						answers += answer.Body.Len()
					}
				}
			}
		}
	}
	ask()
	if _, err := u.Change(sandbox.Change{Seed: 5, Edits: 40, Inserts: 20, Deletes: 20}); err != nil {
		t.Fatal(err)
	}
	ask()
	u.Advance(5 * time.Hour)
	u.login(t)
	ask()
	p := readPage(t, u.get(t, "/books/v3/vendorpayments", "per_page", "3"), "vendorpayments")
	for n, record := range p.Records {
		body := fmt.Sprintf(`{"vendor_id":%q,"amount":%d}`, text(t, record["vendor_id"]), 9999-500*n)
		if made := u.send(t, http.MethodPost, target("/books/v3/vendorpayments"), nil, body); made.Code != http.StatusCreated {
			t.Fatalf("status %d: %s", made.Code, made.Body)
		}
	}
	ask()
	if !strings.Contains(u.get(t, "/books/v3/vendorpayments", "sort_column", "last_modified_time", "sort_order", "D").Body.String(), "9999") {
		t.Error("what was written is not in the list")
	}
	if got := hex.EncodeToString(sum.Sum(nil)[:16]); got != sortedDigest || answers < 1<<20 {
		t.Errorf("digest %q of %d bytes, was %q", got, answers, sortedDigest)
	}
}

// TestListedIsTheOrderOfTheList compares the identifiers with those of the list's pages, after
// deletions, edits and insertions.
func TestListedIsTheOrderOfTheList(t *testing.T) {
	t.Parallel()
	for _, byType := range []bool{false, true} {
		u := start(t, sandbox.Options{Seed: 31, Records: 1200, Limits: off(), AccountsByType: byType})
		if _, err := u.Change(sandbox.Change{Seed: 3, Inserts: 5, Edits: 9, Deletes: 4}); err != nil {
			t.Fatal(err)
		}
		for _, list := range []struct{ path, service, name, key, id string }{
			{"/inventory/v1/items", "inventory", "items", "items", "item_id"},
			{"/inventory/v1/bills", "inventory", "bills", "bills", "bill_id"},
			{"/books/v3/chartofaccounts", "accounting", "chart_of_accounts", "chartofaccounts", "account_id"},
		} {
			var shown []string
			for page := 1; page < 5; page++ {
				answer := u.get(t, list.path, "page", fmt.Sprint(page), "per_page", "200", "filter_by", "AccountType.All")
				for _, record := range readPage(t, answer, list.key).Records {
					shown = append(shown, text(t, record[list.id]))
				}
			}
			if got := u.Listed(list.service, list.name); len(got) < 20 || !slices.Equal(got, shown) {
				t.Errorf("by type %t: %d %s are listed, and the pages show %d in another order", byType, len(got), list.name, len(shown))
			}
		}
	}
	u := start(t, sandbox.Options{Records: 100, Limits: off()})
	if got := u.Listed("inventory", "unicorns"); got != nil {
		t.Errorf("an unknown resource lists %q", got)
	}
}

// TestAccountsByType checks the order seen live, and that a requested sort replaces it.
func TestAccountsByType(t *testing.T) {
	t.Parallel()
	u := start(t, sandbox.Options{Seed: 31, Records: 5000, Limits: off(), AccountsByType: true})
	column := func(name string, params ...string) []string {
		var values []string
		for _, record := range readPage(t, u.get(t, "/books/v3/chartofaccounts", append(params, "per_page", "200")...), "chartofaccounts").Records {
			values = append(values, text(t, record[name]))
		}
		return values
	}
	if types := column("account_type"); !slices.IsSorted(types) || len(slices.Compact(types)) < 3 {
		t.Errorf("without a sort the types are %q", types)
	}
	if names := column("account_name", "sort_column", "account_name", "sort_order", "A"); !slices.IsSorted(names) || len(names) < 50 {
		t.Errorf("by name the names are %q", names)
	}
}
