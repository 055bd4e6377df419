package traces

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
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

// exporter sends spans by OTLP over HTTP, and logs what was lost. The batcher calls it from one
// goroutine.
type exporter struct {
	*otlptrace.Exporter

	transport *http.Transport
	now       func() time.Time
	log       *slog.Logger
	// failed is why the last request failed, in words of our own: the errors of the library quote
	// the address and the answer (invariant 10).
	failed error
	// lost counts the spans that no warning has told of yet, warned is when the last one was logged.
	lost   int
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
			Transport: e, Timeout: requestLimit,
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

// RoundTrip implements http.RoundTripper. It notes why a request failed.
func (e *exporter) RoundTrip(request *http.Request) (*http.Response, error) {
	response, err := e.transport.RoundTrip(request)
	if err != nil {
		e.failed = wire.Cause(request.Context(), err)
		return nil, err
	}
	if status := response.StatusCode; status < 200 || status >= 300 { //nolint:mnd // the class of success
		e.failed = fmt.Errorf("the collector answered HTTP %d: check telemetry.otlp and its headers", status)
	}
	return response, nil
}

// ExportSpans implements sdk.SpanExporter. What cannot be sent is lost: the work that it describes
// goes on.
func (e *exporter) ExportSpans(ctx context.Context, spans []sdk.ReadOnlySpan) error {
	e.failed = nil
	if err := e.Exporter.ExportSpans(ctx, spans); err != nil {
		e.lost += len(spans)
		switch {
		case e.failed != nil:
		case ctx.Err() != nil:
			e.failed = errors.New("the time to send them was over")
		default:
			e.failed = errors.New("the collector refused some of them")
		}
	}
	e.warn(ctx, false)
	return nil //nolint:nilerr // it is logged: the batcher would log it once more
}

// warn logs how many spans were lost, at most once a minute but at the end.
func (e *exporter) warn(ctx context.Context, end bool) {
	now := e.now()
	if e.lost == 0 || !end && !e.warned.IsZero() && now.Sub(e.warned) < warnEvery {
		return
	}
	e.log.WarnContext(ctx, "traces were lost: the collector did not take them", "spans", e.lost, "error", e.failed.Error())
	e.warned, e.lost = now, 0
}

// Shutdown implements sdk.SpanExporter. The batcher calls it once, after the last request.
func (e *exporter) Shutdown(ctx context.Context) error {
	defer close(e.ended)
	e.warn(ctx, true)
	err := e.Exporter.Shutdown(ctx)
	e.transport.CloseIdleConnections()
	return err
}
