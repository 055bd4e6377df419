package ratios

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"sluice/cmd/sluice-bench/baseline"
	"sluice/cmd/sluice-bench/dataset"
	"sluice/cmd/sluice-bench/flow"
	"sluice/pipeline/upstream/body"
	"sluice/pipeline/warehouse/rows"
	"sluice/schema/record"
)

const (
	megabyte = 1 << 20
	// changes are so many records, spread over the whole table, in transactions of so many.
	changes, changesAtOnce = 2000, 200
)

// memory measures the most that a flow has resident, which should not depend on how much there is.
func (b *bench) memory(ctx context.Context) error {
	resource := b.resource("items")
	return b.served(ctx, func(pages string) error {
		var least, most float64
		measure := func(what string, asked flow.Asked) error {
			if err := baseline.Empty(ctx, b.conn, b.names(resource)...); err != nil {
				return err //nolint:wrapcheck // it says what failed
			}
			result, err := b.process(ctx, asked)
			if err != nil {
				return err
			}
			peak := float64(result.Peak)
			if least == 0 {
				least = peak
			}
			least, most = min(peak, least), max(peak, most)
			b.found(ratio{name: "peak memory, MB, " + what, against: "–", goal: "≤ 120", want: 120, most: true, format: "%.0f"}, peak/megabyte)
			return nil
		}
		for _, size := range b.Sizes {
			if err := measure(fmt.Sprintf("%d items", size), b.ask(pages, "items", size)); err != nil {
				return err
			}
		}
		b.found(ratio{name: "… largest", against: "smallest of these sizes", goal: "≤ 1.10", want: 1.1, most: true}, most/least)
		asked := b.ask(pages, "items", body.MaxElements) // some 18 MB; a longer page is refused
		asked.PerPage = asked.Total
		return measure(fmt.Sprintf("one page of %d items", asked.Total), asked)
	})
}

// growth measures changes of a few records in a small and in a large table, several times each: every time they have other values.
func (b *bench) growth(ctx context.Context) error {
	times := shortTimes * b.Repetitions
	var took [2][]time.Duration
	for i, size := range b.Growth {
		if err := b.fill(ctx, size); err != nil {
			return err
		}
		for version := range times {
			one, err := b.change(ctx, size, version+1)
			if err != nil {
				return err
			}
			took[i] = append(took[i], one)
		}
	}
	for i := range times {
		b.found(ratio{
			name: fmt.Sprintf("cost of a change, %d rows", b.Growth[1]), against: fmt.Sprintf("%d rows", b.Growth[0]), goal: "≤ 1.3", want: 1.3, most: true,
		}, quotient(took[1][i], took[0][i]))
	}
	return nil
}

// change changes some records of a table of so many to a version of theirs.
func (b *bench) change(ctx context.Context, size, version int) (time.Duration, error) {
	resource := b.resource("items")
	normalizer, err := record.New(resource, time.UTC)
	if err != nil {
		return 0, fmt.Errorf("prepare: %w", err)
	}
	records := make([]record.Record, changes)
	for n := range records {
		if records[n], err = normalizer.Record(dataset.Append(nil, resource, n*(size/changes), version)); err != nil {
			return 0, fmt.Errorf("make a record: %w", err)
		}
	}
	var counts flow.Counts
	l := rows.New(b.service, resource)
	took, _, err := b.timed(ctx, func() error {
		for part := range slices.Chunk(records, changesAtOnce) {
			b.call++
			if err := flow.Load(ctx, b.conn, l, part, b.call, &counts); err != nil {
				return err //nolint:wrapcheck // it says what failed
			}
		}
		return nil
	})
	if err == nil && counts.Written != changes {
		err = fmt.Errorf("%d of %d changes were written", counts.Written, changes)
	}
	return took, err
}

// fill makes the table of items so large, by copies of a few rows under other keys.
func (b *bench) fill(ctx context.Context, size int) error {
	const seed = 1000
	resource := b.resource("items")
	if err := baseline.Empty(ctx, b.conn, b.names(resource)...); err != nil {
		return err //nolint:wrapcheck // it says what failed
	}
	records, err := ready(resource, seed)
	if err != nil {
		return err
	}
	if err := b.load(ctx, resource, records.first, seed); err != nil {
		return err
	}
	var list string
	err = b.conn.QueryRow(ctx, `SELECT string_agg(quote_ident(attname), ', ' ORDER BY attnum)
FROM pg_attribute WHERE attrelid = 'bench.items'::regclass AND attnum > 0`).Scan(&list)
	if err != nil {
		return fmt.Errorf("read the columns: %w", err)
	}
	copies := strings.Replace(list, "item_id", "(item_id::bigint + $1 * nth)::text", 1)
	_, err = b.conn.Exec(ctx, `INSERT INTO bench.items (`+list+`)
SELECT `+copies+` FROM bench.items, generate_series(1, $2) AS nth ORDER BY nth, item_id`,
		seed, size/seed-1)
	if err == nil {
		_, err = b.conn.Exec(ctx, `VACUUM ANALYZE bench.items`)
	}
	if err != nil {
		return fmt.Errorf("fill the table: %w", err)
	}
	return nil
}
