package warehouse_test

import (
	"maps"
	"slices"
	"strconv"
	"testing"
	"time"

	"pgregory.net/rapid"

	"sluice/pipeline"
	"sluice/pipeline/check"
	"sluice/pipeline/warehouse"
	"sluice/pipeline/warehouse/tombstones"
	"sluice/schema"
	"sluice/schema/record"
)

// listFixture is a warehouse with the things of the tests in a list that is known to be complete:
// with a stream that is read from the watermark and one of sweeps.
type listFixture struct {
	*fixture
	incremental, sweep pipeline.Stream
	resource           *schema.Resource
	// known counts the records that were marked as unchanged.
	known int
}

func openList(t *testing.T, rules pipeline.TombstoneRules) *listFixture {
	t.Helper()
	h := open(t)
	h.db = h.another(warehouse.Options{Absence: &rules})
	h.stream.Resource.Complete = "The test says so."
	l := &listFixture{fixture: h, incremental: h.stream, sweep: h.stream, resource: h.stream.Resource}
	l.sweep.Work = pipeline.WorkSweep
	check.Must(h, h.db.RegisterStreams(t.Context(), []warehouse.StreamSetting{
		{Key: l.incremental.Key(), Every: time.Hour, Enabled: true}, {Key: l.sweep.Key(), Every: time.Hour, Enabled: true, After: time.Hour},
	}))
	return l
}

// begin claims a stream.
func (l *listFixture) begin(stream pipeline.Stream) pipeline.Claim {
	l.Helper()
	return check.Sure(l.db.Claim(l.Context(), stream, pipeline.ClassOf(stream)))(l)
}

// records returns things of these numbers. Odd ones are not normalized if they are unchanged: they
// count as shown like others.
func (l *listFixture) records(ids ...int) []record.Record {
	l.Helper()
	records, peeks := make([]record.Record, len(ids)), make([]record.Record, len(ids))
	for i, id := range ids {
		records[i] = l.record(id, "thing")
		if id%2 == 1 {
			peeks[i], _ = l.normalizer.Peek(records[i].Raw, "")
		}
	}
	check.Must(l, l.db.Unchanged(l.Context(), l.incremental, peeks))
	for i := range ids {
		if peeks[i].Unchanged {
			l.known++
			records[i] = peeks[i]
		}
	}
	return records
}

// read loads a page of the incremental list.
func (l *listFixture) read(ids ...int) {
	l.Helper()
	batch := l.unit(l.begin(l.incremental), l.records(ids...)...)
	batch.End = &pipeline.End{Outcome: pipeline.OutcomeDone}
	l.load(batch)
}

// scan is a sweep of one page, clean unless it ends otherwise.
func (l *listFixture) scan(ids ...int) {
	l.Helper()
	l.end(l.unit(l.begin(l.sweep), l.records(ids...)...))
}

func (l *listFixture) end(batch pipeline.Batch) {
	l.Helper()
	batch.End = &pipeline.End{Outcome: pipeline.OutcomeDone, Whole: &pipeline.Whole{Started: time.Now().Add(time.Minute)}}
	l.load(batch)
}

// states returns the records with evidence, as "7 deleted".
func (l *listFixture) states() []string {
	l.Helper()
	return ask[[]string](l.fixture, `SELECT coalesce(array_agg(record_id || ' ' || state ORDER BY record_id::int), '{}') FROM sluice.tombstones`)
}

func (l *listFixture) dead() []string {
	l.Helper()
	return ask[[]string](l.fixture, `SELECT coalesce(array_agg(thing_id ORDER BY thing_id::int), '{}') FROM shop.things WHERE _deleted_at IS NOT NULL`)
}

func (l *listFixture) expect(what string, states, dead []string) {
	l.Helper()
	got := l.states()
	check.ErrorIf(l, !slices.Equal(got, states), "%s: %q is known, want %q", what, got, states)
	if got := l.dead(); !slices.Equal(got, dead) {
		l.Errorf("%s: %q are dead, want %q", what, got, dead)
	}
}

func upTo(n int) []int {
	ids := make([]int, n)
	for i := range ids {
		ids[i] = i + 1
	}
	return ids
}

var once = pipeline.TombstoneRules{MaxRows: 2} //nolint:gochecknoglobals // a constant: scans may follow at once, the brake is near

func TestTwoCleanScansAreProof(t *testing.T) {
	l := openList(t, once)
	l.read(1, 2, 3, 4, 5)
	l.scan(1, 2, 3, 4)
	l.expect("one scan", []string{"5 suspected"}, nil)
	check.ErrorIf(t,
		!ask[bool](l.fixture, `SELECT next_due_at < now() + interval '61 minutes' FROM sluice.streams WHERE resource = 'things.sweep'`),
		"a scan that missed something is not repeated soon")
	l.scan(1, 2, 3)
	l.expect("two scans", []string{"4 suspected", "5 deleted"}, []string{"5"})
	l.scan(1, 2, 3, 4)
	l.expect("seen again", []string{"5 deleted"}, []string{"5"})
	l.read(5) // equal to its row
	l.expect("back", []string{"5 restored"}, nil)
	check.ErrorIf(t, l.known == 0, "no record was known: it came back as another does")
	l.scan(1, 2, 3, 4)
	l.scan(1, 2, 3, 4)
	l.expect("gone again", []string{"5 deleted"}, []string{"5"})
	n := ask[int](l.fixture, `SELECT restores FROM sluice.tombstones`)
	check.ErrorIf(t, n != 1, "it came back %d times, want once", n)
	check.Same(t, "sightings are left", 0, ask[int](l.fixture, `SELECT count(*) FROM sluice.sightings`))
}

func TestWhatProvesNothing(t *testing.T) {
	t.Parallel()
	for name, second := range map[string]func(*listFixture){
		"a run from the watermark": func(l *listFixture) { l.read(1, 2, 3, 4) },
		"a scan that ends provisionally": func(l *listFixture) {
			batch := l.unit(l.begin(l.sweep), l.records(1, 2, 3, 4)...)
			batch.End = &pipeline.End{Outcome: pipeline.OutcomeProvisional}
			l.load(batch)
		},
		"a scan that fails": func(l *listFixture) {
			claim := l.begin(l.sweep)
			l.load(l.unit(claim, l.records(1, 2, 3, 4)...))
			check.Must(l, l.db.Settle(l.Context(), claim, pipeline.Settlement{State: pipeline.StateFailed, EndRun: true}))
		},
		"of an organization that is not active": func(l *listFixture) {
			ask[string](l.fixture, `INSERT INTO sluice.organizations (organization_id, name, is_active) VALUES ($1, 'Shut', false) RETURNING name`, organization)
			l.scan(1, 2, 3, 4)
		},
		"a record in quarantine exists": func(l *listFixture) {
			batch := l.unit(l.begin(l.sweep), l.records(1, 2, 3, 4)...)
			batch.Rejected = []pipeline.RejectedRecord{{Raw: []byte("{}"), ID: "5", Code: "bad"}}
			l.end(batch)
		},
		"a row that was written meanwhile": func(l *listFixture) {
			claim := l.begin(l.sweep)
			l.load(l.unit(claim, l.records(1, 2)...))
			batch := l.unit(l.begin(l.incremental), l.record(5, "edited"))
			l.load(batch)
			l.end(l.unit(claim, l.records(3, 4)...))
		},
		"an answer from before the row was there": func(l *listFixture) {
			batch := l.unit(l.begin(l.sweep), l.records(1, 2, 3, 4)...)
			batch.End = &pipeline.End{Outcome: pipeline.OutcomeDone, Whole: &pipeline.Whole{Started: time.Now().Add(-time.Hour)}}
			l.load(batch)
		},
	} {
		t.Run(name, func(t *testing.T) {
			l := openList(t, once)
			l.read(1, 2, 3, 4, 5)
			l.scan(1, 2, 3, 4)
			second(l)
			dead := l.dead()
			check.ErrorIf(t, len(dead) != 0, "%v got a tombstone", dead)
		})
	}
	t.Run("a second scan that follows at once", func(t *testing.T) {
		l := openList(t, pipeline.DefaultTombstoneRules())
		l.read(1, 2, 3)
		l.scan(1, 2)
		l.scan(1, 2)
		l.expect("at once", []string{"3 suspected"}, nil)
	})
}

func TestTheBrake(t *testing.T) {
	l := openList(t, once)
	l.read(upTo(9)...)
	l.scan(1, 2, 3, 4, 5, 6)
	l.scan(1, 2, 3, 4, 5, 6, 7, 8) // within the limit: the first scan that counts
	l.expect("a shrunken scan and a clean one", []string{"9 suspected"}, nil)
	l.scan(1, 2, 3, 4, 5)
	l.expect("a clean one and a shrunken one", []string{"6 suspected", "7 suspected", "8 suspected", "9 needs_review"}, nil)
	l.scan(1, 2, 3, 4, 5)
	l.expect("two shrunken ones", []string{"6 needs_review", "7 needs_review", "8 needs_review", "9 needs_review"}, nil)
	run := ask[int64](l.fixture, `SELECT max(proof_run_id) FROM sluice.tombstones`)
	decide := func(decide tombstones.Decision, run int64, want int) {
		t.Helper()
		n, err := l.db.DecideTombstones(t.Context(), l.incremental, run, decide)
		check.ErrorIf(t, err != nil || n != want, "decided about %d, %v; want %d", n, err, want)
	}
	decide(tombstones.Accept, run, 3)
	decide(tombstones.Accept, run, 0)
	l.expect("accepted", []string{"6 deleted", "7 deleted", "8 deleted", "9 needs_review"}, []string{"6", "7", "8"})
	l.read(9)
	l.expect("held and seen", []string{"6 deleted", "7 deleted", "8 deleted"}, []string{"6", "7", "8"})
	l.scan()
	l.scan()
	l.expect("an empty list", []string{"1 needs_review", "2 needs_review", "3 needs_review", "4 needs_review", "5 needs_review", "6 deleted", "7 deleted", "8 deleted", "9 needs_review"}, []string{"6", "7", "8"})
	decide(tombstones.Reject, ask[int64](l.fixture, `SELECT max(proof_run_id) FROM sluice.tombstones WHERE state = 'needs_review'`), 6)
	l.expect("rejected", []string{"6 deleted", "7 deleted", "8 deleted"}, []string{"6", "7", "8"})
}

// TestAnEarlierAnswerDoesNotRevive: a slow worker loads a page after the scan that proved a record
// gone, but its call left before that scan.
func TestAnEarlierAnswerDoesNotRevive(t *testing.T) {
	l := openList(t, once)
	l.read(1, 2, 3)
	slow := l.unit(l.begin(l.incremental), l.records(3)...)
	l.scan(1, 2)
	l.scan(1, 2)
	l.expect("proven", []string{"3 deleted"}, []string{"3"})
	slow.End = &pipeline.End{Outcome: pipeline.OutcomeDone}
	l.load(slow)
	l.expect("an answer from before", []string{"3 deleted"}, []string{"3"})
}

// TestALateAnswerKeepsItsRowAlive: an answer from before the first scan refutes no evidence, but a
// row that it changes while the second scan is under way gets no tombstone.
func TestALateAnswerKeepsItsRowAlive(t *testing.T) {
	l := openList(t, once)
	l.read(1, 2, 3)
	late := l.unit(l.begin(l.incremental), l.record(3, "edited"))
	l.scan(1, 2)
	claim := l.begin(l.sweep)
	l.load(late)
	l.end(l.unit(claim, l.records(1, 2)...))
	l.expect("written during the second scan", []string{"3 suspected"}, nil)
}

// TestALiveRecordIsNeverDead: records are created and deleted while sweeps and runs read the lists,
// with answers that are loaded late. A row gets its tombstone only if its record did not exist at
// some instant of the scan that gave it. Once upstream is quiet, live rows are the records
// (invariants 7 and 8).
func TestALiveRecordIsNeverDead(t *testing.T) {
	l := openList(t, pipeline.TombstoneRules{MaxRows: 100})
	const records, pages = 9, 3
	rapid.Check(t, func(r *rapid.T) {
		l.exec(`DELETE FROM shop.things`)
		l.exec(`DELETE FROM sluice.tombstones`)
		alive, absent := map[int]bool{records + 1: true}, map[int]bool{} // absent: at some instant of the scan
		// One record always exists: an empty list allows no conclusion.
		var late []pipeline.Batch
		shown := func(within func(int) bool) []int {
			var ids []int
			for _, id := range slices.Sorted(maps.Keys(alive)) {
				if alive[id] && within(id) {
					ids = append(ids, id)
				}
			}
			return ids
		}
		all := func(int) bool { return true }
		happen := func() {
			id := rapid.IntRange(1, records).Draw(r, "id")
			switch rapid.IntRange(0, 5).Draw(r, "what") {
			case 0, 1:
				alive[id] = true
			case 2, 3:
				alive[id], absent[id] = false, true
			case 4: // asked for now
				late = append(late, l.unit(pipeline.Claim{Stream: l.incremental}, l.records(shown(all)...)...))
			default: // and loaded only now
				for _, batch := range late {
					call := batch.Call
					batch = l.unit(l.begin(l.incremental), batch.Records...)
					batch.Call, batch.End = call, &pipeline.End{Outcome: pipeline.OutcomeDone}
					l.load(batch)
				}
				late = nil
			}
		}
		for range rapid.IntRange(2, 5).Draw(r, "scans") {
			for range rapid.IntRange(0, 5).Draw(r, "events") {
				happen()
			}
			claim := l.begin(l.sweep)
			clear(absent)
			for id := range records {
				absent[id+1] = !alive[id+1]
			}
			before := l.dead()
			for page := range pages {
				for range rapid.IntRange(0, 2).Draw(r, "events during") {
					happen()
				}
				batch := l.unit(claim, l.records(shown(func(id int) bool { return id%pages == page })...)...)
				if page < pages-1 {
					l.load(batch)
				} else {
					l.end(batch)
				}
			}
			for _, text := range l.dead() {
				if id, _ := strconv.Atoi(text); !slices.Contains(before, text) && !absent[id] {
					r.Fatalf("record %d has a tombstone and existed all through the scan", id)
				}
			}
		}
		l.read(shown(all)...)
		for range 3 {
			l.scan(shown(all)...)
		}
		live := ask[[]int](l.fixture, `SELECT coalesce(array_agg(thing_id::int ORDER BY thing_id::int), '{}') FROM shop.things WHERE _deleted_at IS NULL`)
		if want := shown(all); !slices.Equal(live, want) {
			r.Fatalf("live rows %v, records %v", live, want)
		}
	})
}
