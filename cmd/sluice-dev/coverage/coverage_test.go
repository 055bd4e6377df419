package coverage_test

import (
	"encoding/json"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"

	"sluice/cmd/sluice-dev/coverage"
	"sluice/schema"
	"sluice/schema/docs/endpoints"
)

// TestRows counts the rows of the tables; the expected figures were counted in the documents.
func TestRows(t *testing.T) {
	t.Parallel()
	rows, err := endpoints.Rows()
	if err != nil {
		t.Fatal(err)
	}
	tabled, prose := map[string]int{}, 0
	seen := map[string]bool{}
	for i := range rows {
		row := &rows[i]
		if row.Section == "Endpoints" {
			tabled[row.Document]++
		} else {
			prose++
		}
		if seen[row.String()] {
			t.Errorf("%s occurs twice: name a variant", row)
		}
		seen[row.String()] = true
	}
	for document, want := range map[string]int{"1": 7, "2": 38, "3": 19} {
		if tabled[document] != want {
			t.Errorf("document %s has %d endpoints in its tables, the fixture %d", document, want, tabled[document])
		}
	}
	if prose != 6 {
		t.Errorf("%d endpoints out of prose, want 6: organizations of four services, channels and chats of networks", prose)
	}
}

// row makes a row of the service stock.
func row(method, path, key, scope string) endpoints.Row {
	return endpoints.Row{Document: "9", Section: "Endpoints", Service: "stock", Method: method, Path: path, Key: key, Scope: scope}
}

// stock returns a service with one resource of each kind that Lay tells apart.
func stock() schema.Service {
	return schema.Service{
		Name: "stock", Scope: "Stock",
		Resources: []schema.Resource{
			{
				Name: "parts", Path: "/parts", Key: "parts", Scope: "parts",
				Single:   &schema.Single{Path: "/parts/{id}", Key: "part"},
				Details:  &schema.Details{Marker: "bins"},
				Children: []schema.Child{{Name: "bins"}},
			},
			{
				Name: "pallets", Path: "/halls/{parent}/pallets", Key: "pallets", Scope: "halls", Optional: true,
				Details: &schema.Details{Marker: "boxes", Batch: &schema.Batch{Path: "/palletdetails", Key: "pallets", Size: 50}},
			},
			{Name: "rumours", Path: "/rumours", Key: "rumours", Scope: "parts", AssumedPath: true},
		},
		Reads: []schema.Read{{Name: "forecast", Path: "/parts/forecast", Key: "data", Scope: "parts"}},
	}
}

func TestLay(t *testing.T) {
	t.Parallel()
	rows := []endpoints.Row{
		row("GET", "/parts", "parts", "SvcStock.parts.READ"),
		row("POST", "/parts", "part", "SvcStock.parts.CREATE"),
		row("GET", "/parts/<part_id>", "part", "SvcStock.parts.READ"),
		row("GET", "/parts/forecast", "", "SvcStock.parts.READ"),
		row("GET", "/halls/<hall_id>/pallets", "", ""),
		row("GET", "/halls/<hall_id>/pallets/<pallet_id>", "", ""),
		row("GET", "/palletdetails", "pallets", ""),
	}
	answers, misfits := coverage.Lay(rows, []schema.Service{stock()}, []bool{true, false, true, true, true, true, true})
	if len(misfits) > 0 {
		t.Errorf("misfits: %q", misfits)
	}
	for i, want := range []string{
		"copied into `stock.parts` and `parts_bins`",
		"write: not called by sluice",
		"details of `stock.parts`: rows whose list record was a header",
		"asked on demand: `sluice read stock.forecast`",
		"copied into `stock.pallets`; off unless the configuration enables it",
		"one record of `stock.pallets`: not called, the list is complete",
		"details of `stock.pallets`: rows whose list record was a header, up to 50 a call",
	} {
		if answers[i].Text != want || answers[i].Served != (rows[i].Method == http.MethodGet) {
			t.Errorf("%s: %q, served %v; want %q", &rows[i], answers[i].Text, answers[i].Served, want)
		}
	}
	page := coverage.Markdown(answers, []coverage.Values{
		{Service: "stock", Resource: "parts", Columns: 6, JSON: 1, Ignored: 1}, {Service: "stock", Resource: "rumours", Columns: 1, Extra: 1},
	})
	for _, want := range []string{
		"| stock | GET | `/parts` | `parts` | `SvcStock.parts.READ` | copied into `stock.parts` and `parts_bins` | yes |\n",
		"| stock | POST | `/parts` | `part` | `SvcStock.parts.CREATE` | write: not called by sluice | no |\n",
		"| `stock.parts` | 8 | 7 | 1 | 1 | 0 | 87.5 % |\n| `stock.rumours` | 2 | 1 | 0 | 0 | 1 | 50.0 % |\n| all | 10 | 8 | 1 | 1 | 1 | 80.0 % |\n",
	} {
		if !strings.Contains(page, want) {
			t.Errorf("the page lacks the line\n%s\n%s", want, page)
		}
	}
}

func TestMisfits(t *testing.T) {
	t.Parallel()
	complete := []endpoints.Row{
		row("GET", "/parts", "", ""), row("GET", "/parts/<id>", "", ""), row("GET", "/parts/forecast", "", ""),
		row("GET", "/halls/<id>/pallets", "", ""), row("GET", "/palletdetails", "", ""),
	}
	for name, c := range map[string]struct {
		row  endpoints.Row
		want string
	}{
		"no answer":     {row("GET", "/unheard", "", ""), "GET stock /unheard has no answer"},
		"another key":   {row("GET", "/parts", "items", ""), `answers under the key items, declared is "parts"`},
		"another scope": {row("GET", "/parts", "", "SvcStock.halls.READ"), `needs the scope SvcStock.halls.READ, declared is the area "parts"`},
		"not assumed":   {row("GET", "/rumours", "", ""), "is declared as assumed, but document 9 shows it"},
		"authorization": {endpoints.Row{Service: "authorization", Method: "GET", Path: "/new"}, "GET authorization /new has no answer"},
	} {
		_, misfits := coverage.Lay(append(slices.Clone(complete), c.row), []schema.Service{stock()}, make([]bool, len(complete)+1))
		if len(misfits) != 1 || !strings.Contains(misfits[0], c.want) {
			t.Errorf("%s: misfits %q, want one with %q", name, misfits, c.want)
		}
	}
	_, misfits := coverage.Lay(complete[:3], []schema.Service{stock()}, make([]bool, len(complete)+1))
	want := []string{
		"GET stock /halls/*/pallets is declared, no document shows it, and it is not marked assumed",
		"GET stock /palletdetails is declared, no document shows it, and it is not marked assumed",
	}
	if !slices.Equal(misfits, want) {
		t.Errorf("misfits %q, want %q", misfits, want)
	}
}

// TestProbe calls an upstream that knows one list, one record and a token.
func TestProbe(t *testing.T) {
	t.Parallel()
	upstream := http.NewServeMux()
	upstream.HandleFunc("POST /oauth/v2/token", func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Query().Get("grant_type") != "refresh_token" || r.URL.Query().Get("client_id") != "me" {
			_, _ = w.Write([]byte(`{"error":"unsupported_grant_type"}`))
			return
		}
		_, _ = w.Write([]byte(`{"access_token":"t1"}`))
	})
	upstream.HandleFunc("GET /stock/v9/cm_tools", func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Authorization") != "Svc-oauthtoken t1" || r.Header.Get("X-Org") != "77" {
			w.WriteHeader(http.StatusMethodNotAllowed)
		}
	})
	upstream.HandleFunc("GET /stock/v9/parts/1", func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(http.StatusNotFound)
		_, _ = w.Write([]byte(`{"code":1002,"message":"no such part"}`))
	})
	upstream.HandleFunc("/", func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(http.StatusNotFound)
		_, _ = w.Write([]byte(`{"code":5,"message":"no such path"}`))
	})
	player := &coverage.Player{
		Handler: upstream, Roots: map[string]string{"stock": "/stock/v9"}, Scheme: "Svc-oauthtoken", Client: url.Values{"client_id": {"me"}},
		Organization: "77", Headers: []string{"X-Org"}, Names: map[string]string{"<module_name>": "cm_tools"},
	}
	token := endpoints.Row{Service: "authorization", Method: "POST", Path: "/oauth/v2/token", Variant: "refresh_token"}
	code := token
	code.Variant = "authorization_code"
	for _, c := range []struct {
		row  endpoints.Row
		want bool
	}{
		{row("GET", "/<module_name>", "", ""), true},
		{row("POST", "/<module_name>", "", ""), false},
		{row("GET", "/parts/<part_id>", "", ""), true},
		{row("GET", "/wheels", "", ""), false},
		{token, true},
		{code, false},
	} {
		served, err := player.Probe(t.Context(), &c.row)
		if err != nil || served != c.want {
			t.Errorf("%s: served %v (%v), want %v", &c.row, served, err, c.want)
		}
	}
}

// TestScopes checks that reading needs READ, but custom modules ALL (docs/upstream.md U36).
func TestScopes(t *testing.T) {
	t.Parallel()
	rows, err := endpoints.Rows()
	if err != nil {
		t.Fatal(err)
	}
	scopes := endpoints.Scopes(rows)
	for area, want := range map[string]string{
		"Books.custommodules": "Books.custommodules.ALL", "Inventory.bills": "Inventory.bills.READ", "Chat.Channels": "Chat.Channels.READ",
		"Books.expenses": "",
	} {
		if scopes[area] != want {
			t.Errorf("scope of %s is %q, want %q", area, scopes[area], want)
		}
	}
}

// parts is a list with a place of each kind.
func parts() *schema.Resource {
	return &schema.Resource{
		Name: "parts",
		Columns: []schema.Column{
			schema.ID("part_id", "Key."), schema.Decimal("rate", "Price."), schema.Time("updated", "Change.").OrAs("modified"), schema.JSON("sizes", "Open."),
		},
		Children: []schema.Child{
			{Name: "bins", Columns: []schema.Column{schema.ID("bin_id", "Key.")}, Ignored: map[string]string{"colour": "display"}, Children: []schema.Child{
				{Name: "tags", Scalar: true, Columns: []schema.Column{schema.Text("tag", "Tag.")}},
			}},
			{Name: "maker", Object: true, Columns: []schema.Column{schema.Text("name", "Name.")}},
			{Name: "fields", Prefix: "cf_", Twin: "_formatted", Columns: []schema.Column{
				schema.ID("key", "Key."), schema.JSON("value", "Value."), schema.Text("text", "Display."),
			}},
		},
		Ignored: map[string]string{"page_width": "print"},
	}
}

// TestCountValues counts values by hand in records that have them in every kind of place.
func TestCountValues(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		record                       string
		columns, json, ignored, more int
	}{
		"nothing":     {`{}`, 0, 0, 0, 0},
		"columns":     {`{"part_id":"1","rate":0.00}`, 2, 0, 0, 0},
		"empty":       {`{"part_id":"","rate":null,"sizes":[],"bins":"","maker":{},"surprise":" ","page_width":""}`, 0, 0, 0, 0},
		"second key":  {`{"updated":"2026-01-01","modified":"2026-01-02"}`, 2, 0, 0, 0},
		"json":        {`{"sizes":[{"w":1,"h":[2,""]},false]}`, 0, 3, 0, 0},
		"array":       {`{"bins":[{"bin_id":"1","tags":["a","b",""]},{"bin_id":"2","colour":"red","shape":"round"}]}`, 4, 0, 1, 1},
		"object":      {`{"maker":{"name":"Bowman","city":"Pune"}}`, 1, 0, 0, 1},
		"array of it": {`{"maker":[{"name":"Bowman"}]}`, 1, 0, 0, 0},
		"prefix":      {`{"cf_a":5,"cf_a_formatted":"5.00"}`, 1, 1, 0, 0},
		"ignored":     {`{"page_width":"8in"}`, 0, 0, 1, 0},
		"twins":       {`{"rate_formatted":"₹1.00","weight_formatted":"2 kg"}`, 0, 0, 1, 1},
		"unknown":     {`{"surprise":{"a":1,"b":[true,"x"]}}`, 0, 0, 0, 3},
	} {
		got, err := coverage.CountValues("stock", parts(), json.RawMessage(c.record))
		want := coverage.Values{Service: "stock", Resource: "parts", Columns: c.columns, JSON: c.json, Ignored: c.ignored, Extra: c.more}
		if err != nil || got != want {
			t.Errorf("%s: %+v (%v), want %+v", name, got, err, want)
		}
	}
	for _, record := range []string{`[]`, `{"bins":[1]}`, `{"rate":}`} {
		if _, err := coverage.CountValues("stock", parts(), json.RawMessage(record)); err == nil {
			t.Errorf("%s is counted", record)
		}
	}
	if share := (&coverage.Values{}).Share(); share != 1 {
		t.Errorf("of no values %v have a column, want all", share)
	}
}
