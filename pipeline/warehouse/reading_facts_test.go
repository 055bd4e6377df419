package warehouse_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"sluice/pipeline"
	"sluice/pipeline/warehouse/calls"
	"sluice/pipeline/warehouse/postgres"
	"sluice/pipeline/warehouse/streams"
)

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
	t.Parallel()
	pool, reader := openReadingPool(t)
	if _, err := pool.Exec(t.Context(), ranBefore); err != nil {
		t.Fatal(err)
	}
	want := []streams.Facts{{
		Organization: "q", Service: "shop", Resource: "things", SinceSeconds: 7200, EverySeconds: 5400, Runs: 3, Rows: 110,
		Changed: 12, WatchedSeconds: 8 * 3600, Parents: 2,
	}}
	about := cmp.Options{cmpopts.EquateApprox(0, 60), cmpopts.IgnoreFields(streams.Facts{}, "Watermark")}
	known, err := reader.FactsOfStreams(t.Context(), "q")
	if diff := cmp.Diff(want, known, about); diff != "" || err != nil {
		t.Errorf("known: %v\n%s", err, diff)
	}
	if known, err = reader.FactsSoon(t.Context(), ofThings, true); len(known) != 1 || err != nil {
		t.Errorf("at the start of a run: %v, %v", known, err)
	}
	for _, spoil := range []string{
		`UPDATE sluice.runs SET forecast_calls = 3, forecast_basis = 'measured', rows_before = 110 WHERE id = (SELECT max(id) FROM sluice.runs WHERE organization_id = 'q')`,
		`UPDATE sluice.runs SET pages = CASE WHEN ended_at IS NULL THEN 1 ELSE pages END, forecast_calls = NULL, forecast_basis = NULL, rows_before = NULL`,
	} {
		if _, err := pool.Exec(t.Context(), spoil); err != nil {
			t.Fatal(err)
		}
		if known, err := reader.FactsSoon(t.Context(), ofThings, true); len(known) != 0 || err != nil {
			t.Errorf("after %s: %v, %v", spoil, known, err)
		}
	}
	// A forecast holds what earlier runs inserted: 1000, and 3 + 0 came after it.
	if _, err := pool.Exec(t.Context(), `UPDATE sluice.runs
		SET forecast_calls = 1, forecast_basis = 'measured', rows_before = CASE outcome WHEN 'failed' THEN 1000 ELSE 5 END
		WHERE organization_id = 'q' AND (outcome = 'failed' OR started_at < now() - interval '1 day')`); err != nil {
		t.Fatal(err)
	}
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
	t.Parallel()
	pool, reader := openReadingPool(t)
	if _, err := pool.Exec(t.Context(), backlogs); err != nil {
		t.Fatal(err)
	}
	holder, err := pool.Begin(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := holder.Exec(t.Context(), `LOCK TABLE shop.bills IN ACCESS EXCLUSIVE MODE`); err != nil {
		t.Fatal(err)
	}
	details := pipeline.Key{Organization: "q", Service: "shop", Resource: "bills.details"}
	if known, err := reader.FactsSoon(t.Context(), details, false); !postgres.Busy(err) {
		t.Errorf("behind a lock: %v, %v", known, err)
	}
	if err := holder.Rollback(t.Context()); err != nil {
		t.Fatal(err)
	}
	if known, err := reader.FactsSoon(t.Context(), details, false); err != nil || len(known) != 1 || known[0].Waiting != 5 {
		t.Errorf("without it: %+v, %v", known, err)
	}
	if known, err := reader.FactsSoon(t.Context(), details, true); err != nil || len(known) != 0 {
		t.Errorf("of a stream without a run: %+v, %v", known, err)
	}
}

func TestHours(t *testing.T) {
	t.Parallel()
	pool, reader := openReadingPool(t)
	if _, err := pool.Exec(t.Context(), ranBefore); err != nil {
		t.Fatal(err)
	}
	hours, err := reader.Hours(t.Context(), "q")
	want := []calls.Hour{
		{Service: "shop", Class: "incremental", Ago: 0, Calls: 3, Answered: 2, Seconds: 6},
		{Service: "shop", Class: "incremental", Ago: 1, Calls: 1, Answered: 1, Seconds: 1},
	}
	if diff := cmp.Diff(want, hours); diff != "" || err != nil {
		t.Errorf("hours: %v\n%s", err, diff)
	}
}
