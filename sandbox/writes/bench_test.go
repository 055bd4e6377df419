package writes_test

import (
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"sluice/sandbox/company"
	"sluice/sandbox/endpoints"
	"sluice/sandbox/world"
	"sluice/sandbox/writes"
)

// BenchmarkBill creates bills in a world of a million records. With -short (make bench QUICK=1) the
// world is small, as a check that it runs.
func BenchmarkBill(b *testing.B) {
	now := time.Date(2026, 3, 10, 6, 0, 0, 0, time.UTC)
	records := 1_000_000
	if testing.Short() {
		records = 10_000
	}
	played, err := company.New(company.Settings{ID: "1", Records: records, TimeZone: "UTC", Plan: "free", Now: func() time.Time { return now }})
	if err != nil {
		b.Fatal(err)
	}
	var vendor, item string
	played.With(func(w *world.World) {
		vendor, item = w.Record(world.Bills, 0).Text("vendor_id"), w.ID(world.Items, 7)
	})
	body := `{"vendor_id":"` + vendor + `","line_items":[{"item_id":"` + item + `","quantity":2}]}`
	e, _, _ := endpoints.Find(writes.Table(), post, "/inventory/v1/bills")
	b.ReportAllocs()
	for b.Loop() {
		recorder := httptest.NewRecorder()
		request := httptest.NewRequestWithContext(b.Context(), post, e.Path, strings.NewReader(body))
		e.Serve(&endpoints.Call{ResponseWriter: recorder, Request: request, Endpoint: e, Company: played})
		if recorder.Code != 201 {
			b.Fatal(recorder.Body)
		}
	}
}
