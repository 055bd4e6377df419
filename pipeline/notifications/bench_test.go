package notifications_test

import (
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"sluice/cmd/sluice-sandbox/local"
	"sluice/pipeline/check"
	"sluice/pipeline/notifications"
	"sluice/pipeline/warehouse/hints"
)

// BenchmarkReceiver takes callbacks over HTTP from many senders into a server that survives a power
// cut, as the receiver does. It reports callbacks a second and how long an answer takes. Every
// tenth callback is a repetition.
func BenchmarkReceiver(b *testing.B) {
	server := check.Sure(local.Start(b.Context(), local.Options{Durable: true}))(b)
	b.Cleanup(func() { _ = server.Stop(b.Context()) })
	check.Must(b, migrated(b.Context(), server.URL()))
	for _, senders := range []int{1, 4, 16, 48} {
		b.Run(fmt.Sprintf("senders-%d", senders), func(b *testing.B) { receive(b, server.URL(), senders) })
	}
}

func receive(b *testing.B, database string, senders int) {
	b.Helper()
	inbox := check.Sure(hints.OpenInbox(b.Context(), database, notifications.StoreLimit, nil))(b)
	b.Cleanup(inbox.Close)
	listener := httptest.NewServer(notifications.NewReceiver(notifications.Options{
		Settings: settings(), Inbox: inbox, Now: time.Now, Log: slog.New(slog.DiscardHandler),
	}))
	b.Cleanup(listener.Close)
	client := &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: senders}}
	right, began := quoted(token(secret, products)), time.Now().UnixNano()
	var next, refused atomic.Int64
	took := make([][]time.Duration, senders)
	var group sync.WaitGroup
	b.ResetTimer()
	for sender := range senders {
		group.Go(func() {
			for {
				n := next.Add(1)
				if n > int64(b.N) {
					return
				}
				body := watch(products, right, fmt.Sprintf(`,"number":"%d-%d"`, began, n-n%10/9))
				at := time.Now()
				answer, err := client.Post(listener.URL+"/watch/"+key, "application/json", strings.NewReader(body))
				if err != nil {
					refused.Add(1)
					continue
				}
				_, _ = io.Copy(io.Discard, answer.Body)
				_ = answer.Body.Close()
				took[sender] = append(took[sender], time.Since(at))
				if answer.StatusCode != http.StatusOK {
					refused.Add(1)
				}
			}
		})
	}
	group.Wait()
	b.StopTimer()
	all := slices.Sorted(slices.Values(slices.Concat(took...)))
	if len(all) == 0 || refused.Load() > 0 {
		b.Fatalf("%d of %d callbacks were not taken", refused.Load(), b.N)
	}
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "callbacks/s")
	b.ReportMetric(all[len(all)/2].Seconds()*1000, "p50-ms")
	b.ReportMetric(all[len(all)*99/100].Seconds()*1000, "p99-ms")
}
