package sync_test

import (
	"context"
	"fmt"
	"slices"
	"testing"

	"sluice/pipeline"
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
			if end.Outcome != pipeline.OutcomeProvisional || !r.memory.position.Watermark.IsZero() {
				t.Errorf("lead %d, period %d: end %+v, watermark %v", lead, period, end, r.memory.position.Watermark)
			}
			if limit := 2*(lead+1) + 3*period; calls > limit {
				t.Errorf("lead %d, period %d: %d calls, want at most %d", lead, period, calls, limit)
			}
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
	if end := r.memory.ends[0]; end.Outcome != pipeline.OutcomeProvisional || calls > 5 {
		t.Errorf("end %+v after %d calls, want provisional after a few", end, calls)
	}
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
		if fixed && !slices.Equal(hidden, []string{"0005"}) {
			t.Errorf("pages of one size: %v was hidden, want 0005: the schedule proves nothing", hidden)
		}
		if !fixed && len(hidden) > 0 {
			t.Errorf("pages of two sizes: the watermark passed %v", hidden)
		}
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
