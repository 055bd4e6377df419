package sync_test

import (
	"context"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"sluice/pipeline"
	"sluice/schema"
)

// TestNothingIsLostUnderParents is invariant 1, 6 and 8 on a model: lists of several parents under
// edits and kills, a few calls a run, one parent unknown upstream.
func TestNothingIsLostUnderParents(t *testing.T) {
	t.Parallel()
	for name, list := range map[string]schema.Cursor{
		"pages": fullScan(), "exports": schema.Export{Modified: "last_modified_time", FieldsParam: "fields"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			rapid.Check(t, func(t *rapid.T) { convergeUnderParents(t, list) })
		})
	}
}

// mourner concludes from whole lists of parents as the warehouse does: what two runs in a row were
// not shown of the parents that they read whole is gone (invariant 7).
type mourner struct {
	*memory

	family *family
	// known are the rows that were there when the run began, shown and whole are what it was shown
	// and which parents it read whole.
	run                 int64
	known, shown, whole map[string]bool
	suspected           map[string]bool
	// gone counts the conclusions, wrong are those about things that live.
	gone  int
	wrong []string
}

// Load implements sync.Store.
func (m *mourner) Load(ctx context.Context, batches ...pipeline.Batch) (pipeline.Loaded, error) {
	if run := batches[0].Claim.Run; run != m.run {
		m.run, m.known, m.shown, m.whole = run, map[string]bool{}, map[string]bool{}, map[string]bool{}
		for id := range m.rows {
			m.known[id] = true
		}
	}
	loaded, err := m.memory.Load(ctx, batches...)
	if err != nil {
		return loaded, err
	}
	for i := range batches {
		batch := &batches[i]
		for j := range batch.Records {
			m.shown[batch.Records[j].ID] = true
			delete(m.suspected, batch.Records[j].ID)
		}
		if batch.Parent != nil && batch.Parent.Whole {
			m.whole[batch.Parent.ID] = true
		}
		if batch.End != nil && batch.End.Whole != nil {
			m.conclude()
		}
	}
	return loaded, nil
}

func (m *mourner) conclude() {
	for id := range m.known {
		parent, name, _ := strings.Cut(id, "/")
		switch {
		case m.shown[id] || !m.whole[parent]:
		case !m.suspected[id]:
			m.suspected[id] = true
		default:
			m.gone++
			if w := m.family.worlds[parent]; w != nil && slices.ContainsFunc(w.records, func(alive *thing) bool { return alive.ID == name }) {
				m.wrong = append(m.wrong, id)
			}
		}
	}
}

// restless is after how many acts a family comes to rest. An export that is killed begins anew, so
// one that grows between the kills would never be whole.
const restless = 1000

func convergeUnderParents(t *rapid.T, list schema.Cursor) {
	f := newFamily(rapid.SliceOfN(rapid.IntRange(0, 7), 1, 4).Draw(t, "sizes")...)
	r := newFamilyRig(f, list)
	r.stream.Resource.Complete = "The test says so."
	deaths := &mourner{memory: f.memory, family: f, suspected: map[string]bool{}}
	r.runner.Store = deaths
	if rapid.Bool().Draw(t, "a stranger") {
		f.names = append(f.names, "stranger")
	}
	perPage := rapid.IntRange(1, 4).Draw(t, "per page")
	r.runner.Rules.PerPage = perPage
	r.runner.Rules.ChunkPages = rapid.IntRange(1, 5).Draw(t, "chunk")
	allowance := rapid.IntRange(0, 5).Draw(t, "allowance")
	r.runner.Allowance = func(pipeline.Stream) int { return allowance }
	acts := 0
	act := func() {
		if acts++; acts > restless {
			return
		}
		f.advance(time.Duration(rapid.IntRange(0, 2).Draw(t, "seconds")) * time.Second)
		w := f.worlds[string(rune('a'+rapid.IntRange(0, len(f.worlds)-1).Draw(t, "parent")))]
		r.acts(t, w)
	}
	for _, w := range f.worlds {
		w.perPage, w.between = perPage, act
	}
	run := func() {
		err := r.run(context.Background())
		fatalIf(t, err != nil, "run: %v", err)
		fatalIf(t, len(deaths.wrong) > 0, "%v are found to be gone, and are not", deaths.wrong)
		if _, known := f.worlds[f.names[len(f.names)-1]]; !known && !r.memory.position.Watermark.IsZero() {
			t.Fatalf("the watermark moved to %v though a parent could not be read", r.memory.position.Watermark)
		}
	}
	for range rapid.IntRange(1, 3).Draw(t, "runs") {
		run()
		for name, w := range f.worlds {
			// The watermark of an export is no proof here. A real export is one answer and so whole
			// even if the list shifts; this export is made of several answers.
			if _, paged := list.(schema.FullScan); paged {
				passed := r.passed(w, name+"/")
				fatalIf(t, len(passed) > 0, "the watermark %v passed %v", r.memory.position.Watermark, passed)
			}
		}
		for range rapid.IntRange(0, 5).Draw(t, "quiet acts") {
			act()
		}
	}
	for _, w := range f.worlds {
		w.between = nil
	}
	r.memory.failAfter = 0
	f.advance(time.Minute)
	// A run that may make few calls reads one parent at least, stalest first, so each has its turn.
	// One run goes on with what was begun.
	for range len(f.names) + 1 {
		run()
	}
	lost := f.behind()
	fatalIf(t, len(lost) > 0, "lost or stale: %v; parents were read in the order %v", lost, r.memory.order)
}

// TestWholeListsOfParentsAreSaid is invariant 7: a run says which parents it was shown whole, or
// that upstream does not know them; no other list proves anything.
func TestWholeListsOfParentsAreSaid(t *testing.T) {
	t.Parallel()
	const complete = "The test says so."
	for name, tc := range map[string]struct {
		complete string
		work     pipeline.Work
		nameless bool
		// whole are the parents, proves is whether the run is evidence.
		whole  string
		proves bool
	}{
		"a list that shows all":        {complete: complete, whole: "a d", proves: true},
		"a list that may hide records": {},
		"because of a notification":    {complete: complete, work: pipeline.WorkHinted},
		"a record without a name":      {complete: complete, nameless: true, whole: "a d"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := newFamily(2, 40, 2, 1, 1)
			f.worlds["b"].between = func() { f.worlds["b"].remove(0) } // it never holds still
			f.refuse = func(parent string) error {
				switch parent {
				case "c":
					return errNotThere // by a code that may be that of a wrong path
				case "d":
					return &pipeline.Error{Kind: pipeline.Unexpected, Status: http.StatusNotFound, Code: "1002"}
				case "e":
					return &pipeline.Error{Kind: pipeline.Unexpected, Status: http.StatusBadRequest, Code: "1002"}
				}
				return nil
			}
			if tc.nameless {
				f.worlds["a"].records[0].ID = ""
			}
			r := newFamilyRig(f, fullScan())
			r.runner.Rules.MaxPasses = 2
			r.stream.Resource.Complete = tc.complete
			store := &units{memory: r.memory}
			r.runner.Store = store
			if tc.work != "" {
				r.stream.Work = tc.work
				r.stream.Resource.Columns[1].Given = false
				r.runner.Backlog = toldOf{f, f.names}
			}
			must(t, r.run(t.Context()))
			var whole []string
			for i := range store.all {
				if parent := store.all[i].Parent; parent != nil && parent.Whole {
					whole = append(whole, parent.ID)
				}
			}
			end := r.memory.ends[0]
			if got := strings.Join(whole, " "); got != tc.whole || (end.Whole != nil) != tc.proves || end.Outcome != pipeline.OutcomeDone {
				t.Errorf("whole %q, end %+v; want %q, and that it is evidence: %t", got, end, tc.whole, tc.proves)
			}
			errorIf(t, strings.Contains(string(end.Note), "nothing is concluded from what was not seen") != tc.nameless, "the note is %q", end.Note)
		})
	}
}
