package writes_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"sluice/sandbox/company"
	"sluice/sandbox/endpoints"
	"sluice/sandbox/rules"
	"sluice/sandbox/world"
	"sluice/sandbox/writes"
)

// Every row has a rule and a resource of its service, and every rule has a row.
func TestRowsAndRulesAreOfOneTable(t *testing.T) {
	t.Parallel()
	for _, e := range writes.Table() {
		_, found := rules.Find(e.Method, e.Path)
		errorIf(t, !found, "%s %s: no rule", e.Method, e.Path)
		errorIf(t, e.Resource.Name == "" || e.Resource.Service != e.Service() || e.Serve == nil,
			"%s %s: resource %s of %s", e.Method, e.Path, e.Resource.Name, e.Resource.Service)
	}
	served, ruled := len(writes.Table()), len(rules.All())
	errorIf(t, served != ruled, "%d rows, %d rules", served, ruled)
}

// A write is a change of the world like any other. Every subscriber is told of it, and of its
// effects on other records.
func TestWritesAreReported(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 3, 10, 6, 0, 0, 0, time.UTC)
	played, err := company.New(company.Settings{ID: "1", Seed: 2, Records: 50, TimeZone: "UTC", Plan: "free", Now: func() time.Time { return now }})
	must(t, err)
	var heard []company.Event
	played.ChangedTogether(func(events []company.Event) { heard = append(heard, events...) })
	var vendor string
	played.With(func(w *world.World) { vendor = w.Record(world.Bills, 0).Text("vendor_id") })
	send := func(path, body string) {
		t.Helper()
		e, _, status := endpoints.Find(writes.Table(), post, path)
		fatalIf(t, status != http.StatusOK, "%s: status %d", path, status)
		recorder := httptest.NewRecorder()
		request := httptest.NewRequestWithContext(t.Context(), post, path, strings.NewReader(body))
		e.Serve(&endpoints.Call{ResponseWriter: recorder, Request: request, Endpoint: e, Company: played})
		fatalIf(t, recorder.Code != http.StatusCreated, "%s: status %d: %s", path, recorder.Code, recorder.Body)
	}
	send("/inventory/v1/bills", fmt.Sprintf(`{"vendor_id":%q,"line_items":[{"rate":9}]}`, vendor))
	if len(heard) != 1 || heard[0].Kind != world.Bills || heard[0].Operation != world.Inserted || string(heard[0].Fields["balance"]) != "9.00" {
		t.Fatalf("heard %+v", heard)
	}
	bill := heard[0].ID
	heard = nil
	send("/books/v3/vendorpayments", fmt.Sprintf(`{"vendor_id":%q,"bills":[{"bill_id":%q,"amount_applied":4}]}`, vendor, bill))
	told := map[world.Kind]company.Event{}
	for _, e := range heard {
		told[e.Kind] = e
	}
	if paid := told[world.Bills]; len(heard) != 2 || paid.ID != bill || paid.Operation != world.Edited || string(paid.Fields["balance"]) != "5.00" || paid.Fields["vendor_id"] != nil {
		t.Errorf("heard %+v", heard)
	}
	same(t, told[world.Payments].Operation, world.Inserted, told[world.Payments])
}

// Clients of this family also send the body as a form field.
func TestBodyInAForm(t *testing.T) {
	t.Parallel()
	u := start(t)
	form := url.Values{"JSONString": {`{"name":"In a form"}`}}.Encode()
	u.call(t, post, "/inventory/v1/items", form, "Content-Type", "application/x-www-form-urlencoded").is(t, 201, `{"item":{"name":"In a form"}}`)
	u.call(t, post, "/inventory/v1/items", "JSONString=%zz", "Content-Type", "application/x-www-form-urlencoded").refused(t, 400, 2, "the form cannot be read")
}
