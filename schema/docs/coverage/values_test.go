package coverage_test

import (
	"encoding/json"
	"testing"

	"sluice/schema"
	"sluice/schema/docs/coverage"
)

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
