package sync_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"sluice/pipeline"
	"sluice/pipeline/sync/scan"
)

// anchors are the capabilities of a list that is read by keyset.
func anchors(answer pipeline.Answer, source pipeline.Source, age time.Duration) pipeline.Capabilities {
	known := pipeline.Capabilities{}
	for _, c := range []pipeline.Capability{pipeline.CapabilityFilter, pipeline.CapabilityInclusive, pipeline.CapabilityAscending} {
		known[c] = pipeline.Verdict{Capability: c, Answer: answer, Source: source, Age: age}
	}
	return known
}

// anchored is a fixture over a list that is known to filter and to sort.
func anchored(w *world) *fixture {
	r := newFixture(w, cursors()["since"])
	r.known = anchors(pipeline.AnswerYes, pipeline.SourceProbed, 0)
	return r
}

// TestOnePassAndNoSecond reads a long list, the first time and from a watermark. There are about as
// many calls as pages, each asks for page 1 from the last record on, and a kill repeats one.
func TestOnePassAndNoSecond(t *testing.T) {
	t.Parallel()
	w := newWorld(1000)
	w.perPage = 50
	r := anchored(w)
	r.runner.Rules.ChunkPages = 4
	r.memory.failAfter = 7
	must(t, r.run(t.Context()))
	// Each page shows the record from which it is asked once more.
	const pages = 1 + (1000-50)/49 + 1
	if n := len(w.asked); n != pages+1 || len(r.memory.rows) != 1000 {
		t.Errorf("%d calls for %d records, want %d and one for the kill", n, len(r.memory.rows), pages)
	}
	for i, request := range w.asked {
		errorIf(t, request.Page != 1 || request.Sort != "last_modified_time" || request.Order != "A" || request.Since.IsZero() != (i == 0),
			"call %d asked for page %d since %v, sorted by %s %s", i, request.Page, request.Since, request.Sort, request.Order)
	}
	end := r.memory.ends[0]
	errorIf(t, end.Outcome != pipeline.OutcomeDone || end.Note != "keyset paging: one pass", "end = %+v", end)
	want := w.now.Truncate(time.Second).Add(-r.runner.Rules.Lag)
	errorIf(t, !r.memory.position.Watermark.Equal(want), "the watermark is at %s, want %s", r.memory.position.Watermark, want)

	for i := range 200 {
		w.now = w.now.Add(time.Second)
		w.edit(3 * i)
	}
	w.now = w.now.Add(time.Minute)
	w.asked = nil
	must(t, r.run(t.Context()))
	if n := len(w.asked); n > 1+(200-50)/49+1 || !w.asked[0].Since.Equal(r.memory.position.Watermark.Add(-262*time.Second)) {
		t.Errorf("%d calls for 200 edits, the first since %s", n, w.asked[0].Since)
	}
	lost := r.missing()
	errorIf(t, len(lost) > 0, "lost: %v", lost)
	w.asked = nil
	must(t, r.run(t.Context()))
	errorIf(t, len(w.asked) != 1 || r.memory.ends[2].Note != "", "with nothing new: %d calls, %+v", len(w.asked), r.memory.ends[2])
}

// TestAFirstSyncMeasures: a first sync reads two pages in the order of modification, and the third
// by keyset. If that answer is as asked, the run goes on by keyset and later runs read so, too. If
// not, the pass goes on by page number at the price of one call.
func TestAFirstSyncMeasures(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		upstream func(*world)
		calls    int
		proof    pipeline.Proof
	}{
		"it filters and sorts":       {func(*world) {}, 6, pipeline.ProofKeyset},
		"it ignores the filter":      {func(w *world) { w.ignoreFilter = true }, 7, pipeline.ProofOverlap},
		"it leaves out its instant":  {func(w *world) { w.exclusive = true }, 7, pipeline.ProofOverlap},
		"it gives the instant alone": {func(w *world) { w.alone = true }, 7, pipeline.ProofOverlap},
		"it ignores the order":       {func(w *world) { w.ignoreSort = true }, 6, pipeline.ProofOverlap},
		"it lies about the order":    {func(w *world) { w.shuffle(); w.ignoreSort, w.lies = true, true }, 7, pipeline.ProofOverlap},
		"it sorts each page alone":   {func(w *world) { w.shuffle(); w.ignoreSort, w.lies, w.sortsPages = true, true, true }, 11, pipeline.ProofOverlap},
		"a link is edited":           {func(w *world) { w.behind(2, func() { w.edit(394) }) }, 8, pipeline.ProofOverlap},
		"all links are edited":       {func(w *world) { w.behind(2, func() { w.editAll(380, 20) }) }, 13, pipeline.ProofOverlap},
		"all links are deleted":      {func(w *world) { w.behind(2, func() { w.records = slices.Delete(w.records, 380, 400) }) }, 13, pipeline.ProofOverlap},
		"7 of page 1 are edited":     {func(w *world) { w.behind(1, func() { w.editAll(0, 7) }) }, 8, pipeline.ProofKeyset},
		"all of page 1 are deleted":  {func(w *world) { w.behind(1, func() { w.records = w.records[200:] }) }, 10, pipeline.ProofOverlap},
	} {
		r, w := long(1_000, 200, cursors()["since"])
		test.upstream(w)
		r.memory.failAfter = 3
		must(t, r.run(t.Context()))
		said := len(r.memory.observed)
		if lost := r.passed(w, ""); len(lost) > 0 || len(w.asked) > test.calls+1 || r.memory.ends[0].Proof != test.proof ||
			(said == 3) != (test.proof == pipeline.ProofKeyset) {
			t.Errorf("%s: lost %v, %d calls, want %d and one for the kill, %d verdicts, %+v", name, lost, len(w.asked), test.calls, said, r.memory.ends[0])
		}
		for _, v := range r.memory.observed {
			errorIf(t, v.Answer != pipeline.AnswerYes || v.Source != pipeline.SourceObserved, "%s: %+v", name, v)
		}
	}
}

// TestAFirstSyncGivesUpWhatIsRefused: upstream refuses the order of modification, or the filter
// with that order. The first sync does without, at the price of one call. Other refusals are errors
// as ever.
func TestAFirstSyncGivesUpWhatIsRefused(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		refuses func(pipeline.Request) bool
		ends    bool
	}{
		"the order":                 {func(r pipeline.Request) bool { return r.Sort == "last_modified_time" }, true},
		"the filter with the order": {func(r pipeline.Request) bool { return !r.Since.IsZero() }, true},
		"page 2":                    {func(r pipeline.Request) bool { return r.Page == 2 }, false},
	} {
		r, w := long(1_000, 200, cursors()["since"])
		pages, refused := r.runner.Source, 0
		r.runner.Source = answer(func(request pipeline.Request) (pipeline.Page, error) {
			if test.refuses(request) {
				refused++
				return pipeline.Page{}, &pipeline.Error{Kind: pipeline.Unexpected, Status: 400}
			}
			return pages.Page(t.Context(), request)
		})
		err := r.run(t.Context())
		errorIf(t, test.ends != (err == nil) || err != nil && pipeline.KindOf(err) != pipeline.Unexpected, "%s: %v", name, err)
		same(t, name+": refused", 1, refused)
		if !test.ends {
			continue
		}
		if lost := r.missing(); len(lost) > 0 || w.calls != 6 || r.memory.ends[0].Proof != pipeline.ProofOverlap || len(r.memory.observed) > 0 {
			t.Errorf("%s: lost %v, %d calls, %+v, %v", name, lost, w.calls, r.memory.ends[0], r.memory.observed)
		}
	}
}

// behind makes a change once, when so many calls were answered.
func (w *world) behind(calls int64, change func()) {
	w.between = func() {
		if w.calls == calls && change != nil {
			change()
			change = nil
		}
	}
}

// editAll edits n records from the one at an index on.
func (w *world) editAll(from, n int) {
	for i := from; i < from+n; i++ {
		w.edit(i)
	}
}

// shuffle gives the records times of modification in no order.
func (w *world) shuffle() {
	for i, r := range w.records {
		r.Modified = w.records[0].Created.Add(time.Duration(i*389%len(w.records)) * time.Second)
	}
}

// tied gives every record of a world a modification time out of a few seconds.
func tied(w *world, seconds int) {
	for i, r := range w.records {
		r.Modified = w.records[0].Created.Add(time.Duration(i*seconds/len(w.records)) * time.Second)
	}
}

// TestTies reads lists in which more records carry one second than a page holds.
func TestTies(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ records, perPage, seconds, calls int }{
		{100, 10, 1, 100 / 10 * 2 * 2}, {100, 10, 2, 50}, {100, 10, 5, 50}, {100, 10, 10, 60}, {100, 10, 11, 40}, {12, 1, 3, 40},
	} {
		w := newWorld(test.records)
		w.perPage = test.perPage
		tied(w, test.seconds)
		r := anchored(w)
		must(t, r.run(t.Context()))
		if end := r.memory.ends[0]; end.Outcome != pipeline.OutcomeDone || len(r.memory.rows) != test.records || len(w.asked) > test.calls {
			t.Errorf("%+v: %d rows, %d calls, %+v", test, len(r.memory.rows), len(w.asked), end)
		}
	}
}

// TestWhatExistsAllThroughIsSeen plays random edits, creations and deletions between any two calls,
// over lists with ties. Each record that exists from the first call to the last is seen, also one
// that is edited again and again. No watermark passes a record that is not loaded.
func TestWhatExistsAllThroughIsSeen(t *testing.T) {
	t.Parallel()
	done := 0
	for seed := range uint64(1500) {
		chance := rand.New(rand.NewPCG(seed, 29))
		w := newWorld(1 + chance.IntN(30))
		w.perPage = 2 + chance.IntN(4)
		tied(w, 1+chance.IntN(len(w.records)))
		stayed := slices.Clone(w.records)
		acts := chance.IntN(40)
		w.between = func() {
			w.now = w.now.Add(time.Duration(chance.IntN(1500)) * time.Millisecond)
			for ; acts > 0 && chance.IntN(2) == 0; acts-- {
				switch chance.IntN(4) {
				case 0:
					w.insert()
				case 1:
					w.edit(chance.IntN(100))
				default:
					w.remove(chance.IntN(100))
				}
			}
		}
		r := anchored(w)
		must(t, r.run(t.Context()))
		passed := r.passed(w, "")
		fatalIf(t, len(passed) > 0, "seed %d: the watermark %v passed %v", seed, r.memory.position.Watermark, passed)
		if r.memory.ends[0].Outcome != pipeline.OutcomeDone {
			continue
		}
		done++
		for _, thing := range stayed {
			_, seen := r.memory.rows[thing.ID]
			fatalIf(t, !seen && slices.Contains(w.records, thing), "seed %d: %s was there all the time, and not seen", seed, thing.ID)
		}
	}
	errorIf(t, done < 1300, "%d of 1500 runs ended as done", done)
}

// TestWhatIsNoAnchor has lists that contradict their known capabilities. The run goes on in passes
// and misses nothing. It reports what was contradicted, so that the next run does not ask so again.
func TestWhatIsNoAnchor(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		spoil func(*world)
		want  string
		// watermark says that the run starts from a watermark.
		watermark bool
	}{
		"no order":                        {func(w *world) { w.ignoreSort = true }, "sort_ascending no observed", false},
		"no order, from a watermark":      {func(w *world) { w.ignoreSort = true }, "sort_ascending no observed", true},
		"an order that is none":           {func(w *world) { w.ignoreSort, w.lies = true, true; w.edit(5) }, "sort_ascending no observed", false},
		"no filter":                       {func(w *world) { w.ignoreFilter = true }, "filter no observed", false},
		"no filter, from a watermark":     {func(w *world) { w.ignoreFilter = true }, "filter no observed", true},
		"a record without a time":         {func(w *world) { w.timeless = true }, "sort_ascending no observed", false},
		"a filter that leaves out itself": {func(w *world) { w.exclusive = true; tied(w, 20) }, "filter_inclusive no observed", false},
	} {
		w := newWorld(40)
		w.perPage = 4
		r := anchored(w)
		if test.watermark {
			must(t, r.run(t.Context()))
			for i := range 20 {
				w.now = w.now.Add(time.Minute)
				w.edit(39 - i) // not the order of creation
			}
			w.now = w.now.Add(time.Minute)
			r.memory.ends = nil
		}
		test.spoil(w)
		must(t, r.run(t.Context()))
		var said []string
		for _, v := range r.memory.observed {
			said = append(said, fmt.Sprintf("%s %s %s", v.Capability, v.Answer, v.Source))
			r.known[v.Capability] = v
		}
		end := r.memory.ends[0]
		if lost := r.missing(); len(lost) > 0 || strings.Join(said, ", ") != test.want || end.Outcome != pipeline.OutcomeDone ||
			!strings.Contains(string(end.Note), "passes") && !strings.Contains(string(end.Note), "everything was read") {
			t.Errorf("%s: lost %v, said %v, %+v", name, lost, said, end)
		}
		w.asked, w.now = nil, w.now.Add(time.Minute)
		must(t, r.run(t.Context()))
		first := w.asked[0]
		errorIf(t, first.Order == "A" || first.Sort != "", "%s: the next run asks for %s %s again", name, first.Sort, first.Order)
	}
}

// TestPlanFollowsAnchors: a list is read by keyset if its capabilities were measured or seen. No
// sweep that decides about rows relies on it.
func TestPlanFollowsAnchors(t *testing.T) {
	t.Parallel()
	yes, no := pipeline.AnswerYes, pipeline.AnswerNo
	two := anchors(yes, pipeline.SourceProbed, 0)
	delete(two, pipeline.CapabilityInclusive)
	for name, test := range map[string]struct {
		cursor string
		work   pipeline.Work
		known  pipeline.Capabilities
		missed bool
		want   pipeline.Mode
	}{
		"assumed":                   {"since", pipeline.WorkList, anchors(yes, pipeline.SourceAssumed, 0), false, pipeline.ModeSince},
		"documented":                {"since", pipeline.WorkList, anchors(yes, pipeline.SourceDocumented, 0), false, pipeline.ModeSince},
		"probed":                    {"since", pipeline.WorkList, anchors(yes, pipeline.SourceProbed, 1e6*time.Hour), false, pipeline.ModeKeyset},
		"observed":                  {"since", pipeline.WorkList, anchors(yes, pipeline.SourceObserved, 0), false, pipeline.ModeKeyset},
		"two of three":              {"since", pipeline.WorkList, two, false, pipeline.ModeSince},
		"contradicted":              {"since", pipeline.WorkList, anchors(no, pipeline.SourceObserved, time.Hour), false, pipeline.ModeFull},
		"contradicted a day ago":    {"since", pipeline.WorkList, anchors(no, pipeline.SourceObserved, 25*time.Hour), false, pipeline.ModeKeyset},
		"probed otherwise":          {"since", pipeline.WorkList, anchors(no, pipeline.SourceProbed, 1e6*time.Hour), false, pipeline.ModeFull},
		"no filter is declared":     {"newest", pipeline.WorkList, anchors(yes, pipeline.SourceProbed, 0), false, pipeline.ModeNewest},
		"a sweep":                   {"since", pipeline.WorkSweep, anchors(yes, pipeline.SourceProbed, 0), false, pipeline.ModeKeyset},
		"a sweep that decides":      {"since", pipeline.WorkSweep, anchors(yes, pipeline.SourceProbed, 0), true, pipeline.ModeFull},
		"a sweep of another list":   {"newest", pipeline.WorkSweep, anchors(yes, pipeline.SourceProbed, 0), false, pipeline.ModeFull},
		"a sweep, nothing measured": {"since", pipeline.WorkSweep, anchors(yes, pipeline.SourceAssumed, 0), false, pipeline.ModeFull},
	} {
		claim := pipeline.Claim{Stream: newFixture(newWorld(0), cursors()[test.cursor]).stream, Run: 2, Capabilities: test.known, Suspected: test.missed}
		claim.Stream.Work, claim.Position.Watermark = test.work, time.Date(2026, 3, 1, 8, 0, 0, 0, time.UTC)
		scan := scan.Plan(&claim, pipeline.DefaultRules())
		errorIf(t, scan.Mode != test.want, "%s: %s, want %s", name, scan.Mode, test.want)
	}
	whole := 0
	for run := range int64(4000) {
		claim := pipeline.Claim{Stream: newFixture(newWorld(0), cursors()["since"]).stream, Run: run, Capabilities: anchors(yes, pipeline.SourceProbed, 0)}
		claim.Stream.Work = pipeline.WorkSweep
		if scan.Plan(&claim, pipeline.DefaultRules()).Mode == pipeline.ModeFull {
			whole++
		}
	}
	errorIf(t, whole < 900 || whole > 1100, "%d of 4000 sweeps do not rely on the filter, want one in four", whole)
}
