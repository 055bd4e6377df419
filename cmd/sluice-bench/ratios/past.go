package ratios

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"sluice/cmd/sluice-bench/baseline"
	"sluice/cmd/sluice-bench/flow"
	"sluice/pipeline/warehouse/history"
	"sluice/pipeline/warehouse/rows"
	"sluice/schema"
	"sluice/schema/record"
)

// past measures what versions cost: the same batches with and without them.
func (b *bench) past(ctx context.Context) error {
	pool, err := b.pool(ctx)
	if err != nil {
		return err
	}
	defer pool.Close()
	for range b.Repetitions {
		for _, t := range []target{{name: "items", count: b.Items}, {name: "bills", count: b.Bills}} {
			if err := b.pastOnce(ctx, pool, t); err != nil {
				return err
			}
		}
	}
	return nil
}

func (b *bench) pastOnce(ctx context.Context, pool *pgxpool.Pool, t target) error {
	resource := b.resource(t.name)
	records, err := ready(resource, t.count)
	if err != nil {
		return err
	}
	var fresh, few [2]time.Duration
	for i, on := range []bool{false, true} {
		names := append(b.names(resource), "history.versions", "history.periods")
		if err := baseline.Empty(ctx, b.conn, names...); err != nil {
			return err //nolint:wrapcheck // it says what failed
		}
		setting := history.Of(flow.Organization, b.service, resource)
		setting.Versions = on
		if err := history.Switch(ctx, pool, []history.Setting{setting}); err != nil {
			return fmt.Errorf("switch versions: %w", err)
		}
		if fresh[i], _, err = b.timed(ctx, func() error { return b.remember(ctx, resource, records.first, on) }); err != nil {
			return err
		}
		if few[i], _, err = b.timed(ctx, func() error { return b.remember(ctx, resource, records.hundredth, on) }); err != nil {
			return err
		}
		var versions, want int
		if on {
			want = t.count + (t.count+99)/100
		}
		if err := b.conn.QueryRow(ctx, `SELECT count(*) FROM history.versions`).Scan(&versions); err != nil {
			return fmt.Errorf("count versions: %w", err)
		}
		if versions != want {
			return fmt.Errorf("%d versions of %s, want %d: nothing is measured", versions, resource.Name, want)
		}
	}
	line := ratio{name: "history on, 1 % changed, " + t.name, against: "history off", goal: "≥ 0.5", want: 0.5}
	b.found(line, quotient(few[0], few[1])).note = fmt.Sprintf("first load: %.2f", quotient(fresh[0], fresh[1]))
	return nil
}

// remember loads records as b.load does, with or without versions.
func (b *bench) remember(ctx context.Context, resource *schema.Resource, records []record.Record, on bool) error {
	l := rows.New(b.service, resource)
	for part := range slices.Chunk(records, group) {
		b.call++
		err := pgx.BeginFunc(ctx, b.conn, func(tx pgx.Tx) error {
			_, refused, err := l.LoadBisect(ctx, tx, rows.Batch{
				Organization: flow.Organization, Run: 1, Call: b.call, History: on, Records: part,
			})
			if err == nil && len(refused) > 0 {
				err = fmt.Errorf("%d records were refused: nothing is measured", len(refused))
			}
			return err //nolint:wrapcheck // what fails says where
		})
		if err != nil {
			return fmt.Errorf("load %s: %w", resource.Name, err)
		}
	}
	return nil
}
