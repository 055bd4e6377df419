package jobs

import (
	"context"
	"fmt"
	"log/slog"
	"runtime/debug"
	"strings"

	"github.com/riverqueue/river"
	"github.com/riverqueue/river/rivertype"
)

// maxErrorText bounds what River stores of an error, in bytes.
const maxErrorText = 2000

// cleaner is the first middleware of every job. One NUL in one job's error text
// stops River's completer for ever, for Postgres refuses it in json; and error
// texts quote upstream. It also turns panics into errors, for their values reach
// the same column.
type cleaner struct {
	river.MiddlewareDefaults

	logger *slog.Logger
}

var _ rivertype.WorkerMiddleware = (*cleaner)(nil)

// Work implements rivertype.WorkerMiddleware.
func (c *cleaner) Work(ctx context.Context, job *rivertype.JobRow, inner func(context.Context) error) (err error) {
	defer func() {
		if value := recover(); value != nil {
			text := clean(fmt.Sprint(value))
			c.logger.ErrorContext(ctx, "a job panicked", "job", job.ID, "panic", text, "stack", string(debug.Stack()))
			err = &cleanError{text: "panic: " + text}
		}
	}()
	if err = inner(ctx); err == nil {
		return nil
	}
	return &cleanError{text: clean(err.Error()), cause: err}
}

// cleanError shows a cleaned text and leads to its cause, so that snoozes and
// cancels are still seen for what they are.
type cleanError struct {
	text  string
	cause error
}

// Error implements error.
func (e *cleanError) Error() string { return e.text }

// Unwrap gives the cause.
func (e *cleanError) Unwrap() error { return e.cause }

// clean makes a text fit for Postgres: NUL becomes a visible sign, bytes that are
// no UTF-8 the replacement character, and the length is bounded.
func clean(text string) string {
	text = strings.ToValidUTF8(strings.ReplaceAll(text, "\x00", "\u2400"), "\ufffd")
	if len(text) > maxErrorText {
		text = strings.ToValidUTF8(text[:maxErrorText], "") + "…"
	}
	return text
}
