package tombstones

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"

	"sluice/pipeline"
)

// Rows that were loaded or otherwise written after the look began existed then.
const sqlStillLive = `
SELECT t.%[2]s FROM %[1]s AS t
WHERE t.organization_id = $1 AND t.%[2]s = ANY ($2::text[]) AND t._deleted_at IS NULL
	AND t._first_seen_at < least($3, $4::timestamptz) AND t._changed_at < $3
ORDER BY t.%[2]s`

// ConcludeLook makes the rows that a look missed suspected, in the transaction that ends its run,
// and asks for their single records. Upstream's word confirms a look, or a clean scan of the whole
// list; another look does not. Last is the last call of the look.
func ConcludeLook(ctx context.Context, tx pgx.Tx, look Scan, missed pipeline.Absent, last int64) (Verdict, error) {
	var verdict Verdict
	b := bounds{first: missed.First, last: last}
	var none int64
	err := tx.QueryRow(ctx, sqlBounds, look.Run).Scan(&b.began, &none, &none, &none, &b.active)
	if err != nil {
		return verdict, fmt.Errorf("reading when the look began: %w", err)
	}
	if !b.active {
		verdict.Doubt = doubtInactive
		return verdict, nil
	}
	names := namesOf(look.Stream)
	absent, err := collect(tx.Query(ctx, names.fill(sqlStillLive), look.Stream.Organization, missed.IDs, b.began, look.Started))
	if err != nil {
		return verdict, fmt.Errorf("looking at rows that the look missed: %w", err)
	}
	if err := tx.QueryRow(ctx, names.fill(sqlLive), look.Stream.Organization).Scan(&verdict.Live); err != nil {
		return verdict, fmt.Errorf("counting live rows: %w", err)
	}
	verdict.Absent = len(absent)
	if verdict.Shrunken = len(absent) > limit(look.Rules, verdict.Live); verdict.Shrunken {
		return verdict, nil
	}
	ids, err := look.miss(ctx, tx, absent, b, false)
	if err != nil {
		return verdict, err
	}
	verdict.Suspected = len(ids)
	verdict.Requested, err = ask(ctx, tx, look.Stream, ids)
	return verdict, err
}
