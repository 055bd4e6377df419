package warehouse_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"sluice/pipeline"
	"sluice/pipeline/check"
	"sluice/pipeline/lineage/rebuild"
	"sluice/schema/record"
)

// bring loads records under a claim and gives the claim back at once.
func (s *storeFixture) bring(stream pipeline.Stream, raws ...string) {
	s.Helper()
	claim := s.claimOf(stream)
	s.load(s.of(claim, raws...))
	check.Must(s, s.db.Settle(s.Context(), claim, pipeline.Settlement{State: pipeline.StateQueued}))
}

// as returns the normalizer of a stream's present declaration.
func (s *storeFixture) as(stream pipeline.Stream) func(raw []byte, parent string) (record.Record, error) {
	s.Helper()
	normalizer := check.Sure(record.New(stream.Resource, time.UTC))(s)
	return normalizer.RecordUnder
}

// tables returns everything that the tables of bills hold.
func (s *storeFixture) tables() string {
	s.Helper()
	return ask[string](s.fixture, `SELECT concat_ws(E'\n', (SELECT string_agg(b::text, E'\n' ORDER BY bill_id) FROM store.bills b),
		(SELECT string_agg(l::text, E'\n' ORDER BY _parent_id, _position) FROM store.bills_lines l))`)
}

// guarded gives the table a trigger of another role.
const guarded = `CREATE FUNCTION store.noop() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NEW; END';
	CREATE TRIGGER somebodys BEFORE UPDATE ON store.bills FOR EACH ROW EXECUTE FUNCTION store.noop()`

// follow gives elements the tombstones of their bills, as each write does that meets evidence.
const follow = `UPDATE store.bills_lines l SET _deleted_at = b._deleted_at FROM store.bills b
	WHERE b.bill_id = l._parent_id AND l._deleted_at IS DISTINCT FROM b._deleted_at`

const unguarded = `DROP TRIGGER IF EXISTS somebodys ON store.bills; DROP FUNCTION IF EXISTS store.noop()`

// TestRawOfARowIsAlwaysThere: records are loaded by lists and one by one, at any time. Then old raw
// records to which nothing refers are deleted, and the raw records of each row are the very bytes
// that came last. A rebuild of all rows leaves the tables as they were, with or without a trigger
// of another role, whatever was done to the rows in between.
func TestRawOfARowIsAlwaysThere(t *testing.T) {
	s := openStore(t)
	s.exec(`ALTER TABLE store.bills_lines ADD _deleted_at timestamptz`)
	const records = 4
	rapid.Check(t, func(r *rapid.T) {
		s.exec(`TRUNCATE store.bills, store.bills_lines, sluice.raw_records, sluice.raw_looks, sluice.quarantine; ` + unguarded)
		day, last, single := map[int]int{}, map[int]string{}, map[int]string{}
		load := func(stream pipeline.Stream, of func(id int) string, into map[int]string) {
			var raws []string
			for id := 1; id <= records; id++ {
				if !rapid.Bool().Draw(r, "is in it") {
					continue
				}
				if raw := of(id); raw != "" {
					into[id] = raw
					raws = append(raws, raw)
				}
			}
			if len(raws) > 0 {
				s.bring(stream, raws...)
				s.exec(follow)
			}
		}
		// Lists, and single records, carry the same keys of a record each time: only the table
		// holds values that came with an earlier version alone.
		keys := rapid.SliceOfN(rapid.IntRange(0, 31), records, records).Draw(r, "keys")
		header := func(id int) string {
			day[id]++
			raw := fmt.Sprintf(`{"bill_id":"%d","modified":"2026-01-01T10:00:%02dZ"`, id, day[id])
			for bit, more := range []string{`,"vendor_id":"v"`, fmt.Sprintf(`,"total":"%d"`, day[id]), `,"novel":{"a":1}`, `,"lines":[{"line":"l","odd":2}]`} {
				if keys[id-1]&(1<<bit) != 0 {
					raw += more
				}
			}
			return raw + "}"
		}
		details := func(id int) string {
			if last[id] == "" {
				return "" // single records are asked for after a list showed one
			}
			raw := fmt.Sprintf(`{"bill_id":"%d","modified":"2026-01-01T10:00:%02dZ","total":"single %d"`, id, day[id], rapid.IntRange(1, 3).Draw(r, "total"))
			if keys[id-1]&16 != 0 {
				return raw + "}"
			}
			return raw + `,"rare":true,"lines":[{"line":"x"},{"line":"y","odd":3}]}`
		}
		for range rapid.IntRange(3, 8).Draw(r, "events") {
			switch rapid.IntRange(0, 7).Draw(r, "what") {
			case 0, 1, 2:
				load(s.bills, header, last)
			case 3:
				load(s.details, details, single)
			case 4:
				s.exec(`UPDATE sluice.raw_records SET kept_at = kept_at - interval '30 days'; DELETE FROM sluice.raw_looks`)
			case 5:
				check.Must(s, s.db.PruneRaw(t.Context(), 40*24*time.Hour))
			case 6:
				s.exec(`UPDATE store.bills SET _deleted_at = now() WHERE bill_id = $1`, fmt.Sprint(rapid.IntRange(1, records).Draw(r, "dies")))
				s.exec(follow)
			default:
				s.rebuilt(r, rapid.Bool().Draw(r, "guarded"))
			}
			if got := ask[string](s.fixture, `SELECT coalesce(string_agg(detail, '; '), '') FROM sluice.check_rows_without_raw`); got != "" {
				r.Fatalf("rows without raw records: %s", got)
			}
		}
		s.exec(`DELETE FROM sluice.raw_looks`)
		check.Must(s, s.db.PruneRaw(t.Context(), 40*24*time.Hour))
		// Each position of each archive, counted without the program's own counts.
		if left := ask[int](s.fixture, `SELECT count(*) FROM sluice.raw_records w WHERE kept_at < now() - interval '40 days' AND NOT EXISTS (
			SELECT FROM json_array_elements(w.records::json) WITH ORDINALITY AS e (raw, n), store.bills b
			WHERE w.call_id IN (b._call_id, b._detail_call_id) AND w.first_position + e.n - 1 IN (b._raw_position, b._detail_raw_position))`); left != 0 {
			r.Fatalf("%d archives are old and led to by nothing", left)
		}
		s.lead(r, last, "_call_id, _raw_position", `true`)
		s.lead(r, single, "_detail_call_id, _detail_raw_position", `_detail_call_id IS NOT NULL`)
	})
}

// lead compares the raw records that rows refer to with what was loaded.
func (s *storeFixture) lead(r *rapid.T, loaded map[int]string, place, where string) {
	s.Helper()
	rows, err := s.db.Pool().Query(s.Context(), `SELECT bill_id::int, sluice.raw_record(`+place+`)::text FROM store.bills WHERE `+where)
	check.Must(s, err)
	defer rows.Close()
	for rows.Next() {
		var id int
		var raw string
		check.Must(s, rows.Scan(&id, &raw))
		if raw != loaded[id] {
			r.Fatalf("the row of %d leads by %s to %s, loaded was %s", id, place, raw, loaded[id])
		}
	}
	check.Must(s, rows.Err())
}

// rebuilt edits rows by hand and rebuilds them: all values are as they were.
func (s *storeFixture) rebuilt(r *rapid.T, guard bool) {
	s.Helper()
	if guard {
		s.exec(guarded)
		defer func() { s.exec(unguarded) }()
	}
	before := s.tables()
	// Only the table holds values that only earlier versions carried.
	const carry = `EXISTS (SELECT FROM (VALUES (sluice.raw_record(_call_id, _raw_position)), (sluice.raw_record(_detail_call_id, _detail_raw_position))) AS v (raw)
		WHERE raw -> '%s' IS NOT NULL)`
	s.exec(`UPDATE store.bills SET total = 'edited' WHERE ` + fmt.Sprintf(carry, "total"))
	s.exec(`UPDATE store.bills_lines SET line = 'edited' FROM store.bills WHERE bill_id = _parent_id AND ` + fmt.Sprintf(carry, "lines"))
	rows := ask[int](s.fixture, `SELECT count(*) FROM store.bills`)
	edited := ask[int](s.fixture, `SELECT count(*) FROM store.bills WHERE total = 'edited' OR bill_id IN (SELECT _parent_id FROM store.bills_lines WHERE line = 'edited')`)
	for _, rewritten := range []int{edited, 0} { // a correct row is not written
		counts := check.Sure(rebuild.Run(s.Context(), s.db, s.bills, rebuild.All, s.as(s.bills), nil))(s)
		if counts != (rebuild.Counts{Rows: rows, Rewritten: rewritten}) {
			r.Fatalf("counts %+v of %d rows, of which %d are to be written", counts, rows, rewritten)
		}
	}
	if diff := cmp.Diff(strings.Split(before, "\n"), strings.Split(s.tables(), "\n")); diff != "" {
		r.Fatalf("rebuilt, guarded %v (-before +after):\n%s", guard, diff)
	}
}

// TestWhatDoesNotFitARebuildStays: the rebuild finds a value that the database now refuses, leaves
// its row as it is, and writes the others.
func TestWhatDoesNotFitARebuildStays(t *testing.T) {
	s := openStore(t)
	s.bring(s.bills, header("1", "a", 1), header("2", "bad", 1), header("3", "c", 1))
	before := s.tables()
	s.exec(`UPDATE store.bills SET vendor_id = 'edited'; ALTER TABLE store.bills ADD CONSTRAINT good CHECK (total <> 'bad') NOT VALID`)
	counts := check.Sure(rebuild.Run(t.Context(), s.db, s.bills, rebuild.All, s.as(s.bills), nil))(s)
	check.ErrorIf(t, counts != (rebuild.Counts{Rows: 3, Rewritten: 2, Rejected: 1}), "counts %+v", counts)
	check.Same(t, "edited still", "2", ask[string](s.fixture, `SELECT string_agg(bill_id, ' ') FROM store.bills WHERE vendor_id = 'edited'`))
	s.exec(`ALTER TABLE store.bills DROP CONSTRAINT good`)
	counts = check.Sure(rebuild.Run(t.Context(), s.db, s.bills, rebuild.All, s.as(s.bills), nil))(s)
	check.ErrorIf(t, counts != (rebuild.Counts{Rows: 3, Rewritten: 1}), "counts when the database takes it: %+v", counts)
	check.Same(t, "rebuilt", before, s.tables())
	check.Same(t, "in quarantine",
		"2|23514|open", ask[string](s.fixture, `SELECT concat_ws('|', record_id, code, state) FROM sluice.quarantine`))
}

// TestARebuildGoesOnWhereItStopped: after an interruption it continues with the counts of the
// whole, and begins anew if the declaration has changed.
func TestARebuildGoesOnWhereItStopped(t *testing.T) {
	s := openStore(t)
	const rows = 4500
	var raws []string
	for n := range rows {
		raws = append(raws, header(fmt.Sprintf("%05d", n), "a", 1))
	}
	for part := range slices.Chunk(raws, rows/3) {
		s.bring(s.bills, part...)
	}
	before := s.tables()
	calls := ask[int](s.fixture, `SELECT count(*) FROM sluice.calls`)
	s.exec(`UPDATE store.bills SET total = 'edited'`)
	interrupted := func() {
		t.Helper()
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		check.FailsWith(t, check.Failure(rebuild.Run(ctx, s.db, s.bills, rebuild.All, s.as(s.bills), func(int) { cancel() })), context.Canceled)
		check.Same(t, "rows are still to be written", rows-2000, ask[int](s.fixture, `SELECT count(*) FROM store.bills WHERE total = 'edited'`))
	}
	interrupted()
	s.exec(`UPDATE store.bills SET total = 'edited' WHERE bill_id = '00007'`) // before the position: not compared again
	var steps []int
	counts := check.Sure(rebuild.Run(t.Context(), s.db, s.bills, rebuild.All, s.as(s.bills), func(n int) { steps = append(steps, n) }))(s)
	check.ErrorIf(t, counts != (rebuild.Counts{Rows: rows, Rewritten: rows}) || !slices.Equal(steps, []int{4000, 4500}),
		"it went on with %+v in steps %v", counts, steps)
	check.Same(t, "edited rows left",
		"00007", ask[string](s.fixture, `SELECT string_agg(bill_id, ' ') FROM store.bills WHERE total = 'edited'`))
	s.exec(`UPDATE store.bills SET total = 'edited'`)
	interrupted()
	s.exec(`CREATE TABLE store.marks AS SELECT bill_id, _payload_hash FROM store.bills`)
	stream, learned := s.learned()
	counts = check.Sure(rebuild.Run(t.Context(), s.db, stream, rebuild.All, learned, nil))(s)
	if counts != (rebuild.Counts{Rows: rows, Rewritten: rows}) { // their payload hashes are those of another declaration
		t.Errorf("with another declaration, from the start: %+v", counts)
	}
	s.exec(`ALTER TABLE store.bills DROP colour, DROP weight`)
	// Payload hashes depend on the declaration.
	if same := ask[int](s.fixture, `SELECT count(*) FROM store.bills JOIN store.marks m USING (bill_id) WHERE m._payload_hash IS NOT DISTINCT FROM bills._payload_hash`); same != 0 {
		t.Errorf("%d rows have the payload hash of the earlier declaration", same)
	}
	s.exec(`UPDATE store.bills b SET _payload_hash = m._payload_hash FROM store.marks m WHERE m.bill_id = b.bill_id`)
	check.Same(t, "rebuilt", before, s.tables())
	check.Same(t, "rebuilds",
		"done superseded done", ask[string](s.fixture, `SELECT string_agg(outcome, ' ' ORDER BY id) FROM sluice.rebuilds`))
	got := ask[int](s.fixture, `SELECT count(*) FROM sluice.calls`)
	check.ErrorIf(t, got != calls, "%d calls were made", got-calls)
}

// TestAnotherRuleOfTheHashIsFound: only lists that hold raw records have to be rebuilt, once.
func TestAnotherRuleOfTheHashIsFound(t *testing.T) {
	s := openStore(t)
	claim := s.claimOf(s.bills)
	batch := s.of(claim, header("1", "a", 1))
	batch.End = &pipeline.End{Outcome: pipeline.OutcomeDone}
	s.load(batch)
	before := s.tables()
	others := func() string {
		t.Helper()
		keys := check.Sure(s.db.OtherRule(t.Context()))(s)
		return fmt.Sprint(keys)
	}
	check.Same(t, "of another rule than the one that just loaded them", "[]", others())
	s.exec(`UPDATE sluice.streams SET hash_rule = 0`)
	s.exec(`UPDATE store.bills SET _content_hash = '\x00112233445566778899aabbccddeeff'`)
	s.exec(`UPDATE sluice.streams SET requested_gen = served_gen + 1, next_due_at = '2026-01-01', last_done_at = '2026-01-01'`)
	check.Same(t, "of another rule", fmt.Sprint([]pipeline.Key{s.bills.Key()}), others())
	counts, err := rebuild.Run(t.Context(), s.db, s.bills, rebuild.Changed, s.as(s.bills), nil)
	check.ErrorIf(t, err != nil || counts.Rewritten != 1, "rebuilt: %+v, %v", counts, err)
	s.exec(`UPDATE store.bills SET _changed_at = _first_seen_at`) // it says when the row got its hash
	check.Same(t, "rebuilt", before, s.tables())
	if got := ask[string](s.fixture, `SELECT concat_ws(' ', requested_gen - served_gen, next_due_at = '2026-01-01' AND last_done_at = '2026-01-01', state, run_id)
		FROM sluice.streams WHERE resource = 'bills'`); got != "1 t idle" {
		t.Errorf("the request for the list is still to be served when it is due: %s", got)
	}
	check.Same(t, "of another rule after that", "[]", others())
}

// TestRawOfHistoryAndQuarantineStays: raw records that a history table or an open entry of the
// quarantine names are kept until those are gone. Young ones are kept, too, and a resource that was
// looked through waits for a day.
func TestRawOfHistoryAndQuarantineStays(t *testing.T) {
	s := openStore(t)
	for version := range 5 {
		s.bring(s.bills, header("1", fmt.Sprint(version), version+1))
	}
	s.exec(`CREATE TABLE store.bills_history (organization_id text, bill_id text, _call_id bigint);
		INSERT INTO store.bills_history SELECT organization_id, '1', min(call_id) FROM sluice.raw_records GROUP BY 1;
		INSERT INTO sluice.quarantine (organization_id, service, resource, record_hash, raw, code, call_id)
		SELECT organization_id, 'store', 'bills', '\x01', '', 'no_id', min(call_id) + 1 FROM sluice.raw_records GROUP BY 1;
		UPDATE sluice.raw_records SET kept_at = now() - interval '41 days' WHERE call_id <> (SELECT max(call_id) - 1 FROM sluice.raw_records)`)
	left := func(what, want string) {
		t.Helper()
		check.Must(s, s.db.PruneRaw(t.Context(), 40*24*time.Hour))
		got := ask[string](s.fixture, `SELECT string_agg(sluice.raw_record(call_id, 0) ->> 'total', ' ' ORDER BY call_id) FROM sluice.raw_records`)
		check.ErrorIf(t, got != want, "%s, versions %s are kept, want %s", what, got, want)
	}
	left("with history and quarantine", "0 1 3 4")
	s.exec(`DELETE FROM store.bills_history; UPDATE sluice.quarantine SET state = 'resolved'`)
	left("on the same day", "0 1 3 4")
	s.exec(`UPDATE sluice.raw_looks SET looked_at = looked_at - interval '25 hours'`)
	left("without them", "3 4")
	check.ErrorIf(t, s.db.PruneRaw(t.Context(), time.Hour) == nil, "raw records can be kept for an hour")
}
