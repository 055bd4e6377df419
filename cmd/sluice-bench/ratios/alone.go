package ratios

import (
	"context"
	"fmt"
	"slices"
	"time"

	"sluice/cmd/sluice-bench/baseline"
	"sluice/cmd/sluice-bench/dataset"
	"sluice/cmd/sluice-bench/flow"
	"sluice/pipeline/warehouse/rows"
	"sluice/schema"
	"sluice/schema/record"
)

// group is how many records one transaction has, on both sides.
const group = 5000

// target are the goals of one resource.
type target struct {
	name      string
	count     int
	unchanged float64
}

// alone measures the loader with records that are ready.
func (b *bench) alone(ctx context.Context) error {
	for range b.Repetitions {
		for _, t := range []target{{"items", b.Items, 20}, {"bills", b.Bills, 50}} {
			if err := b.aloneOnce(ctx, t); err != nil {
				return err
			}
		}
	}
	return nil
}

// versions are the same records, by what changed.
type versions struct{ first, hundredth, second []record.Record }

func ready(resource *schema.Resource, count int) (versions, error) {
	var all versions
	normalizer, err := record.New(resource, time.UTC)
	if err != nil {
		return all, fmt.Errorf("prepare: %w", err)
	}
	for version, records := range []*[]record.Record{&all.first, &all.second} {
		for n := range count {
			record, err := normalizer.Record(dataset.Append(nil, resource, n, version))
			if err != nil {
				return all, fmt.Errorf("make record %d: %w", n, err)
			}
			*records = append(*records, record)
		}
	}
	all.hundredth = slices.Clone(all.first)
	for n := range all.hundredth {
		if dataset.Hundredth.Version(n) == 1 {
			all.hundredth[n] = all.second[n]
		}
	}
	return all, nil
}

func (b *bench) aloneOnce(ctx context.Context, t target) error {
	resource := b.resource(t.name)
	records, err := ready(resource, t.count)
	if err != nil {
		return err
	}
	names, other := b.names(resource), baseline.Of(resource)
	if err := baseline.Empty(ctx, b.conn, other.Names()...); err != nil {
		return err //nolint:wrapcheck // it says what failed
	}
	ours := func(records []record.Record, written int) func() error {
		return func() error { return b.load(ctx, resource, records, written) }
	}
	batch := func(records []record.Record) func() error {
		return func() error { return other.Upserts(ctx, b.conn, flow.Organization, records, group) }
	}
	staged := func(records []record.Record) func() error {
		return func() error { return other.Staged(ctx, b.conn, flow.Organization, records, group) }
	}
	for range shortTimes {
		if err := b.aloneFresh(ctx, t, names, ours(records.first, t.count)); err != nil {
			return err
		}
	}
	// The first session that reads a page after a load marks in it what is committed; where pages have checksums Postgres logs that page.
	if _, err := b.conn.Exec(ctx, "VACUUM ANALYZE"); err != nil {
		return fmt.Errorf("vacuum: %w", err)
	}
	same, wal, err := b.timed(ctx, ours(records.first, 0))
	if err != nil {
		return err
	}
	grown, err := b.bloat(ctx, names, ours(records.first, 0))
	if err != nil {
		return err
	}
	if _, _, err = b.timed(ctx, staged(records.first)); err != nil {
		return err
	}
	sameOther, walOther, err := b.timed(ctx, batch(records.first))
	if err != nil {
		return err
	}
	few, _, err := b.timed(ctx, ours(records.hundredth, (t.count+99)/100))
	if err != nil {
		return err
	}
	fewOther, _, err := b.timed(ctx, batch(records.hundredth))
	if err != nil {
		return err
	}
	all, _, err := b.timed(ctx, ours(records.second, t.count-(t.count+99)/100))
	if err != nil {
		return err
	}
	allOther, _, err := b.timed(ctx, staged(records.second))
	if err != nil {
		return err
	}
	each := float64(t.count)
	name, batches := "loader alone, "+t.name+", ", "batch of upserts"
	b.found(ratio{
		name: name + "unchanged", against: batches, goal: fmt.Sprintf("≥ %.0f", t.unchanged), want: t.unchanged, format: "%.1f",
	}, quotient(sameOther, same))
	b.found(ratio{
		name: "… WAL, bytes a record", against: t.name + ", unchanged", goal: "≤ 10", want: 10, most: true, format: "%.1f",
	}, wal/each).note = fmt.Sprintf("batch of upserts: %.0f", walOther/each)
	b.found(ratio{name: "… 5 times, growth of the tables in %", against: t.name + ", unchanged", goal: "0", most: true}, grown)
	b.found(ratio{name: name + "1 % changed", against: batches, goal: "≥ 15", want: 15, format: "%.1f"}, quotient(fewOther, few))
	b.found(ratio{name: name + "all changed", against: "COPY to temp + upsert", goal: "≥ 1.0", want: 1}, quotient(allOther, all))
	return nil
}

// aloneFresh measures work, which fills tables that are empty, against COPY of what it brought, which is in them afterwards.
func (b *bench) aloneFresh(ctx context.Context, t target, names []string, work func() error) error {
	if err := baseline.Empty(ctx, b.conn, names...); err != nil {
		return err //nolint:wrapcheck // it says what failed
	}
	fresh, _, err := b.timed(ctx, work)
	if err != nil {
		return err
	}
	copied, err := baseline.RawCopy(ctx, b.conn, b.Folder, names)
	if err != nil {
		return err //nolint:wrapcheck // it says what failed
	}
	line := ratio{name: "loader alone, " + t.name + ", fresh", against: "raw binary COPY, archive too", goal: "≥ 0.85", want: 0.85}
	b.found(line, quotient(copied.Took, fresh))
	return nil
}

// load loads records and holds what was written against what has to be.
func (b *bench) load(ctx context.Context, resource *schema.Resource, records []record.Record, written int) error {
	var counts flow.Counts
	l := rows.New(b.service, resource)
	for part := range slices.Chunk(records, group) {
		b.call++
		if err := flow.Load(ctx, b.conn, l, part, b.call, &counts); err != nil {
			return err //nolint:wrapcheck // it says what failed
		}
	}
	if counts.Written != written {
		return fmt.Errorf("%d rows of %s were written, want %d", counts.Written, resource.Name, written)
	}
	return nil
}

// bloat is by how many per cent the tables are larger after five times of work. They were vacuumed before: the first vacuum after a load
// makes maps of a few pages, whatever happens next.
func (b *bench) bloat(ctx context.Context, names []string, work func() error) (float64, error) {
	size := func() (float64, error) {
		var bytes float64
		err := b.conn.QueryRow(ctx, "SELECT sum(pg_total_relation_size(t::regclass))::float8 FROM unnest($1::text[]) AS t", names).Scan(&bytes)
		if err != nil {
			return 0, fmt.Errorf("read the size of the tables: %w", err)
		}
		return bytes, nil
	}
	before, err := size()
	if err != nil {
		return 0, err
	}
	for range 5 {
		if err := work(); err != nil {
			return 0, err
		}
	}
	after, err := size()
	const percent = 100
	return (after/before - 1) * percent, err
}
