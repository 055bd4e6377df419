package ratios

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"sluice/cmd/sluice-bench/baseline"
	"sluice/cmd/sluice-bench/flow"
	"sluice/pipeline"
	"sluice/pipeline/warehouse/rebuild"
	"sluice/pipeline/warehouse/rows"
	"sluice/schema/record"
)

// anew measures rebuilding a table out of its raw records against bringing them from upstream.
func (b *bench) anew(ctx context.Context) error { return b.repeated(ctx, b.rebuilds) }

func (b *bench) rebuilds(ctx context.Context, pages string) error {
	alone, err := b.fresh(ctx, pages, 1)
	if err != nil {
		return err
	}
	fresh, err := b.fresh(ctx, pages, 0)
	if err != nil {
		return err
	}
	// What a vacuum of its own accord would write while rows are compared is not the rebuild's.
	if _, err := b.conn.Exec(ctx, `VACUUM (FREEZE, ANALYZE) bench.items, sluice.raw_records`); err != nil {
		return fmt.Errorf("vacuum: %w", err)
	}
	same, log, err := b.rebuild(ctx, 0)
	if err != nil {
		return err
	}
	all, err := b.rebuildAfter(ctx, `description = 'edited'`)
	if err != nil {
		return err
	}
	// As a declaration that makes something else of each record leaves them.
	other, err := b.rebuildAfter(ctx, `_hash = decode(md5(item_id), 'hex')`)
	if err != nil {
		return err
	}
	const name, opponent = "rebuild from raw, items, ", "end to end, fresh"
	for _, line := range []struct {
		what string
		took time.Duration
	}{{"no row differs", same}, {"every row differs", all}, {"every hash differs", other}} {
		b.found(ratio{name: name + line.what, against: opponent, goal: "≥ 1.5", want: 1.5}, fresh/line.took.Seconds())
		// A rebuild goes through one table in its order, as one lane does.
		b.found(ratio{name: name + line.what, against: opponent + ", one lane", goal: "≥ 1.5", want: 1.5}, alone/line.took.Seconds())
	}
	b.found(ratio{name: "… WAL, bytes a row", against: "no row differs", goal: "≤ 10", want: 10, most: true}, log/float64(b.Pages))
	return nil
}

// fresh brings all items into empty tables, in so many lanes, and gives the seconds that it took.
func (b *bench) fresh(ctx context.Context, pages string, lanes int) (float64, error) {
	if err := baseline.Empty(ctx, b.conn, b.names(b.resource("items"))...); err != nil {
		return 0, err //nolint:wrapcheck // it says what failed
	}
	asked := b.ask(pages, "items", b.Pages)
	asked.Lanes = lanes
	did, err := b.process(ctx, asked)
	return did.Seconds, err
}

// rebuildAfter changes all rows and gives the time of rebuilding them.
func (b *bench) rebuildAfter(ctx context.Context, change string) (time.Duration, error) {
	if _, err := b.conn.Exec(ctx, `UPDATE bench.items SET `+change); err != nil {
		return 0, fmt.Errorf("change all rows: %w", err)
	}
	// What an update leaves behind is not what a rebuild takes.
	if _, err := b.conn.Exec(ctx, `VACUUM FULL bench.items`); err != nil {
		return 0, fmt.Errorf("vacuum: %w", err)
	}
	took, _, err := b.rebuild(ctx, b.Pages)
	return took, err
}

// rebuild holds all rows against their raw records, of which so many are to be written, and gives the time and the bytes of write-ahead
// log that it took.
func (b *bench) rebuild(ctx context.Context, differ int) (time.Duration, float64, error) {
	resource := b.resource("items")
	normalizer, err := record.New(resource, time.UTC)
	if err != nil {
		return 0, 0, fmt.Errorf("prepare: %w", err)
	}
	stream := pipeline.Stream{Organization: flow.Organization, Service: b.service, Resource: resource}
	pool, err := b.pool(ctx)
	if err != nil {
		return 0, 0, err
	}
	defer pool.Close()
	rows := rebuild.New(stream, 1, rebuild.All, rows.New(b.service, resource), normalizer.RecordUnder)
	rows.ReadAhead(pool)
	defer rows.Close()
	var counts rebuild.Counts
	took, log, err := b.timed(ctx, func() error {
		for after, more := "", true; more; {
			err := pgx.BeginFunc(ctx, b.conn, func(tx pgx.Tx) error {
				done, err := rows.Step(ctx, tx, after, false)
				counts.Add(done.Counts)
				after, more = done.Last, done.Last != ""
				return err //nolint:wrapcheck // it says what failed
			})
			if err != nil {
				return fmt.Errorf("rebuild: %w", err)
			}
		}
		return nil
	})
	if err == nil && counts != (rebuild.Counts{Rows: b.Pages, Rewritten: differ}) {
		err = fmt.Errorf("%+v of %d rows, of which %d differ", counts, b.Pages, differ)
	}
	return took, log, err
}
