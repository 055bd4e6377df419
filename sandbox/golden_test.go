package sandbox_test

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strconv"
	"strings"
	"sync"
	"testing"

	"sluice/sandbox"
)

// pageDigests are the digests of the pages of TestSameSeedSamePages, with whole and with narrow
// lists. They date from before pages were written fast: the same seed must give the same bytes,
// right or wrong. They were taken again when chat began to answer without Content-Type.
var pageDigests = map[bool]string{
	false: "690bfcd798c1c597fa87d1540bbf6e94",
	true:  "52c30d14cae97cacbfd5c56c8ecfc9f1",
}

// goldenLists names lists of several services.
var goldenLists = []string{
	"/inventory/v1/bills", "/inventory/v1/items", "/inventory/v1/creditnotes", "/inventory/v1/compositeitems", "/inventory/v1/locations",
	"/inventory/v1/settings/taxes", "/books/v3/vendorpayments", "/books/v3/chartofaccounts", "/books/v3/basecurrencyadjustment",
	"/books/v3/expenses", "/books/v3/organizations", "/api/v2/channels",
}

// TestSameSeedSamePages requests pages of lists, with and without filters and orders, before and
// after changes of records, and pages that faults spoil.
func TestSameSeedSamePages(t *testing.T) {
	t.Parallel()
	for _, narrow := range []bool{false, true} {
		u := start(t, sandbox.Options{Seed: 77, Records: 1500, HeadersOnly: narrow, Limits: sandbox.Limits{Off: true}})
		var all strings.Builder
		ask := func() {
			for _, path := range goldenLists {
				for _, query := range [][]string{
					{}, {"page", "2"}, {"page", "900"}, {"page", "3", "per_page", "7"}, {"sort_column", "created_time", "sort_order", "A"},
					{"sort_column", "last_modified_time"}, {"last_modified_time", "2025-09-01T00:00:00+0000"}, {"filter_by", "Status.Open"},
				} {
					answer := u.get(t, path, query...)
					fmt.Fprintln(&all, path, query, answer.Code, answer.Header().Get("Content-Type"), answer.Header().Get("Content-Length"), answer.Body)
				}
			}
		}
		ask()
		if _, err := u.Change(sandbox.Change{Seed: 5, Edits: 40, Inserts: 20, Deletes: 20}); err != nil {
			t.Fatal(err)
		}
		ask()
		for _, kind := range []string{"poison", "nul", "unsorted", "duplicate", "extra_keys", "missing_context", "empty_more"} {
			if err := u.SetFaults([]sandbox.Fault{{Path: "/inventory/v1/bills", Kind: kind}}); err != nil {
				t.Fatal(err)
			}
			fmt.Fprintln(&all, u.get(t, "/inventory/v1/bills", "page", "2").Body)
		}
		sum := sha256.Sum256([]byte(all.String()))
		if got := hex.EncodeToString(sum[:16]); got != pageDigests[narrow] {
			t.Errorf("headers only %t: digest %q, was %q", narrow, got, pageDigests[narrow])
		}
	}
}

// Pages requested at the same time do not overwrite each other.
func TestPagesAtOnceAreThoseOneByOne(t *testing.T) {
	t.Parallel()
	u := start(t, sandbox.Options{Seed: 78, Records: 4000, Limits: sandbox.Limits{Off: true}})
	const pages = 5
	paths := []string{"/inventory/v1/bills", "/inventory/v1/items", "/books/v3/vendorpayments"}
	read := func(n int) string {
		return u.get(t, paths[n%len(paths)], "page", strconv.Itoa(1+n/len(paths)), "per_page", "90").Body.String()
	}
	var alone [pages * 3]string
	for n := range alone {
		alone[n] = read(n)
	}
	var asking sync.WaitGroup
	for range 4 {
		asking.Go(func() {
			for n := range alone {
				if got := read(n); got != alone[n] {
					t.Errorf("page %d is another one when others are asked for at once", n)
				}
			}
		})
	}
	asking.Wait()
}
