package delivery_test

import (
	"context"
	"fmt"
	"net/http"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"sluice/sandbox/watch/delivery"
)

// book is a receiver that records the arrivals and their times; each answer takes a second.
type book struct {
	mu      sync.Mutex
	started time.Time
	lines   []string
}

func (b *book) Post(ctx context.Context, address string, _ http.Header, body []byte) (int, error) {
	b.mu.Lock()
	b.lines = append(b.lines, fmt.Sprintf("%s %s %s", time.Since(b.started), address, body))
	b.mu.Unlock()
	select {
	case <-time.After(time.Second):
	case <-ctx.Done():
	}
	return 200, nil
}

func (b *book) read() []string {
	b.mu.Lock()
	defer b.mu.Unlock()
	lines := b.lines
	b.lines = nil
	return lines
}

// worker runs a queue by the fake clock of the test's bubble.
func worker(t *testing.T, chaos delivery.Chaos) (*delivery.Queue, *book) {
	t.Helper()
	receiver := &book{started: time.Now()}
	queue, err := delivery.New(delivery.Options{Now: time.Now, Poster: receiver, Chaos: chaos})
	must(t, err)
	go queue.Run(t.Context())
	synctest.Wait()
	return queue, receiver
}

func callback(address string) delivery.Callback {
	started := time.Now()
	return delivery.Callback{Address: address, Body: func(sent time.Time) ([]byte, error) {
		return fmt.Appendf(nil, "rendered after %s", sent.Sub(started)), nil
	}}
}

func expect(t *testing.T, got []string, want ...string) {
	t.Helper()
	errorIf(t, fmt.Sprint(got) != fmt.Sprint(want), "got %q\nwant %q", got, want)
}

// The second copy leaves a second later with the same bytes.
func TestDuplicateIsTheSameToTheByte(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		queue, receiver := worker(t, delivery.Chaos{Duplicate: 1})
		queue.Add(callback("a"))
		synctest.Wait()
		expect(t, receiver.read(), "0s a rendered after 0s")
		<-time.After(3 * time.Second)
		expect(t, receiver.read(), "1s a rendered after 0s")
	})
}

// Late callbacks leave on time, without a wake-up of the worker.
func TestWorkerWaitsForLateOnes(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		queue, receiver := worker(t, delivery.Chaos{Late: 1, LateBy: 90 * time.Millisecond})
		queue.Add(callback("a"))
		must(t, queue.SetChaos(delivery.Chaos{Late: 1})) // by a minute
		queue.Add(callback("b"))
		<-time.After(2 * time.Minute)
		expect(t, receiver.read(), "90ms a rendered after 90ms", "1m0s b rendered after 1m0s")
	})
}

func TestBodyThatCannotBeWritten(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		queue, receiver := worker(t, delivery.Chaos{})
		queue.Add(delivery.Callback{Address: "a", Body: func(time.Time) ([]byte, error) { return nil, context.Canceled }})
		synctest.Wait()
		expect(t, receiver.read())
		stats := queue.Stats()
		errorIf(t, stats.Failed != 1 || stats.Sent != 0, "counted %+v", stats)
	})
}

// A receiver that is down does not fill the memory.
func TestQueueIsBounded(t *testing.T) {
	t.Parallel()
	queue, err := delivery.New(delivery.Options{Now: time.Now, Poster: &book{}})
	must(t, err)
	queue.Add(make([]delivery.Callback, 100_003)...)
	stats := queue.Stats()
	errorIf(t, stats.Waiting != 100_000 || stats.Dropped != 3 || stats.Queued != 100_003, "counted %+v", stats)
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// errorIf fails the test where something is not as it should be, and says what.
func errorIf(tb testing.TB, wrong bool, format string, args ...any) {
	tb.Helper()
	if wrong {
		tb.Errorf(format, args...)
	}
}
