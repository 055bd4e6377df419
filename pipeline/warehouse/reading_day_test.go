package warehouse_test

import (
	"testing"
	"time"

	"sluice/pipeline"
	"sluice/pipeline/warehouse/calls"
)

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
	t.Parallel()
	pool, reader := openReadingPool(t)
	if _, err := pool.Exec(t.Context(), spentDays); err != nil {
		t.Fatal(err)
	}
	day, err := reader.Day(t.Context(), "d", "shop", pipeline.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	if day.Spent != 14 || day.ByClass[pipeline.ClassIncremental] != 1 || day.ByClass[pipeline.ClassSweep] != 13 || day.LastHour != 5 || day.Turn != nil {
		t.Errorf("the day is %+v, want 14 spent, 1 of them incremental and 13 sweeps, 5 in the last hour", day)
	}
	// Of 60 used calls, 10 were ours in an earlier minute and 2 in this one. Of the 40 that were
	// left, 3 were reserved since.
	if day.External == nil || *day.External != 48 || day.SeenLeft == nil || *day.SeenLeft != 37 {
		t.Errorf("others spent %v, %v are left, want 48 and 37", day.External, day.SeenLeft)
	}
	// The minute in which upstream's day began is ours, too.
	if _, err := pool.Exec(t.Context(), `INSERT INTO sluice.spent (organization_id, service, span, began_at, reserved, calls, sweep)
		SELECT organization_id, service, 'minute', date_bin('1 minute', reset_at - interval '24 hours', 'epoch'), 7, 7, 7
		FROM sluice.day_budgets WHERE (organization_id, service) = ('d', 'shop')`); err != nil {
		t.Fatal(err)
	}
	if first, err := reader.Day(t.Context(), "d", "shop", pipeline.Limits{}); err != nil || first.External == nil || *first.External != 41 {
		t.Errorf("with seven calls in the first minute others spent %v (%v), want 41", first.External, err)
	}
	sameAs(t, []calls.ExternalDay{
		{EndedAt: instant(t, "2026-03-02 00:00:00"), Limit: 100}, {EndedAt: instant(t, "2026-03-01 00:00:00"), Calls: 12, Limit: 100},
	}, day.Before, nil)

	turned, err := reader.Day(t.Context(), "d", "shop", pipeline.Limits{
		ResetZone: "UTC", ResetHour: day.At.UTC().Add(-3 * time.Hour).Hour(),
	})
	if err != nil {
		t.Fatal(err)
	}
	if turned.Spent != 4 || turned.Turn == nil || turned.Turn.Sub(day.At) < 20*time.Hour || turned.Turn.Sub(day.At) > 21*time.Hour {
		t.Errorf("the day that turned three hours ago is %+v, want 4 spent, and that it turns again in 20 hours and some", turned)
	}
	none, err := reader.Day(t.Context(), "d", "nothing", pipeline.Limits{})
	if err != nil || none.Spent != 0 || none.External != nil || none.SeenLeft != nil || len(none.Before) != 0 {
		t.Errorf("a service that was never called has %+v (%v)", none, err)
	}
}
