package publish

import (
	"context"
	"fmt"
	"slices"
	"sync"

	"github.com/apache/iceberg-go"
	"github.com/jackc/pgx/v5"
	"golang.org/x/sync/errgroup"

	"sluice/cmd/sluice-lake/files"
	"sluice/cmd/sluice-lake/shape"
	"sluice/pipeline/warehouse/postgres"
)

const (
	// batchRows is how many rows are encoded at a time.
	batchRows = 8192
	// copiers is how many buckets are copied at once: while the server makes rows for one, another
	// is encoded.
	copiers = 2
)

// whole reads a table anew, bucket by bucket, and replaces all that the lake has of it.
func (e *edit) whole(ctx context.Context) error {
	live, err := files.LiveFiles(e.Store, e.lake, e.cell)
	if err != nil {
		return err
	}
	for _, l := range live {
		e.drop.take(l)
	}
	buckets := shape.Buckets(e.lake.Spec())
	if buckets == 0 {
		return fmt.Errorf("%w: it is not in buckets of organizations: another program changed its partitions", ErrShape)
	}
	return e.buckets(ctx, buckets, func(int) bool { return true })
}

// buckets copies buckets beside each other, all of them as the snapshot of the publication has
// them.
func (e *edit) buckets(ctx context.Context, buckets int, wanted func(bucket int) bool) error {
	rows, err := e.tx.Query(ctx, e.shape.Organizations())
	if err != nil {
		return postgres.Fail("looking for organizations", err)
	}
	organizations, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		return postgres.Fail("looking for organizations", err)
	}
	inBucket := map[int][]string{}
	for _, organization := range organizations {
		if bucket := shape.Bucket(organization, buckets); wanted(bucket) {
			inBucket[bucket] = append(inBucket[bucket], organization)
		}
	}
	var mu sync.Mutex
	group, ctx := errgroup.WithContext(ctx)
	next := make(chan int)
	group.Go(func() error {
		defer close(next)
		for bucket := range inBucket {
			select {
			case next <- bucket:
			case <-ctx.Done():
				return nil
			}
		}
		return nil
	})
	for range min(copiers, len(inBucket)) {
		group.Go(func() error {
			return e.inShared(ctx, func(tx pgx.Tx) error {
				for bucket := range next {
					data, err := e.copy(ctx, tx, bucket, e.shape.SelectAll(), inBucket[bucket])
					if err != nil {
						return err
					}
					mu.Lock()
					e.fresh.data = append(e.fresh.data, data...)
					mu.Unlock()
				}
				return nil
			})
		})
	}
	if err := group.Wait(); err != nil {
		return err
	}
	slices.SortFunc(e.fresh.data, func(a, b iceberg.DataFile) int { return bucketOf(a) - bucketOf(b) })
	return nil
}

func bucketOf(f iceberg.DataFile) int {
	bucket, _ := f.Partition()[shape.BucketFieldID].(int32)
	return int(bucket)
}

// inShared reads in the snapshot of another transaction.
func (e *edit) inShared(ctx context.Context, do func(tx pgx.Tx) error) error {
	return inSnapshot(ctx, e.Pool, func(tx pgx.Tx) error {
		if _, err := tx.Exec(ctx, "SET TRANSACTION SNAPSHOT '"+e.snapshot+"'"); err != nil {
			return postgres.Fail("taking the snapshot of a publication", err)
		}
		return do(tx)
	})
}

// copy writes the rows of a query into files of a bucket.
func (e *edit) copy(ctx context.Context, tx pgx.Tx, bucket int, sql string, args ...any) ([]iceberg.DataFile, error) {
	reader := e.shape.NewReader(e.arrow)
	defer reader.Release()
	writer := files.NewWriter(e.Store, e.lake, e.arrow, bucket, e.cell)
	defer writer.Abort()
	// No prepared statement is kept: a migration that changes columns would make it useless.
	how := []any{pgx.QueryExecModeDescribeExec, pgx.QueryResultFormats{pgx.BinaryFormatCode}}
	rows, err := tx.Query(ctx, sql, append(how, args...)...)
	if err != nil {
		return nil, postgres.Fail("reading rows", err)
	}
	defer rows.Close()
	write := func() error {
		batch := reader.Batch()
		defer batch.Release()
		return writer.Write(ctx, batch)
	}
	for rows.Next() {
		if err := reader.Append(rows.RawValues()); err != nil {
			return nil, err
		}
		if reader.Len() == batchRows {
			if err := write(); err != nil {
				return nil, err
			}
		}
	}
	if err := rows.Err(); err != nil {
		return nil, postgres.Fail("reading rows", err)
	}
	if reader.Len() > 0 {
		if err := write(); err != nil {
			return nil, err
		}
	}
	return writer.Close()
}
