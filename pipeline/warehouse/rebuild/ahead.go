package rebuild

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"sync"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"sluice/schema/normalize"
)

// source is what a record was made of: a raw record, and the parent that it was listed under.
type source struct {
	place

	parent string
}

// made is what the declaration makes of a raw record, or why it does not fit.
type made struct {
	raw    []byte
	record normalize.Record
	misfit error
}

// reader makes records of the rows that come next while those before them are written. What is kept never changes, so a record that was made
// ahead is right as long as its row leads to the same place; one that is not there is made when it is needed.
type reader struct {
	pool *pgxpool.Pool
	next chan map[source]*made
	stop context.CancelFunc
	wait sync.WaitGroup
	// archives are those that the last batch came from.
	archives archives
}

// ReadAhead lets Step prepare the batch behind its own, on a connection of its own. Close ends that.
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
}

// begin prepares the rows behind a key.
func (a *reader) begin(ctx context.Context, r *Rows, after string) {
	a.end()
	ctx, a.stop = context.WithCancel(ctx)
	next := make(chan map[source]*made, 1)
	a.next = next
	a.wait.Go(func() {
		defer close(next)
		sources, err := r.sources(ctx, a.pool, after)
		if err != nil {
			return // the step that needs them says what is wrong
		}
		raws, used, err := a.archives.read(ctx, a.pool, places(sources))
		if err != nil {
			return
		}
		a.archives = used
		next <- r.make(raws, sources)
	})
}

// take gives what was prepared, nil if nothing was.
func (a *reader) take() map[source]*made {
	if a == nil || a.next == nil {
		return nil
	}
	found := <-a.next
	a.next = nil
	return found
}

// sources gives those of the rows behind a key.
func (r *Rows) sources(ctx context.Context, from querier, after string) ([]source, error) {
	detail := "NULL::bigint, NULL::integer"
	if r.table.details {
		detail = "t._detail_call_id, t._detail_raw_position"
	}
	found, err := from.Query(ctx, fmt.Sprintf(`SELECT %[3]s, t._call_id, t._raw_position, %[4]s FROM %[1]s AS t
WHERE t.organization_id = $1 AND t.%[2]s > $2 ORDER BY t.%[2]s LIMIT $3`, r.table.name, r.table.key, r.table.parentText(), detail),
		r.stream.Organization, after, batchRows)
	if err != nil {
		return nil, fmt.Errorf("reading ahead: %w", err)
	}
	var (
		sources  []source
		one      source
		call     *int64
		position *int32
	)
	_, err = pgx.ForEachRow(found, []any{&one.parent, &one.call, &one.position, &call, &position}, func() error {
		sources = append(sources, one)
		if call != nil && position != nil {
			sources = append(sources, source{place: place{*call, *position}, parent: one.parent})
		}
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("reading ahead: %w", err)
	}
	return sources, nil
}

func places(sources []source) []place {
	places := make([]place, len(sources))
	for i := range sources {
		places[i] = sources[i].place
	}
	return places
}

// hands is how many records are normalized at once.
const hands = 2

// make normalizes raw records, as far as they are kept.
func (r *Rows) make(raws map[place][]byte, sources []source) map[source]*made {
	found := make(map[source]*made, len(sources))
	var todo []source
	for _, at := range sources {
		if raw, kept := raws[at.place]; kept && found[at] == nil {
			found[at] = &made{raw: raw}
			todo = append(todo, at)
		}
	}
	var wait sync.WaitGroup
	for part := range slices.Chunk(todo, len(todo)/hands+1) {
		wait.Go(func() {
			for _, at := range part {
				one := found[at] // nobody writes to the map any more
				one.record, one.misfit = r.normalize(one.raw, at.parent)
			}
		})
	}
	wait.Wait()
	return found
}

// records gives what the declaration makes of rows: what was prepared, and what else there is to make.
func (r *Rows) records(ctx context.Context, tx pgx.Tx, rows []row) (map[source]*made, error) {
	found := r.reader.take()
	if found == nil {
		found = map[source]*made{}
	}
	var missing []source
	want := func(v *version, parent string) {
		if at := (source{v.place, parent}); found[at] == nil {
			missing = append(missing, at)
		}
	}
	for i := range rows {
		want(&rows[i].list, rows[i].parent)
		if rows[i].detail != nil {
			want(rows[i].detail, rows[i].parent)
		}
	}
	raws, err := readRaws(ctx, tx, places(missing))
	if err != nil {
		return nil, err
	}
	maps.Copy(found, r.make(raws, missing))
	return found, nil
}
