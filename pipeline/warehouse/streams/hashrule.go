package streams

import (
	"context"

	"github.com/jackc/pgx/v5"

	"sluice/pipeline"
	"sluice/pipeline/warehouse/postgres"
	"sluice/schema/record"
)

// hashRule is the present rule of content hashes.
const hashRule = record.HashRule

const (
	sqlNoteRule = `UPDATE sluice.streams SET hash_rule = $4 WHERE (organization_id, service, resource) = ($1, $2, $3) AND hash_rule <> $4`

	// Lists without raw records have no rows to rebuild.
	sqlNewRule = `
UPDATE sluice.streams s SET hash_rule = $1 WHERE s.hash_rule <> $1 AND s.run_id IS NULL AND NOT EXISTS (
	SELECT FROM sluice.raw_records r WHERE (r.organization_id, r.service, r.resource) = (s.organization_id, s.service, s.resource))`

	sqlOtherRule = `
SELECT s.organization_id, s.service, s.resource FROM sluice.streams s WHERE s.hash_rule <> $1 AND EXISTS (
	SELECT FROM sluice.raw_records r WHERE (r.organization_id, r.service, r.resource) = (s.organization_id, s.service, s.resource))
ORDER BY 1, 2, 3`
)

// OtherRule returns the lists whose rows have content hashes by another rule than record.HashRule:
// each of their records would look changed. A rebuild of the changed rows updates them, without a
// call.
func (s *Schedule) OtherRule(ctx context.Context) ([]pipeline.Key, error) {
	const op = "looking for content hashes of another rule"
	if _, err := s.pool.Exec(ctx, sqlNewRule, hashRule); err != nil {
		return nil, postgres.Fail(op, err)
	}
	return s.keys(ctx, op, sqlOtherRule, hashRule)
}

// Rebuilt records that the rows of a list were made anew from its raw records: by this program's
// rule of content hashes, and in the time zone of a generation.
func Rebuilt(ctx context.Context, tx pgx.Tx, key pipeline.Key, zone int) error {
	op := "noting that rows were rebuilt of " + key.String()
	if _, err := tx.Exec(ctx, sqlNoteRule, key.Organization, key.Service, key.Resource, hashRule); err != nil {
		return postgres.Fail(op, err)
	}
	_, err := tx.Exec(ctx, sqlRezoned, key.Organization, key.Service, key.Resource, zone)
	return postgres.Fail(op, err)
}

// keys returns the streams that a query selects.
func (s *Schedule) keys(ctx context.Context, op, query string, args ...any) ([]pipeline.Key, error) {
	return postgres.Collect(ctx, s.pool, op, pgx.RowToStructByPos[pipeline.Key], query, args...)
}
