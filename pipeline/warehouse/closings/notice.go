package closings

import (
	"context"
	"encoding/json"
	"errors"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"sluice/pipeline/warehouse/postgres"
)

// Change is a record that changed a closed period.
type Change struct {
	Organization string `db:"organization_id" json:"organization"`
	Period       string `db:"period"          json:"period"`
	Table        string `db:"table_name"      json:"table"`
	Record       string `db:"record_id"       json:"record"`
	// Kind is changed, deleted, restored, arrived, moved_in or moved_out.
	Kind   string          `db:"kind"   json:"kind"`
	Before json.RawMessage `db:"before" json:"before"`
	After  json.RawMessage `db:"after"  json:"after"`
	// Effect is what it does to the sums of the period, by figure; nil if the currency changed.
	Effect json.RawMessage `db:"effect" json:"effect"`
}

const (
	// sqlUnlooked gives organizations with closed periods whose rows may have changed since the
	// last look: a run ended or is under way. What no run brings, as an operator's decision, a
	// look brings that is due every ten minutes.
	sqlUnlooked = `
SELECT DISTINCT c.organization_id FROM sluice.closings c
WHERE c.reopened_at IS NULL AND (c.looked_at < clock_timestamp() - interval '10 minutes'
	OR EXISTS (SELECT FROM sluice.runs r WHERE r.organization_id = c.organization_id AND coalesce(r.ended_at, 'infinity') > c.looked_at))
ORDER BY 1`

	// sqlLook locks the closings, so that one process at a time notices.
	sqlLook = `SELECT id FROM sluice.closings WHERE organization_id = $1 AND reopened_at IS NULL ORDER BY id FOR UPDATE SKIP LOCKED`

	sqlNotice = `
WITH found AS MATERIALIZED (
	SELECT c.id AS closing_id, a.* FROM analytics.after_close a
	JOIN sluice.closings c ON c.organization_id = a.organization_id AND c.period = a.period AND c.reopened_at IS NULL
	WHERE a.organization_id = $1 AND c.id = ANY ($2)
), undone AS (
	DELETE FROM sluice.after_close_notices n WHERE n.closing_id = ANY ($2)
		AND NOT EXISTS (SELECT FROM found f WHERE (f.closing_id, f.table_name, f.record_id) = (n.closing_id, n.table_name, n.record_id))
), told AS (
	INSERT INTO sluice.after_close_notices AS n (closing_id, table_name, record_id, kind, before, after, effect)
	SELECT f.closing_id, f.table_name, f.record_id, f.kind, f.before, f.after, f.effect FROM found f
	ON CONFLICT (closing_id, table_name, record_id) DO UPDATE
	SET kind = excluded.kind, before = excluded.before, after = excluded.after, effect = excluded.effect, changed_at = clock_timestamp()
	WHERE (n.kind, n.before, n.after, n.effect) IS DISTINCT FROM (excluded.kind, excluded.before, excluded.after, excluded.effect)
	RETURNING n.closing_id, n.table_name, n.record_id, n.kind, n.before, n.after, n.effect
), looked AS (
	UPDATE sluice.closings c SET looked_at = statement_timestamp() WHERE c.id = ANY ($2)
)
SELECT c.organization_id, c.period, t.table_name, t.record_id, t.kind, t.before, t.after, t.effect
FROM told t JOIN sluice.closings c ON c.id = t.closing_id ORDER BY c.first_day, c.period, t.table_name, t.record_id`

	sqlCounts = `
SELECT c.organization_id, c.period, count(n.record_id) AS records FROM sluice.closings c
LEFT JOIN sluice.after_close_notices n ON n.closing_id = c.id
WHERE c.reopened_at IS NULL GROUP BY c.organization_id, c.period ORDER BY c.organization_id, c.period`
)

// Notice looks for changes in closed periods that were not told, tells them, and returns them. Tell
// is called in the transaction that notes them: a change is told exactly if it is noted. A change
// that became another one is told again; one that was undone is forgotten.
func Notice(ctx context.Context, pool *pgxpool.Pool, tell func(ctx context.Context, tx pgx.Tx, changes []Change) error) ([]Change, error) {
	const op = "looking for changes in closed periods"
	organizations, err := postgres.Collect(ctx, pool, op, pgx.RowTo[string], sqlUnlooked)
	if err != nil {
		return nil, err
	}
	var all []Change
	var failures []error
	for _, organization := range organizations { // one organization's failure stops no other
		changes, err := notice(ctx, pool, organization, tell)
		failures = append(failures, postgres.Fail(op+" of organization "+organization, err))
		all = append(all, changes...)
	}
	return all, errors.Join(failures...)
}

func notice(ctx context.Context, pool *pgxpool.Pool, organization string, tell func(context.Context, pgx.Tx, []Change) error) ([]Change, error) {
	var changes []Change
	err := pgx.BeginFunc(ctx, pool, func(tx pgx.Tx) error {
		ids, err := postgres.Collect(ctx, tx, "locking", pgx.RowTo[int64], sqlLook, organization)
		if err != nil || len(ids) == 0 {
			return err
		}
		changes, err = postgres.Read[Change](ctx, tx, "changes", sqlNotice, organization, ids)
		if err != nil || len(changes) == 0 || tell == nil {
			return err
		}
		return tell(ctx, tx, changes)
	})
	return changes, err
}

// Count is how many records changed a closed period.
type Count struct {
	Organization string `db:"organization_id" json:"organization"`
	Period       string `db:"period"          json:"period"`
	Records      int64  `db:"records"         json:"records"`
}

// Counts returns, for each closed period, how many changes were noticed in it.
func Counts(ctx context.Context, pool *pgxpool.Pool) ([]Count, error) {
	return postgres.Read[Count](ctx, pool, "changes in closed periods", sqlCounts)
}
