package scale

import (
	"context"
	"fmt"
	"testing"

	"github.com/jackc/pgx/v5"

	"sluice/migrations"
	"sluice/pipeline/warehouse/streams"
	"sluice/pipeline/warehouse/warehousetest"
)

// sqlFill makes streams, 20 for each organization, due one after the other within the next 12
// hours.
const sqlFill = `
INSERT INTO sluice.streams (organization_id, service, resource, every, next_due_at)
SELECT 'o' || n / 20, 'books', 'r' || n % 20, '12 hours',
	clock_timestamp() + interval '1 hour' + n * interval '11 hours' / $1
FROM generate_series(0, $1::integer - 1) AS n`

// filled connects to a database with so many streams.
func filled(tb testing.TB, streams int) *pgx.Conn {
	tb.Helper()
	url := warehousetest.Template(tb, "migrated", func(ctx context.Context, url string) error {
		return migrations.Migrate(ctx, url, migrations.Options{})
	})
	conn, err := pgx.Connect(tb.Context(), url)
	must(tb, err)
	tb.Cleanup(func() { _ = conn.Close(context.WithoutCancel(tb.Context())) }) // only read
	if _, err := conn.Exec(tb.Context(), sqlFill, streams); err != nil {
		tb.Fatal(err)
	}
	if _, err := conn.Exec(tb.Context(), `VACUUM ANALYZE sluice.streams`); err != nil {
		tb.Fatal(err)
	}
	return conn
}

// tick takes the due streams, returns their number, and rolls back.
func tick(tb testing.TB, conn *pgx.Conn, look func(tx pgx.Tx)) int {
	tb.Helper()
	tx, err := conn.Begin(tb.Context())
	must(tb, err)
	defer func() { _ = tx.Rollback(tb.Context()) }() // undone on purpose
	keys, err := new(streams.Schedule).TakeDue(tb.Context(), tx, tickLimit)
	must(tb, err)
	look(tx)
	return len(keys)
}

// TestATickReadsOnlyWhatIsDue: a tick without due streams does not read the whole schedule: each
// process makes four ticks a minute.
func TestATickReadsOnlyWhatIsDue(t *testing.T) {
	t.Parallel()
	conn := filled(t, 20_000)
	var scanned, fetched int64
	taken := tick(t, conn, func(tx pgx.Tx) {
		const read = `SELECT seq_tup_read, idx_tup_fetch FROM pg_stat_xact_user_tables WHERE relid = 'sluice.streams'::regclass`
		must(t, tx.QueryRow(t.Context(), read).Scan(&scanned, &fetched))
	})
	if taken != 0 || scanned != 0 || fetched != 0 {
		t.Errorf("took %d streams, read %d rows one after the other and %d by index, want none", taken, scanned, fetched)
	}
}

// BenchmarkTick measures a tick without due streams, by the number of streams. With -short (make
// bench QUICK=1) it runs, but measures little.
func BenchmarkTick(b *testing.B) {
	for _, streams := range []int{20_000, 200_000} {
		if testing.Short() {
			streams /= 20
		}
		b.Run(fmt.Sprintf("streams=%d", streams), func(b *testing.B) {
			conn := filled(b, streams)
			for b.Loop() {
				if taken := tick(b, conn, func(pgx.Tx) {}); taken != 0 {
					b.Fatalf("took %d streams", taken)
				}
			}
		})
	}
}
