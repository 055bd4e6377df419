package record_test

import (
	"testing"
	"time"

	"sluice/schema"
	"sluice/schema/record"
)

// TestTheNewerOfTwoKeysCounts sends a modification time under either of its keys, and under both.
func TestTheNewerOfTwoKeysCounts(t *testing.T) {
	t.Parallel()
	resource := &schema.Resource{
		Name: "notes", ID: "note_id", Cursor: schema.FullScan{Modified: "updated"},
		Columns: []schema.Column{
			schema.ID("note_id", "The key of it."), schema.Time("updated", "When it changed.").OrAs("modified"),
		},
	}
	n, err := record.New(resource, time.UTC)
	if err != nil {
		t.Fatal(err)
	}
	const older, newer = `"2026-01-05T12:00:00Z"`, `"2026-01-17T15:27:23+0530"`
	for _, c := range []struct{ name, keys, want string }{
		{"first key alone", `"updated":` + newer, "2026-01-17 09:57:23+00"},
		{"second key alone", `"modified":` + newer, "2026-01-17 09:57:23+00"},
		{"the first is newer", `"updated":` + newer + `,"modified":` + older, "2026-01-17 09:57:23+00"},
		{"the second is newer", `"updated":` + older + `,"modified":` + newer, "2026-01-17 09:57:23+00"},
		{"the second is newer and comes first", `"modified":` + newer + `,"updated":` + older, "2026-01-17 09:57:23+00"},
		{"the second is null", `"updated":` + older + `,"modified":null`, "2026-01-05 12:00:00+00"},
		{"the first is null", `"updated":null,"modified":` + older, "2026-01-05 12:00:00+00"},
		{"both are null", `"modified":null,"updated":null`, ""},
		{"neither is sent", `"other":1`, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			raw := []byte(`{"note_id":"1",` + c.keys + `}`)
			whole, err := n.Record(raw)
			if err != nil {
				t.Fatal(err)
			}
			value := whole.Tables[0][0].Values[1]
			if peeked, ok := n.Peek(raw, ""); !ok || !peeked.Modified.Equal(whole.Modified) || peeked.Tables[0][0].Values[1] != value {
				t.Errorf("a peek shows %v, %v (%v), want %v", peeked.Tables, peeked.Modified, ok, value)
			}
			if value.Text != c.want || (value.State == record.Set) != (c.want != "") {
				t.Errorf("the column holds %+v, want %q", value, c.want)
			}
			if text := whole.Modified.UTC().Format("2006-01-02 15:04:05+00"); c.want != "" && text != c.want || c.want == "" && !whole.Modified.IsZero() {
				t.Errorf("modified %v, want %q", whole.Modified, c.want)
			}
			if len(whole.Drift) > 0 && c.name != "neither is sent" {
				t.Errorf("drift %v", whole.Drift)
			}
		})
	}
}
