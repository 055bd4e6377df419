package sync_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"sluice/pipeline"
	"sluice/pipeline/outside"
	"sluice/schema"
)

// crowd is a world that is asked for several pages at once. Answers take times of their own, so
// pages overtake each other, and the list changes between two answers. It runs in a bubble of
// virtual time, where waiting costs nothing and no goroutine may be left at the end.
type crowd struct {
	*world

	mu     sync.Mutex
	seed   uint64
	chance *rand.Rand
	// asks counts how often each page was requested; underWay is how many pages are under way, most
	// the maximum of it.
	asks           map[int]int
	underWay, most int
	answered       int
	// began is the world's clock at the first answer of a run.
	began time.Time
	// removes, inserts and edits are how many of a hundred answers such a change precedes.
	removes, inserts, edits int
}

func newCrowd(seed uint64, records int) *crowd {
	return &crowd{world: newWorld(records), seed: seed, chance: rand.New(rand.NewPCG(seed, 7)), asks: map[int]int{}}
}

// Page implements sync.Source.
func (c *crowd) Page(ctx context.Context, request pipeline.Request) (pipeline.Page, error) {
	c.mu.Lock()
	c.asks[request.Page]++
	// The delay depends on the request alone, not on which goroutine runs first. No two answers
	// have the same instant.
	way := rand.New(rand.NewPCG(c.seed, uint64(1000*request.Page+c.asks[request.Page])))
	wait := time.Duration(1+way.IntN(3000))*time.Millisecond + time.Duration(request.Page)*time.Microsecond
	c.underWay++
	c.most = max(c.most, c.underWay)
	c.mu.Unlock()
	select {
	case <-time.After(wait):
	case <-ctx.Done():
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.underWay--
	if ctx.Err() != nil {
		return pipeline.Page{}, &pipeline.Error{Kind: pipeline.Unavailable, Err: outside.NewScrubber().Cause(ctx.Err())}
	}
	c.happen()
	c.answered++
	if c.began.IsZero() {
		c.began = c.now
	}
	return c.world.Page(ctx, request)
}

func (c *crowd) happen() {
	c.now = c.now.Add(time.Duration(c.chance.IntN(2)) * time.Second)
	switch at := c.chance.IntN(100); {
	case at < c.removes:
		c.remove(c.chance.IntN(100))
	case at < c.removes+c.inserts:
		c.insert()
	case at < c.removes+c.inserts+c.edits:
		c.edit(c.chance.IntN(100))
	}
}

// clock is the world's clock.
func (c *crowd) clock() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

func (c *crowd) fixture(cursor schema.Cursor, ahead int) *fixture {
	r := newFixture(c.world, cursor)
	r.runner.Source, r.runner.Now, r.runner.Rules.Prefetch = c, c.clock, ahead
	return r
}

// storms is how many schedules each test of a list in motion goes through.
const storms = 250

// TestReadingAheadLosesNothing is invariant 1 where pages overlap in time. Whatever happens between
// the answers, no watermark passes a record that is not loaded, and once upstream is quiet no
// record is missing. Creations and edits can move records in front of others. One of these and a
// deletion in each pass can then hide a record, however the passes are read
// (docs/decisions/0007-paging-by-number). Such lists have deletions only.
func TestReadingAheadLosesNothing(t *testing.T) {
	t.Parallel()
	for name, cursor := range cursors() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				together := 0
				for seed := range uint64(storms) {
					together += readInMotion(t, name, cursor, seed)
				}
				errorIf(t, together == 0, "no two pages were ever under way at once")
			})
		})
	}
}

// readInMotion reads a list in motion a few times and then at rest. It gives the number of runs in
// which several pages were under way at once.
func readInMotion(t *testing.T, name string, cursor schema.Cursor, seed uint64) int {
	t.Helper()
	chance := rand.New(rand.NewPCG(seed, 1))
	c := newCrowd(seed, 4+chance.IntN(20))
	c.perPage = 1 + chance.IntN(4)
	c.removes = chance.IntN(30)
	if name == "full" {
		c.inserts, c.edits = chance.IntN(20), chance.IntN(20)
	}
	r := c.fixture(cursor, 1+chance.IntN(6))
	r.runner.Rules.ChunkPages = 1 + chance.IntN(9)
	r.memory.lasts = time.Duration(chance.IntN(4)) * time.Second
	together := 0
	for run := range 3 {
		if run == 2 {
			c.removes, c.inserts, c.edits = 0, 0, 0
			c.now = c.now.Add(time.Minute)
		} else if chance.IntN(3) == 0 {
			r.memory.failAfter = 1 + chance.IntN(8) // a killed process
		}
		c.most = 0
		must(t, r.run(t.Context()))
		fatalIf(t, c.most > r.runner.Rules.Prefetch+1,
			"seed %d: %d pages were under way at once, %d may be", seed, c.most, r.runner.Rules.Prefetch+1)
		if c.most > 1 {
			together++
		}
		passed := r.passed(c.world, "")
		fatalIf(t, len(passed) > 0, "seed %d: the watermark %v passed %v", seed, r.memory.position.Watermark, passed)
	}
	must(t, r.run(t.Context()))
	lost := r.missing()
	fatalIf(t, len(lost) > 0, "seed %d: lost or stale: %v", seed, lost)
	return together
}

// script is a world whose answers arrive in a given order, each with a change right after it. Pages
// that no later step names are answered at once.
type script struct {
	*world

	mu    sync.Mutex
	steps []scriptStep
	turn  *sync.Cond
}

type scriptStep struct {
	page int
	then func(*world)
}

// Page implements sync.Source.
func (s *script) Page(ctx context.Context, request pipeline.Request) (pipeline.Page, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	named := func() bool {
		return slices.ContainsFunc(s.steps, func(step scriptStep) bool { return step.page == request.Page })
	}
	for named() && s.steps[0].page != request.Page {
		s.turn.Wait()
	}
	page, err := s.world.Page(ctx, request)
	if named() {
		if then := s.steps[0].then; then != nil {
			then(s.world)
		}
		s.steps = s.steps[1:]
		s.turn.Broadcast()
	}
	return page, err
}

// TestWhyTheFirstPassIsReadPageByPage: with pages that overtake each other, two passes over eight
// records can be equal and both miss the oldest. In the first pass, a record of page 4 is restored
// between the answers of pages 5 and 4. In the second, the record in front of it is deleted between
// those of pages 4 and 1. A run that moves no watermark is read so. In a run that moves one, the
// first pass sees all records.
func TestWhyTheFirstPassIsReadPageByPage(t *testing.T) {
	t.Parallel()
	restored := newWorld(9).records[1]
	restore := func(w *world) { w.records = slices.Insert(w.records, 1, restored) }
	remove := func(w *world) { w.remove(2) }
	overtaking := []scriptStep{{page: 1}, {page: 2}, {page: 3}, {page: 5, then: restore}, {page: 4}}
	inTurn := []scriptStep{{page: 1}, {page: 2}, {page: 3, then: restore}, {page: 4}, {page: 5}}
	second := []scriptStep{{page: 4, then: remove}, {page: 1}, {page: 2}, {page: 3}, {page: 5}}
	// The first page of a pass that counts is read alone: it shows the page size.
	waited := []scriptStep{{page: 1}, {page: 4, then: remove}, {page: 2}, {page: 3}, {page: 5}}
	read := func(scan pipeline.Scan, first, second []scriptStep) (*fixture, *script) {
		w := newWorld(9)
		w.remove(1)
		w.perPage = 2
		s := &script{world: w, steps: append(slices.Clone(first), second...)}
		s.turn = sync.NewCond(&s.mu)
		r := newFixture(w, cursors()["since"])
		r.runner.Source, r.runner.Rules.Prefetch = s, 4
		scan.Mode, scan.Page, scan.PerPage, scan.Pass = pipeline.ModeFull, 1, 2, 1
		r.memory.position.Scan = &scan
		must(t, r.run(t.Context()))
		return r, s
	}
	r, s := read(pipeline.Scan{Partial: true, LastPages: 5}, overtaking, second)
	if lost := r.missing(); !slices.Equal(lost, []string{"0001"}) || len(s.steps) > 0 {
		t.Errorf("the first pass read ahead: lost %v, %d answers are left: the schedule proves nothing", lost, len(s.steps))
	}
	r, s = read(pipeline.Scan{}, inTurn, waited)
	if lost := r.missing(); len(lost) > 0 || len(s.steps) > 0 || r.memory.ends[0].Outcome != pipeline.OutcomeDone {
		t.Errorf("the first pass read page by page: lost %v, %d answers are left, end %+v", lost, len(s.steps), r.memory.ends[0])
	}
}

// TestTheFirstPassIsReadInOrder: a scan that moves a watermark reads the first pass, and the first
// page of the second, one page after the other. Later pages are under way side by side.
func TestTheFirstPassIsReadInOrder(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		c := newCrowd(5, 90) // of thirty pages: enough to guess that there are more
		beside := map[int]int{}
		c.between = func() {
			if c.underWay > 0 {
				beside[c.asks[1]]++
			}
		}
		r := c.fixture(fullScan(), 5)
		must(t, r.run(t.Context()))
		errorIf(t, beside[1] > 0 || beside[2] == 0 || c.asks[1] != 2, "pages answered beside others, by pass: %v; %d passes", beside, c.asks[1])
	})
}

// TestTheEndIsNotPassed: where the pass before shows how many pages there are, none beyond them is
// requested. Where nothing is known, at most a twentieth is.
func TestTheEndIsNotPassed(t *testing.T) {
	t.Parallel()
	for _, pages := range []int{1, 2, 3, 19, 20, 21, 40, 99, 100, 137, 400} {
		t.Run(fmt.Sprint(pages), func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				c := newCrowd(uint64(pages), 3*pages-1)
				r := c.fixture(fullScan(), 5)
				r.runner.Rules.ChunkPages = 7
				must(t, r.run(t.Context()))
				want := 2 * pages
				if pages == 1 {
					want = 1
				}
				asks := c.total()
				errorIf(t, asks != want || c.asks[pages+1] != 0, "%d pages were asked for in two passes, want %d", asks, want)

				c = newCrowd(uint64(pages), 3*pages-1)
				r = c.fixture(fullScan(), 5)
				r.memory.position.Scan = &pipeline.Scan{Mode: pipeline.ModeFull, Page: 1, PerPage: 3, Pass: 1, Partial: true}
				must(t, r.run(t.Context()))
				vain := c.total() - want
				errorIf(t, vain > pages/20, "%d pages beyond the end of %d were asked for, want at most a twentieth", vain, pages)
			})
		})
	}
}

func (c *crowd) total() int {
	n := 0
	for _, asks := range c.asks {
		n += asks
	}
	return n
}

// TestAFullChunkLoadsWhatIsUnderWay: a chunk that ends by pages, by time or by a stop loads every
// answer that was requested. The run's spent calls are all calls.
func TestAFullChunkLoadsWhatIsUnderWay(t *testing.T) {
	t.Parallel()
	for name, end := range map[string]func(r *fixture, c *crowd, stop chan struct{}){
		"pages": func(r *fixture, _ *crowd, _ chan struct{}) { r.runner.Rules.ChunkPages = 11 },
		"time": func(r *fixture, c *crowd, _ chan struct{}) {
			r.runner.Rules.ChunkTime = time.Minute
			c.between = func() { c.now = c.now.Add(7 * time.Second) }
		},
		"stop": func(_ *fixture, c *crowd, stop chan struct{}) {
			c.between = func() {
				if c.answered == 9 {
					close(stop)
				}
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				c := newCrowd(5, 300)
				r := c.fixture(fullScan(), 5)
				stop := make(chan struct{})
				r.runner.Stopping = stop
				end(r, c, stop)
				claim := pipeline.Claim{Stream: r.stream, Position: pipeline.Position{Scan: &pipeline.Scan{
					Mode: pipeline.ModeFull, Page: 1, PerPage: 3, Pass: 2, LastPages: 101, LastSeen: 300,
				}}}
				must(t, r.runner.Chunk(t.Context(), claim, nopSettle))
				scan := r.memory.position.Scan
				errorIf(t, c.most != 6 || r.memory.units != c.total() || scan.Page != r.memory.units+1 || scan.Spent != c.total() || !scan.Prefetched,
					"%d calls, at most %d at once; %d units, position %+v", c.total(), c.most, r.memory.units, scan)
				errorIf(t, r.memory.units < 9 || r.memory.units > 20, "the chunk loaded %d pages, want about ten", r.memory.units)
			})
		})
	}
}

// TestWhatWaitsIsLoadedTogether: a transaction that takes longer than a call is followed by one
// with all pages that arrived meanwhile. Pages under way and pages not loaded are together never
// more than may be under way (invariant 6).
func TestWhatWaitsIsLoadedTogether(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		lasts          time.Duration
		ahead          int
		fewest, mostOf int
	}{
		"slow transactions": {10 * time.Second, 5, 2, 5},
		"quick ones":        {0, 5, 1, 5},
		"nothing ahead":     {10 * time.Second, 0, 1, 1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				c := newCrowd(5, 300)
				r := c.fixture(fullScan(), test.ahead)
				r.memory.lasts = test.lasts
				open := 0
				c.between = func() {
					r.memory.mu.Lock()
					defer r.memory.mu.Unlock()
					open = max(open, c.total()-r.memory.units)
				}
				must(t, r.run(t.Context()))
				if open > test.ahead+1 || r.memory.together < test.fewest || r.memory.together > test.mostOf {
					t.Errorf("%d pages were asked for and not loaded, %d may be; at most %d in one transaction, want %d to %d",
						open, test.ahead+1, r.memory.together, test.fewest, test.mostOf)
				}
				if lost := r.missing(); len(lost) > 0 || r.memory.units != c.total() || r.memory.ends[0].Outcome != pipeline.OutcomeDone {
					t.Errorf("lost %v; %d units of %d calls, end %+v", lost, r.memory.units, c.total(), r.memory.ends[0])
				}
			})
		})
	}
}

// TestNothingIsUnderWayAfterAChunk: an error, a fallback, a lost claim and the end of the context
// leave no call behind. The bubble checks it, too: a leftover goroutine would deadlock it.
func TestNothingIsUnderWayAfterAChunk(t *testing.T) {
	t.Parallel()
	known := &pipeline.Scan{Mode: pipeline.ModeFull, Page: 1, PerPage: 3, Pass: 2, LastPages: 101, LastSeen: 300}
	t.Run("lost claim", func(t *testing.T) {
		t.Parallel()
		synctest.Test(t, func(t *testing.T) {
			c := newCrowd(5, 300)
			r := c.fixture(fullScan(), 5)
			r.memory.failAfter = 7
			err := r.runner.Chunk(t.Context(), pipeline.Claim{Stream: r.stream, Position: pipeline.Position{Scan: known}}, nopSettle)
			if err != errKilled || c.underWay != 0 || c.total() > 7+5 { //nolint:errorlint // a value of our own
				t.Errorf("chunk = %v with %d calls under way, %d in all; want at most 7 pages and 5 ahead", err, c.underWay, c.total())
			}
			page := r.memory.position.Scan.Page
			errorIf(t, page != 7, "page %d is next, want that behind the six loaded", page)
		})
	})
	t.Run("context", func(t *testing.T) {
		t.Parallel()
		synctest.Test(t, func(t *testing.T) {
			c := newCrowd(5, 300)
			r := c.fixture(fullScan(), 5)
			ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
			defer cancel()
			err := r.runner.Chunk(ctx, pipeline.Claim{Stream: r.stream, Position: pipeline.Position{Scan: known}}, nopSettle)
			errorIf(t, !errors.Is(err, context.DeadlineExceeded) || c.underWay != 0, "chunk = %v with %d calls under way", err, c.underWay)
		})
	})
	t.Run("page size", func(t *testing.T) {
		t.Parallel()
		synctest.Test(t, func(t *testing.T) {
			c := newCrowd(5, 300)
			c.between = func() {
				if c.answered == 20 {
					c.perPage = 5
				}
			}
			r := c.fixture(fullScan(), 5)
			r.memory.position.Scan = deepCopy(pipeline.Position{Scan: known}).Scan
			must(t, r.run(t.Context()))
			lost := r.missing()
			errorIf(t, len(lost) > 0 || r.memory.ends[0].Outcome != pipeline.OutcomeDone, "lost %v, end %+v", lost, r.memory.ends[0])
		})
	})
}
