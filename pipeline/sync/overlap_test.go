package sync_test

import (
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"sluice/pipeline"
	"sluice/schema"
)

// long is a fixture over a list of n records in pages of perPage.
func long(n, perPage int, cursor schema.Cursor) (*fixture, *world) {
	w := newWorld(n)
	w.perPage = perPage
	r := newFixture(w, cursor)
	r.runner.Source = &sized{world: w}
	return r, w
}

// byNumber are the verdicts on a list that is never read by keyset, because it does not sort by
// modification time.
func byNumber() pipeline.Capabilities {
	return pipeline.Capabilities{pipeline.CapabilityAscending: pipeline.Verdict{
		Capability: pipeline.CapabilityAscending, Answer: pipeline.AnswerNo, Source: pipeline.SourceProbed,
	}}
}

// TestOnePassOfOverlappingPages counts the calls of first syncs. Two passes would take twice the
// pages.
func TestOnePassOfOverlappingPages(t *testing.T) {
	t.Parallel()
	for cursor, declared := range map[string]schema.Cursor{
		"since": cursors()["since"], "full": cursors()["full"],
		"newest": schema.NewestFirst{Column: "last_modified_time", Sort: "last_modified_time", Created: "created_time"},
	} {
		for _, test := range []struct{ records, calls int }{{0, 1}, {199, 1}, {201, 2}, {400, 3}, {1_000, 6}} {
			r, w := long(test.records, 200, declared)
			r.known = byNumber()
			must(t, r.run(t.Context()))
			end := r.memory.ends[0]
			want := pipeline.ProofOverlap
			if test.calls == 1 {
				want = pipeline.ProofOnePage
			}
			errorIf(t, len(r.missing()) > 0 || int(w.calls) != test.calls || end.Outcome != pipeline.OutcomeDone || end.Proof != want,
				"%s, %d records: %d calls, end %+v, want %d calls", cursor, test.records, w.calls, end, test.calls)
		}
	}
}

// TestAPageWithoutASizeIsTriedFirst: a list whose pages hold more if no size is asked for takes one
// call. If upstream gives pages of the usual size all the same, or the list goes on, pages overlap.
func TestAPageWithoutASizeIsTriedFirst(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		records, holds int
		calls          int64
	}{
		"holds all":     {1_000, 1_200, 1},
		"is an old one": {1_000, 200, 6},
		"goes on":       {1_500, 1_200, 3},
	} {
		r, w := long(test.records, test.holds, cursors()["since"])
		r.runner.Rules.PerPage = 200
		declared := *r.stream.Resource
		declared.Unsized = 1_200
		r.stream.Resource = &declared
		must(t, r.run(t.Context()))
		if end := r.memory.ends[0]; len(r.missing()) > 0 || w.calls != test.calls || end.Outcome != pipeline.OutcomeDone {
			t.Errorf("%s: %d calls, end %+v; want %d calls", name, w.calls, end, test.calls)
		}
	}
}

// TestAnEdgeIsReadAgainAndNotTheList: records of page 1 are deleted behind it. The next page does
// not link, one more call reads further back, and the watermark passes no record.
func TestAnEdgeIsReadAgainAndNotTheList(t *testing.T) {
	t.Parallel()
	for gone, calls := range map[int]int64{0: 6, 1: 7, 6: 7, 7: 8} {
		r, w := long(1_000, 200, cursors()["since"])
		r.known = byNumber()
		w.between = func() {
			if w.calls == 1 {
				w.records = w.records[:len(w.records)-gone]
			}
		}
		must(t, r.run(t.Context()))
		if lost := r.missing(); len(lost) > 0 || w.calls != calls || r.memory.ends[0].Proof != pipeline.ProofOverlap {
			t.Errorf("%d deleted: %d calls, lost %v, end %+v; want %d calls", gone, w.calls, lost, r.memory.ends[0], calls)
		}
	}
}

// TestWithoutOverlapsThereAreTwoPasses: upstream knows one page size only, shows no times, or has
// more records of one second than a page. What was read is not read again for that.
func TestWithoutOverlapsThereAreTwoPasses(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		change func(*fixture, *world)
		calls  int64
	}{
		"one page size":    {func(r *fixture, w *world) { r.runner.Source = &sized{world: w, fixed: true} }, 10},
		"one second":       {func(_ *fixture, w *world) { tieAll(w) }, 10},
		"no creation time": {func(r *fixture, _ *world) { r.stream.Resource = resource(schema.FullScan{}) }, 10},
	} {
		r, w := long(990, 200, cursors()["full"])
		test.change(r, w)
		must(t, r.run(t.Context()))
		if end := r.memory.ends[0]; len(r.missing()) > 0 || w.calls != test.calls || end.Proof != pipeline.ProofPasses {
			t.Errorf("%s: %d calls, end %+v; want %d calls", name, w.calls, end, test.calls)
		}
	}
}

func tieAll(w *world) {
	for _, t := range w.records {
		t.Created, t.Modified = w.records[0].Created, w.records[0].Modified
	}
}

// TestOverlappingPagesLoseNothing reads lists that change between any two pages. No watermark may
// pass a record, and the last run, over a list at rest, leaves none out.
func TestOverlappingPagesLoseNothing(t *testing.T) {
	t.Parallel()
	proofs := map[pipeline.Proof]int{}
	for seed := range uint64(400) {
		for name, cursor := range cursors() {
			rng := rand.New(rand.NewPCG(seed, 1))
			r, w := long(20+rng.IntN(40), 6+rng.IntN(6), cursor)
			busy := rng.IntN(4)
			w.between = func() {
				w.now = w.now.Add(time.Duration(rng.IntN(2)) * time.Second)
				for range rng.IntN(1 + busy) {
					switch rng.IntN(3) {
					case 0:
						w.insert()
					case 1:
						w.edit(rng.IntN(100))
					default:
						w.remove(rng.IntN(100))
					}
				}
			}
			for range 3 {
				must(t, r.run(t.Context()))
				proofs[r.memory.ends[len(r.memory.ends)-1].Proof]++
				passed := r.passed(w, "")
				fatalIf(t, len(passed) > 0, "seed %d, %s: the watermark %v passed %v", seed, name, r.memory.position.Watermark, passed)
				w.now = w.now.Add(time.Minute)
			}
		}
	}
	errorIf(t, proofs[pipeline.ProofOverlap] < 200, "proofs %v: too few to prove anything", proofs)
}

// TestWithinTheLagOnlyWhatIsNewIsRead: a run soon after another one reads what changed since that
// began, if all since the watermark takes more than a page, and leaves the watermark. The first run
// behind the lag reads from the watermark.
func TestWithinTheLagOnlyWhatIsNewIsRead(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		cursor string
		known  pipeline.Capabilities
		most   int64
	}{
		"since": {"since", byNumber(), 2}, "by keyset": {"since", anchors(pipeline.AnswerYes, pipeline.SourceObserved, 0), 2}, "newest": {"newest", nil, 1},
	} {
		r, w := long(1_000, 200, cursors()[test.cursor])
		r.runner.Rules.Lag, r.known = 5*time.Minute, test.known
		read := func(after time.Duration) (int64, time.Time) {
			w.now = w.now.Add(after)
			before := w.calls
			must(t, r.run(t.Context()))
			return w.calls - before, r.memory.position.Watermark
		}
		read(0)
		w.now = w.now.Add(10 * time.Minute)
		for n := range 600 {
			w.edit(n)
			if n%5 == 0 {
				w.now = w.now.Add(time.Second)
			}
		}
		calls, watermark := read(10 * time.Second)
		errorIf(t, calls < 4, "%s: %d calls for 600 changes", name, calls)
		w.edit(7)
		calls, still := read(time.Minute)
		errorIf(t, calls > test.most || !still.Equal(watermark) || len(r.missing()) > 0,
			"%s: %d calls within the lag, the watermark from %s to %s, missing %v", name, calls, watermark, still, r.missing())
		for n := range 900 {
			w.edit(n)
			w.now = w.now.Add(50 * time.Millisecond)
		}
		w.now = w.now.Add(10 * time.Second)
		if calls, _ := read(0); calls > test.most+6 || len(r.missing()) > 0 {
			t.Errorf("%s: %d calls for 900 changes behind 600 old ones, missing %v", name, calls, r.missing())
		}
		_, moved := read(6 * time.Minute)
		errorIf(t, !moved.After(watermark), "%s: behind the lag the watermark is still %s", name, moved)
	}
}

// TestWithinTheLagWhatIsMostlyNewIsReadOn: page 1 shows more of what is new than of what the last
// run read. So it is page 1 of a usual run, which moves the watermark.
func TestWithinTheLagWhatIsMostlyNewIsReadOn(t *testing.T) {
	t.Parallel()
	for name, known := range map[string]pipeline.Capabilities{
		"by number": byNumber(), "by keyset": anchors(pipeline.AnswerYes, pipeline.SourceObserved, 0),
	} {
		r, w := long(1_000, 200, cursors()["since"])
		r.runner.Rules.Lag, r.known = 5*time.Minute, known
		must(t, r.run(t.Context()))
		w.now = w.now.Add(10 * time.Minute)
		w.edit(0)
		must(t, r.run(t.Context()))
		before, watermark := w.calls, r.memory.position.Watermark
		for n := range 900 {
			w.edit(n)
			w.now = w.now.Add(100 * time.Millisecond)
		}
		w.now = w.now.Add(10 * time.Second)
		must(t, r.run(t.Context()))
		if calls := w.calls - before; calls > 6 || len(r.missing()) > 0 || !r.memory.position.Watermark.After(watermark) {
			t.Errorf("%s: %d calls, missing %v, watermark from %s to %s", name, calls, r.missing(), watermark, r.memory.position.Watermark)
		}
	}
}

// TestALinkIsTheSameVersion: behind page 1, four of its records are deleted, so that three others
// are on no page. A fifth one is set back, and so moves onto page 2. It is no link any more, and
// the three are read.
func TestALinkIsTheSameVersion(t *testing.T) {
	t.Parallel()
	r, w := long(60, 10, cursors()["newest"])
	r.memory.position.Watermark = w.records[0].Modified // so the list is read in the order of modification
	w.between = func() {
		if w.calls == 1 {
			moved := w.records[52]
			moved.Modified, moved.Value = w.records[42].Modified, 1
			w.records = w.records[:56]
		}
	}
	must(t, r.run(t.Context()))

	for _, thing := range w.records {
		_, loaded := r.memory.rows[thing.ID]
		errorIf(t, !loaded, "%s is on no page that was read, end %+v", thing.ID, r.memory.ends[0])
	}
}

// wobbling is a list of sixty records in which six tie over the edge of page 1. Page 1 shows them
// in one order, and any other page in another order, in which the fourth and the fifth of them are
// in front of the edge.
func wobbling() (*fixture, *world) {
	r, w := long(60, 20, cursors()["since"])
	r.known = byNumber()
	ties := w.records[37:43]
	for _, t := range ties {
		t.Created = ties[0].Created
	}
	first := slices.Clone(ties)
	other := []*thing{first[3], first[4], first[0], first[1], first[2], first[5]}
	w.between = func() {
		if n := len(w.asked); n > 0 && w.asked[n-1].Page == 1 {
			copy(w.records[37:43], other)
		} else {
			copy(w.records[37:43], first)
		}
	}
	return r, w
}

// TestTiesOverAnEdge: a list breaks ties anew in each answer. Pages overlap by all records that tie
// over the edge, so none of these is hidden.
func TestTiesOverAnEdge(t *testing.T) {
	t.Parallel()
	r, w := wobbling()
	must(t, r.run(t.Context()))
	if lost := r.missing(); len(lost) > 0 || r.memory.ends[0].Proof != pipeline.ProofOverlap || w.calls > 8 {
		t.Errorf("lost %v, %d calls, end %+v", lost, w.calls, r.memory.ends[0])
	}
}

// TestTiesHideARecordFromBothPasses: in a list that knows one page size only, both passes show two
// of the tied records twice and two never. They are equal, and prove nothing.
func TestTiesHideARecordFromBothPasses(t *testing.T) {
	t.Parallel()
	r, w := wobbling()
	r.runner.Source = &sized{world: w, fixed: true}
	must(t, r.run(t.Context()))
	if passed := r.passed(w, ""); len(passed) > 0 || len(r.missing()) != 2 {
		t.Errorf("the watermark passed %v; %v were hidden, end %+v", passed, r.missing(), r.memory.ends[0])
	}
}

// TestAPageOfAnotherOrderProvesNothing: upstream ignores the order for page 2 of each pass, and
// says so. Both passes are equal, and lack the same records.
func TestAPageOfAnotherOrderProvesNothing(t *testing.T) {
	t.Parallel()
	r, w := long(55, 10, cursors()["full"])
	pages := &sized{world: w, fixed: true}
	r.runner.Source = answer(func(request pipeline.Request) (pipeline.Page, error) {
		if request.Page == 2 {
			request.Sort, request.Order = "", ""
		}
		return pages.Page(t.Context(), request)
	})
	must(t, r.run(t.Context()))
	if passed := r.passed(w, ""); len(passed) > 0 || len(r.missing()) == 0 {
		t.Errorf("the watermark passed %v; %v were hidden, end %+v", passed, r.missing(), r.memory.ends[0])
	}
}

// TestAPageThatComesBackAmongTiesProvesNothing: page 2 comes in place of the last one, in both passes,
// each time with another of the tied records at its end. Both passes are equal, and lack the same record.
func TestAPageThatComesBackAmongTiesProvesNothing(t *testing.T) {
	t.Parallel()
	r, w := long(12, 5, cursors()["full"])
	for _, tied := range w.records[9:] {
		tied.Created = w.records[9].Created
	}
	pages := &sized{world: w, fixed: true}
	r.runner.Source = answer(func(request pipeline.Request) (pipeline.Page, error) {
		page, err := pages.Page(t.Context(), request)
		if request.Page == 3 {
			other := page.Records[0]
			request.Page = 2
			page, err = pages.Page(t.Context(), request)
			page.Records[4], page.More = other, false
		}
		if request.Page > 3 {
			page.Records = nil
		}
		return page, err
	})
	must(t, r.run(t.Context()))
	if passed := r.passed(w, ""); len(passed) > 0 || len(r.missing()) != 1 {
		t.Errorf("the watermark passed %v; %v were hidden, end %+v", passed, r.missing(), r.memory.ends[0])
	}
}
