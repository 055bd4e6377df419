package warehouse_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"sluice/pipeline"
	"sluice/pipeline/check"
	"sluice/pipeline/warehouse"
	"sluice/pipeline/warehouse/tombstones"
)

// family is a store with persons under vendors, whose lists show all of them.
type family struct{ *storeFixture }

func openFamily(t *testing.T) *family {
	t.Helper()
	f := &family{openStore(t)}
	f.db = f.another(warehouse.Options{Absence: &pipeline.TombstoneRules{MaxRows: 2}})
	f.persons.Resource.Complete = "The test says so."
	f.exec(`INSERT INTO store.customers VALUES ($1, 'v1'), ($1, 'v2'), ($1, 'v3')`, organization)
	return f
}

// shown says what a run is shown of a vendor: persons, and then how its list ends.
type shown struct {
	persons string
	// broken lists end without their last page, unknown are vendors that upstream does not know.
	broken, unknown bool
}

// run is a run over vendors that ends behind so many of them; of others it is shown nothing and
// believes that.
func (f *family) run(most int, of map[string]shown) {
	f.Helper()
	claim := f.claimOf(f.persons)
	for range most {
		vendor, _, err := f.db.NextParent(f.Context(), claim)
		check.Must(f, err)
		if vendor == "" {
			break
		}
		var raws []string
		for person := range strings.FieldsSeq(of[vendor].persons) {
			raws = append(raws, fmt.Sprintf(`{"person_key":%q,"vendor_id":%q,"name":"a"}`, person, vendor))
		}
		f.load(f.of(claim, raws...)) // a page, and then the one that ends the list
		last := f.of(claim)
		last.Parent = &pipeline.ParentRead{ID: vendor, Whole: !of[vendor].broken}
		if of[vendor].broken || of[vendor].unknown {
			last.Parent.Failed = "HTTP 404"
		}
		f.load(last)
	}
	end := f.of(claim)
	end.Call = 0
	end.End = &pipeline.End{Outcome: pipeline.OutcomeDone, Whole: &pipeline.Whole{Started: time.Now().Add(time.Minute)}}
	f.load(end)
	check.Same(f, "pages are still noted although the run is over", 0, ask[int](f.fixture, `SELECT count(*) FROM sluice.sightings`))
}

// expect compares the evidence, and the persons with a tombstone.
func (f *family) expect(what, states, dead string) {
	f.Helper()
	got := ask[string](f.fixture, `SELECT coalesce(string_agg(record_id || ' ' || state, ', ' ORDER BY record_id), '') FROM sluice.tombstones`)
	check.ErrorIf(f, got != states, "%s: %q is known, want %q", what, got, states)
	if got := ask[string](f.fixture, `SELECT coalesce(string_agg(person_key, ' ' ORDER BY person_key), '') FROM custom.persons WHERE _deleted_at IS NOT NULL`); got != dead {
		f.Errorf("%s: %q are dead, want %q", what, got, dead)
	}
}

// TestPersonsThatTheirParentShowsNoMore: two whole lists of the parent are proof, one is not, and
// any sight refutes it.
func TestPersonsThatTheirParentShowsNoMore(t *testing.T) {
	f := openFamily(t)
	f.run(3, map[string]shown{"v1": {persons: "p1 p2 p3"}, "v2": {persons: "p4"}, "v3": {persons: "p5"}})
	f.expect("all are there", "", "")
	without3 := map[string]shown{"v1": {persons: "p1 p2"}, "v2": {persons: "p4"}, "v3": {persons: "p5"}}
	f.run(3, without3)
	f.expect("one run", "p3 suspected", "")
	check.ErrorIf(t, ask[bool](f.fixture, `SELECT next_due_at < now() + interval '59 minutes' FROM sluice.streams WHERE resource = 'persons'`),
		"all parents are read once more before their time")
	f.run(3, without3)
	f.expect("two runs", "p3 deleted", "p3")
	if told := ask[int](f.fixture, `SELECT count(*) FROM sluice.changes WHERE table_name = 'custom.persons' AND op = 'deleted' AND record_ids = '{p3}'`); told != 1 {
		t.Errorf("the log says %d times that p3 is deleted, want once", told)
	}
	f.run(3, map[string]shown{"v1": {persons: "p1 p2"}, "v2": {persons: "p3 p4"}, "v3": {persons: "p5"}})
	f.expect("it came back under another vendor", "p3 restored", "")
}

// TestListsThatProveNoPersonGone: a list that broke off, one that was not read, and a person that
// is shown under another parent in the same run (invariant 7).
func TestListsThatProveNoPersonGone(t *testing.T) {
	f := openFamily(t)
	f.run(3, map[string]shown{"v1": {persons: "p1 p2"}, "v2": {persons: "p4"}, "v3": {persons: "p5"}})
	for range 2 {
		f.run(3, map[string]shown{"v1": {persons: "p1", broken: true}, "v2": {persons: "p4"}, "v3": {persons: "p5"}})
		f.expect("v1 breaks off", "", "")
	}
	for range 2 {
		f.run(3, map[string]shown{"v1": {persons: "p1"}, "v2": {persons: "p2 p4"}, "v3": {persons: "p5"}})
		f.expect("p2 moved", "", "")
	}
	f.run(3, map[string]shown{"v1": {persons: "p1"}, "v2": {persons: "p4"}, "v3": {persons: "p5"}})
	f.expect("p2 is missed", "p2 suspected", "")
	f.exec(`UPDATE sluice.parents SET tried_at = now() - CASE parent_id WHEN 'v2' THEN interval '1 hour' ELSE interval '2 hours' END`)
	f.run(1, map[string]shown{"v1": {persons: "p1"}})
	f.run(1, map[string]shown{"v3": {persons: "p5"}})
	f.expect("v2 is not read", "p2 suspected", "")
	f.run(1, map[string]shown{"v2": {persons: "p4"}})
	f.expect("v2 is read again", "p2 deleted", "p2")
}

// TestPersonsOfAParentThatIsGone: upstream does not know the vendor, in two runs that are shown
// others; where they are shown no one at all, the operator decides.
func TestPersonsOfAParentThatIsGone(t *testing.T) {
	f := openFamily(t)
	f.run(3, map[string]shown{"v1": {persons: "p1 p2"}, "v2": {persons: "p4"}, "v3": {persons: "p5"}})
	gone := map[string]shown{"v1": {unknown: true}, "v2": {persons: "p4"}, "v3": {persons: "p5"}}
	f.run(3, gone)
	f.expect("one run", "p1 suspected, p2 suspected", "")
	f.run(3, gone)
	f.expect("two runs", "p1 deleted, p2 deleted", "p1 p2")
	for range 2 {
		f.run(3, map[string]shown{"v1": {unknown: true}, "v2": {unknown: true}, "v3": {unknown: true}})
	}
	f.expect("no vendor is known", "p1 deleted, p2 deleted, p4 needs_review, p5 needs_review", "p1 p2")
}

// TestTooManyPersonsAtOnce: what one run misses of all its parents is held against the limit, not
// what it misses of each, and against the rows of these parents alone.
func TestTooManyPersonsAtOnce(t *testing.T) {
	f := openFamily(t)
	f.db = f.another(warehouse.Options{Absence: &pipeline.TombstoneRules{MaxRows: 2, MaxShare: 0.25}})
	f.run(3, map[string]shown{"v1": {persons: "p1 p2 p3"}, "v2": {persons: "p4 p5 p6"}, "v3": {persons: "q1 q2 q3 q4 q5 q6 q7 q8 q9"}})
	for range 2 {
		// Three are missed, of the six of v1 and v2: more than two, and more than a quarter.
		f.exec(`UPDATE sluice.parents SET tried_at = now() - CASE parent_id WHEN 'v3' THEN interval '1 hour' ELSE interval '2 hours' END`)
		f.run(2, map[string]shown{"v1": {persons: "p1 p2"}, "v2": {persons: "p4"}})
	}
	f.expect("a half of two vendors", "p3 needs_review, p5 needs_review, p6 needs_review", "")
	for range 2 {
		f.run(3, map[string]shown{"v1": {persons: "p1 p2"}, "v2": {persons: "p4"}, "v3": {persons: "q1 q2 q3 q4 q5 q6 q7"}})
	}
	f.expect("beside them, two", "p3 needs_review, p5 needs_review, p6 needs_review, q8 deleted, q9 deleted", "q8 q9")
	run := ask[int64](f.fixture, `SELECT min(proof_run_id) FROM sluice.tombstones WHERE state = 'needs_review'`)
	n, err := f.db.DecideTombstones(t.Context(), f.persons, run, tombstones.Accept)
	check.ErrorIf(t, err != nil || n != 3, "accepted %d, %v, want 3", n, err)
	f.expect("accepted", "p3 deleted, p5 deleted, p6 deleted, q8 deleted, q9 deleted", "p3 p5 p6 q8 q9")
	// Rows of a list in schema custom go, too.
	f.exec(`UPDATE sluice.tombstones SET decided_at = now() - interval '3 days', deleted_at = now() - interval '3 days'`)
	f.exec(`UPDATE custom.persons SET _deleted_at = now() - interval '3 days' WHERE _deleted_at IS NOT NULL`)
	check.Must(f, f.db.PruneGone(t.Context(), 48*time.Hour))
	check.Same(t, "the persons", "p1 p2 p4 q1 q2 q3 q4 q5 q6 q7",
		ask[string](f.fixture, `SELECT string_agg(person_key, ' ' ORDER BY person_key) FROM custom.persons`))
}
