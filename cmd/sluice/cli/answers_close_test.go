package cli

import (
	"context"
	"testing"

	"github.com/jackc/pgx/v5"
)

// statementsOfClosing are the statements about closed periods and about all tables of a day. Each
// makes what it asks about first: the company has closed nothing.
func statementsOfClosing() []answer {
	return []answer{
		{
			has: "SET sluice.as_of = '2026-10-31'",
			effect: runs(func(ctx context.Context, t *testing.T, tx pgx.Tx, run func()) {
				t.Helper()
				run()
				if n := tallied(ctx, t, tx, "SELECT as_of.day() - date '2026-10-31'"); n != 0 {
					t.Errorf("the day is %d days off", n)
				}
			}),
		},
		{
			has: "SET sluice.as_of_organizations = '10234695'",
			effect: runs(func(ctx context.Context, t *testing.T, tx pgx.Tx, run func()) {
				t.Helper()
				run()
				if n := tallied(ctx, t, tx, "SELECT count(*) FROM unnest(ARRAY['10234695', 'first-eu']) AS o WHERE as_of.chosen(o)"); n != 1 {
					t.Errorf("%d organizations are chosen, want one", n)
				}
			}),
		},
		{
			has: "FROM as_of.bills", effect: func(ctx context.Context, t *testing.T, tx pgx.Tx, sql string) {
				t.Helper()
				// Only bills and credit notes have versions; the other lists count as not copied.
				sure(tx.Exec(ctx, `UPDATE sluice.streams SET resource = resource || '.none' WHERE resource NOT IN ('bills', 'credit_notes')`))(t)
				sure(tx.Exec(ctx, `SELECT set_config('sluice.as_of', ((now() AT TIME ZONE 'UTC')::date - 2)::text, true)`))(t)
				want := tallied(ctx, t, tx, `SELECT count(*) FROM sluice.organizations o WHERE EXISTS (SELECT FROM history.versions v WHERE v.organization_id = o.organization_id)`)
				if n := tallied(ctx, t, tx, "SELECT count(*) FROM ("+sql+") AS shown"); n != want || n == 0 {
					t.Errorf("%d organizations had bills, want %d", n, want)
				}
			},
		},
		{
			has: "FROM analytics.closings", effect: func(ctx context.Context, t *testing.T, tx pgx.Tx, sql string) {
				t.Helper()
				closeAYear(ctx, t, tx)
				if n := tallied(ctx, t, tx, "SELECT count(*) FROM ("+sql+") AS shown WHERE counted = 7"); n != 1 {
					t.Errorf("%d rows of what was closed, want 1", n)
				}
			},
		},
		{
			has: "FROM analytics.after_close", effect: func(ctx context.Context, t *testing.T, tx pgx.Tx, sql string) {
				t.Helper()
				closeAYear(ctx, t, tx)
				want := tallied(ctx, t, tx, `SELECT count(*) FROM inventory.bills WHERE date BETWEEN '2025-01-01' AND '2025-12-31' AND _deleted_at IS NULL AND organization_id = 'first-eu'`)
				if n := tallied(ctx, t, tx, "SELECT count(*) FROM ("+sql+") AS shown WHERE table_name = 'inventory.bills'"); n != want || n == 0 {
					t.Errorf("%d bills came into the year, want %d", n, want)
				}
			},
		},
		{
			has: "FROM analytics.cut()", effect: func(ctx context.Context, t *testing.T, tx pgx.Tx, sql string) {
				t.Helper()
				want := tallied(ctx, t, tx, "SELECT count(DISTINCT organization_id) FROM sluice.streams")
				right := tallied(ctx, t, tx, `SELECT count(*) FROM (SELECT organization_id, min(watermark) AS at, bool_and(watermark IS NOT NULL) AS whole FROM sluice.streams
					WHERE enabled AND resource NOT LIKE '%.%' GROUP BY 1) AS m JOIN (`+sql+`) AS shown USING (organization_id) WHERE cut IS NOT DISTINCT FROM CASE WHEN whole THEN at END`)
				if right != want {
					t.Errorf("the cut of %d organizations is right, of %d", right, want)
				}
			},
		},
	}
}

// closeAYear notes a year as closed, in which no record was dated.
func closeAYear(ctx context.Context, t *testing.T, tx pgx.Tx) {
	t.Helper()
	_, err := tx.Exec(ctx, `WITH made AS (INSERT INTO sluice.closings (organization_id, period, first_day, last_day, time_zone)
			VALUES ('first-eu', '2025', '2025-01-01', '2025-12-31', 'UTC') RETURNING id)
		INSERT INTO sluice.closing_sums SELECT id, 'inventory.bills', 'INR', 9, 7, '{}' FROM made`)
	must(t, err)
}
