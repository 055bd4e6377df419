package rebuild

import (
	"context"
	"fmt"
	"sync"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"sluice/pipeline/warehouse/postgres"
	"sluice/pipeline/warehouse/raw"
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
	known := new(raw.Archives) // those that the last batches came from
	for batches := 1; ; {
		var window []fetched
		more := false
		err := pgx.BeginTxFunc(ctx, pool, pgx.TxOptions{AccessMode: pgx.ReadOnly}, func(tx pgx.Tx) error {
			err := postgres.InKeyOrder(ctx, tx)
			if err == nil {
				window, more, err = r.window(ctx, tx, after, batches)
			}
			if err == nil {
				known, err = read(ctx, tx, known, window)
			}
			return err
		})
		if err != nil || len(window) == 0 {
			return err
		}
		batches = 1
		if known.Scattered {
			batches = wider(window)
		}
		after = window[len(window)-1].last
		for _, batch := range window {
			if !hand(ctx, to, batch) {
				return nil
			}
		}
		if !more {
			return nil
		}
	}
}

// Where the order of keys is not that in which records were kept, each archive has a record of nearly every batch. So it is read once for many
// batches, as many as have windowBytes of raw records.
const (
	windowBytes   = 16 << 20
	windowBatches = 32
)

// wider is how many batches like these are read together.
func wider(window []fetched) int {
	size := 0
	for _, batch := range window {
		for _, raw := range batch.raws {
			size += len(raw)
		}
	}
	return min(max(windowBytes*len(window)/max(size, 1), 1), windowBatches)
}

// window gives the sources of up to so many batches behind a key, and whether there may be more rows.
func (r *Rows) window(ctx context.Context, from raw.Querier, after string, batches int) ([]fetched, bool, error) {
	var window []fetched
	for range batches {
		batch, rows, err := r.sources(ctx, from, after)
		if err != nil {
			return nil, false, err
		}
		if rows > 0 {
			window = append(window, batch)
		}
		if rows < batchRows {
			return window, false, nil
		}
		after = batch.last
	}
	return window, true, nil
}

// read gives each batch its raw records, and the archives that they are from.
func read(ctx context.Context, from raw.Querier, known *raw.Archives, window []fetched) (*raw.Archives, error) {
	var all []raw.Place
	for _, batch := range window {
		all = append(all, places(batch.sources)...)
	}
	records, known, err := known.Read(ctx, from, all)
	if err != nil {
		return known, err
	}
	for i := range window {
		count := len(window[i].sources)
		window[i].raws, records = records[:count:count], records[count:]
	}
	return known, nil
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

// sources gives those of the rows behind a key, and how many rows they are.
func (r *Rows) sources(ctx context.Context, from raw.Querier, after string) (fetched, int, error) {
	var (
		batch    = fetched{sources: make([]source, 0, batchRows)}
		rows     int
		one      source
		call     *int64
		position *int32
		columns  = "t." + r.table.key + ", t._call_id, t._raw_position"
		to       = []any{&batch.last, &one.Call, &one.Position}
	)
	if r.table.parent != "" {
		columns, to = columns+", "+r.table.parentText(), append(to, &one.parent)
	}
	if r.table.details {
		columns, to = columns+", t._detail_call_id, t._detail_raw_position", append(to, &call, &position)
	}
	found, err := from.Query(ctx, fmt.Sprintf(`SELECT %[3]s FROM %[1]s AS t WHERE t.organization_id = $1 AND t.%[2]s > $2 ORDER BY t.%[2]s LIMIT $3`,
		r.table.name, r.table.key, columns), r.stream.Organization, after, batchRows)
	if err != nil {
		return fetched{}, 0, fmt.Errorf("reading ahead: %w", err)
	}
	_, err = pgx.ForEachRow(found, to, func() error {
		rows++
		batch.sources = append(batch.sources, one)
		if call != nil && position != nil {
			batch.sources = append(batch.sources, source{Place: raw.Place{Call: *call, Position: *position}, parent: one.parent})
		}
		return nil
	})
	if err != nil {
		return fetched{}, 0, fmt.Errorf("reading ahead: %w", err)
	}
	return batch, rows, nil
}
