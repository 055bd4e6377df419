package files_test

import (
	"database/sql"
	"os"
	"path/filepath"
	"testing"

	_ "github.com/duckdb/duckdb-go/v2" // the judge

	"sluice/pipeline/check"
	export "sluice/pipeline/files"
)

// TestDuckDBReadsExports: DuckDB shares no code with the writer of sluice export. It reads each kind
// as the type that docs/analysts/exporting.md names, and finds negative decimals by a condition.
func TestDuckDBReadsExports(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "exported.parquet")
	file := check.Sure(os.Create(path))(t)
	w, err := export.NewWriter(export.Parquet, file, []export.Column{
		{Name: "text", Kind: export.Text}, {Name: "open, \"json\"", Kind: export.JSON}, {Name: "bytes", Kind: export.Bytes}, {Name: "is", Kind: export.Bool},
		{Name: "count", Kind: export.Int}, {Name: "amount", Kind: export.Decimal, Scale: 10}, {Name: "day", Kind: export.Date}, {Name: "at", Kind: export.Time},
	})
	check.Must(t, err)
	text, number, null := func(s string) export.Value { return export.Value{Text: []byte(s)} },
		func(n int64) export.Value { return export.Value{Number: n} }, export.Value{Null: true}
	for _, row := range [][]export.Value{
		{text("שלום"), text(`{"a": 1}`), text("\x00\xff"), number(1), number(-9223372036854775808), text("-0.5"), number(20454), number(1767225600000001)},
		{null, null, null, null, null, null, null, null},
		{text(""), text("[]"), text(""), number(0), number(7), text("1234567890123456789012345678.12"), number(export.LastDay), number(export.LastInstant)},
	} {
		check.Must(t, w.Write(row))
	}
	check.Must(t, w.Close())
	check.Must(t, file.Close())
	for _, c := range []struct {
		query string
		want  [][]string
	}{
		{"SELECT column_name, column_type FROM (DESCRIBE SELECT * FROM rows)", [][]string{
			{"text", "VARCHAR"}, {"open, \"json\"", "JSON"}, {"bytes", "BLOB"}, {"is", "BOOLEAN"}, {"count", "BIGINT"},
			{"amount", "DECIMAL(38,10)"}, {"day", "DATE"}, {"at", "TIMESTAMP WITH TIME ZONE"},
		}},
		{`SELECT text, "open, ""json"""::VARCHAR, hex(bytes), "is"::VARCHAR, count::VARCHAR, amount::VARCHAR, day::VARCHAR, epoch_us("at")::VARCHAR FROM rows`, [][]string{
			{"שלום", `{"a": 1}`, "00FF", "true", "-9223372036854775808", "-0.5000000000", "2026-01-01", "1767225600000001"},
			{"∅", "∅", "∅", "∅", "∅", "∅", "∅", "∅"},
			{"", "[]", "", "false", "7", "1234567890123456789012345678.1200000000", "9999-12-31", "253402300799999999"},
		}},
		{"SELECT count(*)::VARCHAR FROM rows WHERE amount < 0", [][]string{{"1"}}},
	} {
		check.Same(t, c.query, c.want, ask(t, path, c.query))
	}
}

// ask asks DuckDB about the rows of a file. Null is ∅.
func ask(t *testing.T, path, query string) [][]string {
	t.Helper()
	db := check.Sure(sql.Open("duckdb", ""))(t)
	defer func() { _ = db.Close() }()
	check.Must(t, check.Failure(db.ExecContext(t.Context(), "CREATE VIEW rows AS SELECT * FROM read_parquet('"+path+"')")))
	rows, err := db.QueryContext(t.Context(), query)
	check.Must(t, err)
	defer func() { _ = rows.Close() }()
	columns := check.Sure(rows.Columns())(t)
	var all [][]string
	for rows.Next() {
		values, into := make([]sql.NullString, len(columns)), make([]any, len(columns))
		for i := range values {
			into[i] = &values[i]
		}
		check.Must(t, rows.Scan(into...))
		row := make([]string, len(values))
		for i, v := range values {
			if row[i] = "∅"; v.Valid {
				row[i] = v.String
			}
		}
		all = append(all, row)
	}
	check.Must(t, rows.Err())
	return all
}
