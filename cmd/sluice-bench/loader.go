package main

import (
	"context"
	"fmt"
	"runtime"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"

	"sluice/cmd/sluice-bench/baseline"
	"sluice/cmd/sluice-bench/dataset"
	"sluice/pipeline/warehouse/rows"
	"sluice/schema"
	"sluice/schema/ddl"
	"sluice/schema/record"
)

const (
	// archive is the table of sluice's raw records.
	archive = "sluice.raw_records"
	// group is the number of records in one transaction, on both sides.
	group = 5000
	// organization is the organization of the loader's records.
	organization = "org"
	// freshTimes is the number of measurements of a first load in a round. One takes a fifth of a
	// second, so a slow phase of the disk would show.
	freshTimes = 3
)

// loading measures the loader with prepared records.
type loading struct {
	conn    *pgx.Conn
	table   *table
	folder  string
	service *schema.Service
	// call is the number of the last batch.
	call int64
}

func measureLoader(ctx context.Context, s *stage, p *plan, t *table) error {
	return s.fresh(ctx, func(w *warehouse) error {
		return w.do(ctx, func(conn *pgx.Conn) error {
			l := &loading{conn: conn, table: t, folder: s.folder, service: dataset.Service(), call: 1}
			if _, err := conn.Exec(ctx, ddl.DDL(*l.service)); err != nil {
				return fmt.Errorf("make the tables: %w", err)
			}
			for i := range l.service.Resources {
				if err := baseline.Of(&l.service.Resources[i]).Make(ctx, conn, l.service); err != nil {
					return err
				}
			}
			for range p.rounds {
				for i := range l.service.Resources {
					resource := &l.service.Resources[i]
					if err := l.round(ctx, resource, p.loaded[resource.Name]); err != nil {
						return err
					}
				}
			}
			return nil
		})
	})
}

// versions makes records in two versions.
func versions(resource *schema.Resource, count int) ([2][]record.Record, error) {
	var all [2][]record.Record
	normalizer, err := record.New(resource, time.UTC)
	if err != nil {
		return all, fmt.Errorf("prepare: %w", err)
	}
	for version := range all {
		for n := range count {
			one, err := normalizer.Record(dataset.Append(nil, resource, n, version))
			if err != nil {
				return all, fmt.Errorf("make record %d: %w", n, err)
			}
			all[version] = append(all[version], one)
		}
	}
	return all, nil
}

// side is the cost of one side of a ratio.
type side struct {
	took    time.Duration
	written int
	wal     float64
}

// round measures the loader and its opponents once, with records of one resource.
func (l *loading) round(ctx context.Context, resource *schema.Resource, count int) error {
	records, err := versions(resource, count)
	if err != nil {
		return err
	}
	other := baseline.Of(resource)
	if err := baseline.Empty(ctx, l.conn, other.Names()...); err != nil {
		return err
	}
	ours := func(records []record.Record) func() (int, error) {
		return func() (int, error) { return l.load(ctx, resource, records) }
	}
	theirs := func(bring func(context.Context, *pgx.Conn, string, []record.Record, int) error, records []record.Record) func() (int, error) {
		return func() (int, error) { return len(records), bring(ctx, l.conn, organization, records, group) }
	}
	for range freshTimes {
		if err := l.fresh(ctx, resource, count, ours(records[0])); err != nil {
			return err
		}
	}
	// The first session that reads a page after a load marks in it what is committed; where pages
	// have checksums Postgres logs that page.
	if _, err := l.conn.Exec(ctx, "VACUUM ANALYZE"); err != nil {
		return fmt.Errorf("vacuum: %w", err)
	}
	sides := make([]side, 0, 5)
	for _, work := range []func() (int, error){
		ours(records[0]), theirs(other.Staged, records[0]), theirs(other.Upserts, records[0]), ours(records[1]), theirs(other.Staged, records[1]),
	} {
		one, err := l.timed(ctx, work)
		if err != nil {
			return err
		}
		sides = append(sides, one)
	}
	same, sameOther, changed, changedOther := sides[0], sides[2], sides[3], sides[4]
	if changed.written != count {
		return fmt.Errorf("%d of %d changed %s were written", changed.written, count, resource.Name)
	}
	l.table.add("loader unchanged "+resource.Name, quotient(sameOther.took, same.took))
	l.table.add("loader unchanged rows", float64(same.written))
	l.table.add("loader unchanged WAL", same.wal/float64(count))
	l.table.add("loader changed "+resource.Name, quotient(changedOther.took, changed.took))
	return nil
}

// fresh measures work, which fills empty tables, against COPY of the same rows.
func (l *loading) fresh(ctx context.Context, resource *schema.Resource, count int, work func() (int, error)) error {
	var names []string
	for _, table := range resource.Tables() {
		names = append(names, quoted(l.service.Name, table.Name))
	}
	names = append(names, archive)
	if err := baseline.Empty(ctx, l.conn, names...); err != nil {
		return err
	}
	one, err := l.timed(ctx, work)
	if err != nil {
		return err
	}
	if one.written != count {
		return fmt.Errorf("%d of %d new %s were written", one.written, count, resource.Name)
	}
	copied, err := baseline.RawCopy(ctx, l.conn, l.folder, names)
	if err != nil {
		return err
	}
	l.table.add("loader fresh "+resource.Name, quotient(copied, one.took))
	return nil
}

// load loads records and returns the number of rows that it wrote to the resource's own table.
func (l *loading) load(ctx context.Context, resource *schema.Resource, records []record.Record) (int, error) {
	written, loader := 0, rows.New(l.service, resource)
	for part := range slices.Chunk(records, group) {
		l.call++
		err := pgx.BeginFunc(ctx, l.conn, func(tx pgx.Tx) error {
			done, refused, err := loader.LoadBisect(ctx, tx, rows.Batch{Organization: organization, Run: 1, Call: l.call, Records: part})
			if err == nil && (len(refused) > 0 || done.Superseded > 0) {
				err = fmt.Errorf("%d records were refused and %d superseded: nothing is measured", len(refused), done.Superseded)
			}
			written += done.Inserted + done.Updated
			return err
		})
		if err != nil {
			return written, fmt.Errorf("load %s: %w", resource.Name, err)
		}
	}
	return written, nil
}

// timed runs work after a checkpoint and a garbage collection, and returns its cost.
func (l *loading) timed(ctx context.Context, work func() (int, error)) (side, error) {
	var one side
	if err := baseline.Checkpoint(ctx, l.conn); err != nil {
		return one, err
	}
	runtime.GC() // the records of all versions are in memory: scanning them belongs to no side
	from, err := l.wal(ctx)
	if err != nil {
		return one, err
	}
	began := time.Now()
	if one.written, err = work(); err != nil {
		return one, err
	}
	one.took = time.Since(began)
	to, err := l.wal(ctx)
	one.wal = to - from
	return one, err
}

func (l *loading) wal(ctx context.Context) (float64, error) {
	var at float64
	if err := l.conn.QueryRow(ctx, "SELECT (pg_current_wal_lsn() - '0/0')::float8").Scan(&at); err != nil {
		return 0, fmt.Errorf("read the place in the write-ahead log: %w", err)
	}
	return at, nil
}

// quotient returns the opponent's time divided by ours.
func quotient(opponent, ours time.Duration) float64 { return opponent.Seconds() / ours.Seconds() }
