package upstream_test

import (
	"errors"
	"fmt"
	"net/http"
	"runtime"
	"strings"
	"testing"
	"time"

	"sluice/pipeline"
	"sluice/schema"
	"sluice/schema/record"
)

// TestALongExportIsNeverHeldWhole reads years of conversations: little more than one group of an
// export is in memory, however long the export is. It runs alone, because other tests would count.
//
//nolint:paralleltest // see above
func TestALongExportIsNeverHeldWhole(t *testing.T) {
	const rows, most = 300_000, 16 << 20 // the body has 24 MB, its records three times that
	title := strings.Repeat("t", 70)
	r := newFixture(t, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", csvType)
		for i := range rows {
			if _, err := fmt.Fprintf(w, "%s,%d,1\n", title, i); err != nil {
				return
			}
		}
	})
	held := func() uint64 {
		runtime.GC()
		var figures runtime.MemStats
		runtime.ReadMemStats(&figures)
		return figures.HeapAlloc
	}
	before, groups, peak, records := held(), 0, uint64(0), 0
	err := r.client.Export(t.Context(), askExport(), func(page pipeline.Page) error {
		records += len(page.Records)
		if groups++; groups%50 == 0 {
			peak = max(peak, held())
		}
		return nil
	})
	if err != nil || records != rows || peak == 0 || peak > before+most {
		t.Errorf("%d records, error %v, at most %d bytes held, %d before; want %d records and %d bytes more at most", records, err, peak, before, rows, most)
	}
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
	normalizer, err := record.New(resource, time.FixedZone("", 5*3600+1800))
	if err != nil {
		t.Fatal(err)
	}
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
		err := newFixture(t, answer(200, csvType, row+"\n")).client.Export(t.Context(), request, func(page pipeline.Page) error {
			for _, raw := range page.Records {
				got += seen(normalizer.Record(raw))
			}
			return nil
		})
		if err != nil || got != want {
			t.Errorf("%s: %q, error %v, want %q", row, got, err, want)
		}
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
