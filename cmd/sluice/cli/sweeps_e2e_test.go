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

func sweeping(t *testing.T, seed int64) *fixture {
	t.Helper()
	s := newFixture(t, sandbox.Options{Seed: seed, Records: 600, Limits: sandbox.Limits{Off: true}}).narrow()
	s.configured(believing)
	s.sync(codeFine)
	s.age()
	return s
}

// TestTombstones deletes records upstream: one scan that misses them proves nothing, two do,
// whether the list is read whole anyway or swept as well. Child rows follow, and the commands show
// the evidence (invariants 7 and 8).
func TestTombstones(t *testing.T) {
	t.Parallel()
	s := sweeping(t, 91)
	sweeps := []string{"inventory.bills.sweep", "accounting.vendor_payments.sweep", "credit_notes"}
	deleted := make(map[string][]string)
	for _, resource := range []string{"inventory.bills", "accounting.vendor_payments", "inventory.credit_notes"} {
		deleted[resource] = s.truth(resource)[20:23]
		s.delete(resource, deleted[resource]...)
	}
	for range 2 { // a run from a watermark never shows deletions
		s.sync(codeFine, "bills", "vendor_payments")
	}
	s.sync(codeFine, sweeps...)
	for resource := range deleted {
		ids := s.ids(resource, dead)
		errorIf(t, len(ids) > 0, "%s: one scan is taken for proof of %v", resource, ids)
	}
	s.counts(9, "records were missed", `SELECT count(*) FROM sluice.tombstones WHERE state = 'suspected'`)

	s.sync(codeFine, sweeps...)
	for resource, ids := range deleted {
		got := s.ids(resource, dead)
		errorIf(t, !slices.Equal(got, ids), "%s: tombstones of %v, want %v", resource, got, ids)
		s.truthful(resource)
	}
	n := one[int](s, `SELECT count(*) FROM inventory.bills_line_items l JOIN inventory.bills b ON b.bill_id = l._parent_id
		AND b.organization_id = l.organization_id WHERE (l._deleted_at IS NULL) <> (b._deleted_at IS NULL)`)
	errorIf(t, n > 0, "%d lines do not follow their bills", n)
	n = one[int](s, `SELECT count(*) FROM inventory.bills_line_items WHERE _deleted_at IS NOT NULL`)
	errorIf(t, n == 0, "no line has a tombstone, so nothing was compared")
	s.counts(0, "pages are still noted although no scan is open", `SELECT count(*) FROM sluice.sightings`)
	o := s.run("tombstones", "list", "inventory.bills", "--state", "deleted")
	errorIf(t, strings.Count(o.stdout, "\n") != 4, "list: %s%s", o.stdout, o.stderr)
	// Records known to be gone are neither looked for upstream nor reported as news.
	for _, f := range s.verified(codeFine, "--calls", "40").Findings {
		for resource, ids := range deleted {
			errorIf(t, strings.HasSuffix(resource, "."+f.Resource) && slices.Contains(ids, f.Record),
				"verify tells of a row with a tombstone: %+v", f)
		}
	}
	// No more is written for records known to be gone.
	before := s.written()
	s.sync(codeFine, sweeps...)
	same(t, "rows that scans wrote", before, s.written())
}

// TestSilentEditsAreFoundBySweeps: upstream has other values than two rows, with the same modification
// time.
func TestSilentEditsAreFoundBySweeps(t *testing.T) {
	t.Parallel()
	s := sweeping(t, 94)
	const sweep = "inventory.items.sweep"
	s.sync(codeFine, sweep)
	all := s.truth("inventory.items")
	name := one[string](s, `SELECT name FROM inventory.items WHERE item_id = $1`, all[1])
	s.exec(`UPDATE inventory.items SET name = 'before', _content_hash = '\x00000000000000000000000000000000', _payload_hash = NULL WHERE item_id IN ($1, $2)`, all[1], all[2])
	// Records modified after the list was last read are not judged, whatever times the seed gave
	// these two.
	s.exec(`UPDATE sluice.streams SET watermark = now() + interval '1 hour' WHERE resource = 'items'`)

	result := s.sync(codeFine, sweep)
	r := result.Streams[0]
	errorIf(t, r.Updated != 2 || r.Silent != 2, "%+v: want two changes, both silent", r)
	same(t, "the name", name, one[string](s, `SELECT name FROM inventory.items WHERE item_id = $1`, all[1]))
	o := s.run("runs", sweep, "--limit", "1")
	errorIf(t, !strings.Contains(o.stdout, "SILENT"), "runs: %s%s", o.stdout, o.stderr)
}

// upstreamHas counts the records of a list; where lists show lines, there are no single records to
// read.
func (s *fixture) upstreamHas(service, resource string) int {
	n := 0
	if !strings.HasSuffix(resource, ".details") {
		for range s.world.Truth(service, resource) {
			n++
		}
	}
	return n
}

// notDead reports rows with a tombstone whose record upstream has.
func (s *fixture) notDead(resource, when string) {
	s.t.Helper()
	truth := s.truth(resource)
	for _, id := range s.ids(resource, dead) {
		_, alive := slices.BinarySearch(truth, id)
		errorIf(s.t, alive, "%s: %s %s has a tombstone and exists upstream", when, resource, id)
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
	errorIf(u.t, err != nil, "change: %v", err)
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
			errorIf(t, u.count["deleted"] < 5 || u.count["inserted"] < 2, "%v: that was no storm", u.count)
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
