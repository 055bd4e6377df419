package sync_test

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
	"sluice/pipeline"
	"sluice/pipeline/sync"
	"sluice/schema"
)

// entry is a record of a catalog, and its row.
type entry struct {
	id      string
	created time.Time
}

// catalog is a long list with its rows: upstream shows listed, the warehouse has rows, both in the
// order of their creation.
type catalog struct {
	unasked

	listed, rows []entry
	// most is how many rows a look may miss; size is the only page size of upstream, zero for any
	// up to 200; silent makes it not say so. unsorted makes it ignore the order, claimed makes it
	// say otherwise.
	most, size                int
	unsorted, claimed, silent bool
	// poisoned are records that do not fit.
	poisoned map[string]bool
	// before is called before each answer.
	before   func(call int)
	calls    int
	pages    []string
	position pipeline.Position
	end      *pipeline.End
	perPage  int
	// dies says that the process is killed before the next batch is loaded; may be nil.
	dies  func() bool
	kills int
}

func now() time.Time { return time.Date(2026, 6, 1, 8, 0, 0, 0, time.UTC) }

// newCatalog makes a list of n records, tied of which share each second.
func newCatalog(n, tied int) *catalog {
	c := &catalog{most: max(20, n/50), poisoned: map[string]bool{}}
	begin := time.Date(2026, 3, 1, 8, 0, 0, 0, time.UTC)
	for i := range n {
		c.listed = append(c.listed, entry{fmt.Sprintf("%06d", i), begin.Add(time.Duration(i/tied) * time.Second)})
	}
	c.rows = slices.Clone(c.listed)
	return c
}

// remove deletes the records of these numbers upstream.
func (c *catalog) remove(numbers ...int) []string {
	ids := map[string]bool{}
	for _, n := range numbers {
		ids[fmt.Sprintf("%06d", n)] = true
	}
	c.listed = slices.DeleteFunc(c.listed, func(e entry) bool { return ids[e.id] })
	return slices.Sorted(maps.Keys(ids))
}

// Page implements sync.Source.
func (c *catalog) Page(_ context.Context, request pipeline.Request) (pipeline.Page, error) {
	c.calls++
	if c.before != nil {
		c.before(c.calls)
	}
	size := min(request.PerPage, 200)
	if c.size > 0 {
		size = c.size
	}
	c.pages = append(c.pages, fmt.Sprintf("%d of %d", request.Page, size))
	list := c.listed
	if c.unsorted {
		list = slices.Clone(list)
		slices.Reverse(list)
	}
	from := min((request.Page-1)*size, len(list))
	to := min(from+size, len(list))
	page := pipeline.Page{Call: int64(c.calls), Date: now(), More: to < len(list), PerPage: size, Sort: "created_time", Order: "D"}
	if !c.unsorted || c.claimed {
		page.Sort, page.Order = request.Sort, request.Order
	}
	if c.silent {
		page.PerPage = 0
	}
	for _, e := range list[from:to] {
		value := "7"
		if c.poisoned[e.id] {
			value = `"many"`
		}
		page.Records = append(page.Records, fmt.Appendf(nil, `{"thing_id":%q,"value":%s,"created_time":%q}`, e.id, value, e.created.Format(wireTime)))
	}
	return page, nil
}

// Extent implements sync.Ranks.
//
//nolint:nonamedreturns // the names say which is which
func (c *catalog) Extent(context.Context, pipeline.Stream) (rows, most int, err error) {
	return len(c.rows), c.most, nil
}

// Between implements sync.Ranks.
//
//nolint:nonamedreturns // the names say which is which
func (c *catalog) Between(_ context.Context, _ pipeline.Stream, from, to time.Time) (before int, ids []string, err error) {
	for _, e := range c.rows {
		switch {
		case e.created.Before(from):
			before++
		case to.IsZero() || e.created.Before(to):
			ids = append(ids, e.id)
		}
	}
	return before, ids, nil
}

// Load implements sync.Store.
func (c *catalog) Load(ctx context.Context, batches ...pipeline.Batch) (pipeline.Loaded, error) {
	if c.dies != nil && c.dies() {
		c.kills++
		return pipeline.Loaded{}, errKilled
	}
	for _, batch := range batches {
		if batch.Complete != nil {
			if err := batch.Complete(ctx, nil); err != nil {
				return pipeline.Loaded{}, err
			}
		}
		c.position, c.end = deepCopy(batch.Position), batch.End
	}
	return pipeline.Loaded{}, nil
}

// look looks at the list in chunks until the look ends.
func (c *catalog) look(t rapid.TB) *pipeline.End {
	t.Helper()
	things := resource(schema.Since{Column: "last_modified_time", Param: "last_modified_time", Created: "created_time"})
	things.Complete = "It shows all."
	runner := &sync.Runner{Source: c, Store: c, Ranks: c, Rules: pipeline.DefaultRules(), Now: now}
	if c.perPage > 0 {
		runner.Rules.PerPage = c.perPage
	}
	stream := pipeline.Stream{Organization: "1", Service: &schema.Service{Name: "test"}, Resource: things, Work: pipeline.WorkLook}
	c.end, c.position, c.calls, c.pages, c.kills = nil, pipeline.Position{}, 0, nil, 0
	for c.end == nil {
		err := runner.Chunk(context.Background(), pipeline.Claim{Stream: stream, Run: 1, Position: deepCopy(c.position)}, nopSettle)
		if err != nil && err != errKilled { //nolint:errorlint // a value of our own
			t.Fatalf("look: %v", err)
		}
	}
	fatalIf(t, !c.position.Watermark.IsZero() || c.position.Scan != nil || c.end.Whole != nil || c.end.Entire,
		"a look ended with %+v at %+v: it is no scan of the whole list", c.end, c.position)
	return c.end
}

// tie gives all records and rows one time of creation.
func (c *catalog) tie() {
	for _, list := range [][]entry{c.listed, c.rows} {
		for i := range list {
			list[i].created = now()
		}
	}
}

// missed are the rows that a look missed, sorted.
func missed(end *pipeline.End) []string {
	if end.Absent == nil {
		return nil
	}
	return slices.Sorted(slices.Values(end.Absent.IDs))
}

// TestALookFindsWhatIsMissing: the calls of a look at 50,000 rows.
func TestALookFindsWhatIsMissing(t *testing.T) {
	t.Parallel()
	const n = 50_000
	every := func(step, count, from int) []int {
		numbers := make([]int, count)
		for i := range numbers {
			numbers[i] = from + i*step
		}
		return numbers
	}
	for name, c := range map[string]struct {
		tied    int
		removed []int
		calls   int
	}{
		"none":                      {1, nil, 1},
		"none, many to a second":    {7, nil, 1},
		"the first row":             {1, []int{0}, 9},
		"the last row":              {1, []int{n - 1}, 1},
		"one in the middle":         {1, []int{n / 2}, 2},
		"one of many to a second":   {7, []int{12_345}, 9},
		"50 neighbours":             {1, every(1, 50, 31_000), 9},
		"50 neighbours at the end":  {1, every(1, 50, n-50), 2},
		"300 neighbours at the end": {1, every(1, 300, n-300), 3},
		"300 neighbours":            {1, every(1, 300, 7_000), 9},
		"50 all over the list":      {1, every(997, 50, 123), 127},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			l := newCatalog(n, c.tied)
			removed := l.remove(c.removed...)
			end := l.look(t)
			if diff := cmp.Diff(removed, missed(end)); diff != "" && len(removed)+len(missed(end)) > 0 {
				t.Errorf("missed (-want +got):\n%s", diff)
			}
			errorIf(t, end.Sweep || end.Note != "" || l.calls > c.calls,
				"%d calls, want %d at most; sweep %v, note %q; pages %v", l.calls, c.calls, end.Sweep, end.Note, l.pages)
			t.Logf("%d calls", l.calls)
		})
	}
}

// TestWhatALookDoesNotConclude: a look that is in any doubt ends with a note. Where rows are
// missing that it cannot name, it wants a sweep.
func TestWhatALookDoesNotConclude(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		with   func(*catalog)
		want   []string
		sweep  bool
		note   string
		calls  int
		before func(*catalog, int)
	}{
		"a list that does not sort": {with: func(c *catalog) { c.unsorted = true }, note: "upstream did not sort by creation", calls: 1},
		"a list that says that it sorts": {
			with: func(c *catalog) { c.unsorted, c.claimed = true, true }, note: "upstream did not sort by creation", calls: 1,
		},
		"too many": {with: func(c *catalog) { c.most = 30 }, sweep: true, note: "31 of 5000 rows seem to be missing", calls: 1},
		"pages of a size that upstream does not tell": {
			with: func(c *catalog) { c.size, c.silent = 100, true }, note: "a page that contradicts itself", calls: 1,
		},
		"pages of one size": {
			with: func(c *catalog) { c.size = 200; c.remove(100) }, want: []string{"000100", "001000"}, calls: 9,
		},
		"a page edge that does not move": {
			with: func(c *catalog) {
				c.size = 200
				c.listed = slices.Insert(c.listed, 1000, entry{"001000", c.rows[1000].created})
				c.remove(1600)
			},
			sweep: true, note: "could not be looked at", calls: 9,
		},
		"an empty list": {
			with: func(c *catalog) { c.listed, c.rows = nil, c.rows[:12] }, sweep: true, note: "12 of 12 rows seem to be missing", calls: 1,
		},
		"one second for all":               {with: (*catalog).tie, sweep: true, note: "could not be looked at", calls: 1},
		"one second for all, none missing": {with: func(c *catalog) { c.rows = slices.Clone(c.listed); c.tie() }, calls: 1},
		"records that do not fit are no deletions": {
			with: func(c *catalog) { c.poisoned["000999"], c.poisoned["001001"] = true, true }, want: []string{"001000"}, calls: 9,
		},
		"more records than rows": {
			with: func(c *catalog) { c.rows = slices.Delete(c.rows, 500, 503) }, note: "the list shows more records than there are rows, 2 or more", calls: 1,
		},
		"a restore meanwhile": {
			before: func(c *catalog, call int) {
				if call == 2 {
					c.listed = slices.Clone(c.rows)
				}
			},
			calls: 9,
		},
		"a deletion in front meanwhile": {
			before: func(c *catalog, call int) {
				if call == 2 {
					c.remove(1)
				}
			},
			want: []string{"000001", "001000"}, note: "the list shows more records than there are rows, 1 or more", calls: 9,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			l := newCatalog(5000, 1)
			if name == "too many" {
				for i := range 30 {
					l.remove(2000 + 7*i)
				}
			}
			if l.remove(1000); c.with != nil {
				c.with(l)
			}
			if c.before != nil {
				l.before = func(call int) { c.before(l, call) }
			}
			end := l.look(t)
			got := missed(end)
			errorIf(t, !slices.Equal(got, c.want) && len(got)+len(c.want) > 0, "missed %q, want %q", got, c.want)
			errorIf(t, end.Sweep != c.sweep || !strings.Contains(string(end.Note), c.note) || c.note == "" && end.Note != "" || l.calls > c.calls,
				"%d calls, sweep %v, note %q; want %d at most, %v and %q; pages %v", l.calls, end.Sweep, end.Note, c.calls, c.sweep, c.note, l.pages)
		})
	}
}

// TestALookNamesOnlyWhatIsGone: whatever the list does meanwhile, a look misses only rows whose
// records were gone. In a quiet list it misses all of them, or it wants a sweep. A kill repeats one
// call.
func TestALookNamesOnlyWhatIsGone(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 300).Draw(t, "rows")
		l := newCatalog(n, rapid.IntRange(1, 4).Draw(t, "tied"))
		l.perPage, l.most = rapid.IntRange(1, 25).Draw(t, "page size"), n
		if rapid.IntRange(0, 3).Draw(t, "fixed") == 0 {
			l.size = rapid.IntRange(1, 25).Draw(t, "upstream's page size")
		}
		gone := map[string]bool{}
		remove := func(what string) {
			for _, i := range rapid.SliceOfN(rapid.IntRange(0, n-1), 0, 9).Draw(t, what) {
				gone[l.remove(i)[0]] = true
			}
		}
		remove("gone")
		quiet := rapid.Bool().Draw(t, "quiet")
		if !quiet {
			l.before = func(int) {
				switch rapid.IntRange(0, 4).Draw(t, "meanwhile") {
				case 0:
					remove("gone meanwhile")
				case 1:
					i := rapid.IntRange(0, len(l.listed)).Draw(t, "backdated at")
					at := l.rows[0].created
					if i > 0 {
						at = l.listed[i-1].created
					}
					l.listed = slices.Insert(l.listed, i, entry{fmt.Sprintf("9%05d", l.calls), at})
				case 2:
					l.listed = append(l.listed, entry{fmt.Sprintf("8%05d", l.calls), now()})
				}
			}
		}
		mayDie := rapid.Bool().Draw(t, "kills")
		l.dies = func() bool { return mayDie && rapid.IntRange(0, 5).Draw(t, "kill") == 0 }
		end := l.look(t)
		for _, id := range missed(end) {
			fatalIf(t, !gone[id], "%s was in the list, and the look missed it", id)
		}
		if want := slices.Sorted(maps.Keys(gone)); quiet && !end.Sweep && end.Note == "" && !slices.Equal(missed(end), want) && len(want)+len(missed(end)) > 0 {
			t.Fatalf("missed %q of %q", missed(end), want)
		}
		if kills, calls := l.kills, l.calls; quiet && kills > 0 {
			l.dies = nil
			again := l.look(t)
			fatalIf(t, !slices.Equal(missed(again), missed(end)) || again.Note != end.Note || again.Sweep != end.Sweep || l.calls+kills != calls,
				"%d calls with %d kills, %d without; ends %+v and %+v", calls, kills, l.calls, end, again)
		}
	})
}
