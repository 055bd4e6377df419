package events_test

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"sync/atomic"
	"testing"

	"sluice/pipeline/events"
	"sluice/pipeline/warehouse/changes"
)

// BenchmarkDeliver delivers to a receiver on this machine that reads each message and acknowledges
// it. The log has rows of one record, as incremental runs write it, or of two hundred, as first
// runs do.
func BenchmarkDeliver(b *testing.B) {
	const messages = 10_000
	for _, each := range []int{1, 200} {
		b.Run(fmt.Sprintf("rows of %d", each), func(b *testing.B) {
			var taken atomic.Int64
			server := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
				_, _ = io.Copy(io.Discard, r.Body)
				taken.Add(1)
			}))
			b.Cleanup(server.Close)
			w := open(b, &receiver{Server: server})
			total := int64(0)
			for b.Loop() {
				b.StopTimer()
				tx, err := w.pool.Begin(b.Context())
				w.must(err)
				for row := range messages / each {
					ids := make([]string, each)
					for i := range ids {
						ids[i] = fmt.Sprintf("%019d", row*each+i)
					}
					w.must(changes.Write(b.Context(), tx, "1", "shop.things", changes.Changed, ids))
				}
				w.must(tx.Commit(b.Context()))
				total += messages
				b.StartTimer()
				w.must(events.New(w.options).Deliver(b.Context(), nil))
			}
			if taken.Load() != total {
				b.Fatalf("%d messages arrived of %d", taken.Load(), total)
			}
			b.ReportMetric(float64(total)/b.Elapsed().Seconds(), "messages/s")
		})
	}
}
