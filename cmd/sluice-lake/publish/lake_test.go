package publish_test

import (
	"cmp"
	"context"
	"database/sql"
	"fmt"
	"log/slog"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/apache/iceberg-go/table"
	_ "github.com/duckdb/duckdb-go/v2" // the judge
	difference "github.com/google/go-cmp/cmp"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"sluice/cmd/sluice-lake/publish"
	"sluice/cmd/sluice-lake/shape"
	"sluice/cmd/sluice-lake/storage"
	"sluice/connectors"
	"sluice/migrations"
	"sluice/pipeline/check"
	"sluice/pipeline/warehouse/changes"
	"sluice/pipeline/warehouse/warehousetest"
)

func TestMain(m *testing.M) { os.Exit(warehousetest.Run(m)) }

// world is a warehouse with a lake in a folder.
type world struct {
	*testing.T

	url       string
	conn      *pgx.Conn
	pool      *pgxpool.Pool
	store     storage.Storage
	folder    string
	publisher *publish.Publisher
	// catalog is the world whose database has the catalog; nil means this one's.
	catalog *world
	// own, if there is one, is a condition for the rows of this warehouse in a shared table.
	own string
	// tables are the tables of the declarations, by name.
	tables map[string]shape.Table
}

func open(t *testing.T) *world {
	t.Helper()
	url := warehousetest.Template(t, "migrated", func(ctx context.Context, url string) error {
		return migrations.Migrate(ctx, url, migrations.Options{})
	})
	w := &world{T: t, url: url, conn: warehousetest.Connect(t, url), folder: t.TempDir(), tables: map[string]shape.Table{}}
	_, err := changes.Renew(t.Context(), w.conn) // a copy of a database is another one
	w.must(err)
	w.pool, err = pgxpool.New(t.Context(), url)
	w.must(err)
	t.Cleanup(w.pool.Close)
	w.store, err = storage.Open(t.Context(), w.folder)
	w.must(err)
	all := shape.Tables(connectors.All())
	for _, s := range all {
		w.tables[s.Full()] = s
	}
	w.declare()
	return w
}

// declare makes the publisher of the tables.
func (w *world) declare() {
	var all []shape.Table
	for _, name := range slices.Sorted(maps.Keys(w.tables)) {
		all = append(all, w.tables[name])
	}
	var shared *pgxpool.Pool
	if w.catalog != nil {
		shared = w.catalog.pool
	}
	w.publisher = publish.New(publish.Options{
		Pool: w.pool, Catalog: shared, Store: w.store, Tables: all, Buckets: 4, Log: slog.New(slog.DiscardHandler),
	})
}

// redeclare changes types of columns, and adds a column to a table.
func (w *world) redeclare(change func(name, column, sql string) (string, bool), full, column, sql string) {
	for name, t := range w.tables {
		t.Columns = slices.Clone(t.Columns)
		for i := range t.Columns {
			if to, changes := change(name, t.Columns[i].Name, t.Columns[i].SQL); changes {
				t.Columns[i].SQL = to
			}
		}
		if name == full {
			t.Columns = append(t.Columns, shape.Column{Name: column, SQL: sql})
		}
		w.tables[name] = t
	}
	w.declare()
}

// grep are the rows of a file of the lake that have a text in a column.
func (w *world) grep(path, text string) [][]string {
	w.Helper()
	return w.ask("SELECT d::varchar FROM read_parquet('" + path + "') AS d WHERE contains(d::varchar, '" + text + "')")
}

// having are the files of the lake that have a text, whatever snapshot they belong to.
func (w *world) having(text string) []string {
	w.Helper()
	var found []string
	for path := range w.files() {
		if strings.HasSuffix(path, ".parquet") && len(w.grep(path, text)) > 0 {
			found = append(found, path)
		}
	}
	return found
}

func (w *world) must(err error) {
	w.Helper()
	check.Must(w, err)
}

func (w *world) exec(sql string, args ...any) {
	w.Helper()
	_, err := w.conn.Exec(w.Context(), sql, args...)
	w.must(err)
}

// write writes bills with lines and logs it, as the loader does.
func (w *world) write(op changes.Op, organization string, sql string, ids ...string) {
	w.Helper()
	w.must(pgx.BeginFunc(w.Context(), w.conn, func(tx pgx.Tx) error {
		if _, err := tx.Exec(w.Context(), sql, organization, ids); err != nil {
			return err
		}
		return changes.Write(w.Context(), tx, organization, "inventory.bills", op, ids)
	}))
}

// own are the columns that every row has.
const (
	own       = `_content_hash, _call_id, _raw_position, _run_id, _first_seen_at, _changed_at`
	ownValues = `'\x00', 1, 0, 1, now(), now()`
)

const sqlBills = `
WITH bills AS (
	INSERT INTO inventory.bills (organization_id, bill_id, vendor_name, date, total, exchange_rate, created_time, ` + own + `)
	SELECT $1, i, CASE WHEN length(i) % 2 = 0 THEN 'Ünïcode ' || i END, date '2026-01-01' + length(i), length(i) * 1000.05, 0.012345678901234567,
		timestamptz '2026-03-01 10:00:00.123456+05:30', ` + ownValues + ` FROM unnest($2::text[]) AS i RETURNING bill_id
)
INSERT INTO inventory.bills_line_items (organization_id, _parent_id, _position, name, quantity, item_total)
SELECT $1, b.bill_id, n, 'line ' || n, n * 1.5, -n * 0.000000000000000001 FROM bills b, generate_series(0, 2) AS n`

const sqlChange = `
WITH gone AS (
	DELETE FROM inventory.bills_line_items WHERE organization_id = $1 AND _parent_id = ANY ($2) AND _position = 2
), changed AS (
	UPDATE inventory.bills_line_items SET name = 'changed' WHERE organization_id = $1 AND _parent_id = ANY ($2) AND _position = 0
)
UPDATE inventory.bills SET vendor_name = 'changed', total = total + 1, _changed_at = clock_timestamp() WHERE organization_id = $1 AND bill_id = ANY ($2)`

func (w *world) publish() publish.Result {
	w.Helper()
	result, err := w.publisher.Publish(w.Context())
	w.must(err)
	return result
}

// location is where the catalog says that the metadata of a table is; "" without the table.
func (w *world) location(full string) string {
	w.Helper()
	schema, name, _ := strings.Cut(full, ".")
	of := w
	if w.catalog != nil {
		of = w.catalog
	}
	var location string
	err := of.conn.QueryRow(w.Context(), `SELECT coalesce(max(metadata_location), '') FROM lake.iceberg_tables
		WHERE (catalog_name, table_namespace, table_name) = ('sluice', $1, $2)`, schema, name).Scan(&location)
	w.must(err)
	return location
}

// read reads rows of a table of the lake as DuckDB does by itself: the files that the library's own
// scan plans, without the positions that are deleted.
func (w *world) read(full, query string) [][]string {
	w.Helper()
	t, err := table.NewFromLocation(w.Context(), strings.Split(full, "."), w.location(full), storage.Func(w.store), nil)
	w.must(err)
	tasks, err := t.Scan().PlanFiles(w.Context())
	w.must(err)
	var data, deletes []string
	for _, task := range tasks {
		data = append(data, w.local(task.File.FilePath()))
		for _, d := range task.DeleteFiles {
			deletes = append(deletes, w.local(d.FilePath()))
		}
	}
	from := "(SELECT NULL AS nothing WHERE false)"
	if len(data) > 0 {
		from = "(SELECT * FROM read_parquet([" + list(data) + "], filename = true, file_row_number = true, union_by_name = true) AS d"
		if len(deletes) > 0 {
			from += " ANTI JOIN read_parquet([" + list(deletes) + "]) AS x ON parse_filename(x.file_path) = parse_filename(d.filename) AND x.pos = d.file_row_number"
		}
		from += ")"
	}
	return w.ask(strings.ReplaceAll(query, "{lake}", from))
}

// local is a file where DuckDB can read it: one of a bucket is fetched.
func (w *world) local(path string) string {
	w.Helper()
	if !strings.HasPrefix(path, "s3://") {
		return path
	}
	content, err := w.store.ReadFile(path)
	w.must(err)
	copied := filepath.Join(w.folder, filepath.Base(path))
	w.must(os.WriteFile(copied, content, 0o600))
	return copied
}

// ask asks DuckDB.
func (w *world) ask(query string) [][]string {
	w.Helper()
	db, err := sql.Open("duckdb", "")
	w.must(err)
	defer func() { _ = db.Close() }()
	rows, err := db.QueryContext(w.Context(), query)
	w.must(err)
	defer func() { _ = rows.Close() }()
	columns, err := rows.Columns()
	w.must(err)
	var all [][]string
	for rows.Next() {
		values := make([]sql.NullString, len(columns))
		into := make([]any, len(columns))
		for i := range values {
			into[i] = &values[i]
		}
		w.must(rows.Scan(into...))
		row := make([]string, len(values))
		for i, v := range values {
			row[i] = "∅"
			if v.Valid {
				row[i] = v.String
			}
		}
		all = append(all, row)
	}
	w.must(rows.Err())
	return all
}

func list(paths []string) string { return "'" + strings.Join(paths, "', '") + "'" }

// equal holds all rows of a table of the lake against those of the warehouse, value by value.
func (w *world) equal(full string) int {
	w.Helper()
	s := w.tables[full]
	var duck, postgres []string
	for i := range s.Columns {
		c := &s.Columns[i]
		if c.Name == shape.Inexact {
			continue
		}
		d, p := `"`+c.Name+`"`, `t."`+c.Name+`"`
		switch c.SQL {
		case "timestamp with time zone":
			d, p = "epoch_us("+d+")", "(extract(epoch FROM "+p+") * 1000000)::bigint"
		case "numeric":
			p += "::numeric(38, 18)"
		}
		duck, postgres = append(duck, "CAST("+d+" AS varchar)"), append(postgres, p+"::text")
	}
	var order []string
	for i := range s.Columns {
		if s.Columns[i].Required {
			order = append(order, `"`+s.Columns[i].Name+`"`)
		}
	}
	by := strings.Join(order, ", ")
	var want [][]string
	rows, err := w.conn.Query(w.Context(), "SELECT "+strings.Join(postgres, ", ")+" FROM "+full+" AS t ORDER BY "+by)
	w.must(err)
	for rows.Next() {
		values, err := rows.Values()
		w.must(err)
		row := make([]string, len(values))
		for i, v := range values {
			row[i] = "∅"
			if v != nil {
				row[i] = fmt.Sprint(v)
			}
		}
		want = append(want, row)
	}
	w.must(rows.Err())
	if w.location(full) == "" {
		check.ErrorIf(w, len(want) > 0, "%s is not in the lake, and has %d rows", full, len(want))
		return 0
	}
	got := w.read(full, "SELECT "+strings.Join(duck, ", ")+" FROM {lake} WHERE "+cmp.Or(w.own, "true")+" ORDER BY "+by)
	diff := difference.Diff(want, got)
	check.ErrorIf(w, diff != "", "%s (-warehouse +lake):\n%s", full, diff)
	return len(got)
}

// files are the names of all files in the folder of the lake.
func (w *world) files() map[string]bool {
	w.Helper()
	found := map[string]bool{}
	w.must(w.store.WalkDir(w.store.Root(), func(path string, entry os.DirEntry, err error) error {
		if err == nil && !entry.IsDir() {
			found[path] = true
		}
		return err
	}))
	return found
}

// references are the files that a table refers to, by the library's own account.
func (w *world) references(full string) map[string]bool {
	w.Helper()
	location := w.location(full)
	t, err := table.NewFromLocation(w.Context(), strings.Split(full, "."), location, storage.Func(w.store), nil)
	w.must(err)
	plan, err := t.PlanOrphanFiles(w.Context(), table.WithFilesOlderThan(0))
	w.must(err)
	orphans := map[string]bool{}
	for _, path := range plan.Files() {
		orphans[strings.TrimPrefix(path, "file://")] = true
	}
	used := map[string]bool{}
	w.must(w.store.WalkDir(t.Location(), func(path string, entry os.DirEntry, err error) error {
		if err == nil && !entry.IsDir() && !orphans[strings.TrimPrefix(path, "file://")] {
			used[path] = true
		}
		return err
	}))
	return used
}
