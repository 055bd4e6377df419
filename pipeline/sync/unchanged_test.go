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
						if err := r.run(context.Background()); err != nil {
							t.Fatal(err)
						}
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
					if diff != "" {
						t.Fatalf("normalized (-) and known (+) differ:\n%s", diff)
					}
				}
			})
			if known == 0 {
				t.Error("no record was ever known: nothing was tried")
			}
		})
	}
}
