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

// things gives n records that begin with the number from.
func things(from, n int) [][]byte {
	var records [][]byte
	for i := from; i < from+n; i++ {
		records = append(records, fmt.Appendf(nil,
			`{"thing_id":"%d","value":1,"created_time":"2026-03-01T08:00:00Z","last_modified_time":"2026-03-01T08:00:00Z"}`, i))
	}
	return records
}

// paged is a list of this way of paging.
func paged(paging schema.Paging, cursor schema.Cursor) *schema.Resource {
	list := resource(cursor)
	list.Paging = paging
	return list
}

// TestTokensThatGoInCirclesEnd: after some pages the tokens repeat with a period. The run ends
// after a few calls, and no watermark moves.
func TestTokensThatGoInCirclesEnd(t *testing.T) {
	t.Parallel()
	for lead := range 6 {
		for period := 1; period <= 9; period++ {
			calls := 0
			r := newRigOf(newWorld(0), paged(schema.PagingToken, schema.FullScan{}))
			r.runner.Rules.ChunkPages = 2 // so the state of the pass goes through the position
			r.runner.Source = answer(func(request pipeline.Request) (pipeline.Page, error) {
				calls++
				next := request.Page
				if next > lead {
					next = lead + (next-lead-1)%period + 1
				}
				return pipeline.Page{Date: r.world.now, Records: things(100*request.Page, 2), Token: fmt.Sprint("t", next)}, nil
			})
			must(t, r.run(t.Context()))
			end := r.memory.ends[0]
			errorIf(t, end.Outcome != pipeline.OutcomeProvisional || !r.memory.position.Watermark.IsZero(),
				"lead %d, period %d: end %+v, watermark %v", lead, period, end, r.memory.position.Watermark)
			limit := 2*(lead+1) + 3*period
			errorIf(t, calls > limit, "lead %d, period %d: %d calls, want at most %d", lead, period, calls, limit)
		}
	}
}

func TestEmptyPagesWithTokensEnd(t *testing.T) {
	t.Parallel()
	calls := 0
	r := newRigOf(newWorld(0), paged(schema.PagingToken, schema.FullScan{}))
	r.runner.Source = answer(func(pipeline.Request) (pipeline.Page, error) {
		calls++
		return pipeline.Page{Date: r.world.now, More: true, Token: fmt.Sprint(calls)}, nil
	})
	must(t, r.run(t.Context()))
	end := r.memory.ends[0]
	errorIf(t, end.Outcome != pipeline.OutcomeProvisional || calls > 5, "end %+v after %d calls, want provisional after a few", end, calls)
}

// TestPagesByTokenMayHaveAnySize: a full page with no token is the last one, and a short one with a
// token is not.
func TestPagesByTokenMayHaveAnySize(t *testing.T) {
	t.Parallel()
	sizes := []int{1, 0, 5, 200}
	calls := 0
	r := newRigOf(newWorld(0), paged(schema.PagingToken, schema.FullScan{}))
	r.runner.Rules.PerPage = 5
	r.runner.Source = answer(func(request pipeline.Request) (pipeline.Page, error) {
		if want := map[int]string{1: "", 2: "t1", 3: "t2", 4: "t3"}[request.Page]; request.Token != want {
			return pipeline.Page{}, fmt.Errorf("page %d was asked for with token %q", request.Page, request.Token)
		}
		calls++
		page := pipeline.Page{Date: r.world.now, Records: things(1000*request.Page, sizes[request.Page-1])}
		if request.Page < len(sizes) {
			page.Token, page.More = fmt.Sprint("t", request.Page), true
		}
		return page, nil
	})
	must(t, r.run(t.Context()))
	if end := r.memory.ends[0]; end.Outcome != pipeline.OutcomeDone || calls != 8 || len(r.memory.rows) != 206 {
		t.Errorf("end %+v after %d calls with %d rows; want done after two passes of four, 206 rows", end, calls, len(r.memory.rows))
	}
}

// TestOneAnswerIsTheWholeList: such an answer is the whole list, whatever its length, even if it is
// a full page.
func TestOneAnswerIsTheWholeList(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		resource *schema.Resource
		records  int
	}{
		"no records":       {paged(schema.PagingWhole, schema.FullScan{}), 0},
		"a page's worth":   {paged(schema.PagingWhole, schema.FullScan{}), 200},
		"more than a page": {paged(schema.PagingWhole, schema.FullScan{}), 1234},
		"no object":        {paged(schema.PagingWhole, schema.Snapshot{}), 0},
		"one object":       {paged(schema.PagingWhole, schema.Snapshot{}), 1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			calls := 0
			r := newRigOf(newWorld(0), tc.resource)
			r.runner.Rules.PerPage = 1
			r.runner.Source = answer(func(pipeline.Request) (pipeline.Page, error) {
				calls++
				return pipeline.Page{Call: 1, Date: r.world.now, Records: things(0, tc.records)}, nil
			})
			must(t, r.run(t.Context()))
			if calls != 1 || len(r.memory.rows) != tc.records || r.memory.ends[0].Outcome != pipeline.OutcomeDone || r.memory.position.Watermark.IsZero() {
				t.Errorf("%d calls, %d rows, end %+v, watermark %v", calls, len(r.memory.rows), r.memory.ends[0], r.memory.position.Watermark)
			}
		})
	}
}

// TestAWholeListThatGoesOnIsReadOn: upstream may say, against the declaration, that more follows.
// The run reads on.
func TestAWholeListThatGoesOnIsReadOn(t *testing.T) {
	t.Parallel()
	w := newWorld(7)
	r := newRigOf(w, paged(schema.PagingWhole, schema.FullScan{}))
	must(t, r.run(t.Context()))
	if lost := r.missing(); len(lost) > 0 || r.memory.ends[0].Outcome != pipeline.OutcomeDone || w.calls != 6 {
		t.Errorf("lost %v, end %+v, %d calls; want two passes of three pages", lost, r.memory.ends[0], w.calls)
	}
}

// TestADeletionHidesTheSameRecordInNoTwoPasses: a record is deleted behind the first page of each
// pass and returns with its old time of creation in between. So both passes see the same page edges
// in the same state. Pages of another size in the second pass find what such a deletion hid in the
// first.
func TestADeletionHidesTheSameRecordInNoTwoPasses(t *testing.T) {
	t.Parallel()
	for _, fixed := range []bool{false, true} {
		w := newWorld(8)
		w.perPage = 3
		newest := w.records[7]
		pages := &sized{world: w, fixed: fixed}
		w.between = func() {
			last := len(w.asked) - 1
			switch {
			case last >= 0 && w.asked[last].Page == 1: // deleted behind page 1
				w.records = w.records[:7]
			case last >= 0 && w.asked[last].Page == 3 && len(w.records) == 7: // and back behind the last page
				w.records = append(w.records, newest)
			}
		}
		r := newFixture(w, cursors()["since"])
		r.runner.Source, r.known = pages, byNumber()
		must(t, r.run(t.Context()))
		hidden := r.passed(w, "")
		errorIf(t, fixed && !slices.Equal(hidden, []string{"0005"}),
			"pages of one size: %v was hidden, want 0005: the schedule proves nothing", hidden)
		errorIf(t, !fixed && len(hidden) > 0, "pages of two sizes: the watermark passed %v", hidden)
	}
}

// sized is a world that heeds the page size asked for, unless it is fixed.
type sized struct {
	*world

	fixed bool
}

// Page implements sync.Source.
func (s *sized) Page(ctx context.Context, request pipeline.Request) (pipeline.Page, error) {
	most := s.perPage
	if !s.fixed {
		s.perPage = min(request.PerPage, most)
	}
	defer func() { s.perPage = most }()
	return s.world.Page(ctx, request)
}

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
		errorIf(t, !slices.Equal(source.asked, want), "asked\n%q, want\n%q", source.asked, want)
		errorIf(t, len(memory.rows) != 4 || memory.ends[0].Outcome != pipeline.OutcomeDone || !memory.position.Watermark.IsZero(),
			"%d rows, %+v, watermark %s", len(memory.rows), memory.ends, memory.position.Watermark)
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
			errorIf(t, len(r.memory.rows) < wanted || wanted == 3 && len(r.memory.rows) > 2*w.perPage || !r.memory.position.Watermark.IsZero(),
				"%s: %d rows, watermark %s", name, len(r.memory.rows), r.memory.position.Watermark)
			for i, request := range w.asked {
				errorIf(t, request.Page != i+1 || request.Class != pipeline.ClassBackfill,
					"%s: call %d asked for page %d as %s: want one pass, of class backfill", name, i, request.Page, request.Class)
			}
			for _, thing := range w.records[10-wanted:] {
				_, ok := r.memory.rows[thing.ID]
				errorIf(t, !ok, "%s: %s is missing", name, thing.ID)
			}
		}
	}
}
