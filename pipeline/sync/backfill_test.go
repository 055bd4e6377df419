package sync_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"sluice/pipeline"
	"sluice/pipeline/sync/scan"
	"sluice/schema"
)

// dayOf parses a day; "" gives the zero time.
func dayOf(text string) time.Time {
	day, _ := time.Parse(time.DateOnly, text)
	return day
}

// dated is a resource whose list filters by day.
func dated() *schema.Resource {
	r := resource(cursors()["since"])
	r.Columns = append(r.Columns, schema.Date("date", "The day of it."))
	r.Window = &schema.Window{Column: "date", From: "date_start", To: "date_end"}
	return r
}

// calendar answers a list with one thing a day, two on a page, and records its requests.
type calendar struct {
	answer

	days  []string
	asked []string
}

func newCalendar(ignoreFilter bool, days ...string) *calendar {
	c := &calendar{days: days}
	c.answer = func(request pipeline.Request) (pipeline.Page, error) {
		from, to := "", "9999"
		if !request.From.IsZero() && !ignoreFilter {
			from = request.From.Format(time.DateOnly)
		}
		if !request.To.IsZero() && !ignoreFilter {
			to = request.To.Format(time.DateOnly)
		}
		c.asked = append(c.asked, strings.Join([]string{from, to, fmt.Sprint(request.Page)}, " "))
		list := slices.DeleteFunc(slices.Clone(c.days), func(day string) bool { return day < from || day > to })
		const perPage = 2
		at := min((request.Page-1)*perPage, len(list))
		end := min(at+perPage, len(list))
		page := pipeline.Page{Call: int64(len(c.asked)), Date: time.Date(2026, 3, 1, 8, 0, 0, 0, time.UTC), More: end < len(list), PerPage: perPage}
		for _, day := range list[at:end] {
			page.Records = append(page.Records, []byte(fmt.Sprintf(
				`{"thing_id":%q,"value":1,"date":%q,"created_time":"2026-01-01T00:00:00+0000","last_modified_time":"2026-01-01T00:00:00+0000"}`, day, day)))
		}
		return page, nil
	}
	return c
}

// backfill runs a backfill of a source to its end, and gives the memory behind it.
func backfill(t *testing.T, source *calendar, windows *pipeline.Windows, chunkPages int) *memory {
	t.Helper()
	r := newRigOf(newWorld(0), dated())
	r.stream.Work = pipeline.WorkBackfill
	r.runner.Source, r.runner.Rules.PerPage, r.runner.Rules.ChunkPages = source, 2, chunkPages
	r.memory.position.Scan = scan.Backfill(r.stream, windows, time.Time{}, r.runner.Rules)
	must(t, r.run(t.Context()))
	return r.memory
}

var year = []string{"2025-01-03", "2025-01-04", "2025-01-31", "2025-03-01", "2025-03-02", "2025-03-03", "2025-12-31"} //nolint:gochecknoglobals // a constant list

func TestBackfillReadsWindowsOnce(t *testing.T) {
	t.Parallel()
	for _, chunk := range []int{1, 2, 20} {
		source := newCalendar(false, year...)
		memory := backfill(t, source, pipeline.NewWindows(dayOf("2025-01-04"), dayOf("2025-03-02"), dayOf("2025-03-02"), 1), chunk)
		// A full last page, of 2, is followed by an empty page.
		want := []string{
			"2025-01-04 2025-01-31 1", "2025-01-04 2025-01-31 2", "2025-02-01 2025-02-28 1", "2025-03-01 2025-03-02 1", "2025-03-01 2025-03-02 2",
		}
		if !slices.Equal(source.asked, want) {
			t.Errorf("asked\n%q, want\n%q", source.asked, want)
		}
		if len(memory.rows) != 4 || memory.ends[0].Outcome != pipeline.OutcomeDone || !memory.position.Watermark.IsZero() {
			t.Errorf("%d rows, %+v, watermark %s", len(memory.rows), memory.ends, memory.position.Watermark)
		}
	}
}

// A filter that upstream ignores would make every window cost the whole list: the first page shows
// it, and the list is read once.
func TestBackfillWithoutTheFilter(t *testing.T) {
	t.Parallel()
	source := newCalendar(true, year...)
	memory := backfill(t, source, pipeline.NewWindows(dayOf("2025-01-04"), dayOf("2025-03-02"), dayOf("2025-03-02"), 1), 20)
	if len(memory.rows) != len(year) || len(source.asked) != 4 || !strings.Contains(string(memory.ends[0].Note), "ignored the filter by day") {
		t.Errorf("%d rows by %q, %+v", len(memory.rows), source.asked, memory.ends)
	}
}

// With every cursor a backfill is one pass, moves no watermark, and reads nothing older than asked.
func TestBackfillOfEveryCursor(t *testing.T) {
	t.Parallel()
	for name, cursor := range cursors() {
		for _, since := range []time.Duration{0, 7 * time.Second} {
			w := newWorld(10)
			r := newFixture(w, cursor)
			r.stream.Work = pipeline.WorkBackfill
			bound := time.Time{}
			if since > 0 {
				bound = w.records[7].Modified
			}
			r.memory.position.Scan = scan.Backfill(r.stream, nil, bound, r.runner.Rules)
			must(t, r.run(context.Background()))
			wanted := 10
			if narrowed := since > 0 && name != "full"; narrowed {
				wanted = 3
			}
			if len(r.memory.rows) < wanted || wanted == 3 && len(r.memory.rows) > 2*w.perPage || !r.memory.position.Watermark.IsZero() {
				t.Errorf("%s: %d rows, watermark %s", name, len(r.memory.rows), r.memory.position.Watermark)
			}
			for i, request := range w.asked {
				if request.Page != i+1 || request.Class != pipeline.ClassBackfill {
					t.Errorf("%s: call %d asked for page %d as %s: want one pass, of class backfill", name, i, request.Page, request.Class)
				}
			}
			for _, thing := range w.records[10-wanted:] {
				if _, ok := r.memory.rows[thing.ID]; !ok {
					t.Errorf("%s: %s is missing", name, thing.ID)
				}
			}
		}
	}
}
