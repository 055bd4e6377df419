package sync_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"sluice/pipeline"
	"sluice/schema/record"
)

// Unchanged implements sync.UnchangedFinder.
func (m *memory) Unchanged(_ context.Context, _ pipeline.Stream, records []record.Record) error {
	for i := range records {
		row, found := m.rows[records[i].ID]
		if records[i].Unchanged = found && row.PayloadHash == records[i].PayloadHash; records[i].Unchanged {
			m.known++
		}
	}
	return nil
}

// TestKnownRecordsChangeNothing lets two runners read the same world; one of them normalizes every
// record. Rows, position, ends, calls and rejected records are the same after every run, whatever
// happens between the pages.
func TestKnownRecordsChangeNothing(t *testing.T) {
	t.Parallel()
	for name, cursor := range cursors() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			known := 0
			rapid.Check(t, func(t *rapid.T) {
				seed := rapid.IntRange(0, 1<<20).Draw(t, "seed")
				size := rapid.IntRange(16, 60).Draw(t, "records")
				runs := rapid.IntRange(2, 4).Draw(t, "runs")
				read := func(knows bool) *fixture {
					w := newWorld(size)
					w.perPage = 17
					at := seed
					w.between = func() { // depends on the number of the call alone, so that it is the same for both
						at = (at*1103515245 + 12345) & 0x7fffffff
						w.now = w.now.Add(time.Second)
						switch at >> 16 % 8 {
						case 0:
							w.insert()
						case 1:
							w.edit(at >> 20)
						case 2:
							w.remove(at >> 20)
						}
					}
					r := newFixture(w, cursor)
					if knows {
						r.runner.Unchanged = r.memory
					}
					for range runs {
						must(t, r.run(context.Background()))
						w.now = w.now.Add(time.Hour)
					}
					return r
				}
				plain, quick := read(false), read(true)
				known += quick.memory.known
				quick.memory.known = 0
				for _, diff := range []string{
					cmp.Diff(plain.memory.rows, quick.memory.rows), cmp.Diff(plain.memory.position, quick.memory.position),
					cmp.Diff(plain.memory.ends, quick.memory.ends), cmp.Diff(fmt.Sprint(plain.world.asked), fmt.Sprint(quick.world.asked)),
				} {
					fatalIf(t, diff != "", "normalized (-) and known (+) differ:\n%s", diff)
				}
			})
			errorIf(t, known == 0, "no record was ever known: nothing was tried")
		})
	}
}

// TestAControlRidesAlong: an answer for several records is upstream's word about those that it
// leaves out only if it shows the control, which comes last and costs no call.
func TestAControlRidesAlong(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		rows, batch      int
		control          string
		unknown, suspect []string
		unfit            []string
		asked            [][]string
		words            []string
	}{
		"some are gone": {
			rows: 3, batch: 100, control: "900", unknown: []string{"001"}, suspect: []string{"001", "002"},
			asked: [][]string{{"000", "001", "002", "900"}}, words: []string{"001"},
		},
		"all that were asked for are gone": {
			rows: 2, batch: 100, control: "900", unknown: []string{"000", "001"}, suspect: []string{"000", "001"},
			asked: [][]string{{"000", "001", "900"}}, words: []string{"000", "001"},
		},
		"the path answers emptily": {
			rows: 2, batch: 100, control: "900", unknown: []string{"000", "001", "900"}, suspect: []string{"000", "001"},
			asked: [][]string{{"000", "001", "900"}},
		},
		"the answer is cut short": {
			rows: 2, batch: 100, control: "900", unknown: []string{"001", "900"}, suspect: []string{"001"},
			asked: [][]string{{"000", "001", "900"}},
		},
		"there is no control": {
			rows: 2, batch: 100, unknown: []string{"001"}, suspect: []string{"001"}, asked: [][]string{{"000", "001"}},
		},
		"no scan missed any": {
			rows: 2, batch: 100, control: "900", unknown: []string{"001"}, asked: [][]string{{"000", "001"}},
		},
		"a full call": {
			rows: 4, batch: 4, control: "900", unknown: []string{"001", "003"}, suspect: []string{"001", "003"},
			asked: [][]string{{"000", "001", "002", "900"}, {"003", "900"}}, words: []string{"001", "003"},
		},
		"the control does not fit": {
			rows: 1, batch: 4, control: "900", unknown: []string{"000"}, suspect: []string{"000"}, unfit: []string{"900"},
			asked: [][]string{{"000", "900"}},
		},
		"one at once": {
			rows: 1, batch: 1, control: "900", unknown: []string{"000"}, suspect: []string{"000"}, asked: [][]string{{"000"}},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newShelf(c.rows)
			s.control, s.suspected = c.control, map[string]bool{}
			for _, id := range c.unknown {
				s.unknown[id] = true
			}
			for _, id := range c.suspect {
				s.suspected[id] = true
			}
			for _, id := range c.unfit {
				s.unfit[id] = true
			}
			must(t, s.run(t.Context(), s.runner(0), c.batch))
			same(t, "asked for", c.asked, s.asked)
			same(t, "believed to be gone", c.words, s.words)
		})
	}
}

// TestAFaultyControlBlamesNoOther: the answer of a call with a control cannot be read. The rows are
// asked for without it.
func TestAFaultyControlBlamesNoOther(t *testing.T) {
	t.Parallel()
	s := newShelf(1)
	s.control, s.suspected, s.poisoned["900"] = "900", map[string]bool{"000": true}, true
	must(t, s.run(t.Context(), s.runner(0), 10))
	same(t, "asked, loaded and rejected", "[[000 900] [000]] [000] []", fmt.Sprint(s.asked, s.loaded, s.rejects))
}
