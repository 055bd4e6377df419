package sandbox_test

import (
	"net/http"
	"net/http/httptest"
	"strconv"
	"testing"
	"time"

	"sluice/sandbox"
)

const (
	manyRecords = 1_000_000
	// manyPages is the number of pages of bills in a large world.
	manyPages = 1400
)

// many scales a number of a large world. With -short (make bench QUICK=1) it is a twentieth: the
// benchmarks run, but measure little.
func many(n int) int {
	if testing.Short() {
		return n / 20
	}
	return n
}

func grown(b *testing.B, headers bool) (*sandbox.Server, *http.Request) {
	b.Helper()
	now := time.Date(2026, 3, 10, 6, 0, 0, 0, time.UTC)
	server, err := sandbox.New(sandbox.Options{
		Records: many(manyRecords), Now: func() time.Time { return now }, Limits: sandbox.Limits{Off: true}, HeadersOnly: headers, SortsModified: true,
	})
	if err != nil {
		b.Fatal(err)
	}
	recorder := httptest.NewRecorder()
	server.ServeHTTP(recorder, httptest.NewRequestWithContext(b.Context(), http.MethodPost, tokenURL(nil), http.NoBody))
	var answer struct {
		Token string `json:"access_token"`
	}
	if err := jsonInto(recorder, &answer); err != nil {
		b.Fatal(err)
	}
	request := httptest.NewRequestWithContext(b.Context(), http.MethodGet, target("/inventory/v1/bills", "page", strconv.Itoa(many(manyPages)/5)), http.NoBody)
	request.Header.Set("Authorization", "Svc-oauthtoken "+answer.Token)
	return server, request
}

func ask(b *testing.B, server *sandbox.Server, request *http.Request) {
	b.Helper()
	recorder := httptest.NewRecorder()
	server.ServeHTTP(recorder, request)
	if recorder.Code != http.StatusOK {
		b.Fatalf("status %d: %.200s", recorder.Code, recorder.Body)
	}
}

// BenchmarkNewAndFirstPage measures the start of a demonstration with a million records.
func BenchmarkNewAndFirstPage(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		server, request := grown(b, true)
		ask(b, server, request)
	}
}

// BenchmarkPage measures one page of 200 bills, another one each time, without changes in between.
// Bills come as in live lists, and with all keys of single records.
func BenchmarkPage(b *testing.B) {
	for name, headers := range map[string]bool{"headers": true, "full": false} {
		b.Run(name, func(b *testing.B) {
			server, request := grown(b, headers)
			ask(b, server, request)
			b.ReportAllocs()
			n := 0
			for b.Loop() {
				n++
				request.URL.RawQuery = target("", "page", strconv.Itoa(1+n%many(manyPages)))[1:]
				ask(b, server, request)
			}
		})
	}
}

// BenchmarkPageAfterChange measures one page after an edit, which makes the order anew.
func BenchmarkPageAfterChange(b *testing.B) {
	server, request := grown(b, true)
	for b.Loop() {
		if _, err := server.Change(sandbox.Change{Edits: 1, Resources: []string{"bills"}}); err != nil {
			b.Fatal(err)
		}
		ask(b, server, request)
	}
}

// BenchmarkSortedPage measures one page in the order of modification times, from another instant
// each time, as keyset paging asks for it. It repeats this in other orders, and after an edit,
// which each order has to absorb.
func BenchmarkSortedPage(b *testing.B) {
	for name, column := range map[string]string{"modified": "last_modified_time", "created": "created_time", "amount": "amount"} {
		for change, edits := range map[string]bool{"still": false, "edited": true} {
			b.Run(name+"/"+change, func(b *testing.B) {
				server, request := grown(b, true)
				request.URL.Path = "/books/v3/vendorpayments"
				began := time.Date(2024, 3, 10, 6, 0, 0, 0, time.UTC)
				page := func(n int) {
					since := began.Add(time.Duration(n) * 97 * time.Minute).Format("2006-01-02T15:04:05Z")
					request.URL.RawQuery = target("", "sort_column", column, "sort_order", "A", "last_modified_time", since)[1:]
					ask(b, server, request)
				}
				page(0)
				for n := 1; b.Loop(); n++ {
					if edits {
						if _, err := server.Change(sandbox.Change{Edits: 1, Resources: []string{"vendor_payments"}}); err != nil {
							b.Fatal(err)
						}
					}
					page(n)
				}
			})
		}
	}
}
