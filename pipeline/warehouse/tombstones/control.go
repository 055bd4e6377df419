package tombstones

import (
	"context"
	"errors"

	"github.com/jackc/pgx/v5"

	"sluice/pipeline"
	"sluice/pipeline/warehouse/postgres"
)

// A row that was asked for in vain has failed, so the next control is another one.
const sqlControl = `
SELECT t.%[2]s FROM %[1]s AS t
WHERE t.organization_id = $1 AND t._deleted_at IS NULL AND t._detail_state = 'current' AND t.%[2]s <> ALL ($4::text[])
	AND t.%[2]s NOT IN (SELECT record_id FROM sluice.tombstones
		WHERE (organization_id, service, resource) = ($1, $2, $3) AND state IN ('suspected', 'needs_review'))
	AND EXISTS (SELECT FROM sluice.tombstones
		WHERE (organization_id, service, resource) = ($1, $2, $3) AND record_id = ANY ($4::text[]) AND state = 'suspected' AND NOT shrunken)
ORDER BY t._call_id DESC, t.%[2]s LIMIT 1`

// Control returns a row that upstream should know, not one of ids, if some of ids are suspected; ""
// if none is, or if there is no such row.
func Control(ctx context.Context, db postgres.Asker, stream pipeline.Stream, ids []string) (string, error) {
	key, control := stream.ListKey(), ""
	err := db.QueryRow(ctx, namesOf(stream).fill(sqlControl), key.Organization, key.Service, key.Resource, ids).Scan(&control)
	if errors.Is(err, pgx.ErrNoRows) {
		return "", nil
	}
	return control, err
}
