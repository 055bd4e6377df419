package warehouse_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/jackc/pgx/v5/pgxpool"

	"sluice/pipeline/check"
	"sluice/pipeline/warehouse"
	"sluice/pipeline/warehouse/calls"
	"sluice/pipeline/warehouse/quarantine"
	"sluice/pipeline/warehouse/streams"
	"sluice/pipeline/warehouse/warehousetest"
)

// seedReading is written by hand: the reader's results must not depend on other writers of these
// tables.
const seedReading = `
INSERT INTO sluice.runs (organization_id, service, resource, class, gen, started_at, ended_at, note, outcome, calls, kind, pages,
	received, inserted) VALUES
	('o', 'shop', 'things', 'sweep', 3, '2026-03-01 10:00Z', '2026-03-01 10:01:30Z', 'no right', 'failed', 7, 'denied', 2, 400, 12),
	('o', 'shop', 'bills', 'incremental', 0, '2026-03-01 11:00Z', NULL, '', NULL, 0, NULL, 1, 200, 5);
INSERT INTO sluice.streams (organization_id, service, resource, every, next_due_at, watermark, state, reason, wait_until, failures, run_id,
	last_run_id, requested_gen, served_gen) VALUES
	('o', 'shop', 'things', '90 minutes', '2026-03-02Z', '2026-02-01Z', 'denied', 'no right', NULL, 4, NULL, 1, 3, 3),
	('p', 'shop', 'bills', '1 day', '2026-03-02Z', NULL, 'running', '', NULL, 0, 2, NULL, 1, 0);
INSERT INTO sluice.calls (organization_id, service, resource, class, shared, run_id, method, path, reserved_at, lease_until, finished_at,
	free_at, kind, records)
SELECT 'o', 'shop', resource, class, 'suite', run, 'GET', '/x', now() - age, now() - age + '2 minutes', ended, now() - age + '3 minutes',
	nullif(kind, ''), records
FROM (VALUES
	('bills', 'incremental', 2, interval '1 hour', now() - interval '1 hour', NULL, 200),
	('bills', 'incremental', 2, interval '1 hour', now() - interval '1 hour', 'unavailable', NULL),
	('bills', 'incremental', 2, interval '1 hour', NULL, '', 0),
	('bills', 'incremental', 2, interval '1 minute', NULL, '', 0),
	('things', 'sweep', 1, interval '23 hours', now() - interval '23 hours', NULL, 7),
	('things', 'sweep', 1, interval '25 hours', now() - interval '25 hours', NULL, 7)
) AS v (resource, class, run, age, ended, kind, records);
INSERT INTO sluice.day_budgets (organization_id, service, exhausted_until, limit_seen, remaining_seen, reset_at) VALUES
	('o', 'shop', now() - interval '1 hour', 1000, 17, '2026-03-02Z'), ('o', 'store', '2200-01-01Z', NULL, 0, NULL);
INSERT INTO sluice.quarantine (organization_id, service, resource, record_hash, record_id, raw, code, path, detail, call_id, run_id, state)
VALUES
	('o', 'shop', 'things', '\x01', '17', '{"a":1}', 'wrong_type', 'a', 'a number', 3, 1, 'open'),
	('o', 'shop', 'things', '\x02', '', '\x00ff', 'bad_json', '', '', NULL, 0, 'resolved'),
	('p', 'shop', 'bills', '\x03', '18', 'x', 'no_id', '', '', 4, 2, 'open');
INSERT INTO sluice.drift (organization_id, service, resource, path, kind, seen) VALUES
	('o', 'shop', 'things', 'b', 'string', 4), ('p', 'shop', 'bills', 'a', 'null', 2);
CREATE SCHEMA "sh""op";
CREATE TABLE "sh""op".things (id text, amount numeric(10, 2), at timestamptz);
COMMENT ON TABLE "sh""op".things IS 'Things.';
COMMENT ON COLUMN "sh""op".things.amount IS 'How much.';
INSERT INTO "sh""op".things VALUES ('1'), ('2');`

func openReading(t *testing.T) *warehouse.DB {
	t.Helper()
	_, reader := openReadingPool(t)
	return reader
}

func openReadingPool(t *testing.T) (*pgxpool.Pool, *warehouse.DB) {
	t.Helper()
	t.Parallel()
	db := check.Sure(warehouse.Open(t.Context(), warehousetest.MigratedWith(t, "report", seedReading), warehouse.Options{}))(t)
	t.Cleanup(db.Close)
	return db.Pool(), db
}

func instant(t *testing.T, text string) time.Time {
	t.Helper()
	return check.Sure(time.Parse("2006-01-02 15:04:05", text))(t)
}

// sameAs compares what a call returned.
func sameAs[T any](t *testing.T, want T, options ...cmp.Option) func(T, error) {
	t.Helper()
	return func(got T, err error) {
		t.Helper()
		check.Must(t, err)
		check.Same(t, "what was read", want, got, append(options, cmpopts.EquateEmpty())...)
	}
}

func TestStreams(t *testing.T) {
	reader := openReading(t)
	watermark := instant(t, "2026-02-01 00:00:00")
	things := streams.Status{
		Organization: "o", Service: "shop", Resource: "things", Enabled: true, EverySeconds: 5400,
		NextDueAt: instant(t, "2026-03-02 00:00:00"), State: "denied", Reason: "no right", Watermark: &watermark, Failures: 4,
		LastRun: new(int64(1)), Requested: 3, Done: 3, Quarantined: 1, Unrequested: 1,
	}
	bills := streams.Status{
		Organization: "p", Service: "shop", Resource: "bills", Enabled: true, EverySeconds: 86400,
		NextDueAt: instant(t, "2026-03-02 00:00:00"), State: "running", Run: new(int64(2)), Requested: 1, Quarantined: 1, Unrequested: 1,
	}
	sameAs(t, []streams.Status{things, bills})(reader.Streams(t.Context(), ""))
	sameAs(t, []streams.Status{bills})(reader.Streams(t.Context(), "p"))
}

// backlogs are the streams of an organization of its own: details, one over parents, and one that
// is neither.
const backlogs = `
INSERT INTO sluice.streams (organization_id, service, resource, every) VALUES
	('q', 'shop', 'bills', '1 hour'), ('q', 'shop', 'bills.details', '1 hour'), ('q', 'shop', 'extras.details', '1 hour'),
	('q', 'shop', 'persons', '1 hour'), ('q', 'shop', 'nothing.details', '1 hour');
CREATE SCHEMA shop; CREATE SCHEMA IF NOT EXISTS custom;
CREATE TABLE shop.bills (organization_id text, bill_id int, _detail_state text, _deleted_at timestamptz);
INSERT INTO shop.bills SELECT 'q', n, state FROM (VALUES (3, 'pending'), (2, 'stale'), (1, 'failed'), (5, 'current'), (4, 'none_needed'))
	AS v (times, state), generate_series(1, times) AS n;
INSERT INTO shop.bills VALUES ('p', 1, 'pending');
CREATE TABLE custom.extras AS SELECT 'q'::text AS organization_id, 'pending'::text AS _detail_state, NULL::timestamptz AS _deleted_at;
INSERT INTO sluice.parents (organization_id, service, resource, parent_id, read_at, tried_at, failures, active) VALUES
	('q', 'shop', 'persons', 'a', '2026-03-01 10:00Z', '2026-03-01 10:00Z', 0, true),
	('q', 'shop', 'persons', 'b', '2026-03-01 09:00Z', '2026-03-01 11:00Z', 2, true),
	('q', 'shop', 'persons', 'c', NULL, '2026-03-01 08:00Z', 0, true), ('q', 'shop', 'persons', 'd', NULL, '2026-03-01 08:00Z', 0, false);`

func TestBacklogsOfStreams(t *testing.T) {
	pool, reader := openReadingPool(t)
	check.Must(t, check.Failure(pool.Exec(t.Context(), backlogs)))
	look := func() map[string]streams.Status {
		t.Helper()
		rows := check.Sure(reader.Streams(t.Context(), "q"))(t)
		found := map[string]streams.Status{}
		for _, stream := range rows {
			found[stream.Resource] = streams.Status{Details: stream.Details, Parents: stream.Parents}
		}
		return found
	}
	sameAs(t, map[string]streams.Status{
		"bills": {}, "nothing.details": {},
		"bills.details":  {Details: &streams.DetailBacklog{Pending: 3, Stale: 2, Failed: 1}},
		"extras.details": {Details: &streams.DetailBacklog{Pending: 1}},
		"persons":        {Parents: &streams.ParentRound{Parents: 3, Read: 2, Failed: 1}},
	})(look(), nil)

	check.Must(t, check.Failure(pool.Exec(t.Context(), `UPDATE sluice.parents SET read_at = '2026-03-01 12:00Z' WHERE parent_id = 'c'`)))
	oldest := instant(t, "2026-03-01 09:00:00")
	sameAs(t, &streams.ParentRound{Parents: 3, Read: 3, Failed: 1, Oldest: &oldest})(look()["persons"].Parents, nil)
}

func TestOrganizations(t *testing.T) {
	pool, reader := openReadingPool(t)
	check.Must(t, check.Failure(pool.Exec(t.Context(), `INSERT INTO sluice.organizations VALUES
		('b', 'Beta', '', false, '2026-03-01Z', '2026-03-02Z'), ('a', 'Alpha', 'Europe/Oslo', true, '2026-03-03Z', '2026-03-04Z')`)))
	sameAs(t, []warehouse.Organization{
		{Organization: "a", Name: "Alpha", TimeZone: "Europe/Oslo", Active: true, PinnedAt: instant(t, "2026-03-03 00:00:00"), CheckedAt: instant(t, "2026-03-04 00:00:00")},
		{Organization: "b", Name: "Beta", PinnedAt: instant(t, "2026-03-01 00:00:00"), CheckedAt: instant(t, "2026-03-02 00:00:00")},
	})(reader.Organizations(t.Context()))
}

func TestRuns(t *testing.T) {
	reader := openReading(t)
	ended := instant(t, "2026-03-01 10:01:30")
	failed := streams.Run{
		ID: 1, Organization: "o", Service: "shop", Resource: "things", Class: "sweep", StartedAt: instant(t, "2026-03-01 10:00:00"),
		EndedAt: &ended, Seconds: 90, Outcome: "failed", Kind: "denied", Note: "no right", Gen: 3, Calls: 7, Pages: 2, Received: 400,
		Inserted: 12,
	}
	running := streams.Run{
		ID: 2, Organization: "o", Service: "shop", Resource: "bills", Class: "incremental",
		StartedAt: instant(t, "2026-03-01 11:00:00"), Calls: 4, Pages: 1, Received: 200, Inserted: 5,
	}
	progress := cmpopts.IgnoreFields(streams.Run{}, "Seconds")
	sameAs(t, []streams.Run{running, failed}, progress)(reader.Runs(t.Context(), streams.RunFilter{}))
	sameAs(t, []streams.Run{running}, progress)(reader.Runs(t.Context(), streams.RunFilter{Limit: 1}))
	sameAs(t, []streams.Run{failed})(reader.Runs(t.Context(), streams.RunFilter{Organization: "o", Service: "shop", Resource: "things"}))
	sameAs(t, []streams.Run{running}, progress)(reader.Runs(t.Context(), streams.RunFilter{Open: true}))
	sameAs(t, failed)(reader.RunProgress(t.Context(), 1))
	for _, id := range []int64{0, 99} {
		check.FailsWith(t, check.Failure(reader.RunProgress(t.Context(), id)), warehouse.ErrNotFound)
	}
}

func TestQuarantine(t *testing.T) {
	reader := openReading(t)
	times := cmpopts.IgnoreFields(quarantine.Entry{}, "FirstSeenAt", "LastSeenAt")
	first := quarantine.Entry{
		ID: 1, Organization: "o", Service: "shop", Resource: "things", Record: "17", Code: "wrong_type", Path: "a",
		Detail: "a number", Call: 3, Run: 1, Seen: 1, State: "open", Bytes: 7,
	}
	sameAs(t, []quarantine.Entry{first}, times)(reader.Quarantine(t.Context(), quarantine.Filter{Organization: "o", State: "open"}))
	all, err := reader.Quarantine(t.Context(), quarantine.Filter{})
	check.ErrorIf(t, err != nil || len(all) != 3 || all[0].ID != 3, "all of it: %+v, %v", all, err)
	shown, err := reader.QuarantineShow(t.Context(), 1)
	first.Raw = []byte(`{"a":1}`)
	sameAs(t, first, times)(shown, err)
	check.FailsWith(t, check.Failure(reader.QuarantineShow(t.Context(), 99)), warehouse.ErrNotFound)
}

// TestCauses sums up open entries by list, code and field.
func TestCauses(t *testing.T) {
	reader := openReading(t)
	_, err := reader.Pool().Exec(t.Context(), `INSERT INTO sluice.quarantine (organization_id, service, resource, record_hash, raw, code, path, first_seen_at, last_seen_at)
		SELECT 'o', 'shop', 'bills', sha256(i::text::bytea), '', 'bad_time', 'lines[' || i || '].parts[7].at', '2026-03-01Z', '2026-03-02Z' FROM generate_series(10, 14) i`)
	check.Must(t, err)
	times := cmpopts.IgnoreFields(quarantine.Cause{}, "FirstSeenAt", "LastSeenAt")
	things := quarantine.Cause{Organization: "o", Service: "shop", Resource: "things", Code: "wrong_type", Field: "a", Entries: 1, Example: 1, New: true}
	bills := quarantine.Cause{Organization: "o", Service: "shop", Resource: "bills", Code: "bad_time", Field: "lines[].parts[].at", Entries: 5, Example: 8}
	of := func(f quarantine.Filter) []quarantine.Cause {
		t.Helper()
		return check.Sure(reader.Causes(t.Context(), f))(t)
	}
	all := of(quarantine.Filter{Organization: "o"})
	sameAs(t, []quarantine.Cause{things, bills}, times)(all, nil)
	if first, last := instant(t, "2026-03-01 00:00:00"), instant(t, "2026-03-02 00:00:00"); !all[1].FirstSeenAt.Equal(first) || !all[1].LastSeenAt.Equal(last) {
		t.Errorf("the bills came from %s to %s", all[1].FirstSeenAt, all[1].LastSeenAt)
	}
	bills.Entries, bills.Example = 2, 5
	sameAs(t, []quarantine.Cause{bills}, times)(of(quarantine.Filter{Field: new("lines[].parts[].at"), Before: 6}), nil)
	got := of(quarantine.Filter{Field: new("")})
	check.ErrorIf(t, len(got) != 1 || got[0].Code != "no_id", "without a field: %+v", got)
	if got := of(quarantine.Filter{Limit: 1}); len(got) != 1 {
		t.Errorf("%d causes, want one", len(got))
	}
	entries, err := reader.Quarantine(t.Context(), quarantine.Filter{Field: new("lines[].parts[].at"), Before: 6})
	check.ErrorIf(t, err != nil || len(entries) != 2 || entries[0].ID != 5, "entries of the field before 6: %+v, %v", entries, err)
}

func TestDrift(t *testing.T) {
	got, err := openReading(t).Drift(t.Context(), "p")
	sameAs(t, []quarantine.Drift{{Organization: "p", Service: "shop", Resource: "bills", Path: "a", Kind: "null", Seen: 2}},
		cmpopts.IgnoreFields(quarantine.Drift{}, "FirstSeenAt", "LastSeenAt"))(got, err)
}

func TestSpentAndLeft(t *testing.T) {
	reader := openReading(t)
	sameAs(t, []calls.Spent{
		{Service: "shop", Resource: "bills", Class: "incremental", Calls: 4, Failed: 2, Records: 200},
		{Service: "shop", Resource: "things", Class: "sweep", Calls: 1, Records: 7},
	})(reader.Spent(t.Context(), "o"))
	reset := instant(t, "2026-03-02 00:00:00")
	sameAs(t, calls.Budget{
		Organization: "o", Service: "shop", Day: 5, LimitSeen: new(1000), RemainingSeen: new(17), ResetAt: &reset,
	})(reader.BudgetLeft(t.Context(), "o", "shop"))
	until := instant(t, "2200-01-01 00:00:00")
	sameAs(t, calls.Budget{Organization: "o", Service: "store", RemainingSeen: new(0), ExhaustedUntil: &until})(
		reader.BudgetLeft(t.Context(), "o", "store"))
	sameAs(t, calls.Budget{Organization: "o", Service: "chat"})(reader.BudgetLeft(t.Context(), "o", "chat"))
}

func TestTables(t *testing.T) {
	reader := openReading(t)
	const table = `sh"op.things`
	sameAs(t, warehouse.Catalog{
		Columns: map[string]map[string]string{
			table: {"id": "text", "amount": "numeric(10,2)", "at": "timestamp with time zone"},
		},
		Comments: map[string]string{table: "Things.", table + ".amount": "How much."},
	})(reader.Catalog(t.Context(), []string{`sh"op`}))
}
