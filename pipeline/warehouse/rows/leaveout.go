package rows

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"

	"sluice/pipeline"
	"sluice/pipeline/warehouse/raw"
	"sluice/pipeline/warehouse/raw/archive"
)

const (
	sqlNextArchives = `
SELECT call_id, first_position, records FROM sluice.raw_records
WHERE (organization_id, service, resource) = ($1, $2, $3) AND (call_id, first_position) > ($4, $5)
ORDER BY call_id, first_position LIMIT $6 FOR UPDATE`

	sqlNewArchive = `UPDATE sluice.raw_records SET records = $3 WHERE (call_id, first_position) = ($1, $2)`
)

// LeaveOut leaves columns out of the next archives of raw records behind one, as the stream says.
// Records stay in their positions. It returns the last archive, nil if there is no further one, and
// how many it wrote anew. With dry it writes none.
func LeaveOut(ctx context.Context, tx pgx.Tx, stream pipeline.Stream, after raw.Ref, limit int, dry bool) (*raw.Ref, int, error) {
	key := stream.ListKey()
	found, err := tx.Query(ctx, sqlNextArchives, key.Organization, key.Service, key.Resource, after.Call, after.Position, limit)
	if err != nil {
		return nil, 0, fmt.Errorf("reading raw records of %s: %w", key, err)
	}
	var last *raw.Ref
	var at raw.Ref
	var text []byte
	queue := new(pgx.Batch)
	_, err = pgx.ForEachRow(found, []any{&at.Call, &at.Position, &text}, func() error {
		now, changed, err := archive.Rewrite(text, stream.LeaveOut.Record)
		if err != nil {
			return fmt.Errorf("call %d: %w", at.Call, err)
		}
		if changed > 0 {
			queue.Queue(sqlNewArchive, at.Call, at.Position, string(now))
		}
		last, text = &raw.Ref{Call: at.Call, Position: at.Position}, nil
		return nil
	})
	if err != nil {
		return nil, 0, fmt.Errorf("reading raw records of %s: %w", key, err)
	}
	if written := queue.Len(); written == 0 || dry {
		return last, written, nil
	}
	if err := tx.SendBatch(ctx, queue).Close(); err != nil {
		return nil, 0, fmt.Errorf("writing raw records of %s: %w", key, err)
	}
	return last, queue.Len(), nil
}
