package sync_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"sluice/pipeline"
	"sluice/schema"
)

// TestNothingIsLost is invariant 1 and 8 on a model. Whatever happens between two pages, once
// upstream is quiet a further run leaves no live record behind. Deletions are among the changes:
// they pull records up over a page's edge.
func TestNothingIsLost(t *testing.T) {
	t.Parallel()
	for name, cursor := range cursors() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			rapid.Check(t, func(t *rapid.T) { converge(t, resource(cursor), false) })
		})
	}
	t.Run("by token", func(t *testing.T) {
		t.Parallel()
		rapid.Check(t, func(t *rapid.T) { converge(t, paged(schema.PagingToken, fullScan()), true) })
	})
}

// acts does something to upstream, lets the next load fail, or does nothing.
func (f *fixture) acts(t *rapid.T, w *world) {
	switch rapid.IntRange(0, 9).Draw(t, "act") {
	case 0:
		w.insert()
	case 1, 2:
		w.edit(rapid.IntRange(0, 20).Draw(t, "edit"))
	case 3:
		w.remove(rapid.IntRange(0, 20).Draw(t, "remove"))
	case 4:
		f.memory.failAfter = 1
	}
}

func converge(t *rapid.T, resource *schema.Resource, byToken bool) {
	w := newWorld(rapid.IntRange(0, 14).Draw(t, "records"))
	w.byToken = byToken
	w.perPage = rapid.IntRange(1, 4).Draw(t, "per page")
	w.ignoreFilter = rapid.IntRange(0, 4).Draw(t, "ignore filter") == 0
	w.ignoreSort = rapid.IntRange(0, 4).Draw(t, "ignore sort") == 0
	r := newRigOf(w, resource)
	r.runner.Rules.ChunkPages = rapid.IntRange(1, 5).Draw(t, "chunk")
	act := func() {
		w.now = w.now.Add(time.Duration(rapid.IntRange(0, 2).Draw(t, "seconds")) * time.Second)
		r.acts(t, w)
	}
	w.between = act
	ctx := context.Background()
	for range rapid.IntRange(1, 3).Draw(t, "runs") {
		err := r.run(ctx)
		fatalIf(t, err != nil, "run: %v", err)
		// In the order of creation two equal passes are a proof. In other orders a creation and a
		// deletion in each pass can hide a record (docs/decisions/0007-paging-by-number).
		passed := r.passed(w, "")
		fatalIf(t, byToken && len(passed) > 0, "the watermark %v passed %v", r.memory.position.Watermark, passed)
		for range rapid.IntRange(0, 5).Draw(t, "quiet acts") {
			act()
		}
		w.now = w.now.Add(time.Duration(rapid.IntRange(0, 20).Draw(t, "pause")) * time.Second)
	}
	w.between = nil
	r.memory.failAfter = 0
	w.now = w.now.Add(time.Minute)
	watermark := r.memory.position.Watermark
	err := r.run(ctx)
	fatalIf(t, err != nil, "quiet run: %v", err)
	err = r.run(ctx)
	fatalIf(t, err != nil, "second quiet run: %v", err)
	lost := r.missing()
	fatalIf(t, len(lost) > 0, "lost or stale: %v (watermark before the quiet run %v, ends %v)", lost, watermark, r.memory.ends)
}

func TestSecondRunCostsOneCall(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"since", "newest"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(20)
			r := newFixture(w, cursors()[name])
			must(t, r.run(t.Context()))
			same(t, "records of the first run", 20, len(r.memory.rows))
			before := w.calls
			must(t, r.run(t.Context()))
			same(t, "calls of the second run", 1, w.calls-before)
			w.edit(3)
			w.now = w.now.Add(time.Minute)
			must(t, r.run(t.Context()))
			lost := r.missing()
			errorIf(t, len(lost) > 0, "the edit did not arrive: %v", lost)
		})
	}
}

func TestIgnoredFilterIsSeenAndSaid(t *testing.T) {
	t.Parallel()
	w := newWorld(10)
	w.ignoreFilter = true
	r := newFixture(w, cursors()["since"])
	must(t, r.run(t.Context()))
	must(t, r.run(t.Context()))
	last := r.memory.ends[len(r.memory.ends)-1]
	errorIf(t, last.Outcome != pipeline.OutcomeDone || !strings.Contains(string(last.Note), "ignored the filter"),
		"end = %+v, want done with a note about the filter", last)
}

func TestUnsortedListIsReadWhole(t *testing.T) {
	t.Parallel()
	w := newWorld(10)
	r := newFixture(w, cursors()["newest"])
	must(t, r.run(t.Context()))
	w.ignoreSort = true
	w.edit(0) // the oldest by creation: a sort by creation shows it last
	w.now = w.now.Add(time.Minute)
	must(t, r.run(t.Context()))
	lost := r.missing()
	errorIf(t, len(lost) > 0, "lost: %v", lost)
	last := r.memory.ends[len(r.memory.ends)-1]
	errorIf(t, !strings.Contains(string(last.Note), "did not sort"), "note = %q, want it to say that upstream did not sort", last.Note)
}

func TestMarkFollowsUpstreamsClock(t *testing.T) {
	t.Parallel()
	w := newWorld(2)
	w.records[0].Modified = w.now.AddDate(900, 0, 0) // a date from the future moves nothing
	r := newFixture(w, cursors()["since"])
	must(t, r.run(t.Context()))
	want := w.now.Truncate(time.Second).Add(-r.runner.Rules.Lag)
	got := r.memory.position.Watermark
	errorIf(t, !got.Equal(want), "watermark = %v, want upstream's clock less the lag, %v", got, want)
}

func TestShiftingListIsProvisional(t *testing.T) {
	t.Parallel()
	w := newWorld(12)
	w.between = func() { w.remove(0) }
	for range 60 {
		w.insert()
	}
	r := newFixture(w, cursors()["full"])
	r.runner.Rules.MaxPasses = 2
	r.stream.Resource.Complete = "The test says so."
	must(t, r.run(t.Context()))
	if got := r.memory.ends[0]; got.Outcome != pipeline.OutcomeProvisional || got.Whole != nil {
		t.Errorf("end = %+v, want provisional, and no evidence of absence", got)
	}
	errorIf(t, !r.memory.position.Watermark.IsZero(), "watermark = %v, want none: the list never held still", r.memory.position.Watermark)
}

func TestChunksHandOver(t *testing.T) {
	t.Parallel()
	w := newWorld(30)
	r := newFixture(w, cursors()["full"])
	r.runner.Rules.ChunkPages = 4
	must(t, r.run(t.Context()))
	// Two passes of 10 pages and the empty one behind each: 22 pages in chunks of 4.
	errorIf(t, r.chunks != 6 || r.mores != 5, "chunks = %d, handed over %d times; want 6 and 5", r.chunks, r.mores)
	lost := r.missing()
	errorIf(t, len(lost) > 0, "lost: %v", lost)
}

func TestStoppingEndsTheChunkAtAPage(t *testing.T) {
	t.Parallel()
	w := newWorld(30)
	r := newFixture(w, cursors()["full"])
	stopping := make(chan struct{})
	close(stopping)
	r.runner.Stopping = stopping
	claim := pipeline.Claim{Stream: r.stream}
	must(t, r.runner.Chunk(t.Context(), claim, nopSettle))
	errorIf(t, r.memory.units != 1 || r.memory.position.Scan == nil || r.memory.position.Scan.Page != 2,
		"after the stop: %d units, position %+v; want one unit and page 2 next", r.memory.units, r.memory.position.Scan)
}

func TestMisfitGoesToQuarantineWhole(t *testing.T) {
	t.Parallel()
	raw := []byte(`{"thing_id":"9","value":"many","created_time":"2026-03-01T08:00:00+0000","last_modified_time":"2026-03-01T08:00:00+0000"}`)
	good := []byte(`{"thing_id":"8","value":1,"created_time":"2026-03-01T08:00:00+0000","last_modified_time":"2026-03-01T08:00:00+0000"}`)
	r := newFixture(newWorld(0), cursors()["since"])
	r.runner.Source = answer(func(pipeline.Request) (pipeline.Page, error) {
		return pipeline.Page{Call: 1, Date: r.world.now, Records: [][]byte{raw, good}, PerPage: 200}, nil
	})
	must(t, r.run(t.Context()))
	errorIf(t, len(r.memory.rejects) != 1 || string(r.memory.rejects[0].Raw) != string(raw) || r.memory.rejects[0].ID != "9",
		"rejects = %+v, want the one record whole", r.memory.rejects)
	_, ok := r.memory.rows["8"]
	errorIf(t, !ok, "the good record of the page was not loaded")
}

// TestNonsenseMovesNoMark plays answers that cannot be part of a list.
func TestNonsenseMovesNoMark(t *testing.T) {
	t.Parallel()
	page := func(w *world, n int) pipeline.Page {
		p, err := w.Page(context.Background(), pipeline.Request{Page: n})
		if err != nil {
			panic(err)
		}
		return p
	}
	for name, source := range map[string]func(*world, pipeline.Request) pipeline.Page{
		"the same page for ever": func(w *world, _ pipeline.Request) pipeline.Page { return page(w, 1) },
		"empty pages for ever": func(w *world, _ pipeline.Request) pipeline.Page {
			return pipeline.Page{Date: w.now, More: true, PerPage: w.perPage}
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(20)
			r := newFixture(w, cursors()["since"])
			calls := 0
			r.runner.Source = answer(func(request pipeline.Request) (pipeline.Page, error) {
				calls++
				return source(w, request), nil
			})
			must(t, r.run(t.Context()))
			same(t, "outcome", pipeline.OutcomeProvisional, r.memory.ends[0].Outcome)
			errorIf(t, calls > 10 || !r.memory.position.Watermark.IsZero(),
				"%d calls, watermark %v; want few calls and no watermark", calls, r.memory.position.Watermark)
		})
	}
}

// TestAGapProvesNothing: a middle page that is empty in each pass leaves the same gap in all of
// them.
func TestAGapProvesNothing(t *testing.T) {
	t.Parallel()
	w := newWorld(20)
	r := newFixture(w, cursors()["since"])
	r.runner.Source = answer(func(request pipeline.Request) (pipeline.Page, error) {
		page, err := w.Page(t.Context(), request)
		if request.Page == 2 {
			page.Records = nil
		}
		return page, err
	})
	must(t, r.run(t.Context()))
	if got := r.memory.ends[0].Outcome; got != pipeline.OutcomeProvisional || !r.memory.position.Watermark.IsZero() {
		t.Errorf("outcome = %s, watermark %v; want provisional and none", got, r.memory.position.Watermark)
	}
}

// TestAPageThatRepeatsARecordIsRepeated: each pass shows page 1 twice and then the end of the list.
// The first time the page shows one of its records twice, so that the two are not equal byte by
// byte.
func TestAPageThatRepeatsARecordIsRepeated(t *testing.T) {
	t.Parallel()
	w := newWorld(20)
	r := newFixture(w, cursors()["since"])
	r.runner.Source = answer(func(request pipeline.Request) (pipeline.Page, error) {
		n := request.Page
		if request.Page == 2 {
			request.Page = 1
		}
		page, err := w.Page(t.Context(), request)
		switch n {
		case 1:
			page.Records = append(page.Records, page.Records[0])
		case 3:
			page.Records, page.More = nil, false
		}
		return page, err
	})
	must(t, r.run(t.Context()))
	if got := r.memory.ends[0].Outcome; got != pipeline.OutcomeProvisional || !r.memory.position.Watermark.IsZero() {
		t.Errorf("outcome = %s, watermark %v; want provisional and none", got, r.memory.position.Watermark)
	}
}

func TestPageSizeChangeStartsThePassAnew(t *testing.T) {
	t.Parallel()
	w := newWorld(20)
	r := newFixture(w, cursors()["full"])
	w.between = func() {
		if w.calls == 2 {
			w.perPage = 5
		}
	}
	must(t, r.run(t.Context()))
	lost := r.missing()
	errorIf(t, len(lost) > 0 || r.memory.ends[0].Outcome != pipeline.OutcomeDone, "lost %v, end %+v", lost, r.memory.ends[0])
}

func TestEmptyExportAfterOneThatWasNotKeepsTheMark(t *testing.T) {
	t.Parallel()
	w := newWorld(7)
	r := newFixture(w, schema.Export{Modified: "last_modified_time", FieldsParam: "fields"})
	must(t, r.run(t.Context()))
	fatalIf(t, len(r.memory.rows) != 7 || r.memory.position.Watermark.IsZero(),
		"%d rows, watermark %v; want 7 and a watermark", len(r.memory.rows), r.memory.position.Watermark)
	watermark := r.memory.position.Watermark
	w.records = nil
	w.now = w.now.Add(time.Hour)
	must(t, r.run(t.Context()))
	if got := r.memory.ends[1].Outcome; got != pipeline.OutcomeProvisional || !r.memory.position.Watermark.Equal(watermark) {
		t.Errorf("outcome %s, watermark %v; want provisional and %v", got, r.memory.position.Watermark, watermark)
	}
}

func TestSourceErrorPassesThrough(t *testing.T) {
	t.Parallel()
	r := newFixture(newWorld(3), cursors()["since"])
	want := &pipeline.Error{Kind: pipeline.Exhausted}
	r.runner.Source = answer(func(pipeline.Request) (pipeline.Page, error) { return pipeline.Page{}, want })
	err := r.run(t.Context())
	errorIf(t, !errors.Is(err, want), "run = %v, want %v", err, want)
}
