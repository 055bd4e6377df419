package traces

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"net/url"
	"strings"
	"time"

	"go.opentelemetry.io/otel/exporters/otlp/otlptrace"
	"go.opentelemetry.io/otel/exporters/otlp/otlptrace/otlptracehttp"
	sdk "go.opentelemetry.io/otel/sdk/trace"

	"sluice/pipeline/upstream/wire"
)

const (
	// requestLimit bounds one request.
	requestLimit = 10 * time.Second
	// warnEvery is the least time between two warnings.
	warnEvery = time.Minute
)

// exporter sends spans by OTLP over HTTP, and logs that some were lost. The batcher calls it from
// one goroutine.
type exporter struct {
	*otlptrace.Exporter

	transport *http.Transport
	now       func() time.Time
	log       *slog.Logger
	// warned is when the last warning was logged.
	warned time.Time
	// ended is closed when no request follows.
	ended chan struct{}
}

func newExporter(o Options) *exporter {
	e := &exporter{
		now: o.Now, log: o.Log, ended: make(chan struct{}),
		// The environment's proxies are not used.
		transport: &http.Transport{MaxIdleConns: 1, IdleConnTimeout: time.Minute, TLSHandshakeTimeout: requestLimit},
	}
	address := strings.TrimRight(o.Collector, "/")
	if !strings.HasSuffix(address, "/v1/traces") {
		address += "/v1/traces"
	}
	options := []otlptracehttp.Option{
		otlptracehttp.WithEndpointURL(address), otlptracehttp.WithCompression(otlptracehttp.GzipCompression),
		otlptracehttp.WithHTTPClient(&http.Client{
			Transport: e.transport, Timeout: requestLimit,
			// No redirect is followed: headers are secrets.
			CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		}),
	}
	if len(o.Headers) > 0 {
		options = append(options, otlptracehttp.WithHeaders(o.Headers))
	}
	e.Exporter = otlptracehttp.NewUnstarted(options...)
	_ = e.Start(context.Background()) // it opens no connection, and complains about settings that the client above replaces
	return e
}

// ExportSpans implements sdk.SpanExporter. What cannot be sent is lost: the work that it describes
// goes on. A warning a minute says so, in words of our own: the errors of the library quote the
// address and the answer (invariant 10).
func (e *exporter) ExportSpans(ctx context.Context, spans []sdk.ReadOnlySpan) error {
	err := e.Exporter.ExportSpans(ctx, spans)
	if err == nil || e.now().Sub(e.warned) < warnEvery {
		return nil // the batcher would log it once more
	}
	reason := errors.New("the collector refused them: check telemetry.otlp and its headers")
	if about, ok := errors.AsType[*url.Error](err); errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		reason = errors.New("the time to send them was over")
	} else if ok {
		reason = wire.Cause(ctx, about.Err)
	}
	e.log.WarnContext(ctx, "traces were lost: the collector did not take them", "error", reason.Error())
	e.warned = e.now()
	return nil
}

// Shutdown implements sdk.SpanExporter. The batcher calls it once, after the last request.
func (e *exporter) Shutdown(ctx context.Context) error {
	defer close(e.ended)
	err := e.Exporter.Shutdown(ctx)
	e.transport.CloseIdleConnections()
	return err
}
