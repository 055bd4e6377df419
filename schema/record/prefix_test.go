package record_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"sluice/schema"
	"sluice/schema/record"
)

// visit returns a record whose own keys may begin with cf_.
func visit() *schema.Resource {
	return &schema.Resource{
		Name: "visits", ID: "visit_id", Cursor: schema.FullScan{},
		Columns: []schema.Column{schema.ID("visit_id", "The key of it."), schema.Text("cf_known", "Declared by itself.")},
		Children: []schema.Child{
			{Name: "fields", Doc: "One field.", Prefix: "cf_", Twin: "_formatted", Columns: []schema.Column{
				schema.ID("key", "Its key."), schema.JSON("value", "JSON because it is open."), schema.Text("text", "As shown."),
			}},
			{Name: "tags", Doc: "One tag.", Scalar: true, Columns: []schema.Column{schema.Text("tag", "The tag itself.")}},
		},
	}
}

func TestKeysOfAPrefixBecomeRows(t *testing.T) {
	t.Parallel()
	at := func(position int, values ...record.Value) record.Row {
		return record.Row{Position: []int{position}, Values: values}
	}
	for _, c := range []struct {
		name, raw, extra string
		want             []record.Row
		carries          bool
		drift            []record.Drift
	}{
		{name: "none", raw: `{"visit_id":"1","cf_known":"x","fields":"on the wire it is any key"}`,
			extra: `{"fields":"on the wire it is any key"}`, drift: []record.Drift{{Path: "fields", Kind: "string"}}},
		{name: "sorted by key, twins joined", raw: `{"cf_size_formatted":"1,000.00","cf_size":1000.00,"visit_id":"1",
			"cf_colour":"red","cf_parts":[{"b":1,"a":2}],"cf_parts_formatted":null,"cf_gone":null,"cf_empty":""}`,
			carries: true, want: []record.Row{
				at(0, set("cf_colour"), set(`"red"`), absent()),
				at(1, set("cf_empty"), null(), absent()),
				at(2, set("cf_gone"), null(), absent()),
				at(3, set("cf_parts"), set(`[{"a":2,"b":1}]`), null()),
				at(4, set("cf_size"), set("1000"), set("1,000.00")),
			}},
		{name: "a twin without its key", raw: `{"visit_id":"1","cf_size_formatted":"1.0"}`,
			extra: `{"cf_size_formatted":"1.0"}`, drift: []record.Drift{{Path: "cf_size_formatted", Kind: "string"}}},
		{name: "a twin of a declared column is none of the prefix, and ignored", raw: `{"visit_id":"1","cf_known_formatted":"X"}`},
		{name: "a twin of no column is kept", raw: `{"visit_id":"1","weight_formatted":"X"}`,
			extra: `{"weight_formatted":"X"}`, drift: []record.Drift{{Path: "weight_formatted", Kind: "string"}}},
		{name: "a key called like the ending", raw: `{"visit_id":"1","cf_formatted":true}`,
			carries: true, want: []record.Row{at(0, set("cf_formatted"), set("true"), absent())}},
		{name: "the twin of a twin", raw: `{"visit_id":"1","cf_a":1,"cf_a_formatted":"one","cf_a_formatted_formatted":[1.0]}`,
			carries: true, want: []record.Row{at(0, set("cf_a"), set("1"), set("one"))},
			extra: `{"cf_a_formatted_formatted":[1]}`, drift: []record.Drift{{Path: "cf_a_formatted_formatted", Kind: "array"}}},
		{name: "keys that Postgres cannot hold", raw: `{"visit_id":"1","cf_\u0000":"\u0000"}`,
			carries: true, want: []record.Row{at(0, set("cf_␀"), set(`"␀"`), absent())}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			got, err := compiled(t, visit()).Record([]byte(c.raw))
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(c.want, got.Tables[1]); diff != "" {
				t.Errorf("rows (-want +got):\n%s", diff)
			}
			if got.Carries[1] != c.carries || got.Carries[2] || got.Extra != c.extra {
				t.Errorf("carries %v, extra %s", got.Carries, got.Extra)
			}
			if diff := cmp.Diff(c.drift, got.Drift); diff != "" {
				t.Errorf("drift (-want +got):\n%s", diff)
			}
		})
	}
}

func TestHashOfPrefixedKeysIgnoresTheirOrder(t *testing.T) {
	t.Parallel()
	n := compiled(t, visit())
	hash := func(raw string) [16]byte {
		record, err := n.Record([]byte(raw))
		if err != nil {
			t.Fatal(err)
		}
		return record.Hash
	}
	base := hash(`{"visit_id":"1","cf_a":1.0,"cf_b":2,"cf_a_formatted":"1"}`)
	if base != hash(`{"cf_b":2,"cf_a_formatted":"1","cf_a":1,"visit_id":"1"}`) {
		t.Error("the order of keys moved the hash")
	}
	for _, other := range []string{`{"visit_id":"1","cf_a":1,"cf_b":2}`, `{"visit_id":"1","cf_a":1,"cf_c":2,"cf_a_formatted":"1"}`} {
		if base == hash(other) {
			t.Errorf("%s hashes alike", other)
		}
	}
}

func TestPrefixedKeysThatDoNotFit(t *testing.T) {
	t.Parallel()
	var many strings.Builder
	for i := range 2_001 {
		fmt.Fprintf(&many, `,"cf_%06d":1`, i)
	}
	for _, c := range []struct {
		name, raw, path string
		code            record.Code
	}{
		{"number", `{"visit_id":"1","cf_a":1e999}`, "cf_a", record.CodeOutOfRange},
		{"twin", `{"visit_id":"1","cf_a":1,"cf_a_formatted":5}`, "cf_a_formatted", record.CodeWrongType},
		{"odd name", `{"visit_id":"1","cf_[0]\u0000":1e999}`, `"cf_[0]␀"`, record.CodeOutOfRange},
		{"twice", `{"visit_id":"1","cf_a":1,"cf_a":1}`, "", record.CodeDuplicateKey},
		{"many", `{"visit_id":"1"` + many.String() + `}`, "cf_002000", record.CodeTooLarge},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			_, err := compiled(t, visit()).Record([]byte(c.raw))
			var fault *record.RejectedError
			if !errors.As(err, &fault) || fault.Code != c.code || fault.Path != c.path || fault.ID != "1" {
				t.Errorf("want %s at %q, got %#v", c.code, c.path, err)
			}
		})
	}
}

func TestNewRefusesPrefixesThatCannotBe(t *testing.T) {
	t.Parallel()
	narrow, nested := visit(), visit()
	narrow.Children[0].Columns = narrow.Children[0].Columns[:2]
	nested.Children = []schema.Child{{Name: "lines", Columns: visit().Columns, Children: visit().Children[:1]}}
	for _, resource := range []*schema.Resource{narrow, nested} {
		if _, err := record.New(resource, time.UTC); err == nil || !strings.Contains(err.Error(), "is made by a prefix") {
			t.Errorf("want a refusal, got %v", err)
		}
	}
}
