package warehouse_test

import (
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp/cmpopts"

	"sluice/pipeline/warehouse"
	"sluice/pipeline/warehouse/streams/backfills"
)

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
	t.Parallel()
	pool, reader := openReadingPool(t)
	if _, err := pool.Exec(t.Context(), askedBefore); err != nil {
		t.Fatal(err)
	}
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
	got, err := reader.List(t.Context(), backfills.Filter{})
	sameAs(t, []backfills.Backfill{running, cancelled}, got, err, numbers)
	got, err = reader.List(t.Context(), backfills.Filter{Open: true})
	sameAs(t, []backfills.Backfill{running}, got, err, numbers)
	one, err := reader.Backfill(t.Context(), 1)
	sameAs(t, cancelled, one, err, numbers)
	if _, err := reader.Backfill(t.Context(), 99); !errors.Is(err, warehouse.ErrNotFound) {
		t.Errorf("Backfill(99) = %v, want ErrNotFound", err)
	}
	known, err := reader.FactsOfStreams(t.Context(), "r")
	if err != nil || len(known) != 2 || known[0].Resource != "bills" || known[0].Rows != 0 || known[0].RowsBeside != 730 {
		t.Errorf("what is known of the list beside its backfills: %+v, %v", known, err)
	}
}

func TestRowsWithin(t *testing.T) {
	t.Parallel()
	pool, reader := openReadingPool(t)
	if _, err := pool.Exec(t.Context(), askedBefore); err != nil {
		t.Fatal(err)
	}
	table := [2]string{"shop", "bills"}
	first, last := instant(t, "2025-02-01 00:00:00"), instant(t, "2025-02-28 00:00:00")
	got, err := reader.RowsWithin(t.Context(), "r", table, "day", true, warehouse.Span{From: first, To: last}, warehouse.Span{To: first}, warehouse.Span{From: last})
	sameAs(t, []int64{2, 2, 1}, got, err)
	got, err = reader.RowsWithin(t.Context(), "r", table, "modified", false, warehouse.Span{From: instant(t, "2026-01-02 10:00:00")}, warehouse.Span{})
	sameAs(t, []int64{2, 4}, got, err)
	got, err = reader.RowsWithin(t.Context(), "r", table, "", false, warehouse.Span{From: first})
	sameAs(t, []int64{4}, got, err)
	if _, err := reader.RowsWithin(t.Context(), "r", [2]string{"shop", "nothing"}, "", false, warehouse.Span{}); err == nil {
		t.Error("rows of a table that is not there were counted")
	}
}
