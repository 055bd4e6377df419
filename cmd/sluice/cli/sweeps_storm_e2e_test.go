//go:build e2e

package cli

import (
	"math/rand/v2"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"

	"sluice/sandbox"
)

// notDead reports rows with a tombstone whose record upstream has.
func (s *fixture) notDead(resource, when string) {
	s.t.Helper()
	truth := s.truth(resource)
	for _, id := range s.ids(resource, dead) {
		if _, alive := slices.BinarySearch(truth, id); alive {
			s.t.Errorf("%s: %s %s has a tombstone and exists upstream", when, resource, id)
		}
	}
}

// unrest changes upstream while lists are read: before some answers a record is inserted, edited or
// deleted.
type unrest struct {
	t     *testing.T
	next  http.Handler
	world *sandbox.Server

	mu   sync.Mutex
	rand *rand.Rand
	// rate is the probability of a change before an answer.
	rate  float64
	seed  int64
	count map[string]int
}

// ServeHTTP implements http.Handler.
func (u *unrest) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if strings.HasPrefix(r.URL.Path, "/inventory/") {
		u.stir()
	}
	u.next.ServeHTTP(w, r)
}

func (u *unrest) stir() {
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.rand.Float64() >= u.rate {
		return
	}
	u.seed++
	change := sandbox.Change{Seed: u.seed, Resources: []string{"bills", "credit_notes"}}
	switch u.rand.IntN(3) {
	case 0:
		change.Inserts = 1
	case 1:
		change.Edits = 2
	default:
		change.Deletes = 1 + u.rand.IntN(2)
	}
	changed, err := u.world.Change(change)
	if err != nil {
		u.t.Errorf("change: %v", err)
	}
	for _, c := range changed {
		u.count["deleted"] += len(c.Deleted)
		u.count["inserted"] += len(c.Inserted)
	}
}

// TestSweepsInAStorm: records are inserted, edited and deleted while lists are read, by sweeps and
// by runs from the watermark. No row of an existing record gets a tombstone. Once upstream is
// quiet, live rows are the records upstream (invariants 7 and 8).
func TestSweepsInAStorm(t *testing.T) {
	t.Parallel()
	for _, seed := range []int64{97, 98} {
		t.Run("", func(t *testing.T) {
			t.Parallel()
			s := newFixture(t, sandbox.Options{Seed: seed, Records: 900, Limits: sandbox.Limits{Off: true}}).narrow()
			s.configured("tombstones: {apart: 0s, max_rows: 100000}\n") // without the limit on mass deletions: the rule of two scans alone has to hold
			u := &unrest{
				t: t, world: s.world, rand: rand.New(rand.NewPCG(uint64(seed), 1)),
				seed: seed, count: map[string]int{},
			}
			s.arrivals.through(func(upstream http.Handler) http.Handler {
				u.next = upstream
				return u
			})
			s.sync(codeFine, "bills", "credit_notes")
			for round := range 6 {
				u.mu.Lock()
				u.rate = []float64{0.1, 0.4, 0.8}[round%3]
				u.mu.Unlock()
				s.run("sync", "bills", "inventory.bills.sweep", "credit_notes")
				for _, resource := range []string{"inventory.bills", "inventory.credit_notes"} {
					s.notDead(resource, "in the storm")
				}
			}
			provisional := one[int](s, `SELECT count(*) FROM sluice.runs WHERE outcome = 'provisional'`)
			early := one[int](s, `SELECT count(*) FROM sluice.tombstones WHERE state = 'deleted'`)
			t.Logf("%d deleted, %d inserted; %d of %d runs provisional, %d tombstones in the storm", u.count["deleted"], u.count["inserted"],
				provisional, one[int](s, `SELECT count(*) FROM sluice.runs`), early)
			if u.count["deleted"] < 5 || u.count["inserted"] < 2 {
				t.Errorf("%v: that was no storm", u.count)
			}
			u.mu.Lock()
			u.rate = 0
			u.mu.Unlock()
			s.sync(codeFine, "bills", "credit_notes")
			s.age()
			for range 3 {
				s.sync(codeFine, "bills", "inventory.bills.sweep", "credit_notes")
			}
			for _, resource := range []string{"inventory.bills", "inventory.credit_notes"} {
				s.truthful(resource)
			}
		})
	}
}
