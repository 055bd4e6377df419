package jobs

import (
	"context"
	"log/slog"
	"runtime/debug"

	"github.com/riverqueue/river"
	"github.com/riverqueue/river/rivertype"

	"sluice/pipeline/outside"
)

// cleaner is the first middleware of every job. Postgres refuses a NUL in json, so one NUL in the
// error text of a job stops River's completer for good, and error texts quote upstream. The cleaner
// also turns panics into errors, because their values reach the same column.
type cleaner struct {
	river.MiddlewareDefaults

	logger *slog.Logger
	scrub  *outside.Scrubber
}

var _ rivertype.WorkerMiddleware = (*cleaner)(nil)

// Work implements rivertype.WorkerMiddleware.
func (c *cleaner) Work(ctx context.Context, job *rivertype.JobRow, inner func(context.Context) error) (err error) {
	defer func() {
		if value := recover(); value != nil {
			text := c.scrub.Textf("%v", value)
			c.logger.ErrorContext(ctx, "a job panicked", "job", job.ID, "panic", string(text), "stack", string(debug.Stack()))
			err = &cleanError{text: "panic: " + text}
		}
	}()
	if err = inner(ctx); err == nil {
		return nil
	}
	return &cleanError{text: c.scrub.Error(err), cause: err}
}

// cleanError has a cleaned text and wraps its cause, so that River still recognizes snoozes and
// cancels.
type cleanError struct {
	text  outside.Text
	cause error
}

// Error implements error.
func (e *cleanError) Error() string { return string(e.text) }

// Unwrap returns the cause.
func (e *cleanError) Unwrap() error { return e.cause }
