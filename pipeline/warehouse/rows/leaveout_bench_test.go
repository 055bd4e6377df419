package rows_test

import (
	"bytes"
	"slices"
	"testing"
	"time"

	"sluice/schema/record"
	"sluice/schema/redact"
)

// BenchmarkLeaveOutLog measures what leaving columns out and hashing others costs a first copy:
// pairs of loads of the same rows, whose records one side redacts and the other side gets redacted.
// As in runs, the source reads and redacts a page while the loader normalizes and loads the page
// before. Who is first takes turns. It compares the medians of the times and the sums of the
// processor times, and gives the time of redacting by itself.
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
			var sides [2][][]byte
			for _, one := range variety(b, res, total, 0) {
				raw := bytes.ReplaceAll(one.Raw, []byte(" 10:00:00+00"), []byte("T10:00:00Z")) // as upstream writes it
				sides[0], sides[1] = append(sides[0], raw), append(sides[1], redactor.Record(raw))
			}
			l := &loggedOrNot{B: b, conn: conn, res: res, size: 200, call: 1000}
			for b.Loop() {
				l.redacting(sides, redactor, normalizer, pairs)
			}
		})
	}
}

// redacting loads the records of both sides in turn; those of the first side are redacted.
func (l *loggedOrNot) redacting(sides [2][][]byte, redactor *redact.Redactor, normalizer *record.Normalizer, pairs int) {
	l.Helper()
	var times [2][]float64
	var spent [2]float64
	var alone time.Duration
	for turn := range 2 * pairs {
		side := []int{0, 1, 1, 0}[turn%4]
		execute(l, l.conn, "TRUNCATE sluice.raw_records, sluice.changes, shop."+l.res.Name+" CASCADE")
		before, began := l.processor(), time.Now()
		pages := make(chan [][]byte)
		go func() {
			defer close(pages)
			for chunk := range slices.Chunk(sides[side], l.size) {
				page := make([][]byte, len(chunk)) // its memory is its own, and is reused
				for i := range chunk {
					page[i] = bytes.Clone(chunk[i])
				}
				if side == 0 {
					from := time.Now()
					redactor.Records(page)
					alone += time.Since(from)
				}
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
	l.ReportMetric(float64(alone.Nanoseconds())/float64(pairs*len(sides[0])), "redact-ns/record")
	l.ReportMetric(times[1][pairs/2]*1e9/float64(len(sides[0])), "load-ns/record")
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
