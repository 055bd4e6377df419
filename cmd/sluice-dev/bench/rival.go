package bench

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"sluice/schema"
	"sluice/schema/record"
)

// rival loads the same records as other tools do, as well as they do it: the opponent of sluice's
// loader. Its tables have sluice's columns and the raw record as json in the row, as is usual.
type rival struct {
	tables []rivalTable
}

// rivalTable is a table: its columns, keys first and the raw record last, their types, and the
// number of keys.
type rivalTable struct {
	name, stage    string
	columns, types []string
	keys           int
}

//nolint:gochecknoglobals // a constant table
var types = map[schema.Kind]string{
	schema.KindID: "text", schema.KindText: "text", schema.KindBool: "boolean", schema.KindInt: "bigint",
	schema.KindDecimal: "numeric", schema.KindDate: "date", schema.KindTime: "timestamptz", schema.KindJSON: "jsonb",
}

// newRival makes the tables of a resource, empty, after those of the service.
func newRival(ctx context.Context, conn *pgx.Conn, service *schema.Service, resource *schema.Resource) (*rival, error) {
	r := new(rival)
	sql := []string{"CREATE SCHEMA IF NOT EXISTS rival"}
	for i, declared := range resource.Tables() {
		t := rivalTable{name: quoted("rival", declared.Name), stage: quoted("stage_" + declared.Name)}
		add := func(name, kind string) {
			t.columns, t.types = append(t.columns, quoted(name)), append(t.types, kind)
		}
		add("organization_id", "text")
		if depth := declared.Depth(); depth > 0 {
			add("_parent_id", "text")
			for _, position := range []string{"_parent_position", "_position"}[2-depth:] {
				add(position, "integer")
			}
		}
		t.keys = max(len(t.columns), 2) //nolint:mnd // the key of a record is its first column
		for _, column := range declared.Columns {
			add(column.ColumnName(), types[column.Kind])
		}
		sql = append(sql, "CREATE TABLE "+t.name+" AS SELECT "+strings.Join(t.columns, ", ")+" FROM "+quoted(service.Name, declared.Name)+" WITH NO DATA")
		if i == 0 {
			add("_raw", "json")
			sql = append(sql, "ALTER TABLE "+t.name+" ADD _raw json", "ALTER TABLE "+t.name+" ALTER _raw SET COMPRESSION lz4")
		}
		sql = append(sql, "ALTER TABLE "+t.name+" ADD PRIMARY KEY ("+strings.Join(t.columns[:t.keys], ", ")+")",
			"CREATE TEMP TABLE "+t.stage+" (LIKE "+t.name+" INCLUDING COMPRESSION) ON COMMIT DELETE ROWS")
		r.tables = append(r.tables, t)
	}
	if _, err := conn.Exec(ctx, strings.Join(sql, ";\n")); err != nil {
		return nil, fmt.Errorf("make the rival's tables: %w", err)
	}
	return r, nil
}

// names returns the tables, quoted, parents first.
func (r *rival) names() []string {
	names := make([]string, len(r.tables))
	for i := range r.tables {
		names[i] = r.tables[i].name
	}
	return names
}

// values returns the values of a record's rows in a table, as texts; nil is null.
func values(table int, organization string, rec *record.Record) [][]any {
	all := make([][]any, 0, len(rec.Tables[table]))
	for _, row := range rec.Tables[table] {
		one := []any{organization}
		if table > 0 {
			one = append(one, rec.ID)
		}
		for _, position := range row.Position {
			one = append(one, strconv.Itoa(position))
		}
		for i := range row.Values {
			if row.Values[i].State == record.Set {
				one = append(one, row.Values[i].Text)
			} else {
				one = append(one, nil)
			}
		}
		if table == 0 {
			one = append(one, string(rec.Raw))
		}
		all = append(all, one)
	}
	return all
}

// onConflict is the end of an upsert.
func (t *rivalTable) onConflict() string {
	var set []string
	for _, column := range t.columns[t.keys:] {
		set = append(set, column+" = excluded."+column)
	}
	return " ON CONFLICT (" + strings.Join(t.columns[:t.keys], ", ") + ") DO UPDATE SET " + strings.Join(set, ", ")
}

// inGroups runs work in a transaction for each group of records.
func inGroups(ctx context.Context, conn *pgx.Conn, records []record.Record, work func(tx pgx.Tx, part []record.Record) error) error {
	for part := range slices.Chunk(records, group) {
		if err := pgx.BeginFunc(ctx, conn, func(tx pgx.Tx) error { return work(tx, part) }); err != nil {
			return fmt.Errorf("load as others do: %w", err)
		}
	}
	return nil
}

// upserts loads records by one INSERT … ON CONFLICT DO UPDATE for each row, sent as a batch: the way
// of most tools. It deletes and inserts the rows of arrays.
func (r *rival) upserts(ctx context.Context, conn *pgx.Conn, records []record.Record) error {
	statements := make([]string, len(r.tables))
	for i, t := range r.tables {
		holes := make([]string, len(t.columns))
		for c := range holes {
			holes[c] = "$" + strconv.Itoa(c+1) + "::text::" + t.types[c]
		}
		statements[i] = "INSERT INTO " + t.name + " (" + strings.Join(t.columns, ", ") + ") VALUES (" + strings.Join(holes, ", ") + ")" + t.onConflict()
	}
	return inGroups(ctx, conn, records, func(tx pgx.Tx, part []record.Record) error {
		batch := new(pgx.Batch)
		for i := range part {
			for table, t := range r.tables {
				if table > 0 {
					batch.Queue("DELETE FROM "+t.name+" WHERE organization_id = $1 AND _parent_id = $2", organization, part[i].ID)
				}
				for _, row := range values(table, organization, &part[i]) {
					batch.Queue(statements[table], row...)
				}
			}
		}
		return tx.SendBatch(ctx, batch).Close()
	})
}

// staged loads records by COPY to temporary tables and one INSERT … ON CONFLICT DO UPDATE without a
// guard. It deletes and inserts the rows of arrays.
func (r *rival) staged(ctx context.Context, conn *pgx.Conn, records []record.Record) error {
	return inGroups(ctx, conn, records, func(tx pgx.Tx, part []record.Record) error {
		for table, t := range r.tables {
			text := copyText(table, part)
			columns := strings.Join(t.columns, ", ")
			if _, err := conn.PgConn().CopyFrom(ctx, strings.NewReader(text), "COPY "+t.stage+" ("+columns+") FROM STDIN"); err != nil {
				return err
			}
			insert := "INSERT INTO " + t.name + " (" + columns + ") SELECT " + columns + " FROM " + t.stage
			if table == 0 {
				insert += t.onConflict()
			} else {
				insert = "DELETE FROM " + t.name + " AS t USING " + r.tables[0].stage + " AS s" +
					" WHERE t.organization_id = s.organization_id AND t._parent_id = s." +
					r.tables[0].columns[1] + "; " + insert
			}
			if _, err := tx.Exec(ctx, insert); err != nil {
				return err
			}
		}
		return nil
	})
}

// copyText returns the rows of records for a table in the text format of COPY.
func copyText(table int, records []record.Record) string {
	escape := strings.NewReplacer("\\", `\\`, "\t", `\t`, "\n", `\n`, "\r", `\r`)
	var text strings.Builder
	for i := range records {
		for _, row := range values(table, organization, &records[i]) {
			for c, value := range row {
				if c > 0 {
					text.WriteByte('\t')
				}
				if word, ok := value.(string); ok {
					_, _ = escape.WriteString(&text, word) // a builder takes everything
				} else {
					text.WriteString(`\N`)
				}
			}
			text.WriteByte('\n')
		}
	}
	return text.String()
}

// rawCopy copies the rows of tables into files in a folder, empties the tables, and returns the time
// of loading the same rows by binary COPY, the faster form, in one transaction. It includes no HTTP,
// no decoding and no comparison with stored rows. Keys, foreign keys and indexes are the same.
func rawCopy(ctx context.Context, conn *pgx.Conn, folder string, names []string) (time.Duration, error) {
	folder, err := os.MkdirTemp(folder, "copy-")
	if err != nil {
		return 0, fmt.Errorf("make a folder: %w", err)
	}
	out, err := copyFiles(folder, names, os.Create, func(name string, file *os.File) (int64, error) {
		tag, err := conn.PgConn().CopyTo(ctx, file, "COPY "+name+" TO STDOUT (FORMAT binary)")
		return tag.RowsAffected(), err
	})
	if err == nil {
		// In a transaction of its own: one that empties a table may skip the log.
		err = emptyTables(ctx, conn, names...)
	}
	began, back := time.Now(), int64(0)
	if err == nil {
		err = pgx.BeginFunc(ctx, conn, func(pgx.Tx) error {
			var err error
			back, err = copyFiles(folder, names, os.Open, func(name string, file *os.File) (int64, error) {
				tag, err := conn.PgConn().CopyFrom(ctx, io.Reader(file), "COPY "+name+" FROM STDIN (FORMAT binary)")
				return tag.RowsAffected(), err
			})
			return err
		})
	}
	took := time.Since(began)
	if err == nil && back != out {
		err = fmt.Errorf("%d rows were copied out of %v and %d back", out, names, back)
	}
	return took, errors.Join(err, os.RemoveAll(folder))
}

// copyFiles opens a file for each table, copies its rows, and returns their number.
func copyFiles(
	folder string, names []string, open func(path string) (*os.File, error), each func(name string, file *os.File) (int64, error),
) (int64, error) {
	var rows int64
	for i, name := range names {
		file, err := open(filepath.Join(folder, strconv.Itoa(i)))
		if err != nil {
			return rows, fmt.Errorf("open a file: %w", err)
		}
		count, err := each(name, file)
		if err = errors.Join(err, file.Close()); err != nil {
			return rows, fmt.Errorf("copy %s: %w", name, err)
		}
		rows += count
	}
	return rows, nil
}

// emptyTables empties tables, quoted, and flushes earlier work, whose cost would fall on the next
// measurement.
func emptyTables(ctx context.Context, conn *pgx.Conn, names ...string) error {
	if _, err := conn.Exec(ctx, "TRUNCATE "+strings.Join(names, ", ")); err != nil {
		return fmt.Errorf("empty the tables: %w", err)
	}
	return checkpoint(ctx, conn)
}

func checkpoint(ctx context.Context, conn *pgx.Conn) error {
	if _, err := conn.Exec(ctx, "CHECKPOINT"); err != nil {
		return fmt.Errorf("checkpoint: %w", err)
	}
	return nil
}
