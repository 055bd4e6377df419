package declared

import (
	"encoding/json"
	"net/http"
	"slices"
	"strings"
	"testing"

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

// stock returns a service with one resource of each kind that lay tells apart.
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
	answers, misfits := lay(rows, []schema.Service{stock()})
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
		if answers[i].Text != want {
			t.Errorf("%s: %q, want %q", &rows[i], answers[i].Text, want)
		}
		answers[i].Served = rows[i].Method == http.MethodGet
	}
	page := markdown(answers, []sample{
		{service: "stock", resource: &stock().Resources[0], values: values{columns: 6, json: 1, ignored: 1}},
		{service: "stock", resource: &stock().Resources[2], values: values{columns: 1, extra: 1}},
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
		_, misfits := lay(append(slices.Clone(complete), c.row), []schema.Service{stock()})
		if len(misfits) != 1 || !strings.Contains(misfits[0], c.want) {
			t.Errorf("%s: misfits %q, want one with %q", name, misfits, c.want)
		}
	}
	_, misfits := lay(complete[:3], []schema.Service{stock()})
	want := []string{
		"GET stock /halls/*/pallets is declared, no document shows it, and it is not marked assumed",
		"GET stock /palletdetails is declared, no document shows it, and it is not marked assumed",
	}
	if !slices.Equal(misfits, want) {
		t.Errorf("misfits %q, want %q", misfits, want)
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
		got, err := count(parts(), json.RawMessage(c.record))
		want := values{columns: c.columns, json: c.json, ignored: c.ignored, extra: c.more}
		if err != nil || got != want {
			t.Errorf("%s: %+v (%v), want %+v", name, got, err, want)
		}
	}
	for _, record := range []string{`[]`, `{"bins":[1]}`, `{"rate":}`} {
		if _, err := count(parts(), json.RawMessage(record)); err == nil {
			t.Errorf("%s is counted", record)
		}
	}
}
