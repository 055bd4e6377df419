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
	service  *schema.Service
	resource *schema.Resource
	// call is the number of the last batch.
	call int64
}

func measureLoader(ctx context.Context, s *stage, p *plan, t *table) error {
	return s.fresh(ctx, unlimited(1), func(w *warehouse) error {
		return w.do(ctx, func(conn *pgx.Conn) error {
			for _, name := range []string{nameItems, nameBills} {
				l := &loading{conn: conn, table: t, call: 1}
				var err error
				if l.service, l.resource, err = declared(name); err != nil {
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
	for service, resource := range schema.Each(connectors.All()) {
		if service.Name == inventory && resource.Name == name {
			return service, resource, nil
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
	err = inWorld(ctx, unlimited(companyOf(count)), func(u *world) error {
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

// round measures the loader once: new, unchanged and changed records, against COPY of the same rows.
func (l *loading) round(ctx context.Context, versions [2][]record.Record) error {
	count, name, names := len(versions[0]), l.resource.Name, append(tables(l.service, l.resource), archive)
	var copied time.Duration
	for range freshTimes {
		if err := l.empty(ctx, names); err != nil {
			return err
		}
		took, _, err := l.timed(ctx, versions[0], count)
		if err != nil {
			return err
		}
		if copied, err = l.rawCopy(ctx, names); err != nil {
			return err
		}
		l.table.add("loader fresh "+name, copied.Seconds()/took.Seconds())
	}
	// The first session that reads a page after a load marks in it what is committed; where pages
	// have checksums Postgres logs that page.
	if _, err := l.conn.Exec(ctx, "VACUUM ANALYZE"); err != nil {
		return fmt.Errorf("vacuum: %w", err)
	}
	same, wal, err := l.timed(ctx, versions[0], 0)
	if err != nil {
		return err
	}
	changed, _, err := l.timed(ctx, versions[1], count)
	if err != nil {
		return err
	}
	l.table.add("loader unchanged "+name, copied.Seconds()/same.Seconds())
	l.table.add("loader unchanged WAL", wal/float64(count))
	l.table.add("loader changed "+name, copied.Seconds()/changed.Seconds())
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

// timed loads records after a checkpoint and a garbage collection, and returns the time and the bytes
// of the write-ahead log. It fails unless so many rows were written to the resource's own table.
func (l *loading) timed(ctx context.Context, records []record.Record, rows int) (time.Duration, float64, error) {
	if _, err := l.conn.Exec(ctx, "CHECKPOINT"); err != nil {
		return 0, 0, fmt.Errorf("checkpoint: %w", err)
	}
	runtime.GC() // the records of all versions are in memory: scanning them belongs to no side
	const place = "SELECT (pg_current_wal_lsn() - '0/0')::float8 - $1"
	var from, wal float64
	if err := l.conn.QueryRow(ctx, place, 0).Scan(&from); err != nil {
		return 0, 0, fmt.Errorf("read the place in the write-ahead log: %w", err)
	}
	began := time.Now()
	written, err := l.load(ctx, records)
	took := time.Since(began)
	if err == nil && written != rows {
		err = fmt.Errorf("of %d %s %d were written, want %d", len(records), l.resource.Name, written, rows)
	}
	if err == nil {
		err = l.conn.QueryRow(ctx, place, from).Scan(&wal)
	}
	return took, wal, err
}

// tables returns the tables of a resource, quoted, parents before children.
func tables(service *schema.Service, resource *schema.Resource) []string {
	var names []string
	for _, table := range resource.Tables() {
		names = append(names, pgx.Identifier{service.Name, table.Name}.Sanitize())
	}
	return names
}

// empty empties tables, and flushes earlier work, whose cost would fall on the next measurement.
func (l *loading) empty(ctx context.Context, names []string) error {
	for _, sql := range []string{"TRUNCATE " + strings.Join(names, ", "), "CHECKPOINT"} {
		if _, err := l.conn.Exec(ctx, sql); err != nil {
			return fmt.Errorf("%s: %w", sql, err)
		}
	}
	return nil
}

// rawCopy copies the rows of tables into memory, empties the tables, and returns the time of loading
// the same rows by binary COPY, the faster form, in one transaction. It includes no HTTP, no decoding
// and no comparison with stored rows. Keys, foreign keys and indexes are the same.
func (l *loading) rawCopy(ctx context.Context, names []string) (time.Duration, error) {
	rows, raw := int64(0), make([]bytes.Buffer, len(names))
	for i, name := range names {
		tag, err := l.conn.PgConn().CopyTo(ctx, &raw[i], "COPY "+name+" TO STDOUT (FORMAT binary)")
		if err != nil {
			return 0, fmt.Errorf("copy %s: %w", name, err)
		}
		rows += tag.RowsAffected()
	}
	// In a transaction of its own: one that empties a table may skip the log.
	if err := l.empty(ctx, names); err != nil {
		return 0, err
	}
	began := time.Now()
	err := pgx.BeginFunc(ctx, l.conn, func(pgx.Tx) error {
		for i, name := range names {
			tag, err := l.conn.PgConn().CopyFrom(ctx, &raw[i], "COPY "+name+" FROM STDIN (FORMAT binary)")
			if err != nil {
				return fmt.Errorf("copy %s back: %w", name, err)
			}
			rows -= tag.RowsAffected()
		}
		return nil
	})
	took := time.Since(began)
	if err == nil && rows != 0 {
		err = fmt.Errorf("of %v %d rows were not copied back", names, rows)
	}
	return took, err
}
