package streams

import (
	"context"

	"github.com/jackc/pgx/v5"

	"sluice/pipeline"
	"sluice/pipeline/warehouse/postgres"
)

// Every batch locks the row of its stream: after this statement no batch is under way that does not
// know the new value.
const sqlSetHistory = `
WITH wanted AS (
	SELECT organization_id, service, resource FROM sluice.streams
	WHERE organization_id = $1 AND service = $2 AND split_part(resource, '.', 1) = $3
	ORDER BY organization_id, service, resource FOR UPDATE
)
UPDATE sluice.streams s SET history = $4 FROM wanted w
WHERE (w.organization_id, w.service, w.resource) = (s.organization_id, s.service, s.resource)`

// SetHistory tells all streams that write the table of a list whether versions of its records are
// kept.
func SetHistory(ctx context.Context, tx pgx.Tx, list pipeline.Key, kept bool) error {
	_, err := tx.Exec(ctx, sqlSetHistory, list.Organization, list.Service, list.Resource, kept)
	return postgres.Fail("switching the history of "+list.String(), err)
}
