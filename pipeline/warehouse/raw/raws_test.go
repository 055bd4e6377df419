package raw_test

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"sluice/pipeline/check"
	"sluice/pipeline/warehouse/raw"
	"sluice/pipeline/warehouse/warehousetest"
)

func TestMain(m *testing.M) { os.Exit(warehousetest.Run(m)) }

// archives fills a table with so many archives of twenty records of some 10 kB each.
func archives(tb testing.TB, count int) *pgx.Conn {
	tb.Helper()
	conn := warehousetest.Connect(tb, warehousetest.New(tb))
	if _, err := conn.Exec(tb.Context(), `CREATE SCHEMA sluice; CREATE TABLE sluice.raw_records (call_id bigint, first_position integer, records text)`); err != nil {
		tb.Fatal(err)
	}
	_, err := conn.Exec(tb.Context(), `INSERT INTO sluice.raw_records
SELECT 1 + n % 3, 20 * (n / 3), E'[\n' || string_agg(format('{"n":"%s.%s","pad":"%s"}', n, i, repeat('x', 10000)), E',\n' ORDER BY i) || E'\n]'
FROM generate_series(0, $1 - 1) AS n, generate_series(0, 19) AS i GROUP BY n`, count)
	check.Must(tb, err)
	return conn
}

// TestScatteredRecords reads one record of each of a hundred archives.
func TestScatteredRecords(t *testing.T) {
	const count = 100
	conn := archives(t, count)
	places := []raw.Ref{{Call: 9, Position: 1}, {Call: 1, Position: 100_000}} // neither is kept
	want := []string{"", ""}
	for n := range count {
		places = append(places, raw.Ref{Call: int64(1 + n%3), Position: int32(20*(n/3) + n%20)})
		want = append(want, fmt.Sprintf(`{"n":"%d.%d","pad":"%s"}`, n, n%20, strings.Repeat("x", 10_000)))
	}
	found, known, err := new(raw.Archives).Read(t.Context(), conn, places)
	check.Must(t, err)
	check.ErrorIf(t, !known.Scattered, "a record of each archive was asked for, and it does not say so")
	same(t, want, found)
	again, _, err := known.Read(t.Context(), conn, places)
	check.Must(t, err)
	same(t, want, again)
}

// TestArchivesThatStayAreNotReadAgain: an archive in memory gives its records although it is gone
// from the table.
func TestArchivesThatStayAreNotReadAgain(t *testing.T) {
	conn := archives(t, 6)
	places := []raw.Ref{{Call: 2, Position: 39}, {Call: 2, Position: 20}, {Call: 1, Position: 0}, {Call: 2, Position: 21}}
	first, known, err := new(raw.Archives).Read(t.Context(), conn, places)
	check.Must(t, err)
	check.ErrorIf(t, known.Scattered, "two archives are said to be many")
	check.Must(t, check.Failure(conn.Exec(t.Context(), `UPDATE sluice.raw_records SET records = '[]'`)))
	again, _, err := known.Read(t.Context(), conn, places)
	check.Must(t, err)
	want := make([]string, len(first))
	for i, n := range []string{"4.19", "4.0", "0.0", "4.1"} {
		want[i] = fmt.Sprintf(`{"n":"%s","pad":"%s"}`, n, strings.Repeat("x", 10_000))
	}
	same(t, want, first)
	same(t, want, again)
}

func same(t *testing.T, want []string, got [][]byte) {
	t.Helper()
	for i, raw := range got {
		check.ErrorIf(t, string(raw) != want[i] || (raw == nil) != (want[i] == ""), "place %d: %.30q, want %.30q", i, raw, want[i])
	}
	check.ErrorIf(t, len(got) != len(want), "%d records for %d places", len(got), len(want))
}
