package warehouse

import (
	"context"
	"time"

	"sluice/pipeline"
	"sluice/pipeline/warehouse/postgres"
	"sluice/pipeline/warehouse/tombstones"
)

// Extent implements sync.Ranks.
//
//nolint:nonamedreturns // the names say which is which
func (db *DB) Extent(ctx context.Context, stream pipeline.Stream) (rows, most int, err error) {
	rows, most, err = tombstones.Extent(ctx, db.pool, stream, db.absence)
	return rows, most, postgres.Fail("counting rows of "+stream.String(), err)
}

// Between implements sync.Ranks.
//
//nolint:nonamedreturns // the names say which is which
func (db *DB) Between(ctx context.Context, stream pipeline.Stream, from, to time.Time) (before int, ids []string, err error) {
	before, ids, err = tombstones.Between(ctx, db.pool, stream, from, to)
	return before, ids, postgres.Fail("ranking rows of "+stream.String(), err)
}
