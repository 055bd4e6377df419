package warehouse_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"sluice/pipeline"
	"sluice/pipeline/check"
	"sluice/pipeline/warehouse"
	"sluice/pipeline/warehouse/calls"
	"sluice/pipeline/warehouse/postgres"
	"sluice/pipeline/warehouse/streams"
	"sluice/pipeline/warehouse/streams/backfills"
)

func idsOf(page streams.RunPage) []int64 {
	var ids []int64
	for i := range page.Runs {
		ids = append(ids, page.Runs[i].ID)
	}
	return ids
}

// TestRunPage pages through runs by their identifiers, and through more of them than one page looks
// through.
func TestRunPage(t *testing.T) {
	pool, reader := openReadingPool(t)
	for _, sql := range []string{
		// Behind the two of the seed: 3 to 5 of things, all done, then 20,000 others.
		`INSERT INTO sluice.runs (organization_id, service, resource, class, gen, started_at, ended_at, outcome)
			SELECT 'o', 'shop', 'things', 'sweep', 0, '2026-03-02Z', '2026-03-02Z', 'done' FROM generate_series(3, 5)`,
		`INSERT INTO sluice.runs (organization_id, service, resource, class, gen, started_at, ended_at, outcome)
			SELECT 'p', 'shop', 'things', 'sweep', 0, '2026-03-03Z', '2026-03-03Z', 'done' FROM generate_series(6, 20005)`,
	} {
		check.Must(t, check.Failure(pool.Exec(t.Context(), sql)))
	}
	for name, c := range map[string]struct {
		filter  streams.RunFilter
		outcome string
		before  int64
		want    []int64
		next    int64
	}{
		"the newest":                      {streams.RunFilter{Limit: 2}, "", 0, []int64{20005, 20004}, 20004},
		"the next":                        {streams.RunFilter{Limit: 2}, "", 20004, []int64{20003, 20002}, 20002},
		"the last":                        {streams.RunFilter{Limit: 5}, "", 4, []int64{3, 2, 1}, 0},
		"a stream":                        {streams.RunFilter{Organization: "o", Service: "shop", Resource: "things", Limit: 3}, "", 0, []int64{5, 4, 3}, 3},
		"the rest of a stream":            {streams.RunFilter{Organization: "o", Service: "shop", Resource: "things", Limit: 3}, "", 3, []int64{1}, 0},
		"an outcome of a stream":          {streams.RunFilter{Organization: "o", Service: "shop", Resource: "things"}, "failed", 0, []int64{1}, 0},
		"an outcome, not looked so far":   {streams.RunFilter{}, "failed", 0, nil, 6},
		"an outcome, looked for further":  {streams.RunFilter{}, "failed", 6, []int64{1}, 0},
		"what is open":                    {streams.RunFilter{}, "open", 6, []int64{2}, 0},
		"an organization, not looked far": {streams.RunFilter{Organization: "o"}, "", 0, nil, 6},
		"an organization without others":  {streams.RunFilter{Organization: "o"}, "", 6, []int64{5, 4, 3, 2, 1}, 0},
	} {
		got, err := reader.RunPage(t.Context(), c.filter, c.outcome, c.before)
		check.FatalIf(t, err != nil, "%s: %v", name, err)
		diff := cmp.Diff(c.want, idsOf(got))
		check.ErrorIf(t, diff != "" || got.Before != c.next, "%s: goes on before %d, want %d (-want +got):\n%s", name, got.Before, c.next, diff)
	}
	// A run of a page is the run that is read by itself.
	page := check.Sure(reader.RunPage(t.Context(), streams.RunFilter{Organization: "o", Service: "shop", Resource: "things"}, "failed", 0))(t)
	one, err := reader.RunProgress(t.Context(), 1)
	sameAs(t, one)(page.Runs[0], err)
}

// TestRunDays counts runs by the dates of a zone.
func TestRunDays(t *testing.T) {
	pool, reader := openReadingPool(t)
	if _, err := pool.Exec(t.Context(), `INSERT INTO sluice.runs (organization_id, service, resource, class, gen, started_at, ended_at, outcome)
		SELECT 'o', 'shop', 'things', 'sweep', 0, at::timestamptz, CASE WHEN outcome <> '' THEN at::timestamptz END, nullif(outcome, '')
		FROM (VALUES ('2026-03-01 18:29Z', 'done'), ('2026-03-01 18:30Z', 'provisional'), ('2026-03-02 10:00Z', 'done'), ('2026-03-02 11:00Z', 'done'),
			('2026-02-28 10:00Z', 'failed'), ('2026-03-02 12:00Z', '')) AS v (at, outcome)`); err != nil {
		t.Fatal(err)
	}
	kolkata, err := time.LoadLocation("Asia/Kolkata") // where the day begins at 18:30 UTC
	check.Must(t, err)
	key := pipeline.Key{Organization: "o", Service: "shop", Resource: "things"}
	got, err := reader.RunDays(t.Context(), key, kolkata, instant(t, "2026-03-01 00:00:00"))
	sameAs(t, []streams.RunDay{{Day: "2026-03-01", Done: 1, Failed: 1}, {Day: "2026-03-02", Done: 2, Provisional: 1}})(got, err)
}

func TestQuarantineOfARun(t *testing.T) {
	reader := openReading(t)
	got, err := reader.QuarantineOfRun(t.Context(), 1, 10)
	check.ErrorIf(t, err != nil || len(got) != 1 || got[0].ID != 1 || got[0].Record != "17" ||
		got[0].Code != "wrong_type" || got[0].Raw != nil,
		"run 1 met %+v (%v), want entry 1 without its bytes", got, err)
}

func TestWaitReasons(t *testing.T) {
	pool, reader := openReadingPool(t)
	look := func() map[int64]string {
		t.Helper()
		return check.Sure(reader.WaitReasons(t.Context(), []int64{1, 2}))(t)
	}
	check.Same(t, "reasons of the run that goes on", 0, len(look()))
	check.Must(t, check.Failure(pool.Exec(t.Context(),
		`UPDATE sluice.streams SET state = 'waiting', reason = 'exhausted: code 45' WHERE run_id = 2`)))
	got := look()
	check.ErrorIf(t, len(got) != 1 || got[2] != "exhausted: code 45", "run 2 waits because of %q", got[2])
}

// spentDays are counts written by hand: three minutes and an hour of a service's day, one of them
// of yesterday. With them go upstream's last answer, after two of five calls of a minute, and the
// calls that other programs made before.
const spentDays = `
INSERT INTO sluice.spent (organization_id, service, span, began_at, reserved, calls, incremental, sweep) VALUES
	('d', 'shop', 'minute', date_bin('1 minute', clock_timestamp(), 'epoch'), 5, 4, 1, 3),
	('d', 'shop', 'hour', date_bin('1 hour', clock_timestamp() - interval '5 hours', 'epoch'), 10, 10, 0, 10),
	('d', 'shop', 'minute', date_bin('1 hour', clock_timestamp() - interval '5 hours', 'epoch'), 10, 10, 0, 10),
	('d', 'shop', 'minute', date_bin('1 minute', clock_timestamp() - interval '26 hours', 'epoch'), 7, 7, 7, 0);
INSERT INTO sluice.day_budgets (organization_id, service, limit_seen, remaining_seen, reset_at, seen_call, seen_at, seen_bucket, seen_place)
VALUES ('d', 'shop', 100, 40, clock_timestamp() + interval '2 hours', 9, clock_timestamp(), date_bin('1 minute', clock_timestamp(), 'epoch'), 2);
INSERT INTO sluice.external_spent VALUES ('d', 'shop', '2026-03-01Z', 12, 100), ('d', 'shop', '2026-03-02Z', 0, 100), ('d', 'store', '2026-03-02Z', 5, 9);`

func TestDay(t *testing.T) {
	pool, reader := openReadingPool(t)
	check.Must(t, check.Failure(pool.Exec(t.Context(), spentDays)))
	day := check.Sure(reader.Day(t.Context(), "d", "shop", pipeline.Limits{}))(t)
	if day.Spent != 14 || day.ByClass[pipeline.ClassIncremental] != 1 || day.ByClass[pipeline.ClassSweep] != 13 || day.LastHour != 5 || day.Turn != nil {
		t.Errorf("the day is %+v, want 14 spent, 1 of them incremental and 13 sweeps, 5 in the last hour", day)
	}
	// Of 60 used calls, 10 were ours in an earlier minute and 2 in this one. Of the 40 that were
	// left, 3 were reserved since.
	check.ErrorIf(t, day.External == nil || *day.External != 48 || day.SeenLeft == nil || *day.SeenLeft != 37,
		"others spent %v, %v are left, want 48 and 37", day.External, day.SeenLeft)
	// The minute in which upstream's day began is ours, too.
	check.Must(t, check.Failure(pool.Exec(t.Context(),
		`INSERT INTO sluice.spent (organization_id, service, span, began_at, reserved, calls, sweep)
		SELECT organization_id, service, 'minute', date_bin('1 minute', reset_at - interval '24 hours', 'epoch'), 7, 7, 7
		FROM sluice.day_budgets WHERE (organization_id, service) = ('d', 'shop')`)))
	if first, err := reader.Day(t.Context(), "d", "shop", pipeline.Limits{}); err != nil || first.External == nil || *first.External != 41 {
		t.Errorf("with seven calls in the first minute others spent %v (%v), want 41", first.External, err)
	}
	sameAs(t, []calls.ExternalDay{
		{EndedAt: instant(t, "2026-03-02 00:00:00"), Limit: 100}, {EndedAt: instant(t, "2026-03-01 00:00:00"), Calls: 12, Limit: 100},
	})(day.Before, nil)

	turned := check.Sure(reader.Day(t.Context(), "d", "shop", pipeline.Limits{
		ResetZone: "UTC", ResetHour: day.At.UTC().Add(-3 * time.Hour).Hour(),
	}))(t)
	check.ErrorIf(t, turned.Spent != 4 || turned.Turn == nil ||
		turned.Turn.Sub(day.At) < 20*time.Hour || turned.Turn.Sub(day.At) > 21*time.Hour,
		"the day that turned three hours ago is %+v, want 4 spent, and that it turns again in 20 hours and some", turned)
	none, err := reader.Day(t.Context(), "d", "nothing", pipeline.Limits{})
	check.ErrorIf(t, err != nil || none.Spent != 0 || none.External != nil || none.SeenLeft != nil || len(none.Before) != 0,
		"a service that was never called has %+v (%v)", none, err)
}

// askedBefore is a backfill that failed once and waits in its second run, and one that has ended.
//
//nolint:dupword // columns repeat values
const askedBefore = `
INSERT INTO sluice.runs (organization_id, service, resource, class, gen, ended_at, outcome, calls, received, inserted, superseded) VALUES
	('r', 'shop', 'bills.backfill', 'backfill', 1, now(), 'failed', 5, 900, 700, 2), ('r', 'shop', 'bills.backfill', 'backfill', 1, NULL, NULL, 0, 200, 30, 0);
INSERT INTO sluice.streams (organization_id, service, resource, every, next_due_at, state, reason, wait_until, scan, run_id) SELECT
	'r', 'shop', 'bills.backfill', '15 minutes', '2026-03-02Z', 'waiting', 'spent', '2026-03-01 18:30Z', '{"windows": {"at": 4, "of": 6}}', max(id) FROM sluice.runs;
INSERT INTO sluice.streams (organization_id, service, resource, every) VALUES ('r', 'shop', 'bills', '1 hour');
INSERT INTO sluice.calls (organization_id, service, resource, class, shared, run_id, method, path, reserved_at, lease_until, free_at)
	SELECT 'r', 'shop', 'bills', 'backfill', 'suite', run_id, 'GET', '/x', now(), now(), now() FROM sluice.streams, generate_series(1, 2)
	WHERE organization_id = 'r' AND run_id IS NOT NULL;
INSERT INTO sluice.backfills (organization_id, service, resource, column_name, from_day, windows, forecast_calls, forecast_basis, requested_at,
	requested_by, state, scan, runs, ended_at) VALUES
	('r', 'shop', 'bills', '', NULL, 1, NULL, NULL, '2026-02-01Z', 'a', 'cancelled', '{}', '{}', '2026-02-02Z'),
	('r', 'shop', 'bills', 'date', '2025-10-01', 6, 40, 'measured', '2026-03-01Z', 'b', 'running', '{"windows": {"at": 1, "of": 6}}',
		(SELECT array_agg(id ORDER BY id) FROM sluice.runs WHERE organization_id = 'r'), NULL);
CREATE SCHEMA shop;
CREATE TABLE shop.bills (organization_id text, day date, modified timestamptz);
INSERT INTO shop.bills VALUES ('r', '2025-01-31', '2026-01-01 10:00Z'), ('r', '2025-02-01', '2026-01-02 10:00Z'), ('r', '2025-02-28', '2026-01-03 10:00Z'),
	('r', NULL, NULL), ('other', '2025-02-01', '2026-01-02 10:00Z');`

func TestBackfills(t *testing.T) {
	pool, reader := openReadingPool(t)
	check.Must(t, check.Failure(pool.Exec(t.Context(), askedBefore)))
	until, over := instant(t, "2026-03-01 18:30:00"), instant(t, "2026-02-02 00:00:00")
	running := backfills.Backfill{
		ID: 2, Organization: "r", Service: "shop", Resource: "bills", Column: "date", From: "2025-10-01", State: "running",
		StreamState: "waiting", Reason: "spent", Until: &until, NextDueAt: instant(t, "2026-03-02 00:00:00"), Windows: 6, WindowsDone: 4,
		Forecast: new(int64(40)), ForecastBasis: "measured", Calls: 7, Received: 1100, Inserted: 730, Superseded: 2,
		RequestedAt: instant(t, "2026-03-01 00:00:00"), RequestedBy: "b",
	}
	cancelled := backfills.Backfill{
		ID: 1, Organization: "r", Service: "shop", Resource: "bills", State: "cancelled", NextDueAt: running.NextDueAt, Windows: 1,
		RequestedAt: instant(t, "2026-02-01 00:00:00"), RequestedBy: "a", EndedAt: &over,
	}
	numbers := cmpopts.IgnoreFields(backfills.Backfill{}, "Runs")
	sameAs(t, []backfills.Backfill{running, cancelled}, numbers)(reader.List(t.Context(), backfills.Filter{}))
	sameAs(t, []backfills.Backfill{running}, numbers)(reader.List(t.Context(), backfills.Filter{Open: true}))
	sameAs(t, cancelled, numbers)(reader.Backfill(t.Context(), 1))
	check.FailsWith(t, check.Failure(reader.Backfill(t.Context(), 99)), warehouse.ErrNotFound)
	known, err := reader.FactsOfStreams(t.Context(), "r")
	check.ErrorIf(t, err != nil || len(known) != 2 || known[0].Resource != "bills" || known[0].Rows != 0 || known[0].RowsBeside != 730,
		"what is known of the list beside its backfills: %+v, %v", known, err)
}

func TestRowsWithin(t *testing.T) {
	pool, reader := openReadingPool(t)
	check.Must(t, check.Failure(pool.Exec(t.Context(), askedBefore)))
	table := [2]string{"shop", "bills"}
	first, last := instant(t, "2025-02-01 00:00:00"), instant(t, "2025-02-28 00:00:00")
	got, err := reader.RowsWithin(t.Context(), "r", table, "day", true, warehouse.Span{From: first, To: last}, warehouse.Span{To: first}, warehouse.Span{From: last})
	sameAs(t, []int64{2, 2, 1})(got, err)
	got, err = reader.RowsWithin(t.Context(), "r", table, "modified", false, warehouse.Span{From: instant(t, "2026-01-02 10:00:00")}, warehouse.Span{})
	sameAs(t, []int64{2, 4})(got, err)
	sameAs(t, []int64{4})(reader.RowsWithin(t.Context(), "r", table, "", false, warehouse.Span{From: first}))
	check.ErrorIf(t, check.Failure(reader.RowsWithin(t.Context(), "r", [2]string{"shop", "nothing"}, "", false, warehouse.Span{})) == nil,
		"rows of a table that is not there were counted")
}

// ranBefore holds the runs of one stream: a first run without a watermark, and two that continued
// from it four hours later and found 3 + 5 and 0 + 4 changes. One run is too old to count, and one
// is just beginning.
const ranBefore = `
INSERT INTO sluice.runs (organization_id, service, resource, class, gen, started_at, ended_at, outcome, watermark_before, pages, inserted, updated)
SELECT 'q', 'shop', 'things', 'incremental', 0, now() - began, now() - ended, nullif(outcome, 'open'), now() - watermark, pages, inserted, updated FROM (VALUES
	(interval '30 days', interval '30 days', 'done', interval '31 days', 1, 7, 90),
	(interval '11 hours', interval '11 hours', 'done', NULL, 1, 100, 0),
	(interval '7 hours', interval '6 hours', 'failed', interval '10 hours', 1, 3, 5),
	(interval '2 hours', interval '2 hours', 'provisional', interval '7 hours', 1, 0, 4),
	(interval '1 second', NULL::interval, 'open', interval '2 hours', 0, 0, 0)
) AS v (began, ended, outcome, watermark, pages, inserted, updated);
INSERT INTO sluice.streams (organization_id, service, resource, every, watermark, run_id)
SELECT 'q', 'shop', 'things', interval '90 minutes', now() - interval '2 hours', max(id) FROM sluice.runs WHERE organization_id = 'q';
INSERT INTO sluice.parents (organization_id, service, resource, parent_id, active) VALUES
	('q', 'shop', 'things', '1', true), ('q', 'shop', 'things', '2', true), ('q', 'shop', 'things', '3', false);
INSERT INTO sluice.calls (organization_id, service, resource, class, shared, method, path, reserved_at, lease_until, finished_at, free_at)
SELECT 'q', 'shop', 'things', 'incremental', 'suite', 'GET', '/x', now() - ago, now(), now() - ago + took, now()
FROM (VALUES (interval '10 minutes', interval '2 seconds'), (interval '20 minutes', interval '4 seconds'), (interval '30 minutes', NULL),
	(interval '90 minutes', interval '1 second'), (interval '25 hours', interval '1 second')) AS v (ago, took)`

var ofThings = pipeline.Key{Organization: "q", Service: "shop", Resource: "things"}

func TestKnown(t *testing.T) {
	pool, reader := openReadingPool(t)
	check.Must(t, check.Failure(pool.Exec(t.Context(), ranBefore)))
	want := []streams.Facts{{
		Organization: "q", Service: "shop", Resource: "things", SinceSeconds: 7200, EverySeconds: 5400, Runs: 3, Rows: 110,
		Changed: 12, WatchedSeconds: 8 * 3600, Parents: 2,
	}}
	about := cmp.Options{cmpopts.EquateApprox(0, 60), cmpopts.IgnoreFields(streams.Facts{}, "Watermark")}
	known, err := reader.FactsOfStreams(t.Context(), "q")
	diff := cmp.Diff(want, known, about)
	check.ErrorIf(t, diff != "" || err != nil, "known: %v\n%s", err, diff)
	if known, err = reader.FactsSoon(t.Context(), ofThings, true); len(known) != 1 || err != nil {
		t.Errorf("at the start of a run: %v, %v", known, err)
	}
	for _, spoil := range []string{
		`UPDATE sluice.runs SET forecast_calls = 3, forecast_basis = 'measured', rows_before = 110 WHERE id = (SELECT max(id) FROM sluice.runs WHERE organization_id = 'q')`,
		`UPDATE sluice.runs SET pages = CASE WHEN ended_at IS NULL THEN 1 ELSE pages END, forecast_calls = NULL, forecast_basis = NULL, rows_before = NULL`,
	} {
		check.Must(t, check.Failure(pool.Exec(t.Context(), spoil)))
		if known, err := reader.FactsSoon(t.Context(), ofThings, true); len(known) != 0 || err != nil {
			t.Errorf("after %s: %v, %v", spoil, known, err)
		}
	}
	// A forecast holds what earlier runs inserted: 1000, and 3 + 0 came after it.
	check.Must(t, check.Failure(pool.Exec(t.Context(), `UPDATE sluice.runs
		SET forecast_calls = 1, forecast_basis = 'measured', rows_before = CASE outcome WHEN 'failed' THEN 1000 ELSE 5 END
		WHERE organization_id = 'q' AND (outcome = 'failed' OR started_at < now() - interval '1 day')`)))
	if known, err = reader.FactsOfStreams(t.Context(), "q"); err != nil || len(known) != 1 || known[0].Rows != 1003 {
		t.Errorf("behind a forecast: %+v, %v", known, err)
	}
	// Single records count from the first run that continued from a watermark.
	if _, err := pool.Exec(t.Context(), `INSERT INTO sluice.runs (id, organization_id, service, resource, class, gen, ended_at, outcome, received)
		OVERRIDING SYSTEM VALUE SELECT id, 'q', 'shop', resource, 'details', 0, now(), 'done', received FROM (VALUES
			(-1, 'things.details', 50), (1000001, 'things.details', 4), (1000002, 'things.details', 3), (1000003, 'others.details', 9)
		) AS v (id, resource, received)`); err != nil {
		t.Fatal(err)
	}
	if known, err = reader.FactsOfStreams(t.Context(), "q"); err != nil || len(known) != 1 || known[0].Singles != 7 {
		t.Errorf("with single records: %+v, %v", known, err)
	}
	if known, err = reader.FactsOfStreams(t.Context(), "nobody"); len(known) != 0 || err != nil {
		t.Errorf("of an unknown organization: %v, %v", known, err)
	}
}

// TestAForecastWaitsForNobody: a lock on a table does not delay a run that asks how many of its
// rows wait.
func TestAForecastWaitsForNobody(t *testing.T) {
	pool, reader := openReadingPool(t)
	check.Must(t, check.Failure(pool.Exec(t.Context(), backlogs)))
	holder := check.Sure(pool.Begin(t.Context()))(t)
	check.Must(t, check.Failure(holder.Exec(t.Context(), `LOCK TABLE shop.bills IN ACCESS EXCLUSIVE MODE`)))
	details := pipeline.Key{Organization: "q", Service: "shop", Resource: "bills.details"}
	known, err := reader.FactsSoon(t.Context(), details, false)
	check.ErrorIf(t, !postgres.Busy(err), "behind a lock: %v, %v", known, err)
	check.Must(t, holder.Rollback(t.Context()))
	if known, err := reader.FactsSoon(t.Context(), details, false); err != nil || len(known) != 1 || known[0].Waiting != 5 {
		t.Errorf("without it: %+v, %v", known, err)
	}
	if known, err := reader.FactsSoon(t.Context(), details, true); err != nil || len(known) != 0 {
		t.Errorf("of a stream without a run: %+v, %v", known, err)
	}
}
