package engine

import (
	"context"
	"fmt"
	"log/slog"
	"time"

	"github.com/rs/zerolog"
	"go.opentelemetry.io/otel/trace"

	"sluice/pipeline/outside"
)

// newLog makes a log that writes lines for people to a terminal and JSON elsewhere. The scrubber is
// in front of the writer, because the writer's colours are terminal commands and must pass.
func newLog(options Options, configured string) (*slog.Logger, error) {
	name := configured
	if options.LogLevel != "" {
		name = options.LogLevel
	}
	level, err := zerolog.ParseLevel(name)
	if err != nil {
		return nil, fmt.Errorf("%w: log level %q is none of debug, info, warn, error", ErrUsage, name)
	}
	if options.Quiet && options.LogLevel == "" {
		level = max(level, zerolog.WarnLevel)
	}
	out := options.LogTo
	if options.Terminal != nil {
		out = zerolog.ConsoleWriter{Out: options.Terminal, TimeFormat: time.TimeOnly}
	}
	handler := zerolog.NewSlogHandler(zerolog.New(out).Level(level).With().Timestamp().Logger())
	return slog.New(scrubbed{next: handler, scrub: options.Scrub}), nil
}

// scrubbed is the last protection of the log (invariant 10). It removes secrets in force, excerpts
// of answers and characters that control a terminal from all messages and attributes, also those of
// libraries.
type scrubbed struct {
	next  slog.Handler
	scrub *outside.Scrubber
}

// Enabled implements slog.Handler.
func (s scrubbed) Enabled(ctx context.Context, level slog.Level) bool {
	return s.next.Enabled(ctx, level)
}

// Handle implements slog.Handler.
func (s scrubbed) Handle(ctx context.Context, record slog.Record) error {
	clean := slog.NewRecord(record.Time, record.Level, s.text(record.Message), record.PC)
	record.Attrs(func(attr slog.Attr) bool {
		clean.AddAttrs(s.attr(attr))
		return true
	})
	if span := trace.SpanContextFromContext(ctx); span.IsValid() { // a line finds its trace, and a trace its lines
		clean.AddAttrs(slog.String("trace_id", span.TraceID().String()), slog.String("span_id", span.SpanID().String()))
	}
	return s.next.Handle(ctx, clean)
}

// WithAttrs implements slog.Handler.
func (s scrubbed) WithAttrs(attrs []slog.Attr) slog.Handler {
	return scrubbed{next: s.next.WithAttrs(s.attrs(attrs)), scrub: s.scrub}
}

// WithGroup implements slog.Handler.
func (s scrubbed) WithGroup(name string) slog.Handler {
	return scrubbed{next: s.next.WithGroup(s.text(name)), scrub: s.scrub}
}

func (s scrubbed) text(raw string) string {
	return outside.VisibleLines(s.scrub.Scrub(outside.WithoutExcerpts(raw)))
}

func (s scrubbed) attrs(attrs []slog.Attr) []slog.Attr {
	clean := make([]slog.Attr, len(attrs))
	for i, attr := range attrs {
		clean[i] = s.attr(attr)
	}
	return clean
}

// attr cleans a value that is or holds text; numbers, booleans and times hold none.
func (s scrubbed) attr(attr slog.Attr) slog.Attr {
	value := attr.Value.Resolve()
	switch value.Kind() { //nolint:exhaustive // the others hold no text
	case slog.KindString:
		value = slog.StringValue(s.text(value.String()))
	case slog.KindGroup:
		value = slog.GroupValue(s.attrs(value.Group())...)
	case slog.KindAny, slog.KindLogValuer:
		value = slog.StringValue(s.text(fmt.Sprint(value.Any())))
	}
	return slog.Attr{Key: s.text(attr.Key), Value: value}
}
