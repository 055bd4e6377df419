package record_test

import (
	"fmt"
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
