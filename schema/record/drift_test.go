package record_test

import (
	"errors"
	"fmt"
	"runtime"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"sluice/schema"
	"sluice/schema/record"
)

// ticket has documented values on the record, on elements and on bare elements.
func ticket() *schema.Resource {
	return &schema.Resource{
		Name: "tickets", ID: "ticket_id", Cursor: schema.FullScan{},
		Columns: []schema.Column{schema.ID("ticket_id", "The key of it."), schema.Text("status", "Its state.").OneOf("open", "closed")},
		Children: []schema.Child{
			{Name: "lines", Doc: "One line.", Columns: []schema.Column{schema.Text("kind", "Its kind.").OneOf("goods")}},
			{Name: "marks", Doc: "One mark.", Scalar: true, Columns: []schema.Column{schema.Text("mark", "The mark itself.").OneOf("red")}},
		},
	}
}

func TestValuesThatNoDocumentListsAreLoadedAndReported(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("é", 40)
	for _, c := range []struct {
		name, raw string
		want      []record.Drift
	}{
		{"listed", `{"ticket_id":"1","status":"open","lines":[{"kind":"goods"}],"marks":["red"]}`, nil},
		{"empty", `{"ticket_id":"1","status":"","lines":[{"kind":null},{"kind":" "},{}],"marks":["",null]}`, nil},
		{"unlisted", `{"ticket_id":"1","status":"Open","lines":[{"kind":"x"},{"kind":"y"},{"kind":"x"}],"marks":["blue"],"a":1}`,
			[]record.Drift{
				{Path: "a", Kind: "number"}, {Path: "lines[].kind", Kind: "value: x"}, {Path: "lines[].kind", Kind: "value: y"},
				{Path: "marks[]", Kind: "value: blue"}, {Path: "status", Kind: "value: Open"},
			}},
		{"bounded", `{"ticket_id":"1","status":"` + long + `"}`, []record.Drift{{Path: "status", Kind: "value: " + strings.Repeat("é", 30)}}},
		{"no half character", `{"ticket_id":"1","status":"x` + long + `"}`,
			[]record.Drift{{Path: "status", Kind: "value: x" + strings.Repeat("é", 29)}}},
		{"printable", `{"ticket_id":"1","status":"a\n\u001bb\u0000\u202ec"}`, []record.Drift{{Path: "status", Kind: "value: a\uFFFD\uFFFDb␀\uFFFDc"}}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			got, err := compiled(t, ticket()).Record([]byte(c.raw))
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(c.want, got.Drift); diff != "" {
				t.Errorf("drift (-want +got):\n%s", diff)
			}
		})
	}
}

func TestDocumentedValuesDoNotMoveTheHash(t *testing.T) {
	t.Parallel()
	plain := ticket()
	plain.Columns[1].Values = nil
	raw := []byte(`{"ticket_id":"1","status":"new"}`)
	with, err := compiled(t, ticket()).Record(raw)
	if err != nil {
		t.Fatal(err)
	}
	without, err := compiled(t, plain).Record(raw)
	if err != nil {
		t.Fatal(err)
	}
	if with.Hash != without.Hash || with.Tables[0][0].Values[1] != set("new") || without.Drift != nil {
		t.Errorf("with %v, without %v", with, without)
	}
}

func TestUnlistedValuesOfOneRecordAreBounded(t *testing.T) {
	t.Parallel()
	var marks []string
	for i := range 5000 {
		marks = append(marks, fmt.Sprintf(`"m%d"`, i))
	}
	got, err := compiled(t, ticket()).Record([]byte(`{"ticket_id":"1","marks":[` + strings.Join(marks, ",") + `]}`))
	if err != nil {
		t.Fatal(err)
	}
	if len(got.Drift) != 100 || len(got.Tables[2]) != 5000 {
		t.Errorf("%d drifts, %d rows", len(got.Drift), len(got.Tables[2]))
	}
}

// members returns a number of members of an object, each after a comma.
func members(count int, value string) string {
	var b strings.Builder
	for n := range count {
		fmt.Fprintf(&b, `,"k%d":%s`, n, value)
	}
	return b.String()
}

// TestARecordIsBounded runs alone, since other tests would take memory meanwhile. The cost of a
// record at its bounds does not grow with the record.
func TestARecordIsBounded(t *testing.T) { //nolint:paralleltest // see above
	const (
		million = 1_000_000
		most    = 80 << 20 // bytes taken from the heap, given back ones included
	)
	n := normalizer(t)
	for _, c := range []struct {
		name, raw string
		code      record.Code // none: it fits
	}{
		{"2,000 unknown keys", `{"order_id":"7"` + members(2_000, "1") + `}`, ""},
		{"one more", `{"order_id":"7"` + members(2_001, "1") + `}`, record.CodeTooLarge},
		{"a million", `{"order_id":"7"` + members(million, "1") + `}`, record.CodeTooLarge},
		{"a million before the key", `{"x":1` + members(million, "1") + `,"order_id":"7"}`, record.CodeTooLarge},
		{"a million in an object", `{"order_id":"7","x":{"y":1` + members(million, "1") + `}}`, record.CodeTooLarge},
		{"a million in an ignored object", `{"order_id":"7","total_formatted":{"y":1` + members(million, "1") + `}}`, record.CodeTooLarge},
		{"unknown keys of lines", `{"order_id":"7","line_items":[{}` + strings.Repeat(`,{"a":1,"b":2}`, 10_000) + `]}`, ""},
		{"more of them", `{"order_id":"7","line_items":[{}` + strings.Repeat(`,{"a":1,"b":2}`, 10_001) + `]}`, record.CodeTooLarge},
		{"a million lines", `{"order_id":"7","line_items":[{}` + strings.Repeat(",{}", million) + `]}`, record.CodeTooLarge},
		{"a long unknown value", `{"order_id":"7","x":"` + strings.Repeat("x", 20<<20) + `"}`, record.CodeTooLarge},
		{"a long unknown list", `{"order_id":"7","x":[1` + strings.Repeat(",1", 10*million) + `]}`, record.CodeTooLarge},
		{"very deep", `{"order_id":"7","x":` + strings.Repeat("[", million) + strings.Repeat("]", million) + `}`, record.CodeTooLarge},
		{"63 deep", `{"order_id":"7","x":` + strings.Repeat("[", 62) + strings.Repeat("]", 62) + `}`, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			rec, err := n.Record([]byte(c.raw))
			runtime.ReadMemStats(&after)
			if took := after.TotalAlloc - before.TotalAlloc; took > most {
				t.Errorf("it took %d MiB, and %d are enough", took>>20, most>>20)
			} else {
				t.Logf("it took %d KiB for %d", took>>10, len(c.raw)>>10)
			}
			fault, _ := errors.AsType[*record.RejectedError](err)
			switch {
			case c.code == "" && (err != nil || rec.ID != "7"):
				t.Errorf("record %q, %v", rec.ID, err)
			case c.code != "" && (fault == nil || fault.Code != c.code || fault.ID != "7"):
				t.Errorf("want %s, got %v", c.code, err)
			}
		})
	}
}
