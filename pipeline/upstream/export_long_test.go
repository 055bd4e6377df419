package upstream_test

import (
	"errors"
	"fmt"
	"net/http"
	"runtime"
	"testing"
	"time"
	"weak"

	"sluice/pipeline"
	"sluice/pipeline/check"
	"sluice/schema"
	"sluice/schema/record"
)

// TestALongExportIsNeverHeldWhole: each group of an export is given before upstream sends more than
// the next one, and what was given is held no longer.
func TestALongExportIsNeverHeldWhole(t *testing.T) {
	const groups, rows = 20, 5000 // of a group
	given := make(chan struct{})
	r := newFixture(t, func(w http.ResponseWriter, q *http.Request) {
		w.Header().Set("Content-Type", csvType)
		for i := range groups * rows {
			if _, err := fmt.Fprintf(w, "t,%d,1\n", i); err != nil {
				return
			}
			if i%rows == rows-1 && i >= 2*rows {
				_ = http.NewResponseController(w).Flush()
				select {
				case <-given: // the group before the last one that was sent
				case <-q.Context().Done():
					return
				}
			}
		}
	})
	records, pages := 0, 0
	var earlier []weak.Pointer[byte]
	err := r.client.Export(t.Context(), askExport(), func(page pipeline.Page) error {
		records += len(page.Records)
		earlier = append(earlier, weak.Make(&page.Records[0][0]))
		if pages++; pages <= groups-2 {
			given <- struct{}{}
		}
		return nil
	})
	runtime.GC()
	held := 0
	for _, first := range earlier {
		if first.Value() != nil {
			held++
		}
	}
	check.ErrorIf(t, err != nil || records != groups*rows || held > 1,
		"%d records, error %v, %d groups held; want %d records and no group", records, err, held, groups*rows)
}

// TestExportOfFiguresForPeople: figures written for people and times without a zone arrive
// unchanged. A value that does not fit its column rejects one record.
func TestExportOfFiguresForPeople(t *testing.T) {
	t.Parallel()
	resource := &schema.Resource{
		Name: "conversations", Path: conversations.Path, ID: "chat_id", Cursor: conversations.Cursor,
		Columns: []schema.Column{
			schema.ID("chat_id", "Key."), schema.Text("title", "Title."), schema.Int("participant_count", "Participants."), schema.Time("creation_time", "Creation."),
		},
	}
	normalizer := check.Sure(record.New(resource, time.FixedZone("", 5*3600+1800)))(t)
	for row, want := range map[string]string{
		`1,a,1234,1768651643000`:       "1234 at 2026-01-17 12:07:23+00", // in milliseconds since 1970
		`1,a,1234,2026-01-17 15:27:23`: "1234 at 2026-01-17 09:57:23+00", // read in the organization's zone
		`1,a,"1,234",`:                 "participant_count bad_number",
		`1,a,1.234,`:                   "participant_count bad_number",
		`1,a,1 234,`:                   "participant_count bad_number",
		`1,a,"1.234,00",`:              "participant_count bad_number",
		`1,a,7,"17/01/2026, 15:27"`:    "creation_time bad_time",
		`1,a,7,17 Jan 2026 03:27 PM`:   "creation_time bad_time",
		`1,a,7,"1,768,651,643,000"`:    "creation_time bad_time",
		`1,a,7,`:                       "7 at ",
	} {
		request := askExport()
		request.Stream.Resource = resource
		var got string
		err := makeFixture(t, answer(200, csvType, row+"\n")).client.Export(t.Context(), request, func(page pipeline.Page) error {
			for _, raw := range page.Records {
				got += seen(normalizer.Record(raw))
			}
			return nil
		})
		check.ErrorIf(t, err != nil || got != want, "%s: %q, error %v, want %q", row, got, err, want)
	}
}

// seen is a record's figure and instant, or the reason why it does not fit.
func seen(rec record.Record, err error) string {
	if fault, ok := errors.AsType[*record.RejectedError](err); ok {
		return fault.Path + " " + string(fault.Code)
	}
	values := rec.Tables[0][0].Values
	return values[2].Text + " at " + values[3].Text
}
