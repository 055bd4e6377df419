package record_test

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"sluice/schema"
	"sluice/schema/record"
)

// Records stay unchanged while a normalizer reads later ones, in any way and of any size.
func TestRecordsKeepTheirTexts(t *testing.T) {
	t.Parallel()
	n, err := record.New(&schema.Resource{
		Name: "notes", ID: "note_id", Cursor: schema.Since{Column: "changed", Param: "changed"}, Columns: []schema.Column{
			schema.ID("note_id", "The key."), schema.Time("changed", "When it changed."), schema.Text("text", "What it says."),
			schema.Decimal("total", "An amount."), schema.JSON("blob", "Anything."),
		},
	}, time.UTC)
	if err != nil {
		t.Fatal(err)
	}
	rapid.Check(t, func(t *rapid.T) {
		var records []record.Record
		var wants [][]string
		for range rapid.IntRange(1, 60).Draw(t, "records") {
			id := rapid.StringMatching(`[1-9][0-9]{0,17}`).Draw(t, "id")
			// Quotes and backslashes are escaped on the wire; other characters are not.
			text := strings.Repeat(rapid.StringMatching(`[a-zé "\\]{0,9}`).Draw(t, "text"), rapid.SampledFrom([]int{1, 1, 20, 3000}).Draw(t, "times"))
			quoted, err := json.Marshal(text)
			if err != nil {
				t.Fatal(err)
			}
			total := rapid.SampledFrom([][2]string{{"12.50", "12.5"}, {"1e3", "1000"}, {"7", "7"}}).Draw(t, "total")
			raw := `{"note_id":` + id + `,"changed":"2026-01-17T15:27:23+0530","text":` + string(quoted) + `,"total":` + total[0] +
				`,"blob":{"b": [` + string(quoted) + `], "a":1}}`
			record, err := n.Record([]byte(raw))
			if err != nil {
				t.Fatal(err)
			}
			records = append(records, record)
			wants = append(wants, []string{id, "2026-01-17 09:57:23+00", text, total[1], `{"a":1,"b":[` + string(quoted) + `]}`})
		}
		for i, want := range wants {
			for at, value := range records[i].Tables[0][0].Values {
				if value.State != record.Set || value.Text != want[at] {
					t.Fatalf("record %d: value %d is %q (%d), want %q", i, at, value.Text, value.State, want[at])
				}
			}
			if records[i].ID != want[0] {
				t.Fatalf("record %d has the key %q, want %q", i, records[i].ID, want[0])
			}
		}
	})
}
