package hints

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"sluice/pipeline"
	"sluice/pipeline/warehouse/postgres"
)

const (
	// grace is how late a callback may come: younger changes are not counted as untold.
	grace = 10 * time.Minute
	// skew is how far upstream's clock may be ahead of the database's.
	skew = 2 * time.Minute
)

// A row that this call wrote has the call's number. %[1]s is the table, %[2]s the column that hints
// name, %[3]s its key.
const sqlUnannounced = `
SELECT count(*) FROM unnest($4::text[], $5::timestamptz[]) AS k (id, modified)
JOIN %[1]s AS t ON t.organization_id = $1 AND t.%[3]s = k.id AND t._call_id = $6
WHERE coalesce(k.modified, $7) < clock_timestamp() - $8::interval
	AND NOT EXISTS (SELECT FROM sluice.hints h WHERE (h.organization_id, h.service, h.resource) = ($1, $2, $3)
		AND h.record_id IN (t.%[2]s, '') AND h.last_at >= coalesce(k.modified, $7) - $9::interval)`

// Unannounced counts the rows that a batch of a list changed and of whose change no callback told.
// Since is when the list was last read: records without a modification time changed after it.
func Unannounced(ctx context.Context, tx pgx.Tx, batch pipeline.Batch, since time.Time) (int, error) {
	stream, key := batch.Claim.Stream, batch.Claim.Stream.ListKey()
	ids, modified := make([]string, len(batch.Records)), make([]*time.Time, len(batch.Records))
	for i := range batch.Records {
		ids[i], modified[i] = batch.Records[i].ID, postgres.Instant(batch.Records[i].Modified)
	}
	var rows int
	table := pgx.Identifier{stream.Resource.SchemaName(stream.Service), stream.Resource.Name}.Sanitize()
	named := keyOf(stream.Resource)
	if stream.Resource.ToldByParent() != "" {
		named = pgx.Identifier{stream.Resource.ColumnOfParent()}.Sanitize()
	}
	err := tx.QueryRow(ctx, fmt.Sprintf(sqlUnannounced, table, named, keyOf(stream.Resource)), key.Organization, key.Service, key.Resource,
		ids, modified, batch.Call, since, grace, skew).Scan(&rows)
	return rows, postgres.Fail("counting what was not told of "+stream.String(), err)
}
