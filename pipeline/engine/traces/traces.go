// Package traces sends OpenTelemetry traces of chunks to a collector, by OTLP over HTTP.
//
// A chunk is a trace, with its calls and loads. The package instruments the seams at which engine
// wires the program, so the packages below know nothing of traces. Where traces are
// off, a nil *Traces leaves every seam as it is.
//
// A span has identifiers, names of our own, and counts. It never has a value of a record, a query,
// an address or a text of upstream (invariant 10).
//
// Start reading at New, then Chunk and Gate.
package traces

import (
	"context"
	"log/slog"
	"time"

	"github.com/go-logr/logr"
	"go.opentelemetry.io/otel"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/sdk/resource"
	sdk "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/trace"

	"sluice/pipeline/outside"
)

// Options configure Traces. All but Headers, Version and Scrub are required.
type Options struct {
	// Collector is the address of the collector, without the path of OTLP ("/v1/traces").
	Collector string
	// Headers are sent with every request. They are secrets.
	Headers map[string]string
	// Sample is the share of the chunks that are traced, and of the calls outside of them.
	Sample float64
	// Version is the version of the program.
	Version string
	Now     func() time.Time
	Log     *slog.Logger
	Scrub   *outside.Scrubber
}

// Traces makes spans and sends them. A nil *Traces makes none; its methods cost nothing then.
type Traces struct {
	now      func() time.Time
	scrub    *outside.Scrubber
	tracer   trace.Tracer
	provider *sdk.TracerProvider
	exporter *exporter
	// flush bounds the time to send the last spans.
	flush time.Duration
}

// New begins to send spans. Close ends that.
func New(o Options) *Traces {
	// The exporter logs what was lost. The library's own handlers would print past the outlets, with
	// variables of the environment in clear.
	otel.SetErrorHandler(otel.ErrorHandlerFunc(func(error) {}))
	otel.SetLogger(logr.Discard())
	exporter := newExporter(o)
	about := []attribute.KeyValue{attribute.String("service.name", "sluice")}
	if o.Version != "" {
		about = append(about, attribute.String("service.version", o.Version))
	}
	provider := sdk.NewTracerProvider(
		sdk.WithResource(resource.NewSchemaless(about...)),
		sdk.WithBatcher(exporter),
		sdk.WithSampler(sdk.ParentBased(sdk.TraceIDRatioBased(o.Sample))),
		sdk.WithRawSpanLimits(limits()),
	)
	return &Traces{
		now: o.Now, scrub: o.Scrub, provider: provider, exporter: exporter, tracer: provider.Tracer("sluice"), flush: flushLimit,
	}
}

// mostOf bounds the attributes of a span and the elements of a list in one.
const mostOf = 64

// limits bound a span. They replace those that the environment may name.
func limits() sdk.SpanLimits {
	return sdk.SpanLimits{
		AttributeValueLengthLimit: outside.MaxText, AttributeCountLimit: mostOf, EventCountLimit: mostOf, LinkCountLimit: mostOf,
		AttributePerEventCountLimit: mostOf, AttributePerLinkCountLimit: mostOf,
	}
}

// flushLimit is the bound of Close.
const flushLimit = 5 * time.Second

// Close sends the spans that wait, for five seconds at most, and ends the sending. It works even if
// the context has ended.
func (t *Traces) Close(ctx context.Context) {
	if t == nil {
		return
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), t.flush)
	defer cancel()
	_ = t.provider.Shutdown(ctx)          // the exporter logs what was lost
	_ = t.exporter.Exporter.Shutdown(ctx) // it ends a request that is still in flight
	<-t.exporter.ended
}
