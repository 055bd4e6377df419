package rows_test

import (
	"bytes"
	"context"
	"fmt"
	"math/bits"
	"slices"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"sluice/pipeline/check"
	"sluice/pipeline/upstream/body"
	"sluice/pipeline/warehouse/rows"
	"sluice/schema"
	"sluice/schema/record"
	"sluice/schema/redact"
)

// wideItems returns a resource with the width of a real item: 45 columns.
func wideItems() schema.Resource {
	res := schema.Resource{Name: "items", ID: "item_id", Cursor: schema.Since{Column: "edited"}, Columns: []schema.Column{
		schema.ID("item_id", "Key."), schema.Time("edited", "Edited."),
	}}
	for i := range 20 {
		res.Columns = append(res.Columns, schema.Text(fmt.Sprintf("text_%d", i), "Text."))
	}
	for i := range 15 {
		res.Columns = append(res.Columns, schema.Decimal(fmt.Sprintf("amount_%d", i), "Amount."))
	}
	for i := range 8 {
		res.Columns = append(res.Columns, schema.Bool(fmt.Sprintf("is_%d", i), "Truth."))
	}
	return res
}

// wideBills returns a resource with the shape of a real bill: three arrays.
func wideBills() schema.Resource {
	res := schema.Resource{Name: "bills", ID: "bill_id", Cursor: schema.NewestFirst{Column: "edited"}, Columns: []schema.Column{
		schema.ID("bill_id", "Key."), schema.Time("edited", "Edited."),
	}}
	for i := range 15 {
		res.Columns = append(res.Columns, schema.Text(fmt.Sprintf("text_%d", i), "Text."))
	}
	for i := range 10 {
		res.Columns = append(res.Columns, schema.Decimal(fmt.Sprintf("amount_%d", i), "Amount."))
	}
	for _, name := range []string{"lines", "taxes", "payments"} {
		child := schema.Child{Name: name, Columns: []schema.Column{schema.ID("element_id", "Key.")}}
		for i := range 6 {
			child.Columns = append(child.Columns, schema.Text(fmt.Sprintf("text_%d", i), "Text."), schema.Decimal(fmt.Sprintf("amount_%d", i), "Amount."))
		}
		res.Children = append(res.Children, child)
	}
	return res
}

// variety makes numbered records of a resource: texts of about 15 bytes, amounts with two places,
// arrays of some rows.
func variety(tb testing.TB, res *schema.Resource, n, version int) []record.Record {
	tb.Helper()
	fill := func(columns []schema.Column, i int) object {
		fields := object{}
		for c, column := range columns {
			switch column.Kind {
			case schema.KindBool:
				fields[column.Wire] = []string{"true", "false"}[(i+c)%2]
			case schema.KindDecimal:
				fields[column.Wire] = fmt.Sprintf("%d.%02d", i*7+c, (i+c)%100)
			case schema.KindTime:
				fields[column.Wire] = "2026-01-01 10:00:00+00"
			default:
				fields[column.Wire] = fmt.Sprintf("value %d of %d", c, i+version)
			}
		}
		return fields
	}
	records := make([]record.Record, n)
	for i := range records {
		fields := fill(res.Columns, i)
		fields[res.ID] = fmt.Sprintf("460000000%08d", i)
		for c, child := range res.Children {
			rows := []object{}
			for k := range []int{5, 2, i % 2}[c] {
				rows = append(rows, fill(child.Columns, i+k))
			}
			fields[child.Name] = rows
		}
		records[i] = recordOf(tb, res, fields)
	}
	return records
}

func insertedWAL(tb testing.TB, conn *pgx.Conn) float64 {
	tb.Helper()
	var bytes float64
	check.Must(tb, conn.QueryRow(context.Background(), "SELECT (pg_current_wal_insert_lsn() - '0/0')::float8").Scan(&bytes))
	return bytes
}

func loadAll(tb testing.TB, conn *pgx.Conn, res *schema.Resource, records []record.Record, size, call int) {
	tb.Helper()
	for chunk := range slices.Chunk(records, size) {
		load(tb, conn, res, rows.Batch{Organization: "org", Run: 1, Call: int64(call), Records: chunk})
		call++
	}
}

// BenchmarkLeaveOutLog measures what leaving columns out and hashing others costs a first copy:
// pairs of loads of the same rows, whose records one side redacts and the other side gets redacted.
// As in runs, the source reads a page, and redacts it, while the loader normalizes and loads the
// page before. Who is first takes turns. It compares the medians of the times and the sums of the
// processor times, and gives what the source alone takes longer.
func BenchmarkLeaveOutLog(b *testing.B) {
	total, pairs := 5_000, 30
	if testing.Short() {
		total, pairs = 1_000, 2
	}
	for name, choice := range map[string]redact.Choice{
		"items": {Omit: []string{"text_3", "text_9", "text_15"}, Hash: []string{"text_5", "text_12"}},
		"bills": {Omit: []string{"text_3", "lines.text_2"}, Hash: []string{"text_5", "taxes.text_1"}},
	} {
		b.Run(name, func(b *testing.B) {
			res, conn := resource(b, name), connect(b)
			rules, mistakes := redact.Resolve(res, choice, redact.Choice{}, nil)
			normalizer, err := record.New(res, time.UTC)
			if len(mistakes) > 0 || err != nil {
				b.Fatal(mistakes, err)
			}
			redactor := redact.New(res, rules, redact.NewKey([]byte("a key of thirty-two bytes, not less")))
			l := &loggedOrNot{B: b, conn: conn, res: res, size: 200, call: 1000}
			var sides [2][][]byte
			for chunk := range slices.Chunk(variety(b, res, total, 0), l.size) {
				var records [2][][]byte
				for _, one := range chunk {
					raw := bytes.ReplaceAll(one.Raw, []byte(" 10:00:00+00"), []byte("T10:00:00Z")) // as upstream writes it
					records[0], records[1] = append(records[0], raw), append(records[1], redactor.Record(raw))
				}
				for side := range sides {
					sides[side] = append(sides[side], fmt.Appendf(nil, `{"code":0,"message":"success",%q:[%s],"page_context":{"page":1,"has_more_page":false}}`,
						name, bytes.Join(records[side], []byte(","))))
				}
			}
			own := body.Own{Key: name, Elements: redactor.Elements}
			for b.Loop() {
				l.redacting(sides, own, normalizer, total, pairs)
			}
		})
	}
}

// redacting loads the answers of both sides in turn; the records of the first side are redacted.
func (l *loggedOrNot) redacting(sides [2][][]byte, own body.Own, normalizer *record.Normalizer, records, pairs int) {
	l.Helper()
	var times [2][]float64
	var spent, reading [2]float64
	for turn := range 2 * pairs {
		side := bits.OnesCount(uint(turn)) % 2 // as Thue and Morse take turns: no trend of the machine is on one side
		execute(l, l.conn, "TRUNCATE sluice.raw_records, sluice.changes, shop."+l.res.Name+" CASCADE")
		before, began := l.processor(), time.Now()
		pages := make(chan [][]byte)
		go func() {
			defer close(pages)
			for _, answer := range sides[side] {
				from, parse := time.Now(), body.Parse
				if side == 0 {
					parse = func(data []byte) (*body.Envelope, error) { return body.ParseWith(data, own) }
				}
				page := readPage(l, parse, bytes.Clone(answer), own.Key, side == 0)
				reading[side] += time.Since(from).Seconds()
				pages <- page
			}
		}()
		for page := range pages {
			l.load(normalized(l, normalizer, page), false)
		}
		times[side] = append(times[side], time.Since(began).Seconds())
		spent[side] += l.processor() - before
	}
	for side := range 2 {
		slices.Sort(times[side])
	}
	l.ReportMetric(times[0][pairs/2]/times[1][pairs/2], "ratio")
	if spent[1] > 0 {
		l.ReportMetric(spent[0]/spent[1], "processor-ratio")
	}
	l.ReportMetric((reading[0]-reading[1])*1e9/float64(pairs*records), "redact-ns/record")
	l.ReportMetric(times[1][pairs/2]*1e9/float64(records), "load-ns/record")
}

// readPage reads an answer as the client does.
func readPage(tb testing.TB, parse func([]byte) (*body.Envelope, error), answer []byte, key string, rewritten bool) [][]byte {
	tb.Helper()
	envelope, err := parse(answer)
	if err != nil {
		tb.Error(err)
		return nil
	}
	page, err := envelope.Page(key)
	if err != nil || page.Rewritten != rewritten {
		tb.Error(page.Rewritten, err)
	}
	return page.Records
}

func normalized(tb testing.TB, normalizer *record.Normalizer, raws [][]byte) []record.Record {
	tb.Helper()
	records := make([]record.Record, len(raws))
	for i, raw := range raws {
		var err error
		if records[i], err = normalizer.Record(raw); err != nil {
			tb.Fatal(err)
		}
	}
	return records
}
