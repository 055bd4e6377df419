package warehouse_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"sluice/pipeline"
	"sluice/pipeline/check"
	"sluice/pipeline/warehouse/erasures"
	"sluice/schema/record"
)

// erasing is a store whose bill 1 is about a person, who stands in every place that a value of a
// bill can get to. Bill 2 was in the same answers.
type erasing struct{ *storeFixture }

const person = "anna@example.com"

// sqlPlanted puts the person where a batch of bills does not get.
const sqlPlanted = `
INSERT INTO history.days (organization_id, service, resource, record_id, day, seen_at, content) VALUES
	('10234695', 'store', 'bills', '1', '2026-01-01', now(), '{"total":"Anna@example.com"}'), ('10234695', 'store', 'bills', '2', '2026-01-01', now(), '{"total":"b"}');
INSERT INTO sluice.quarantine (organization_id, service, resource, record_hash, record_id, raw, code, detail) VALUES
	('10234695', 'store', 'bills', sha256('a'), '1', convert_to('{"bill_id":"1","x":"\u0061nna@example.com"}', 'UTF8'), 'wrong_type', 'x'),
	('10234695', 'store', 'bills', sha256('b'), '2', '{"bill_id":"2","x":"other"}', 'wrong_type', 'x');
INSERT INTO sluice.callbacks (organization_id, dialect, digest, received_at, repeated_at, module, operation, ids, bytes, body) VALUES
	('10234695', 'rule', 'a', now(), clock_timestamp(), 'bills', '', '{1}', 9, '{"total":"anna@example.com"}'),
	('10234695', 'rule', 'b', now(), clock_timestamp(), 'bills', '', '{1,2}', 9, '{"total":"anna@example.com and b"}'),
	('10234695', 'rule', 'c', now(), clock_timestamp(), 'bills', '', '{2}', 9, '{"total":"b"}');
INSERT INTO notifications.events (organization_id, callback_id, module, record_id, operation, told_at)
	SELECT '10234695', c.id, 'bills', c.ids[1], 'update', now() FROM sluice.callbacks c WHERE cardinality(c.ids) = 1;
INSERT INTO sluice.hints (organization_id, service, resource, record_id, first_at, last_at, due_at) VALUES
	('10234695', 'store', 'bills', '1', now(), clock_timestamp(), now()), ('10234695', 'store', 'bills', '2', now(), clock_timestamp(), now());
INSERT INTO sluice.actions (actor, action, target, before, outcome) VALUES ('x', 'y', 'bill of anna@example.com', '{"total":"anna@example.com"}', 'done');
INSERT INTO sluice.drift (organization_id, service, resource, path, kind, seen) VALUES
	('10234695', 'store', 'bills', 'anna@example.com', 'string', 1), ('10234695', 'store', 'bills', 'total', 'value: anna@example.com', 1)`

func openErasing(t *testing.T) *erasing {
	t.Helper()
	e := &erasing{openStore(t)}
	e.kept(true)
	list, details := e.claimOf(e.bills), e.claimOf(e.details)
	e.load(e.of(list, header("1", "early "+person, 1), header("2", "b", 1)))
	e.load(e.of(list, header("2", "b2", 2), strings.Replace(header("1", `ANNA@\u0065xample.com`, 2), `\\u`, `\u`, 1)))
	e.load(e.of(details, singleBill("2", "b2", 2), singleBill("1", person, 2)))
	e.exec(strings.ReplaceAll(sqlPlanted, "10234695", organization))
	return e
}

func (e *erasing) subject(id string) *erasures.Subject {
	e.Helper()
	normalizer := check.Sure(record.New(e.bills.Resource, time.UTC))(e)
	return &erasures.Subject{Stream: e.bills, Record: id, Note: "request 7", Is: func(raw []byte) bool {
		r, err := normalizer.Record(raw)
		return err == nil && r.ID == id
	}}
}

// tables are all rows of all tables, by table: bytes as text, as far as they are.
func (e *erasing) tables() map[string][]string {
	e.Helper()
	names := ask[[]string](e.fixture, `SELECT array_agg(c.oid::regclass::text ORDER BY 1) FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
		WHERE c.relkind = 'r' AND n.nspname IN ('store', 'custom', 'history', 'notifications', 'sluice', 'river')`)
	found := map[string][]string{}
	for _, name := range names {
		columns := ask[string](e.fixture, `SELECT string_agg(CASE WHEN atttypid = 'bytea'::regtype THEN format('encode(%I, ''escape'')', attname) ELSE format('%I', attname) END, ', '
			ORDER BY attnum) FROM pg_attribute WHERE attrelid = $1::text::regclass AND attnum > 0 AND NOT attisdropped`, name)
		found[name] = ask[[]string](e.fixture, fmt.Sprintf(`SELECT coalesce(array_agg(r::text ORDER BY r::text), '{}') FROM (SELECT %s FROM %s) AS r`, columns, name))
	}
	return found
}

// left are the rows that hold a text, with escapes of JSON decoded once more.
func left(tables map[string][]string, text string) []string {
	var found []string
	spelled := strings.NewReplacer(`\\u0061`, "a", `\u0061`, "a", `\\u0065`, "e", `\u0065`, "e")
	for name, rows := range tables {
		for _, row := range rows {
			if strings.Contains(strings.ToLower(spelled.Replace(row)), text) {
				found = append(found, name+": "+row)
			}
		}
	}
	return found
}

func TestAnErasedRecordIsNowhere(t *testing.T) {
	e := openErasing(t)
	before := e.tables()
	n := len(left(before, person))
	check.FatalIf(t, n < 10, "the person stands in %d rows only", n)
	want := map[string]int64{
		"rows": 1, "arrays of rows": 1, "versions": 3, "values by day": 1, "raw records": 3, "quarantine": 1, "callbacks": 2, "events": 1, "hints": 1,
	}
	planned := check.Sure(e.db.Erase(t.Context(), e.subject("1"), true))(e)
	check.Same(t, "a dry run would erase", want, planned.Places)
	check.Same(t, "a dry run changed", before, e.tables())
	receipt := check.Sure(e.db.Erase(t.Context(), e.subject("1"), false))(e)
	check.Same(t, "erased", want, receipt.Places)
	after := e.tables()
	for _, row := range left(after, person) {
		if !strings.HasPrefix(row, "sluice.actions: ") && !strings.HasPrefix(row, "sluice.drift: ") { // they name no record
			t.Error("left: " + row)
		}
	}
	// What is of bill 2 alone is byte for byte as it was.
	for _, name := range []string{"store.bills", "store.bills_lines", "history.versions", "history.days", "sluice.quarantine", "sluice.hints", "notifications.events"} {
		for _, row := range before[name] {
			if left(map[string][]string{"": {row}}, person) == nil && !strings.Contains(strings.Join(after[name], "\n"), row) && !strings.Contains(row, ",1,") {
				t.Errorf("%s lost %s", name, row)
			}
		}
	}
	for _, row := range after["sluice.raw_records"] {
		check.ErrorIf(t, !strings.Contains(row, "null") || !strings.Contains(row, `bill_id`), "an archive has not one record and a null: %s", row)
	}
	got := ask[string](e.fixture, `SELECT string_agg(sluice.raw_record(_call_id, _raw_position)::text, '') FROM store.bills`)
	check.ErrorIf(t, !strings.Contains(got, `"b2"`), "bill 2 leads to %s", got)
	check.Same(t, "the log of changes says", fmt.Sprintf(`deleted {1} {"erasure": %d}`, receipt.ID),
		ask[string](e.fixture, `SELECT op || ' ' || record_ids::text || ' ' || details::text FROM sluice.changes ORDER BY seq DESC LIMIT 1`))
	e.sound()
	check.FailsWith(t, check.Failure(e.db.Erase(t.Context(), e.subject("1"), false)), erasures.ErrNothing)
	check.FailsWith(t, check.Failure(e.db.Erase(t.Context(), e.subject("404"), false)), erasures.ErrNothing)
}

// TestAnErasedRecordIsRefused: by lists, by single records, in quarantine and in callbacks, until
// it is allowed.
func TestAnErasedRecordIsRefused(t *testing.T) {
	e := openErasing(t)
	check.Must(e, check.Failure(e.db.Erase(t.Context(), e.subject("1"), false)))
	list, details := e.claimOf(e.bills), e.claimOf(e.details)
	batch := e.of(list, header("1", person, 3), header("2", "b3", 3))
	batch.Rejected = []pipeline.RejectedRecord{{Raw: []byte(`{"bill_id":"1","x":"` + person + `"}`), ID: "1", Code: "wrong_type"}}
	check.Same(t, "loaded", pipeline.Loaded{Updated: 1}, e.load(batch))
	e.load(e.of(details, singleBill("1", person, 3)))
	e.exec(`INSERT INTO sluice.callbacks (organization_id, dialect, digest, received_at, repeated_at, module, operation, ids, bytes, body)
		VALUES ($1, 'rule', 'd', now(), clock_timestamp(), 'bills', '', '{1}', 9, 'anna@example.com')`, organization)
	e.exec(`INSERT INTO notifications.events (organization_id, callback_id, module, record_id, operation, told_at)
		VALUES ($1, 99, 'anna@example.com', '1', 'update', now())`, organization)
	for _, row := range left(e.tables(), person) {
		if !strings.HasPrefix(row, "sluice.actions: ") && !strings.HasPrefix(row, "sluice.drift: ") {
			t.Error("came back: " + row)
		}
	}
	was := check.Sure(erasures.Allow(t.Context(), e.db.Pool(), e.bills.ListKey(), "1"))(e)
	diff := cmp.Diff(pipeline.Loaded{Inserted: 1}, e.load(e.of(list, header("1", person, 4))))
	check.ErrorIf(t, diff != "" || !was, "after it was allowed (%t), loaded (-want +got):\n%s", was, diff)
}

// TestALoadThatWaitedForAnErasure has lost its claim: what it read of other tables before it waited
// does not show the erasure.
func TestALoadThatWaitedForAnErasure(t *testing.T) {
	e := openErasing(t)
	batch := e.of(e.claimOf(e.bills), header("1", person, 3))
	// The erasure has locked the stream, and waits for its turn among erasures.
	turn := check.Sure(e.db.Pool().Begin(t.Context()))(e)
	check.Must(e, check.Failure(turn.Exec(t.Context(), `LOCK TABLE sluice.erasures IN SHARE ROW EXCLUSIVE MODE`)))
	waiting := func(n int) {
		t.Helper()
		for ask[int](e.fixture, `SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`) < n {
			check.FatalIf(t, t.Failed() || t.Context().Err() != nil, "%d sessions do not wait", n)
		}
	}
	var both sync.WaitGroup
	both.Go(func() {
		if _, err := e.db.Erase(t.Context(), e.subject("1"), false); err != nil {
			t.Error(err)
		}
	})
	waiting(1)
	both.Go(func() {
		check.FailsWith(t, check.Failure(e.db.Load(t.Context(), batch)), pipeline.ErrLostClaim)
	})
	waiting(2)
	check.Must(e, turn.Commit(t.Context()))
	both.Wait()
	check.Same(t, "the record came back", 0, ask[int](e.fixture, `SELECT count(*) FROM store.bills WHERE bill_id = '1'`))
}

// TestErasingBesideLoads: batches that show the record are loaded while it is erased. Each comes
// before, or its claim is lost; the next claim refuses the record.
func TestErasingBesideLoads(t *testing.T) {
	e := openErasing(t)
	ctx, cancel := context.WithCancel(t.Context())
	var loading sync.WaitGroup
	begun := make(chan struct{})
	claim, n := e.claimOf(e.bills), 0
	loading.Go(func() {
		for ; ctx.Err() == nil; n++ {
			batch := e.of(claim, header("1", fmt.Sprintf("%s %d", person, n), 3+n%20), header("2", fmt.Sprint(n), 3+n%20))
			_, err := e.db.Load(t.Context(), batch)
			if errors.Is(err, pipeline.ErrLostClaim) {
				claim = e.claimOf(e.bills)
			} else if err != nil {
				t.Error(err)
				return
			}
			if n == 5 {
				close(begun)
			}
		}
	})
	<-begun
	check.Must(e, check.Failure(e.db.Erase(t.Context(), e.subject("1"), false)))
	at := ask[int64](e.fixture, `SELECT max(seq) FROM sluice.changes`)
	for ask[int64](e.fixture, `SELECT count(*) FROM sluice.changes WHERE seq > $1`, at) < 3 { // three batches later
		if t.Failed() {
			break
		}
	}
	cancel()
	loading.Wait()
	if n := ask[int](e.fixture, `SELECT (SELECT count(*) FROM store.bills WHERE bill_id = '1') + (SELECT count(*) FROM store.bills_lines WHERE _parent_id = '1')
		+ (SELECT count(*) FROM history.versions WHERE record_id = '1') + (SELECT count(*) FROM sluice.raw_records WHERE lower(records) LIKE '%anna%')`); n != 0 {
		t.Errorf("%d places have the record", n)
	}
}

// TestReceiptsShowThatTheyWereAltered: each is sealed with the one before it.
func TestReceiptsShowThatTheyWereAltered(t *testing.T) {
	e := openErasing(t)
	for _, id := range []string{"1", "2"} {
		check.Must(e, check.Failure(e.db.Erase(t.Context(), e.subject(id), false)))
	}
	altered := func() []bool {
		receipts := check.Sure(erasures.List(t.Context(), e.db.Pool()))(e)
		var found []bool
		for _, r := range receipts {
			found = append(found, r.Altered)
			text, err := json.Marshal(r)
			check.ErrorIf(t, err != nil || strings.Contains(string(text), "anna"), "receipt %s, error %v", text, err)
		}
		return found
	}
	check.Same(t, "altered", []bool{false, false}, altered())
	e.exec(`UPDATE sluice.erasures SET places = '{"rows": 2}' WHERE id = (SELECT max(id) FROM sluice.erasures)`)
	check.Same(t, "altered", []bool{false, true}, altered())
	e.exec(`DELETE FROM sluice.erased_records`)
	e.exec(`DELETE FROM sluice.erasures WHERE id = (SELECT min(id) FROM sluice.erasures)`)
	check.Same(t, "altered", []bool{true}, altered())
}
