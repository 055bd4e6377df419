package rows_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"sluice/pipeline/check"
	"sluice/pipeline/warehouse/rows"
	"sluice/schema"
	"sluice/schema/record"
)

// BenchmarkLog measures what the log of changes costs: pairs of loads with it and without it, which
// take turns to be first. One in a hundred records has changed, another one in each load; then none
// has. It compares the medians of the times, and the sums of the processor times, which other work
// on the machine hardly changes.
func BenchmarkLog(b *testing.B) {
	total, pairs := 20_000, 50 // all records have changed at the end
	if testing.Short() {
		total, pairs = 1_000, 2
	}
	for _, name := range []string{"items", "bills"} {
		res := resource(b, name)
		first, second := variety(b, res, total, 0), variety(b, res, total, 1)
		for _, size := range []int{200, 5_000} {
			b.Run(fmt.Sprintf("%s/by %d", name, size), func(b *testing.B) {
				conn := connect(b)
				for b.Loop() {
					execute(b, conn, "TRUNCATE sluice.raw_records, sluice.changes, shop."+res.Name+" CASCADE")
					loadAll(b, conn, res, first, size, 1)
					execute(b, conn, "VACUUM ANALYZE")
					l := &loggedOrNot{B: b, conn: conn, res: res, size: size, call: 1000}
					records := slices.Clone(first)
					turn := 0
					l.pairs("1%changed", pairs, func() []record.Record {
						for i := turn; i < total; i += 100 {
							records[i] = second[i]
						}
						turn++
						return records
					})
					execute(b, conn, "VACUUM ANALYZE")
					l.pairs("unchanged", pairs, func() []record.Record { return records })
				}
			})
		}
	}
}

// loggedOrNot loads records in batches of a size, with the log and without it.
type loggedOrNot struct {
	*testing.B

	conn *pgx.Conn
	res  *schema.Resource
	size int
	call int64
}

func (l *loggedOrNot) pairs(what string, pairs int, next func() []record.Record) {
	l.Helper()
	var times [2][]float64 // with the log, without it
	var wal [2][]float64
	var spent [2]float64
	for turn := range 2 * pairs {
		side := []int{0, 1, 1, 0}[turn%4]
		records := next()
		from, before, began := insertedWAL(l, l.conn), l.processor(), time.Now()
		l.load(records, side == 1)
		times[side] = append(times[side], time.Since(began).Seconds())
		spent[side] += l.processor() - before
		wal[side] = append(wal[side], insertedWAL(l, l.conn)-from)
	}
	for side := range 2 {
		slices.Sort(times[side])
		slices.Sort(wal[side])
	}
	l.ReportMetric(times[0][pairs/2]/times[1][pairs/2], what+"-ratio")
	if spent[1] > 0 {
		l.ReportMetric(spent[0]/spent[1], what+"-processor-ratio")
	}
	l.ReportMetric(wal[0][0]-wal[1][0], what+"-more-WAL-B")
}

func (l *loggedOrNot) load(records []record.Record, unlogged bool) {
	l.Helper()
	loader := rows.New(shop, l.res)
	if unlogged {
		loader.LeaveOutLog()
	}
	for chunk := range slices.Chunk(records, l.size) {
		l.call++
		check.Must(l, pgx.BeginFunc(context.Background(), l.conn, func(tx pgx.Tx) error {
			_, _, err := loader.LoadBisect(context.Background(), tx, rows.Batch{Organization: "org", Run: 1, Call: l.call, Records: chunk})
			return err
		}))
	}
}

// processor returns the processor time of this process and of the server's process of the
// connection, 0 if this machine does not say.
func (l *loggedOrNot) processor() float64 {
	l.Helper()
	sum := 0.0
	for _, process := range []string{"self", fmt.Sprint(l.conn.PgConn().PID())} {
		threads := check.Sure(filepath.Glob("/proc/" + process + "/task/*/schedstat"))(l)
		for _, thread := range threads {
			var spent float64
			text, err := os.ReadFile(thread)
			if err == nil {
				_, err = fmt.Sscan(string(text), &spent)
			}
			if err == nil { // else the thread has just ended
				sum += spent
			}
		}
	}
	return sum
}
