package bench

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"sluice/connectors"
	"sluice/pipeline/warehouse/rows"
	"sluice/schema"
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

// loading measures the loader with prepared records of one list.
type loading struct {
	conn     *pgx.Conn
	table    *table
	folder   string
	service  *schema.Service
	resource *schema.Resource
	rival    *rival
	// call is the number of the last batch.
	call int64
}

func measureLoader(ctx context.Context, s *stage, p *plan, t *table) error {
	return s.fresh(ctx, func(w *warehouse) error {
		return w.do(ctx, func(conn *pgx.Conn) error {
			for _, name := range []string{nameItems, nameBills} {
				l := &loading{conn: conn, table: t, folder: s.folder, call: 1}
				var err error
				if l.service, l.resource, err = declared(name); err != nil {
					return err
				}
				if l.rival, err = newRival(ctx, conn, l.service, l.resource); err != nil {
					return err
				}
				versions, err := l.versions(ctx, p.loaded[name])
				if err != nil {
					return err
				}
				for range p.rounds {
					if err := l.round(ctx, versions); err != nil {
						return err
					}
				}
			}
			return nil
		})
	})
}

// declared returns a resource of inventory, and its service.
func declared(name string) (*schema.Service, *schema.Resource, error) {
	for _, s := range connectors.All() {
		for i := range s.Resources {
			if s.Name == inventory && s.Resources[i].Name == name {
				return &s, &s.Resources[i], nil
			}
		}
	}
	return nil, nil, fmt.Errorf("no resource %s.%s is declared", inventory, name)
}

// versions returns records of the sandbox, and the same records after an edit.
func (l *loading) versions(ctx context.Context, count int) ([2][]record.Record, error) {
	var all [2][]record.Record
	normalizer, err := record.New(l.resource, time.UTC)
	if err != nil {
		return all, fmt.Errorf("prepare: %w", err)
	}
	err = inWorld(ctx, unlimited(companyOf(count)), nil, func(u *world) error {
		for raw := range u.Truth(l.service.Name, l.resource.Name) {
			changed, err := edited(raw)
			if err != nil {
				return err
			}
			for version, raw := range []json.RawMessage{bytes.Clone(raw), changed} {
				one, err := normalizer.Record(raw)
				if err != nil {
					return err
				}
				all[version] = append(all[version], one)
			}
		}
		return nil
	})
	if err == nil && len(all[0]) < count {
		err = fmt.Errorf("there are %d of %d records", len(all[0]), count)
	}
	for version := range all {
		all[version] = all[version][:min(count, len(all[version]))]
	}
	return all, err
}

// edited returns a record with other amounts, other long texts and a later time.
func edited(raw json.RawMessage) (json.RawMessage, error) {
	var fields map[string]any
	decoder := json.NewDecoder(bytes.NewReader(raw))
	decoder.UseNumber()
	if err := decoder.Decode(&fields); err != nil {
		return nil, fmt.Errorf("edit a record: %w", err)
	}
	return json.Marshal(edit("", fields))
}

func edit(key string, value any) any {
	switch v := value.(type) {
	case map[string]any:
		for key, field := range v {
			v[key] = edit(key, field)
		}
	case []any:
		for i := range v {
			v[i] = edit("", v[i])
		}
	case json.Number:
		if strings.Contains(string(v), ".") && v[0] != '-' {
			return "1" + v
		}
	case string:
		switch key {
		case "last_modified_time":
			return "2030-01-02T10:00:00+0530"
		case "description", "notes":
			return v + " edited"
		}
	}
	return value
}

// side is the cost of one side of a ratio.
type side struct {
	took    time.Duration
	written int
	wal     float64
}

// round measures the loader and its opponents once.
func (l *loading) round(ctx context.Context, versions [2][]record.Record) error {
	count, name := len(versions[0]), l.resource.Name
	if err := emptyTables(ctx, l.conn, l.rival.names()...); err != nil {
		return err
	}
	ours := func(records []record.Record) func() (int, error) {
		return func() (int, error) { return l.load(ctx, records) }
	}
	theirs := func(bring func(context.Context, *pgx.Conn, []record.Record) error, records []record.Record) func() (int, error) {
		return func() (int, error) { return len(records), bring(ctx, l.conn, records) }
	}
	for range freshTimes {
		if err := l.fresh(ctx, count, ours(versions[0])); err != nil {
			return err
		}
	}
	// The first session that reads a page after a load marks in it what is committed; where pages
	// have checksums Postgres logs that page.
	if _, err := l.conn.Exec(ctx, "VACUUM ANALYZE"); err != nil {
		return fmt.Errorf("vacuum: %w", err)
	}
	var sides []side
	for _, work := range []func() (int, error){
		ours(versions[0]), theirs(l.rival.staged, versions[0]), theirs(l.rival.upserts, versions[0]),
		ours(versions[1]), theirs(l.rival.staged, versions[1]),
	} {
		one, err := l.timed(ctx, work)
		if err != nil {
			return err
		}
		sides = append(sides, one)
	}
	same, sameOther, changed, changedOther := sides[0], sides[2], sides[3], sides[4]
	if changed.written != count {
		return fmt.Errorf("%d of %d changed %s were written", changed.written, count, name)
	}
	l.table.add("loader unchanged "+name, quotient(sameOther.took, same.took))
	l.table.add("loader unchanged rows", float64(same.written))
	l.table.add("loader unchanged WAL", same.wal/float64(count))
	l.table.add("loader changed "+name, quotient(changedOther.took, changed.took))
	return nil
}

// fresh measures work, which fills empty tables, against COPY of the same rows.
func (l *loading) fresh(ctx context.Context, count int, work func() (int, error)) error {
	names := append(tables(l.service, l.resource), archive)
	if err := emptyTables(ctx, l.conn, names...); err != nil {
		return err
	}
	one, err := l.timed(ctx, work)
	if err != nil {
		return err
	}
	if one.written != count {
		return fmt.Errorf("%d of %d new %s were written", one.written, count, l.resource.Name)
	}
	copied, err := rawCopy(ctx, l.conn, l.folder, names)
	if err != nil {
		return err
	}
	l.table.add("loader fresh "+l.resource.Name, quotient(copied, one.took))
	return nil
}

// load loads records and returns the number of rows that it wrote to the resource's own table.
func (l *loading) load(ctx context.Context, records []record.Record) (int, error) {
	written, loader := 0, rows.New(l.service, l.resource)
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
			return written, fmt.Errorf("load %s: %w", l.resource.Name, err)
		}
	}
	return written, nil
}

// timed runs work after a checkpoint and a garbage collection, and returns its cost.
func (l *loading) timed(ctx context.Context, work func() (int, error)) (side, error) {
	var one side
	if err := checkpoint(ctx, l.conn); err != nil {
		return one, err
	}
	runtime.GC() // the records of all versions are in memory: scanning them belongs to no side
	const place = "SELECT (pg_current_wal_lsn() - '0/0')::float8"
	var from, to float64
	if err := l.conn.QueryRow(ctx, place).Scan(&from); err != nil {
		return one, fmt.Errorf("read the place in the write-ahead log: %w", err)
	}
	began := time.Now()
	var err error
	if one.written, err = work(); err != nil {
		return one, err
	}
	one.took = time.Since(began)
	err = l.conn.QueryRow(ctx, place).Scan(&to)
	one.wal = to - from
	return one, err
}

// quotient returns the opponent's time divided by ours.
func quotient(opponent, ours time.Duration) float64 { return opponent.Seconds() / ours.Seconds() }

// tables returns the tables of a resource, quoted, parents before children.
func tables(service *schema.Service, resource *schema.Resource) []string {
	var names []string
	for _, table := range resource.Tables() {
		names = append(names, quoted(service.Name, table.Name))
	}
	return names
}
