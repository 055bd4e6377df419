package streams

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"sluice/pipeline"
	"sluice/pipeline/warehouse/postgres"
)

// A run that was done while the watermark was ahead of time left it there, so only earlier
// watermarks are proven. If no such run is known, the whole list is read. The new fence refuses
// workers that read from the wrong watermark, and their scan is dropped.
const sqlResetWatermark = `
UPDATE sluice.streams s SET fence = fence + 1, scan = NULL, watermark = (
	SELECT max(r.watermark_after) FROM sluice.runs r
	WHERE (r.organization_id, r.service, r.resource) = (s.organization_id, s.service, s.resource)
		AND r.outcome = 'done' AND r.watermark_after <= coalesce(s.scanned_until, clock_timestamp()))
FROM (SELECT watermark FROM sluice.streams WHERE (organization_id, service, resource) = ($1, $2, $3) FOR UPDATE) AS before
WHERE (s.organization_id, s.service, s.resource) = ($1, $2, $3)
	AND s.watermark > coalesce(s.scanned_until, clock_timestamp() + interval '1 day')
RETURNING before.watermark, s.watermark`

// ResetWatermark sets a watermark that is ahead of time (pipeline.Position.WatermarkAhead) back to
// the last one that a clean run left. If no such run is known, it removes the watermark. It returns
// both watermarks, zero for none, and whether it changed anything.
//
//nolint:nonamedreturns // the names say which is which
func (s *Schedule) ResetWatermark(ctx context.Context, key pipeline.Key) (before, after time.Time, reset bool, failure error) {
	var from, to *time.Time
	err := s.pool.QueryRow(ctx, sqlResetWatermark, key.Organization, key.Service, key.Resource).Scan(&from, &to)
	if errors.Is(err, pgx.ErrNoRows) {
		return before, after, false, nil
	}
	if err != nil {
		return before, after, false, postgres.Fail(fmt.Sprintf("resetting the watermark of %s", key), err)
	}
	if to != nil {
		after = *to
	}
	return *from, after, true, nil
}
