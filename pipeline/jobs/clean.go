package jobs

import (
	"context"
	"log/slog"
	"runtime/debug"

	"github.com/riverqueue/river"
	"github.com/riverqueue/river/rivertype"

	"sluice/pipeline/outside"
)

// cleaner is the first middleware of every job. One NUL in one job's error text stops River's
// completer for ever, for Postgres refuses it in json; and error texts quote upstream. It also
// turns panics into errors, for their values reach the same column.
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

// cleanError shows a cleaned text and leads to its cause, so that snoozes and cancels are still
// seen for what they are.
type cleanError struct {
	text  outside.Text
	cause error
}

// Error implements error.
func (e *cleanError) Error() string { return string(e.text) }

// Unwrap gives the cause.
func (e *cleanError) Unwrap() error { return e.cause }
