package writes_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"sluice/sandbox/company"
	"sluice/sandbox/endpoints"
	"sluice/sandbox/lists"
	"sluice/sandbox/world"
	"sluice/sandbox/writes"
)

// FuzzWrites sends any body to any row, with identifiers that exist. It finds panics, answers 5xx,
// missing envelopes and records that are no object.
func FuzzWrites(f *testing.F) {
	for n := range writes.Table() {
		f.Add(n, `{"name":"a","vendor_id":"$vendor","amount":"1.5","line_items":[{"item_id":"$item","tax_id":"$tax","rate":1e3}]}`, "cf_a", "1")
		f.Add(n, `{"accounts":[{"account_id":"$account","debit_or_credit":"debit","amount":-1},{"account_id":"$account","debit_or_credit":"credit","amount":-1}],"date":"2026-01-01"}`, "", "")
		f.Add(n, `{"customer_id":"$customer","contact_id":"$vendor","first_name":"\u0000\"","bills":[{"bill_id":"$bill","amount_applied":0}],"currency_id":"$currency","exchange_rate":0}`, "x", "y")
		f.Add(n, `{"custom_fields":[{"value":{"a":[1]}},{"value":null,"index":"7"}],"account_id":"$account","amount":9,"tax_percentage":-100,"tax_name":"t"}`, "cf_b", `""`)
		f.Add(n, `{"check_details":[{}],"address":{"city":null},"user_ids":",,","associated_series_ids":[1,"2",{}],"location_name":"x"}`, "a", "b")
	}
	now := time.Date(2026, 3, 10, 6, 0, 0, 0, time.UTC)
	played, err := company.New(company.Settings{
		ID: "1", Seed: 5, Records: 50, TimeZone: "Asia/Kolkata", Plan: "free", Modules: []string{"cm_a"}, Now: func() time.Time { return now },
	})
	must(f, err)
	table, known := writes.Table(), map[string]string{}
	played.With(func(w *world.World) {
		for name, kind := range map[string]world.Kind{
			"$item": world.Items, "$tax": world.Taxes, "$account": world.Accounts, "$bill": world.Bills, "$currency": world.Currencies,
		} {
			known[name] = w.ID(kind, 0)
		}
		for name, kind := range map[string]world.Kind{"$vendor": world.ContactPersons, "$customer": world.CustomerPersons} {
			known[name] = w.Parents(kind)[0]
		}
	})
	f.Fuzz(func(t *testing.T, n int, body, key, value string) {
		for name, id := range known {
			body = strings.ReplaceAll(body, name, id)
		}
		e := table[uint(n)%uint(len(table))]
		request := httptest.NewRequestWithContext(t.Context(), e.Method, "/", strings.NewReader(body))
		request.Header = http.Header{"X-Unique-Identifier-Key": {key}, "X-Unique-Identifier-Value": {value}, "X-Upsert": {"true"}}
		recorder := httptest.NewRecorder()
		e.Serve(&endpoints.Call{ResponseWriter: recorder, Request: request, Endpoint: e, Values: valuesOf(played, e), Company: played})
		var envelope struct {
			Code    *int    `json:"code"`
			Message *string `json:"message"`
		}
		err := json.Unmarshal(recorder.Body.Bytes(), &envelope)
		fatalIf(t, err != nil || envelope.Code == nil || envelope.Message == nil, "%s %s: %v in %s", e.Method, e.Path, err, recorder.Body)
		ok := recorder.Code < 300
		errorIf(t, recorder.Code >= 500 || ok != (*envelope.Code == 0), "%s %s: status %d: %s", e.Method, e.Path, recorder.Code, recorder.Body)
		played.With(func(w *world.World) { check(t, w, e.Resource) })
	})
}

// valuesOf returns values for a path that lead to a record, if there is one.
func valuesOf(played *company.Company, e endpoints.Endpoint) map[string]string {
	found := map[string]string{}
	played.With(func(w *world.World) {
		kind := e.Resource.Kind
		if parents := w.Parents(kind); len(parents) > 0 && strings.Contains(e.Path, "{parent}") {
			found["parent"] = parents[0]
		}
		if order := w.Order(world.Query{Kind: kind, Under: found["parent"]}); len(order) > 0 {
			found["id"] = w.ID(kind, int(order[0]))
		}
	})
	return found
}

// check checks the newest records for everything that readers rely on.
func check(t *testing.T, w *world.World, e lists.Resource) {
	t.Helper()
	for i := max(0, w.Len(e.Kind)-3); i < w.Len(e.Kind); i++ {
		for _, form := range []world.Form{world.Full, world.Headers, world.Single} {
			record := w.AppendRecord(nil, e.Kind, i, form)
			errorIf(t, !json.Valid(record) || !strings.Contains(string(record), fmt.Sprintf("%q", w.ID(e.Kind, i))), "%s: %s", e.Name, record)
		}
	}
}
