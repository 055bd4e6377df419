package sync_test

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"sluice/pipeline"
	"sluice/schema"
)

// family is a small upstream of one list for each parent; identifiers are unique under one parent
// only. It is its own backlog.
type family struct {
	unasked

	worlds map[string]*world
	memory *memory
	names  []string
	// refuse gives the error with which a parent's list is refused; nil if it is not.
	refuse func(parent string) error
	calls  int64
}

// newFamily makes parents a, b, c, ... with so many records each.
func newFamily(sizes ...int) *family {
	f := &family{worlds: map[string]*world{}}
	for i, size := range sizes {
		name := string(rune('a' + i))
		f.names = append(f.names, name)
		f.worlds[name] = newWorld(size)
	}
	f.advance(time.Minute) // to one clock
	return f
}

func (f *family) now() time.Time { return f.worlds[f.names[0]].now }

func (f *family) advance(d time.Duration) {
	latest := f.now()
	for _, w := range f.worlds {
		if w.now.After(latest) {
			latest = w.now
		}
	}
	for _, w := range f.worlds {
		w.now = latest.Add(d)
	}
}

// Page implements sync.Source.
func (f *family) Page(ctx context.Context, request pipeline.Request) (pipeline.Page, error) {
	f.calls++
	if f.refuse != nil {
		if err := f.refuse(request.Parent); err != nil {
			return pipeline.Page{}, err
		}
	}
	w, ok := f.worlds[request.Parent]
	if !ok {
		return pipeline.Page{}, errNotThere
	}
	return w.Page(ctx, request)
}

var errNotThere = &pipeline.Error{Kind: pipeline.Unexpected, Status: http.StatusNotFound, Code: "5"}

// Export implements sync.Source.
func (f *family) Export(ctx context.Context, request pipeline.Request, each func(pipeline.Page) error) error {
	f.calls++
	w, ok := f.worlds[request.Parent]
	if !ok {
		return errNotThere
	}
	return w.Export(ctx, request, each)
}

// NextParent implements sync.Backlog: of the parents that this run has not read, the one read
// longest ago.
func (f *family) NextParent(_ context.Context, claim pipeline.Claim) (string, int, error) {
	var left []string
	for _, name := range f.names {
		if f.memory.read[name] != claim.Run {
			left = append(left, name)
		}
	}
	if len(left) == 0 {
		return "", 0, nil
	}
	slices.SortStableFunc(left, func(a, b string) int { return int(f.memory.read[a] - f.memory.read[b]) })
	return left[0], len(left), nil
}

// heirs is the resource of one parent's list: keys are <parent>/<thing>.
func heirs(list schema.Cursor) *schema.Resource {
	return &schema.Resource{
		Name: "heirs", Doc: "A thing under a parent.", Path: "/parents/{parent}/things", Key: "things", ID: "key", Every: "1h",
		Cursor: schema.PerParent{Column: "parent", Identifier: "thing_id", List: list},
		Columns: []schema.Column{
			schema.ID("key", "Parent and thing.").Give(),
			schema.Text("parent", "The parent.").Give(),
			schema.ID("thing_id", "The thing."),
			schema.Int("value", "What it is worth."),
			schema.Time("created_time", "When it came."),
			schema.Time("last_modified_time", "When it changed."),
		},
	}
}

func fullScan() schema.Cursor {
	return schema.FullScan{Modified: "last_modified_time", Created: "created_time", Sort: "created_time"}
}

// newFamilyRig is a runner over a family. Its world is only a clock.
func newFamilyRig(f *family, list schema.Cursor) *fixture {
	r := newRigOf(f.worlds[f.names[0]], heirs(list))
	f.memory = r.memory
	r.runner.Source, r.runner.Backlog, r.runner.Now = f, f, f.now
	return r
}

// behind lists live things of the family that the memory does not hold in their last version.
func (f *family) behind() []string {
	var out []string
	for name, w := range f.worlds {
		for _, thing := range w.records {
			row, ok := f.memory.rows[name+"/"+thing.ID]
			if !ok || row.Tables[0][0].Values[3].Text != fmt.Sprint(thing.Value) || row.Tables[0][0].Values[1].Text != name {
				out = append(out, name+"/"+thing.ID)
			}
		}
	}
	return out
}

func TestParentsAreReadStalestFirstWithinTheAllowance(t *testing.T) {
	t.Parallel()
	f := newFamily(1, 1, 1, 1, 1)
	r := newFamilyRig(f, fullScan())
	r.runner.Allowance = func(pipeline.Stream) int { return 2 }
	for range 3 {
		must(t, r.run(t.Context()))
	}
	same(t, "order of the parents", []string{"a", "b", "c", "d", "e", "a"}, r.memory.order)
	for _, end := range r.memory.ends {
		errorIf(t, end.Outcome != pipeline.OutcomeDone || end.Note != "2 of 5 parents read, the rest is next", "end = %+v", end)
	}
	errorIf(t, !r.memory.position.Watermark.IsZero(), "watermark = %v, want none: no run read all", r.memory.position.Watermark)
	r.runner.Allowance = nil
	must(t, r.run(t.Context()))
	last := r.memory.ends[3]
	if want := f.now().Truncate(time.Second).Add(-r.runner.Rules.Lag); last.Note != "" || !r.memory.position.Watermark.Equal(want) {
		t.Errorf("end %+v, watermark %v; want no note and %v", last, r.memory.position.Watermark, want)
	}
}

// childless knows no parent.
type childless struct{ *family }

// NextParent implements sync.Backlog.
func (childless) NextParent(context.Context, pipeline.Claim) (string, int, error) { return "", 0, nil }

func TestARunThatKnowsNoParentIsSoonRepeated(t *testing.T) {
	t.Parallel()
	f := newFamily(1)
	r := newFamilyRig(f, fullScan())
	must(t, r.run(t.Context()))
	r.runner.Backlog = childless{f}
	must(t, r.run(t.Context()))
	if read, none := r.memory.ends[0], r.memory.ends[1]; read.Again != pipeline.AgainNot || none.Outcome != pipeline.OutcomeDone || none.Again != pipeline.AgainNoParent {
		t.Errorf("after a parent: %+v, want the usual interval; without any: %+v, want done and again in half an hour", read, none)
	}
}

// toldOf knows the parents of which change notifications told, each until its list was read.
type toldOf struct {
	*family
	parents []string
}

// NextParent implements sync.Backlog.
func (f toldOf) NextParent(context.Context, pipeline.Claim) (string, int, error) {
	for i, parent := range f.parents {
		if !slices.Contains(f.memory.order, parent) {
			return parent, len(f.parents) - i, nil
		}
	}
	return "", 0, nil
}

// TestToldParentsAreRead: their lists and no others, within the calls of a run. The watermark does
// not move, although all that was told is read.
func TestToldParentsAreRead(t *testing.T) {
	t.Parallel()
	f := newFamily(1, 1, 1, 1)
	r := newFamilyRig(f, fullScan())
	r.stream.Resource.Columns[1].Given = false // records name their parent
	r.stream.Work = pipeline.WorkHinted
	r.runner.Backlog = toldOf{f, []string{"c", "a", "stranger"}}
	r.runner.Allowance = func(pipeline.Stream) int { return 2 }
	for range 3 {
		must(t, r.run(t.Context()))
	}
	same(t, "order of the parents", []string{"c", "a", "stranger"}, r.memory.order)
	if diff := cmp.Diff([]pipeline.Again{pipeline.AgainHinted, pipeline.AgainNot, pipeline.AgainNot},
		[]pipeline.Again{r.memory.ends[0].Again, r.memory.ends[1].Again, r.memory.ends[2].Again}); diff != "" {
		t.Errorf("when the runs follow: %s", diff)
	}
	errorIf(t, f.calls != 3 || len(r.memory.rows) != 2 || !r.memory.position.Watermark.IsZero(),
		"%d calls, %d rows, watermark %v; want 3, those of a and c, and none", f.calls, len(r.memory.rows), r.memory.position.Watermark)
	for _, row := range r.memory.rows {
		parent := row.Tables[0][0].Values[1].Text
		errorIf(t, parent != "a" && parent != "c", "a row belongs to %q", parent)
	}
}

func TestAParentThatUpstreamDoesNotKnowIsLeft(t *testing.T) {
	t.Parallel()
	f := newFamily(2, 2, 2)
	f.refuse = func(parent string) error {
		if parent == "b" {
			return errNotThere
		}
		return nil
	}
	r := newFamilyRig(f, fullScan())
	must(t, r.run(t.Context()))
	same(t, "", []string{"a", "b", "c"}, r.memory.order)
	got := r.memory.failed
	errorIf(t, got["a"] != "" || got["c"] != "" || !strings.Contains(got["b"], "HTTP 404"), "failed: %v, want b alone", got)
	end := r.memory.ends[0]
	if end.Outcome != pipeline.OutcomeDone || !strings.HasPrefix(string(end.Note), "1 could not be read, the last because of: unexpected: HTTP 404") ||
		!r.memory.position.Watermark.IsZero() {
		t.Errorf("end %+v, watermark %v; want done, the reason, and no watermark", end, r.memory.position.Watermark)
	}
	same(t, "rows, want those of a and c: 4", 4, len(r.memory.rows))
}

func TestWhatConcernsAllParentsStopsTheRun(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		kind   pipeline.Kind
		status int
		calls  int64
		left   int
	}{
		"denied":                     {pipeline.Denied, http.StatusForbidden, 1, 0},
		"unavailable":                {pipeline.Unavailable, http.StatusBadGateway, 1, 0},
		"five answers that are none": {pipeline.Unexpected, http.StatusBadRequest, 5, 4},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := newFamily(1, 1, 1, 1, 1, 1, 1)
			want := &pipeline.Error{Kind: tc.kind, Status: tc.status}
			f.refuse = func(string) error { return want }
			r := newFamilyRig(f, fullScan())
			err := r.run(t.Context())
			fatalIf(t, pipeline.KindOf(err) != tc.kind, "run = %v, want %v", err, want)
			errorIf(t, f.calls != tc.calls || len(r.memory.order) != tc.left,
				"%d calls, %d parents left behind; want %d and %d", f.calls, len(r.memory.order), tc.calls, tc.left)
		})
	}
}

func TestAListThatNeverHoldsStillFailsItsParentAlone(t *testing.T) {
	t.Parallel()
	f := newFamily(2, 40, 2)
	w := f.worlds["b"]
	w.between = func() { w.remove(0) }
	r := newFamilyRig(f, fullScan())
	r.runner.Rules.MaxPasses = 2
	must(t, r.run(t.Context()))
	got := r.memory.failed
	errorIf(t, got["a"] != "" || got["c"] != "" || !strings.Contains(got["b"], "kept changing"), "failed: %v, want b alone", got)
	errorIf(t, !r.memory.position.Watermark.IsZero(), "watermark = %v, want none", r.memory.position.Watermark)
}

// TestAKilledRunGoesOnWithinItsParent is invariant 6: parents that were read are not read again,
// and the one under way goes on at its page.
func TestAKilledRunGoesOnWithinItsParent(t *testing.T) {
	t.Parallel()
	f := newFamily(1, 8, 1) // 1 page; 3 pages, twice; 1 page
	r := newFamilyRig(f, fullScan())
	killed := false
	w := f.worlds["b"]
	w.between = func() {
		if w.calls == 4 && !killed {
			killed = true
			r.memory.failAfter = 1
		}
	}
	must(t, r.run(t.Context()))
	same(t, "calls, want the 8 and the one whose page was lost", 1+6+1+1, f.calls)
	if diff := cmp.Diff([]string{"a", "b", "c"}, r.memory.order); diff != "" || len(f.behind()) > 0 {
		t.Errorf("order %s, behind %v", diff, f.behind())
	}
}
