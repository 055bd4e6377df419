package traces

import (
	"context"
	"log/slog"
	"sync/atomic"
	"time"

	sdk "go.opentelemetry.io/otel/sdk/trace"
)

// The figures of the queue. A span takes about a kilobyte.
const (
	// mostWaiting is how many spans wait at most; further ones are lost.
	mostWaiting = 4096
	// mostAtOnce is how many spans one request takes, sendEvery how long the first of them waits.
	mostAtOnce = 512
	sendEvery  = 2 * time.Second
	// warnEvery is the least time between two warnings.
	warnEvery = time.Minute
)

// queue sends spans, one request after the other, and keeps no work waiting: where the collector is
// slow or gone, spans are lost and counted. It implements sdk.SpanProcessor.
type queue struct {
	send  func(ctx context.Context, spans []sdk.ReadOnlySpan) error
	now   func() time.Time
	log   *slog.Logger
	spans chan sdk.ReadOnlySpan
	// lost counts the spans that no warning has told of yet.
	lost atomic.Int64
	// stopping is closed when no span follows, stopped when the last one is sent. cancel ends the
	// request under way.
	stopping, stopped chan struct{}
	cancel            context.CancelFunc
	// warned is when the last warning was logged, failed the error of the last request.
	warned time.Time
	failed error
}

// newQueue begins to send, in one goroutine until Shutdown.
func newQueue(send func(context.Context, []sdk.ReadOnlySpan) error, now func() time.Time, log *slog.Logger) *queue {
	ctx, cancel := context.WithCancel(context.Background())
	q := &queue{
		send: send, now: now, log: log, cancel: cancel,
		spans: make(chan sdk.ReadOnlySpan, mostWaiting), stopping: make(chan struct{}), stopped: make(chan struct{}),
	}
	go q.work(ctx)
	return q
}

// OnStart implements sdk.SpanProcessor.
func (*queue) OnStart(context.Context, sdk.ReadWriteSpan) {}

// OnEnd implements sdk.SpanProcessor. It never waits.
func (q *queue) OnEnd(span sdk.ReadOnlySpan) {
	select {
	case q.spans <- span:
	default:
		q.lost.Add(1)
	}
}

// ForceFlush implements sdk.SpanProcessor; the program never calls it, and Shutdown sends all.
func (*queue) ForceFlush(context.Context) error { return nil }

// Shutdown implements sdk.SpanProcessor. It sends what waits until the context ends, and returns
// when nothing is under way any more.
func (q *queue) Shutdown(ctx context.Context) error {
	close(q.stopping)
	select {
	case <-q.stopped:
	case <-ctx.Done():
	}
	q.cancel()
	<-q.stopped
	return nil
}

// work sends spans until Shutdown.
func (q *queue) work(ctx context.Context) {
	defer close(q.stopped)
	ticker := time.NewTicker(sendEvery)
	defer ticker.Stop()
	var batch []sdk.ReadOnlySpan
	for {
		select {
		case span := <-q.spans:
			if batch = append(batch, span); len(batch) < mostAtOnce {
				continue
			}
		case <-ticker.C:
		case <-q.stopping:
			q.drain(ctx, batch)
			return
		}
		q.deliver(ctx, batch)
		batch = batch[:0]
	}
}

// drain sends what still waits, and tells of all that was lost.
func (q *queue) drain(ctx context.Context, batch []sdk.ReadOnlySpan) {
	for {
		select {
		case span := <-q.spans:
			if batch = append(batch, span); len(batch) < mostAtOnce {
				continue
			}
			q.deliver(ctx, batch)
			batch = batch[:0]
		default:
			q.deliver(ctx, batch)
			q.warned = time.Time{} // the process ends: what is not told now is never told
			q.warn(ctx)
			return
		}
	}
}

// deliver sends spans. What cannot be sent is lost: the work that it describes goes on.
func (q *queue) deliver(ctx context.Context, spans []sdk.ReadOnlySpan) {
	if len(spans) > 0 {
		if q.failed = q.send(ctx, spans); q.failed != nil {
			q.lost.Add(int64(len(spans)))
		}
	}
	q.warn(ctx)
}

// warn logs how many spans were lost, at most once a minute.
func (q *queue) warn(ctx context.Context) {
	now := q.now()
	if q.lost.Load() == 0 || !q.warned.IsZero() && now.Sub(q.warned) < warnEvery {
		return
	}
	q.warned = now
	why := "the collector is too slow"
	if q.failed != nil {
		why = q.failed.Error()
	}
	q.log.WarnContext(ctx, "traces were lost: the collector did not take them", "spans", q.lost.Swap(0), "error", why)
}
