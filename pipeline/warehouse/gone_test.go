package warehouse_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"sluice/pipeline"
	"sluice/pipeline/check"
	"sluice/pipeline/warehouse/quarantine"
)

// goneWorld has the bills 1 to 4, each with a line and a page of its own; 1 and 2 are gone
// upstream.
func goneWorld(t *testing.T) *world {
	t.Helper()
	w := openWorld(t)
	w.exec(`ALTER TABLE store.bills_lines ADD FOREIGN KEY (organization_id, _parent_id) REFERENCES store.bills ON DELETE CASCADE`)
	for id := range 4 {
		w.bring(w.details, singleBill(fmt.Sprint(id+1), "a", 1))
	}
	w.sweeps(3, 4)
	w.sweeps(3, 4)
	w.expectRows("the fixture", "1 gone, 2 gone, 3, 4; lines of 1, 2, 3, 4")
	return w
}

// sweeps is a clean scan that shows these bills, and what the details of them say already.
func (w *world) sweeps(ids ...int) {
	w.Helper()
	raws := make([]string, len(ids))
	for i, id := range ids {
		raws[i] = header(fmt.Sprint(id), "a", 1)
	}
	batch := w.of(w.claimOf(w.sweep), raws...)
	batch.End = &pipeline.End{Outcome: pipeline.OutcomeDone, Whole: &pipeline.Whole{Started: time.Now().Add(time.Minute)}}
	w.load(batch)
}

// age moves a tombstone and its evidence back.
func (w *world) age(id string, by time.Duration) {
	w.Helper()
	for _, sql := range []string{
		`UPDATE sluice.tombstones SET decided_at = now() - $2::interval, deleted_at = now() - $2::interval WHERE record_id = $1`,
		`UPDATE store.bills SET _deleted_at = now() - $2::interval WHERE bill_id = $1`,
	} {
		w.exec(sql, id, by)
	}
}

// expectRows compares the bills, those with a tombstone as "7 gone", and the bills that have lines.
func (w *world) expectRows(what, want string) {
	w.Helper()
	got := ask[string](w.fixture, `SELECT (SELECT string_agg(bill_id || CASE WHEN _deleted_at IS NULL THEN '' ELSE ' gone' END, ', ' ORDER BY bill_id) FROM store.bills)
		|| '; lines of ' || (SELECT string_agg(_parent_id, ', ' ORDER BY _parent_id) FROM store.bills_lines)`)
	check.Same(w, what+": there", want, got)
}

func (w *world) cursor() string {
	w.Helper()
	return ask[string](w.fixture, `SELECT analytics.changes_cursor()`)
}

// told is what a follower reads behind a cursor.
func (w *world) told(cursor string) string {
	w.Helper()
	return ask[string](w.fixture, `SELECT coalesce(string_agg(record_id || ' ' || op, ', ' ORDER BY record_id), '') FROM analytics.changes($1, '{store.bills}')`, cursor)
}

// TestRowsOfGoneRecordsGo: a row goes when its tombstone is old, with its lines; a younger
// tombstone and live rows stay. Followers are told, the evidence says so, and the record can come
// back.
func TestRowsOfGoneRecordsGo(t *testing.T) {
	w := goneWorld(t)
	w.exec(`INSERT INTO store.bills SELECT 'other', bill_id, vendor_id, total, modified, _extra, _content_hash, _call_id, _raw_position, _run_id,
		_first_seen_at, _changed_at, _payload_hash, now() - interval '1 year' FROM store.bills WHERE bill_id = '1'`)
	w.exec(`DELETE FROM store.bills WHERE organization_id = 'other' AND bill_id <> '1'`)
	w.age("1", 49*time.Hour)
	w.age("2", 47*time.Hour)
	err := w.db.PruneGone(t.Context(), 47*time.Hour)
	check.ErrorIf(t, err == nil || !strings.Contains(err.Error(), "two days at least"), "rows are kept for 47 hours: %v", err)
	before := w.cursor()
	for range 2 {
		check.Must(w, w.db.PruneGone(t.Context(), 48*time.Hour))
	}
	check.Same(t, "rows of an organization without evidence are left", 1,
		ask[int](w.fixture, `SELECT count(*) FROM store.bills WHERE organization_id = 'other'`))
	w.exec(`DELETE FROM store.bills WHERE organization_id = 'other'`)
	w.expectRows("after 48 hours", "2 gone, 3, 4; lines of 2, 3, 4")
	check.Same(t, "followers are told", "1 deleted", w.told(before))
	logged := ask[int](w.fixture, `SELECT count(*) FROM sluice.changes WHERE op = 'deleted' AND '1' = ANY (record_ids)`)
	check.ErrorIf(t, logged != 2, "the log says %d times that 1 was deleted, want twice: tombstone and row", logged)
	const evidence = `SELECT string_agg(record_id || ' ' || state || CASE WHEN pruned_at IS NULL THEN '' ELSE ' pruned' END, ', ' ORDER BY record_id) FROM sluice.tombstones`
	check.Same(t, "the evidence", "1 deleted pruned, 2 deleted", ask[string](w.fixture, evidence))
	if found, err := w.db.Of(t.Context(), organization, "store", "bills", "1"); err != nil || found == nil || found.PrunedAt == nil {
		t.Errorf("the evidence of 1 is read as %+v, %v", found, err)
	}

	// Its raw record goes by its own age: nothing leads to it any more.
	w.exec(`UPDATE sluice.raw_records SET kept_at = now() - interval '3 days'`)
	raws := ask[int](w.fixture, `SELECT count(*) FROM sluice.raw_records WHERE records LIKE '%"bill_id":"1"%'`)
	check.Must(w, w.db.PruneRaw(t.Context(), 48*time.Hour))
	left := ask[int](w.fixture, `SELECT count(*) FROM sluice.raw_records WHERE records LIKE '%"bill_id":"1"%'`)
	check.ErrorIf(t, raws != 1 || left != 0, "of %d raw records of bill 1 %d are left, want none of one", raws, left)
	for _, id := range []string{"2", "3", "4"} {
		check.ErrorIf(t, ask[int](w.fixture, `SELECT count(*) FROM sluice.raw_records WHERE records LIKE '%"bill_id":"' || $1 || '"%'`, id) == 0,
			"the raw records of bill %s are gone, too", id)
	}

	// The record comes back, is deleted again, and goes again.
	w.bring(w.details, singleBill("1", "b", 2))
	w.expectRows("it came back", "1, 2 gone, 3, 4; lines of 1, 2, 3, 4")
	check.Same(t, "followers from before are told", "1 new", w.told(before))
	check.Same(t, "the evidence", "1 restored, 2 deleted", ask[string](w.fixture, evidence))
	check.Must(w, w.db.PruneGone(t.Context(), 48*time.Hour))
	w.expectRows("nothing is old", "1, 2 gone, 3, 4; lines of 1, 2, 3, 4")
	w.sweeps(3, 4)
	w.sweeps(3, 4)
	w.age("1", 49*time.Hour)
	check.Must(w, w.db.PruneGone(t.Context(), 48*time.Hour))
	w.expectRows("once more", "2 gone, 3, 4; lines of 2, 3, 4")
}

// TestAGoneRowThatIsWrittenMeanwhileStays: the loader has the stream, the evidence or the row
// locked; whatever it is, rows are left to the next turn, and the loader does not wait.
func TestAGoneRowThatIsWrittenMeanwhileStays(t *testing.T) {
	w := goneWorld(t)
	w.age("1", 49*time.Hour)
	for what, sql := range map[string]string{
		"a list that is loaded":     `SELECT FROM sluice.streams WHERE resource = 'bills' FOR UPDATE`,
		"details that are loaded":   `SELECT FROM sluice.streams WHERE resource = 'bills.details' FOR UPDATE`,
		"evidence that is read":     `SELECT FROM sluice.tombstones WHERE record_id = '1' FOR UPDATE`,
		"a row that a person locks": `SELECT FROM store.bills WHERE bill_id = '1' FOR UPDATE`,
		"another process at it":     `SELECT sluice.take_turn('gone')`,
	} {
		tx := check.Sure(w.others.Begin(t.Context()))(w)
		check.Must(w, check.Failure(tx.Exec(t.Context(), sql)))
		if err := w.db.PruneGone(t.Context(), 48*time.Hour); err != nil { // a wait would end with the timeout of locks
			t.Errorf("%s: %v", what, err)
		}
		check.Must(w, tx.Rollback(t.Context()))
		w.expectRows(what, "1 gone, 2 gone, 3, 4; lines of 1, 2, 3, 4")
	}
	// A loader that revives the record, and commits after the prune has begun.
	w.bring(w.bills, header("1", "a", 1))
	check.Must(w, w.db.PruneGone(t.Context(), 48*time.Hour))
	w.expectRows("it is back", "1, 2 gone, 3, 4; lines of 1, 2, 3, 4")
}

// TestAKilledPruneLeavesNothingHalf: rows, evidence and log change together or not at all.
func TestAKilledPruneLeavesNothingHalf(t *testing.T) {
	w := goneWorld(t)
	w.age("1", 49*time.Hour)
	const state = `SELECT concat_ws(E'\n', (SELECT json_agg(b ORDER BY bill_id) FROM store.bills b)::text, (SELECT json_agg(l ORDER BY _parent_id) FROM store.bills_lines l)::text,
		(SELECT json_agg(k ORDER BY record_id) FROM sluice.tombstones k)::text, (SELECT json_agg(c ORDER BY seq) FROM sluice.changes c)::text)`
	before := ask[string](w.fixture, state)
	conn := check.Sure(pgx.Connect(t.Context(), w.url))(w)
	tx := check.Sure(conn.Begin(t.Context()))(w)
	var dropped int
	check.Must(w, tx.QueryRow(t.Context(), `SELECT sluice.prune_gone('2 days')`).Scan(&dropped))
	check.FatalIf(t, dropped != 1, "%d rows went, want 1", dropped)
	w.exec(`SELECT pg_terminate_backend($1::bigint::integer, 10000)`, int64(conn.PgConn().PID()))
	check.FatalIf(t, tx.Commit(t.Context()) == nil, "the killed session committed")
	_ = conn.Close(t.Context())
	check.Same(t, "a killed prune left", before, ask[string](w.fixture, state))
	check.Must(w, w.db.PruneGone(t.Context(), 48*time.Hour))
	w.expectRows("the next one", "2 gone, 3, 4; lines of 2, 3, 4")
}

// TestVersionsOutliveTheRow: the versions of a record end with its tombstone and go by their own
// age; without the row they still say what it was.
func TestVersionsOutliveTheRow(t *testing.T) {
	w := openWorld(t)
	w.kept(true)
	w.bring(w.bills, header("1", "a", 1), header("2", "a", 1))
	w.sweeps(2)
	at := ask[time.Time](w.fixture, `SELECT clock_timestamp()`)
	w.sweeps(2)
	w.age("1", 49*time.Hour)
	check.Must(w, w.db.PruneGone(t.Context(), 48*time.Hour))
	rows := ask[string](w.fixture, `SELECT string_agg(bill_id, ' ' ORDER BY bill_id) FROM store.bills`)
	check.FatalIf(t, rows != "2", "the rows are %s, want 2", rows)
	check.Same(t, "the rows of then", "1 2",
		ask[string](w.fixture, `SELECT string_agg(bill_id, ' ' ORDER BY bill_id) FROM history.as_of(NULL::store.bills, $1)`, at))
	check.Same(t, "versions belong to no row", 0, ask[int](w.fixture, `SELECT count(*) FROM history.astray()`))
	w.exec(`UPDATE history.versions SET valid_from = valid_from - interval '5 days', valid_to = CASE valid_to WHEN 'infinity' THEN valid_to ELSE valid_to - interval '5 days' END`)
	check.Must(w, w.db.PruneHistory(t.Context(), 72*time.Hour))
	check.Same(t, "versions are left of", "2", ask[string](w.fixture, `SELECT string_agg(record_id, ' ') FROM history.versions`))
}

// TestEntriesOfTheQuarantineGoByTheirState: from when they were decided or came last, whichever was
// later.
func TestEntriesOfTheQuarantineGoByTheirState(t *testing.T) {
	h := open(t)
	const day = 24 * time.Hour
	fill := func() {
		for _, sql := range []string{`TRUNCATE sluice.quarantine`, `INSERT INTO sluice.quarantine (organization_id, service, resource, record_hash, raw, code, note, state, decided_at, last_seen_at)
			SELECT 'o', 'shop', 'things', convert_to(k.note, 'UTF8'), 'x', 'bad', k.note, k.state, now() - k.decided * interval '1 day', now() - k.seen * interval '1 day'
			FROM (VALUES ('a', 'open', NULL, 100), ('b', 'open', NULL, 3), ('c', 'retried', 100, 120), ('d', 'retried', 100, 10), ('e', 'retried', 10, 100),
				('f', 'resolved', 100, 100), ('g', 'resolved', 89, 100), ('h', 'resolved', 100, 89)) AS k (note, state, decided, seen)`} {
			h.exec(sql)
		}
	}
	for _, c := range []struct {
		ages quarantine.Ages
		want string
	}{
		{quarantine.Ages{}, "abcdefgh"},
		{quarantine.Ages{Retried: 90 * day, Resolved: 90 * day}, "abdegh"},
		{quarantine.Ages{Open: 90 * day}, "bcdefgh"},
		{quarantine.Ages{Open: 2 * day, Retried: 2 * day, Resolved: 2 * day}, ""},
		{quarantine.Ages{Resolved: 101 * day}, "abcdefgh"},
	} {
		fill()
		check.Must(h, h.db.PruneQuarantine(t.Context(), c.ages))
		check.Same(t, fmt.Sprintf("%+v leaves", c.ages), c.want, ask[string](h, `SELECT coalesce(string_agg(note, '' ORDER BY note), '') FROM sluice.quarantine`))
	}
	check.ErrorIf(t, h.db.PruneQuarantine(t.Context(), quarantine.Ages{Retried: 47 * time.Hour}) == nil, "entries may be kept for 47 hours")
	fill()
	tx := check.Sure(h.db.Pool().Begin(t.Context()))(h)
	check.Must(h, check.Failure(tx.Exec(t.Context(), `UPDATE sluice.quarantine SET last_seen_at = now() WHERE note = 'c'`)))
	check.Must(h, h.db.PruneQuarantine(t.Context(), quarantine.Ages{Retried: 90 * day}))
	check.Must(h, tx.Commit(t.Context()))
	left := ask[string](h, `SELECT string_agg(note, '' ORDER BY note) FROM sluice.quarantine`)
	check.ErrorIf(t, left != "abcdefgh", "an entry that came again meanwhile: %q are left, want all", left)
}
