package promote_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"sluice/pipeline/lineage/promote"
	"sluice/schema"
	"sluice/schema/record"
)

// survey examines records that have one key each.
func survey(t *testing.T, key string, values ...string) promote.Proposal {
	t.Helper()
	var s promote.Survey
	for _, value := range values {
		if err := s.Records([]byte(`[{"key":"1","`+key+`":`+value+`}]`), map[string]bool{"key": true}); err != nil {
			t.Fatal(err)
		}
	}
	return s.Proposal()
}

func TestKinds(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ name, key, values, want string }{
		{"truth values", "active", `true|false|null|""`, "bool"},
		{"truth values as words, too", "active", `true|"false"`, "bool"},
		{"whole numbers", "count", `1|20|0`, "int"},
		{"amounts", "total", `1|20.50|0`, "decimal"},
		{"amounts without cents", "total", `10.00|1000.00`, "decimal"},
		{"amounts, some as text", "total", `1000.00|"12.5"|""`, "decimal"},
		{"numbers as text alone may be names", "version", `"1.10"|"1.9"`, "text"},
		{"days", "due", `"2026-01-17"|""|"2026-02-01"`, "date"},
		{"a day that is none", "due", `"2026-01-17"|"2026-02-31"`, "text"},
		{"instants", "changed", `"2026-01-17T15:27:23+0530"|"2026-01-18T00:00:00Z"`, "time"},
		{"instants and days", "changed", `"2026-01-17T15:27:23+0530"|"2026-01-18"`, "time"},
		{"milliseconds stay numbers", "changed", `1768643843000|1768643844000`, "int"},
		{"called an identifier", "item_id", `"4600001"|"4600002"`, "id"},
		{"called an identifier, as numbers", "itemId", `4600001`, "id"},
		{"identifiers that are not digits", "pricebook_id", `"a-1"|"b"`, "id"},
		{"digits with zeros in front", "phone", `"0049123"|"123"`, "id"},
		{"more digits than a figure has", "reference", `4600000000026049123`, "id"},
		{"more digits as text", "reference", `"4600000000026049123"`, "id"},
		{"words", "note", `"a"|"b"|""`, "text"},
		{"words and whole numbers", "code", `"a"|7`, "id"},
		{"words and amounts", "code", `"a"|7.5`, "json"},
		{"objects", "address", `{"city":"Rome"}|""`, "json"},
		{"bare arrays", "tags", `["a","b"]|[]`, "json"},
		{"always empty", "nothing", `""|null|" "`, "text"},
		{"never an element", "lines", `[]|[]`, "json"},
		{"arrays and objects", "lines", `[{"a":1}]|{"a":1}`, "json"},
		{"arrays with others within", "lines", `[{"a":1},2]`, "json"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			got := survey(t, test.key, strings.Split(test.values, "|")...)
			if len(got.Columns) != 1 || len(got.Children) != 0 || got.Columns[0].Kind != test.want || got.Columns[0].Wire != test.key {
				t.Errorf("%s: got %+v, want kind %s", test.values, got, test.want)
			}
		})
	}
}

func TestShares(t *testing.T) {
	t.Parallel()
	var s promote.Survey
	for _, page := range []string{
		`[{"id":"1","rate":1,"odd.key":"x"},{"id":"2","rate":""}]`, `[]`, `[null,{"id":"3"},{"lines":[{"item_id":"1","qty":2},{"item_id":"2"}]}]`,
	} {
		if err := s.Records([]byte(page), map[string]bool{"id": true}); err != nil {
			t.Fatal(err)
		}
	}
	want := promote.Proposal{
		Records: 4,
		Columns: []promote.Column{
			{Wire: "odd.key", Kind: "text", Records: 1},
			{Wire: "rate", Kind: "int", Records: 2, Empty: 1},
		},
		Children: []promote.Child{{
			Name: "lines", Records: 1, Elements: 2,
			Columns: []promote.Column{{Wire: "item_id", Kind: "id", Records: 2}, {Wire: "qty", Kind: "int", Records: 1}},
		}},
	}
	if diff := cmp.Diff(want, s.Proposal()); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
	yaml := `    columns:
      # in 1 of 4 records
      - {wire: "odd.key", kind: text, doc: "To be described, the value of odd.key."}
      # in 2 of 4 records, empty in 1
      - {wire: rate, kind: int, doc: "To be described, the value of rate."}
    children:
      # in 1 of 4 records, 2 elements in all
      - name: lines
        doc: "One element of lines, to be described."
        columns:
          # in 2 of 2 elements
          - {wire: item_id, kind: id, doc: "To be described, the value of item_id."}
          # in 1 of 2 elements
          - {wire: qty, kind: int, doc: "To be described, the value of qty."}
`
	if diff := cmp.Diff(yaml, s.Proposal().YAML()); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
}

func TestBrokenRecords(t *testing.T) {
	t.Parallel()
	var s promote.Survey
	if err := s.Records([]byte(`[{"rate":`), nil); err == nil {
		t.Error("half a record passes")
	}
}

// TestPromotedColumnsTakeEverything: the code that loads values accepts every examined value as the
// proposed kind.
func TestPromotedColumnsTakeEverything(t *testing.T) {
	t.Parallel()
	word := rapid.SampledFrom([]string{
		`null`, `""`, `" "`, `true`, `"false"`, `0`, `-3`, `12345678901234567890`, `1.50`, `1e3`, `"007"`, `"2026-01-17"`, `"2026-13-01"`,
		`"2026-01-17T15:27:23+0530"`, `1768643843000`, `"text"`, `"\u0000"`, `{}`, `{"a":1}`, `[]`, `[1]`,
	})
	kinds := map[string]schema.Kind{
		"id": schema.KindID, "text": schema.KindText, "bool": schema.KindBool, "int": schema.KindInt, "decimal": schema.KindDecimal,
		"date": schema.KindDate, "time": schema.KindTime, "json": schema.KindJSON,
	}
	rapid.Check(t, func(rt *rapid.T) {
		values := rapid.SliceOfN(word, 1, 6).Draw(rt, "values")
		key := rapid.SampledFrom([]string{"thing", "thing_id"}).Draw(rt, "key")
		column := survey(t, key, values...).Columns[0]
		resource := &schema.Resource{ID: "key", Columns: []schema.Column{schema.ID("key", ""), {Wire: key, Kind: kinds[column.Kind]}}}
		normalizer, err := record.New(resource, time.UTC)
		if err != nil {
			rt.Fatal(err)
		}
		for _, value := range values {
			raw := fmt.Sprintf(`{"key":"1",%q:%s}`, key, value)
			if !json.Valid([]byte(raw)) {
				rt.Fatalf("%s is no record", raw)
			}
			if _, err := normalizer.Record([]byte(raw)); err != nil {
				rt.Errorf("%v were proposed as %s, and %s does not fit: %v", values, column.Kind, value, err)
			}
		}
	})
}
