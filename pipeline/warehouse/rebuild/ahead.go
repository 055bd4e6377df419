package rebuild

import (
	"context"
	"fmt"
	"sync"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"sluice/pipeline/warehouse/raws"
)

// reader makes records of the rows that come next while those before them are written: one hand fetches raw records, another makes records of
// those that it fetched before. What is kept never changes, so a record that was made ahead is right as long as its row leads to the same
// place; one that is not there is made when it is needed.
type reader struct {
	pool *pgxpool.Pool
	// next are the batches in their order; after is the key behind which the one begins that comes next.
	next  chan prepared
	after string
	stop  context.CancelFunc
	wait  sync.WaitGroup
}

// fetched are the raw records of a batch, prepared what the declaration makes of them; last is the key of its last row.
type (
	fetched struct {
		last    string
		sources []source
		raws    [][]byte
	}
	prepared struct {
		last  string
		found *makings
	}
)

// ReadAhead lets Step have the batches behind its own prepared, on a connection of its own. Close ends that.
func (r *Rows) ReadAhead(pool *pgxpool.Pool) { r.reader = &reader{pool: pool} }

// Close waits for what is read ahead.
func (r *Rows) Close() {
	if r.reader != nil {
		r.reader.end()
	}
}

func (a *reader) end() {
	if a.stop != nil {
		a.stop()
	}
	a.wait.Wait()
	a.next = nil
}

// begin prepares the rows behind a key, a batch after the other. None of its failures is told: the step that needs what is missing says
// what is wrong.
func (a *reader) begin(ctx context.Context, r *Rows, after string) {
	a.end()
	ctx, a.stop = context.WithCancel(context.WithoutCancel(ctx))
	batches, next := make(chan fetched), make(chan prepared)
	a.next, a.after = next, after
	a.wait.Go(func() {
		defer close(batches)
		_ = r.fetch(ctx, a.pool, after, batches)
	})
	a.wait.Go(func() {
		defer close(next)
		for batch := range batches {
			if !hand(ctx, next, prepared{last: batch.last, found: r.make(batch.raws, batch.sources)}) {
				return
			}
		}
	})
}

// fetch hands on the raw records of the rows behind a key until there are no more.
func (r *Rows) fetch(ctx context.Context, pool *pgxpool.Pool, after string, to chan<- fetched) error {
	var known raws.Archives // those that the last batch came from
	for {
		batch := fetched{}
		var rows int
		var err error
		if batch.sources, batch.last, rows, err = r.sources(ctx, pool, after); err != nil || rows == 0 {
			return err
		}
		if batch.raws, known, err = known.Read(ctx, pool, places(batch.sources)); err != nil {
			return err
		}
		if !hand(ctx, to, batch) || rows < batchRows {
			return nil
		}
		after = batch.last
	}
}

func hand[T any](ctx context.Context, to chan<- T, value T) bool {
	select {
	case to <- value:
		return true
	case <-ctx.Done():
		return false
	}
}

// take gives what was prepared of the rows behind a key, empty if nothing was.
func (a *reader) take(ctx context.Context, r *Rows, after string) *makings {
	if a == nil {
		return new(makings)
	}
	if a.next == nil || a.after != after {
		a.begin(ctx, r, after)
	}
	batch, ok := <-a.next
	if !ok {
		a.next = nil
		return new(makings)
	}
	a.after = batch.last
	return batch.found
}

// sources gives those of the rows behind a key, the key of the last, and how many rows they are.
func (r *Rows) sources(ctx context.Context, from raws.Querier, after string) ([]source, string, int, error) {
	detail := "NULL::bigint, NULL::integer"
	if r.table.details {
		detail = "t._detail_call_id, t._detail_raw_position"
	}
	found, err := from.Query(ctx, fmt.Sprintf(`SELECT t.%[2]s, %[3]s, t._call_id, t._raw_position, %[4]s FROM %[1]s AS t
WHERE t.organization_id = $1 AND t.%[2]s > $2 ORDER BY t.%[2]s LIMIT $3`, r.table.name, r.table.key, r.table.parentText(), detail),
		r.stream.Organization, after, batchRows)
	if err != nil {
		return nil, "", 0, fmt.Errorf("reading ahead: %w", err)
	}
	var (
		sources  = make([]source, 0, batchRows)
		rows     int
		last     string
		one      source
		call     *int64
		position *int32
	)
	_, err = pgx.ForEachRow(found, []any{&last, &one.parent, &one.Call, &one.Position, &call, &position}, func() error {
		rows++
		sources = append(sources, one)
		if call != nil && position != nil {
			sources = append(sources, source{Place: raws.Place{Call: *call, Position: *position}, parent: one.parent})
		}
		return nil
	})
	if err != nil {
		return nil, "", 0, fmt.Errorf("reading ahead: %w", err)
	}
	return sources, last, rows, nil
}
