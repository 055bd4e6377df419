package changes_test

import (
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"sluice/pipeline/check"
	"sluice/pipeline/warehouse/changes"
	"sluice/pipeline/warehouse/warehousetest"
)

// BenchmarkFollow reads a million changes as analysts and as programs do: half of them came as the
// pages of a first copy, half as pages of which 1 % changed.
func BenchmarkFollow(b *testing.B) {
	records := 1_000_000
	if testing.Short() {
		records /= 100
	}
	url := warehousetest.Migrated(b)
	conn := warehousetest.Connect(b, url)
	must := func(err error) {
		b.Helper()
		check.Must(b, err)
	}
	_, err := changes.Renew(b.Context(), conn)
	must(err)
	_, err = conn.Exec(b.Context(), `INSERT INTO sluice.organizations (organization_id, name) VALUES ('1', 'Ours')`)
	must(err)
	start, err := changes.Now(b.Context(), conn)
	must(err)
	for op, size := range map[string]int{"new": 200, "changed": 2} { // other records
		_, err = conn.Exec(b.Context(), `INSERT INTO sluice.changes (organization_id, table_name, op, record_ids)
			SELECT '1', 'inventory.bills', $1, array_agg((460000000000000000 + i * 1000 + $3::integer)::text) FROM generate_series(1, $2::integer) AS i GROUP BY i / $3::integer`, op, records/2, size)
		must(err)
	}
	_, err = conn.Exec(b.Context(), `VACUUM ANALYZE sluice.changes`)
	must(err)
	b.Run("analysts", func(b *testing.B) {
		read, first := 0, time.Duration(0)
		for b.Loop() {
			began := time.Now()
			for cursor, more := start, true; more; {
				rows, err := conn.Query(b.Context(), `SELECT table_name, organization_id, record_id, op, at, cursor FROM analytics.changes($1)`, cursor)
				must(err)
				n := 0
				var table, organization, id, op string
				var at time.Time
				_, err = pgx.ForEachRow(rows, []any{&table, &organization, &id, &op, &at, &cursor}, func() error { n++; return nil })
				must(err)
				if first == 0 {
					first = time.Since(began)
				}
				read += n
				more = n > 0
			}
		}
		b.ReportMetric(float64(read)/b.Elapsed().Seconds(), "records/s")
		b.ReportMetric(float64(first.Milliseconds()), "ms/first-answer")
	})
	b.Run("programs", func(b *testing.B) {
		read := 0
		for b.Loop() {
			for cursor, more := start, true; more; {
				found, next, err := changes.Read(b.Context(), conn, cursor, 10_000)
				must(err)
				for _, c := range found {
					read += len(c.Records)
				}
				cursor, more = next, len(found) > 0
			}
		}
		b.ReportMetric(float64(read)/b.Elapsed().Seconds(), "records/s")
	})
	b.Run("nothing new", func(b *testing.B) {
		cursor, err := changes.Now(b.Context(), conn)
		must(err)
		for b.Loop() {
			var n int
			must(conn.QueryRow(b.Context(), `SELECT count(*) FROM analytics.changes($1)`, cursor).Scan(&n))
			check.FatalIf(b, n != 0, "%d changes", n)
		}
	})
}
