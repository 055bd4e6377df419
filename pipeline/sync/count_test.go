package sync_test

import (
	"context"
	"flag"
	"fmt"
	"math/rand/v2"
	"runtime"
	"slices"
	"strconv"
	"strings"
	gosync "sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"sluice/pipeline"
	"sluice/pipeline/outside"
	"sluice/schema"
	"sluice/schema/record"
)

// counted is a world that can be asked how many records it has, and the ranks of a warehouse that
// compares.
type counted struct {
	unasked
	*fixture

	mu gosync.Mutex // pages of a counted reading are asked for at once
	// together is how many first pages have to be under way before any of them is answered; zero
	// answers each at once.
	together int
	asked    int
	gate     chan struct{}
	// total gives the number that upstream says, and whether it says one.
	total func() (int, bool)
	// refuses makes it answer the question with an error, refusesFilter only one with a filter.
	// between is called behind each count.
	refuses, refusesFilter bool
	between                func()
	// took is how long the answer takes; counts is how often it was asked.
	took   time.Duration
	counts int
}

func newCounted(n int) *counted {
	w := newWorld(n)
	w.perPage = 20
	r := newFixture(w, cursors()["since"])
	c := &counted{fixture: r, took: time.Second}
	c.total = func() (int, bool) { return len(w.records), true }
	r.runner.Source, r.runner.Ranks = c, c
	r.runner.CountEvery = func(pipeline.Stream) time.Duration { return time.Hour }
	return c
}

// Page implements sync.Source.
func (c *counted) Page(ctx context.Context, request pipeline.Request) (pipeline.Page, error) {
	if !request.Counts && request.Page <= c.together {
		c.wait()
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	total, says := c.total()
	if !request.Since.IsZero() || !request.From.IsZero() || !request.To.IsZero() || c.world.most > 0 {
		total = len(c.world.list(request))
	}
	if !request.Counts || !says && !c.refuses {
		return (&sized{world: c.world}).Page(ctx, request)
	}
	c.counts++
	c.world.calls++
	if c.between != nil {
		defer c.between()
	}
	if c.refuses || c.refusesFilter && !request.Since.IsZero() {
		return pipeline.Page{}, &pipeline.Error{Kind: pipeline.Unexpected, Status: 400, Code: "4", Detail: outside.Plain("no such parameter")}
	}
	tally := pipeline.Tally{Records: total}
	if request.Sums {
		sum := 0
		for _, t := range c.world.list(request) {
			sum += t.Value
		}
		tally.Sums = pipeline.Sums{"total": strconv.Itoa(sum)}
	}
	return pipeline.Page{Call: c.world.calls, Date: c.world.now, Counted: true, Tally: tally, Took: c.took}, nil
}

// wait waits until so many pages are under way.
func (c *counted) wait() {
	c.mu.Lock()
	if c.asked++; c.asked == c.together {
		close(c.gate)
	}
	c.mu.Unlock()
	<-c.gate
}

// Extent implements sync.Ranks.
//
//nolint:nonamedreturns // the names say which is which
func (c *counted) Extent(context.Context, pipeline.Stream) (rows, most int, err error) {
	return len(c.memory.rows), 0, nil
}

// Seen implements sync.Ranks.
func (c *counted) Seen(_ context.Context, _ pipeline.Claim, count pipeline.Count) (pipeline.Seen, error) {
	return c.created(count, func(id string) bool { return c.memory.shown[id] > count.Call }), nil
}

// Known implements sync.Ranks.
func (c *counted) Known(_ context.Context, _ pipeline.Claim, count pipeline.Count) (pipeline.Seen, error) {
	known := c.created(count, func(string) bool { return true })
	known.Sums = c.summed(func(record.Record) bool { return true })
	return known, nil
}

// summed adds up the totals of rows; it is nil where the resource has no such column.
func (c *counted) summed(counts func(record.Record) bool) pipeline.Sums {
	sum, at := 0, len(c.stream.Resource.Columns)-1
	for _, row := range c.memory.rows {
		if c.stream.Resource.Columns[at].Wire != "total" {
			return nil
		}
		if counts(row) {
			n, err := strconv.Atoi(row.Tables[0][0].Values[at].Text)
			if err != nil {
				panic(err)
			}
			sum += n
		}
	}
	return pipeline.Sums{"total": strconv.Itoa(sum)}
}

// Halve implements sync.Ranks.
func (c *counted) Halve(_ context.Context, _ pipeline.Stream, axis pipeline.Axis, part pipeline.Part) (time.Time, pipeline.Tally, error) {
	var times []time.Time
	column := map[pipeline.Axis]int{pipeline.AxisDay: 2, pipeline.AxisModified: 3}[axis]
	place := func(row record.Record) time.Time {
		at, err := time.Parse(canonicalTime, row.Tables[0][0].Values[column].Text)
		if err != nil {
			panic(err)
		}
		if axis == pipeline.AxisDay {
			at = at.Truncate(24 * time.Hour)
		}
		return at
	}
	within := func(at time.Time) bool { return !at.Before(part.From) && (part.To.IsZero() || at.Before(part.To)) }
	for _, row := range c.memory.rows {
		if at := place(row); within(at) {
			times = append(times, at)
		}
	}
	slices.SortFunc(times, time.Time.Compare)
	cut := len(times) / 2
	if len(times) == 0 || times[0].Equal(times[cut]) {
		return time.Time{}, pipeline.Tally{}, nil
	}
	for times[cut-1].Equal(times[cut]) {
		cut--
	}
	late := c.summed(func(row record.Record) bool { return within(place(row)) && !place(row).Before(times[cut]) })
	return times[cut], pipeline.Tally{Records: len(times) - cut, Sums: late}, nil
}

// TestCountAndSumsStandForAReading: a run of a list without a filter asks for its count and sums, and
// reads what differs alone. What that does not tell, the same run reads the list for.
func TestCountAndSumsStandForAReading(t *testing.T) {
	t.Parallel()
	observed := func(c pipeline.Capability, value string) pipeline.Verdict {
		return pipeline.Verdict{Capability: c, Answer: pipeline.AnswerYes, Source: pipeline.SourceObserved, Value: value}
	}
	for name, c := range map[string]struct {
		alter func(*counted)
		after time.Duration
		calls int64
		// whole says that the list is read.
		whole bool
	}{
		"nothing new":    {calls: 1},
		"a new one":      {alter: func(c *counted) { c.world.insert() }, calls: 1 + 5 + 1},
		"another amount": {alter: func(c *counted) { c.world.records[200].Value++ }, calls: 1 + 5 + 1},
		"two far apart":  {alter: func(c *counted) { c.world.records[3].Value++; c.world.records[390].Value++ }, calls: 1 + 1 + 2*(4+1)},
		"one is gone":    {alter: func(c *counted) { c.world.remove(7) }, calls: 1 + 20, whole: true},
		"one for another": {
			alter: func(c *counted) { c.world.records[350].Value++; c.world.remove(7); c.world.insert() },
			calls: 1 + 1 + 20, whole: true,
		},
		"no sums":          {alter: func(c *counted) { c.known[pipeline.CapabilitySums] = observed(pipeline.CapabilitySums, "balance") }, calls: 1 + 20, whole: true},
		"a count too many": {alter: func(c *counted) { c.known[pipeline.CapabilityTotal] = observed(pipeline.CapabilityTotal, "1") }, calls: 1 + 20, whole: true},
		"no filter": {
			alter: func(c *counted) { c.world.insert(); c.world.ignoreFilter = true },
			calls: 1 + 1 + 21, whole: true,
		},
		"refused":     {alter: func(c *counted) { c.refuses = true }, calls: 2 + 29, whole: true}, // pages of 20 that overlap
		"a day later": {after: 24 * time.Hour, calls: 1 + 20, whole: true},
		"set back":    {alter: func(c *counted) { c.memory.position.Watermark = c.memory.position.Watermark.Add(-time.Hour) }, calls: 1 + 20, whole: true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := newCounted(400)
			r.runner.Rules.PerPage, r.world.perPage, r.world.totals = 20, 20, true
			r.stream.Resource = resource(cursors()["full"])
			r.stream.Resource.Columns = append(r.stream.Resource.Columns, schema.Decimal("total", "What it is worth."))
			r.stream.Resource.Window = &schema.Window{Column: "created_time", From: "from", To: "to"}
			for i, thing := range r.world.records {
				thing.Created = thing.Created.Add(time.Duration(i-400) * 24 * time.Hour)
			}
			must(t, r.run(t.Context()))
			r.known = lastVerdicts(r.memory.observed)
			r.known[pipeline.CapabilitySums] = observed(pipeline.CapabilitySums, "total")
			r.age = 2 * time.Hour
			before, calls := r.memory.position.Watermark, r.world.calls
			r.world.now = r.world.now.Add(time.Hour)
			if c.alter != nil {
				c.alter(r)
			}
			r.world.now = r.world.now.Add(max(c.after, time.Hour))
			must(t, r.run(t.Context()))
			same(t, "calls", c.calls, r.world.calls-calls)
			same(t, "the watermark moved", c.whole, r.memory.position.Watermark.After(before))
			errorIf(t, len(r.missing()) > 0, "records are missing: %v", r.missing())
		})
	}
}

// TestASearchFindsWhatTheFilterHid: where upstream counts more records than there are rows, the list
// is halved by what its filter counts, and the page is read on which they differ. Without a filter
// that cuts, a sweep follows.
func TestASearchFindsWhatTheFilterHid(t *testing.T) {
	t.Parallel()
	yes := pipeline.Capabilities{pipeline.CapabilityTotal: {Capability: pipeline.CapabilityTotal, Answer: pipeline.AnswerYes, Source: pipeline.SourceObserved}}
	for name, c := range map[string]struct {
		hidden []int
		alter  func(*counted)
		calls  int64
		// sweep says that one follows, note why the search did not end.
		sweep bool
		note  string
	}{
		"nothing is hidden": {calls: 1},
		// The count, halves of 640 down to a page of 20, and the page. Where the half with the record
		// lists 21, there is one more.
		"the first":             {hidden: []int{0}, calls: 1 + 5 + 1},
		"the last":              {hidden: []int{639}, calls: 1 + 6 + 1},
		"two of one page":       {hidden: []int{330, 331}, calls: 1 + 6 + 1},
		"two apart":             {hidden: []int{20, 600}, calls: 1 + 1 + 2*(5+1)},
		"a filter that is none": {hidden: []int{7}, alter: func(c *counted) { c.world.ignoreFilter = true }, calls: 1 + 1, sweep: true, note: "no filter"},
		"one that is refused":   {hidden: []int{7}, alter: func(c *counted) { c.refusesFilter = true }, calls: 1 + 1, sweep: true, note: "no filter"},
		"no order":              {hidden: []int{0}, alter: func(c *counted) { c.world.ignoreSort = true }, calls: 1 + 5 + 1, sweep: true, note: "no filter"},
		"a record is created":   {hidden: []int{7}, alter: func(c *counted) { c.between = c.world.insert }, calls: 1 + 2, note: "the list changed"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := newCounted(640)
			must(t, r.run(t.Context()))
			for _, at := range c.hidden {
				delete(r.memory.rows, r.world.records[at].ID)
			}
			if c.alter != nil {
				c.alter(r)
			}
			r.world.now = r.world.now.Add(time.Hour)
			r.known, r.stream.Work = yes, pipeline.WorkLook
			before := r.world.calls
			must(t, r.run(t.Context()))
			end := r.memory.ends[len(r.memory.ends)-1]
			same(t, "calls", c.calls, r.world.calls-before)
			same(t, "a sweep follows", c.sweep, end.Sweep)
			errorIf(t, !strings.Contains(string(end.Note), c.note), "it ends with %q, want %q in it", end.Note, c.note)
			errorIf(t, c.note == "" && len(r.missing()) > 0, "records are missing: %v, %s", r.missing(), end.Note)
		})
	}
}

// TestACountThatStopsWithTheListProvesNothing: a list that shows a thousand records, and counts as many,
// may have more. Where it filters by day, the numbers of its halves tell; where it does not, the pages
// have to prove what they can.
func TestACountThatStopsWithTheListProvesNothing(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		records, most int
		window        bool
		ignored       bool
		want, note    string
		calls         int64 // beside the pages
	}{
		"a thousand":             {records: 1000, window: true, want: `done by "count"`, calls: 1 + 2},
		"capped":                 {records: 1400, most: 1000, window: true, want: `provisional by ""`, note: "1400 in the two halves", calls: 1 + 2},
		"a half capped, too":     {records: 2400, most: 1000, window: true, want: `provisional by ""`, note: "in the two halves", calls: 1 + 3},
		"an ignored filter":      {records: 1000, window: true, ignored: true, want: `done by "overlapping pages"`, calls: 1 + 2 + 1},
		"no filter":              {records: 1000, want: `done by "overlapping pages"`, calls: 1 + 1},
		"no number of thousands": {records: 1001, window: true, want: `done by "count"`, calls: 1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := newCounted(c.records)
			r.runner.Rules.PerPage, r.world.perPage = 200, 200
			for i, thing := range r.world.records {
				thing.Created = thing.Created.Add(time.Duration(i-c.records) * time.Hour)
			}
			r.world.most, r.world.ignoreFilter = c.most, c.ignored
			if c.window {
				r.stream.Resource.Window = &schema.Window{Column: "created_time", From: "from", To: "to"}
			}
			must(t, r.run(t.Context()))
			same(t, "the end", c.want, r.answers())
			end := r.memory.ends[0]
			errorIf(t, !strings.Contains(string(end.Note), c.note), "note %q, want %q in it", end.Note, c.note)
			same(t, "calls that count", c.calls, int64(r.counts))
		})
	}
}

// created counts the rows that were created before a count, and while it was made.
func (c *counted) created(count pipeline.Count, counts func(id string) bool) pipeline.Seen {
	var seen pipeline.Seen
	for id, row := range c.memory.rows {
		at, err := time.Parse(canonicalTime, row.Tables[0][0].Values[2].Text)
		switch {
		case err != nil:
			panic(err)
		case !counts(id):
		case at.Before(count.From):
			seen.Before++
		case at.Before(count.To):
			seen.Between++
		}
	}
	return seen
}

// canonicalTime is how package record writes instants.
const canonicalTime = "2006-01-02 15:04:05.999999-07"

// answers are the runs' ends, with their proofs.
func (c *counted) answers() string {
	var said []string
	for _, end := range c.memory.ends {
		said = append(said, fmt.Sprintf("%s by %q", end.Outcome, end.Proof))
	}
	return strings.Join(said, ", ")
}

// TestACountProvesAFirstSync: the number that upstream says is the proof of a whole reading, for one
// call beside the pages. Where it says none, or another one, there are the proofs without it.
func TestACountProvesAFirstSync(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		alter func(*counted)
		// calls are those of the first run; ends are those of two runs; value is what is known of
		// totals behind them.
		calls       int64
		ends, value string
	}{
		"right": {alter: func(*counted) {}, calls: 6, ends: `done by "count", done by "one page"`, value: "yes "},
		"no total": {
			alter: func(c *counted) { c.total = func() (int, bool) { return 0, false } },
			calls: 6, ends: `done by "keyset paging", done by "one page"`, value: "no ",
		},
		"refused": {
			alter: func(c *counted) { c.refuses = true },
			calls: 7, ends: `done by "keyset paging", done by "one page"`, value: "no ",
		},
		"one more by a constant": {
			alter: func(c *counted) { c.total = func() (int, bool) { return len(c.world.records) + 1, true } },
			// A reading by the count, one by overlaps, each behind a count; the next run does the same.
			calls: 1 + 5 + 1 + 7, ends: `provisional by "", done by "overlapping pages"`, value: "no ",
		},
		"a lag of minutes": {
			// At the first count the newest record is too young for upstream's cache.
			alter: func(c *counted) {
				c.total = func() (int, bool) { return len(c.world.records) - max(0, 2-c.counts)/2, true }
			},
			calls: 1 + 5 + 1 + 7, ends: `done by "count", done by "one page"`, value: "yes ",
		},
		"nothing": {alter: func(c *counted) { c.world.records = nil }, calls: 2, ends: `done by "count", done by "one page"`, value: "yes "},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := newCounted(100)
			c.alter(r)
			must(t, r.run(t.Context()))
			same(t, "calls of the first run", c.calls, r.world.calls)
			r.known = lastVerdicts(r.memory.observed)
			r.world.now = r.world.now.Add(time.Hour)
			must(t, r.run(t.Context()))
			same(t, "the ends of both runs", c.ends, r.answers())
			v := lastVerdicts(r.memory.observed)[pipeline.CapabilityTotal]
			same(t, "what is known of totals", c.value, string(v.Answer)+" "+v.Value)
			errorIf(t, len(r.missing()) > 0, "records are missing: %v", r.missing())
		})
	}
}

// lastVerdicts are the last verdicts on each capability.
func lastVerdicts(observed []pipeline.Verdict) pipeline.Capabilities {
	known := pipeline.Capabilities{}
	for _, v := range observed {
		if v.Answer != pipeline.AnswerUnknown {
			known[v.Capability] = v
		}
	}
	return known
}

// TestPagesOfACountedReadingComeAtOnce: the order of the answers does not matter, so as many pages
// are under way as may be, and none behind the last one.
func TestPagesOfACountedReadingComeAtOnce(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) { // where pages that wait for each other in vain end the test
		r := newCounted(100)
		r.runner.Rules.Prefetch = 3
		r.together, r.gate = 4, make(chan struct{})
		must(t, r.run(t.Context()))
		asked := map[int]int{}
		for _, request := range r.world.asked {
			asked[request.Page]++
		}
		same(t, "how often each page was asked for", map[int]int{1: 1, 2: 1, 3: 1, 4: 1, 5: 1}, asked)
		same(t, "the end", `done by "count"`, r.answers())
	})
}

//nolint:gochecknoglobals // a flag
var schedules = flag.Int("counted", 300, "how many schedules of a list that is counted while it changes")

// TestAHiddenRecordIsNeverCalledComplete: while a list is read, one record is hidden from the pages
// by a deletion, and another appears that upstream counted or did not: restored under its old time,
// entered with a backdated one, seen late, or counted from a cache. The first count may agree. Then
// the second one, which the next run asks for, does not.
func TestAHiddenRecordIsNeverCalledComplete(t *testing.T) {
	t.Parallel()
	var complete, caught atomic.Int64
	workers := runtime.GOMAXPROCS(0)
	t.Run("seeds", func(t *testing.T) {
		for worker := range workers {
			t.Run(strconv.Itoa(worker), func(t *testing.T) {
				t.Parallel()
				for seed := worker; seed < *schedules; seed += workers {
					proven, hidden := hides(t, uint64(seed))
					complete.Add(proven)
					caught.Add(hidden)
				}
			})
		}
	})
	t.Logf("%d schedules: %d proven by the count, %d of them with a hidden record", *schedules, complete.Load(), caught.Load())
	fatalIf(t, complete.Load() < int64(*schedules)/10 || caught.Load() == 0, "the schedules prove too little")
}

// hides plays one schedule, and says whether the first count proved its reading, and whether a record
// was hidden from that.
//
//nolint:nonamedreturns // the names say which is which
func hides(t *testing.T, seed uint64) (proven, hiding int64) {
	t.Helper()
	chance := rand.New(rand.NewPCG(seed, 46))
	r := newCounted(60 + chance.IntN(60))
	w := r.world
	restored := w.records[chance.IntN(len(w.records))] // gone when the run begins
	w.records = slices.DeleteFunc(w.records, func(t *thing) bool { return t == restored })
	stale, cached := chance.IntN(4) == 0, 0
	if stale {
		cached = len(w.records) + chance.IntN(3) - 1
	}
	if chance.IntN(2) == 0 {
		r.total = func() (int, bool) {
			if stale && r.counts == 0 {
				return cached, true
			}
			return len(w.records), true
		}
	}
	events := 1 + chance.IntN(3)
	w.between = func() {
		w.now = w.now.Add(time.Duration(chance.IntN(20)) * time.Second)
		if events == 0 || chance.IntN(3) > 0 {
			return
		}
		events--
		switch chance.IntN(5) {
		case 0: // what upstream shows moves up: a record may slip from an unread page to a read one
			w.remove(chance.IntN(len(w.records)))
		case 1:
			if restored != nil {
				w.records = append(w.records, restored)
				restored = nil
			}
		case 2: // backdated, or late by minutes
			w.insert()
			w.records[len(w.records)-1].Created = w.now.Add(-time.Duration(1+chance.IntN(4000)) * time.Second)
		case 3:
			w.insert()
		default:
			w.edit(chance.IntN(len(w.records)))
		}
	}
	must(t, r.run(t.Context()))
	if r.memory.ends[0].Proof != pipeline.ProofCount {
		return 0, 0
	}
	// The next run, behind the lag: upstream counts, and the rows are compared.
	w.between, w.now = nil, w.now.Add(5*time.Minute)
	r.known, r.age = lastVerdicts(r.memory.observed), time.Hour
	must(t, r.run(t.Context()))
	hidden := slices.DeleteFunc(slices.Clone(w.records), func(t *thing) bool {
		_, known := r.memory.rows[t.ID]
		return known
	})
	gone := 0
	for id := range r.memory.rows {
		if !slices.ContainsFunc(w.records, func(t *thing) bool { return t.ID == id }) {
			gone++
		}
	}
	count := r.memory.counts[len(r.memory.counts)-1]
	known := r.created(*count, func(string) bool { return true })
	if len(hidden) > 0 && known.Before == count.Records && gone == 0 {
		t.Fatalf("seed %d: %d records are hidden, and both counts agree", seed, len(hidden))
	}
	return 1, int64(min(len(hidden), 1))
}

// TestOnlyTheRequestThatLeftDatesACount: a record that is created between the count and its answer
// is no evidence that all others came.
func TestOnlyTheRequestThatLeftDatesACount(t *testing.T) {
	t.Parallel()
	r := newCounted(40)
	w := r.world
	hidden := w.records[0]
	w.records = w.records[1:]
	r.total = func() (int, bool) { // it counts the hidden one; the answer takes a minute, and a record is created meanwhile
		if r.counts > 0 {
			return len(w.records) + 1, true
		}
		w.insert()
		w.now, r.took = w.now.Add(time.Minute), time.Minute
		return len(w.records), true
	}
	must(t, r.run(t.Context()))
	errorIf(t, r.memory.ends[0].Proof == pipeline.ProofCount, "%s is hidden, and the count is taken for a proof", hidden.ID)
}

// TestACountIsDueOnceAnHour: runs that read what changed ask for the count where a list is known to
// answer, and not oftener than wanted. It is asked for before anything is read, and without the
// filter.
func TestACountIsDueOnceAnHour(t *testing.T) {
	t.Parallel()
	yes := pipeline.Capabilities{pipeline.CapabilityTotal: {Capability: pipeline.CapabilityTotal, Answer: pipeline.AnswerYes, Source: pipeline.SourceObserved}}
	for _, c := range []struct {
		known pipeline.Capabilities
		age   time.Duration
		want  int
	}{{nil, 2 * time.Hour, 0}, {yes, 59 * time.Minute, 0}, {yes, time.Hour, 1}} {
		r := newCounted(30)
		must(t, r.run(t.Context()))
		r.known, r.age, r.counts = c.known, c.age, 0
		r.world.now = r.world.now.Add(time.Hour)
		must(t, r.run(t.Context()))
		same(t, fmt.Sprintf("counts of the next run, %s after the last", c.age), c.want, r.counts)
		same(t, "counts that came with the end of the run", 1+c.want, len(r.memory.counts))
	}
}

// TestAPageInPlaceOfACountIsNoNews: where a list no longer says its number, the answer is a page of
// the whole list. A run that reads what changed does not take it for one that the filter let pass.
func TestAPageInPlaceOfACountIsNoNews(t *testing.T) {
	t.Parallel()
	r := newCounted(100)
	must(t, r.run(t.Context()))
	r.known, r.age = lastVerdicts(r.memory.observed), time.Hour
	r.total = func() (int, bool) { return 0, false }
	r.world.now = r.world.now.Add(time.Hour)
	r.world.insert()
	r.world.now = r.world.now.Add(time.Hour)
	before := r.world.calls
	must(t, r.run(t.Context()))
	same(t, "calls: the question, and the page of what changed", int64(2), r.world.calls-before)
	known := lastVerdicts(r.memory.observed)
	same(t, "what is known of totals", pipeline.AnswerNo, known[pipeline.CapabilityTotal].Answer)
	same(t, "what is known of the filter", pipeline.Answer(""), known[pipeline.CapabilityFilter].Answer)
	errorIf(t, len(r.missing()) > 0, "records are missing: %v", r.missing())
}
