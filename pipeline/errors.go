package pipeline

import (
	"errors"
	"time"

	"sluice/pipeline/outside"
)

// ErrLostClaim says that another worker claimed the stream. The worker that gets it must not write
// what it still holds.
var ErrLostClaim = errors.New("the stream was claimed by another worker")

// ErrNotRequested says that no run of the stream is requested any more: its backfill is over or
// paused. The worker drops the job.
var ErrNotRequested = errors.New("no run was requested for the stream")

// ErrNotMade says that a failed call was never sent, because it could not be counted.
var ErrNotMade = errors.New("the call could not be counted, so it was not made")

// Kind is a closed set: what went wrong, classified by what has to happen next.
type Kind int

// The kinds, each with the reaction of package jobs.
const (
	// Exhausted: the day's allowance is spent; the stream goes on at Until.
	Exhausted Kind = iota + 1
	// Throttled: upstream got more calls a minute than it allows; the gate closes for a minute.
	Throttled
	// Crowded: upstream got more calls at once than it allows; fewer leave at once for a while.
	Crowded
	// Expired: the access token is no longer valid; one refresh, then the same request again.
	Expired
	// Denied: the right is missing, or the refresh token is no longer valid; the operator has to
	// act.
	Denied
	// Unavailable: no answer, a 5xx or a cut body; the chunk is repeated later.
	Unavailable
	// Unexpected: the answer differs from what the documents describe.
	Unexpected
)

var kindNames = map[Kind]outside.Text{ //nolint:gochecknoglobals // a constant table
	Exhausted: "exhausted", Throttled: "throttled", Crowded: "crowded", Expired: "expired",
	Denied: "denied", Unavailable: "unavailable", Unexpected: "unexpected",
}

// String returns the word of the kind, as the runs table stores it.
func (k Kind) String() string { return string(k.text()) }

func (k Kind) text() outside.Text {
	if name, ok := kindNames[k]; ok {
		return name
	}
	return "kind " + outside.Number(k)
}

// Error is a failure with its kind. Its text never holds a secret (invariant 10): all of it is the
// program's own words or was cleaned by a scrubber.
type Error struct {
	Kind Kind
	// Op is the call: "GET /inventory/v1/bills page 3".
	Op outside.Text
	// Status and Code are the HTTP status and the envelope's code, if any.
	Status int
	Code   outside.Text
	// Until is when a new attempt makes sense; zero if unknown.
	Until time.Time
	// Lasting says that the answer is whole and lacks what the declaration says of it, and that the
	// list was never read by that declaration, or that the attempt before failed, too. The same
	// call fails until the declaration changes, so nothing repeats it within a run.
	Lasting bool
	// Detail explains the failure to the operator.
	Detail outside.Text
	Err    *outside.Cause
}

// Error implements error.
func (e *Error) Error() string { return string(e.Text()) }

// Text returns the text of Error as an outside.Text.
func (e *Error) Text() outside.Text {
	text := e.Kind.text()
	if e.Op != "" {
		text += ": " + e.Op
	}
	if e.Status != 0 {
		text += ": HTTP " + outside.Number(e.Status)
	}
	if e.Code != "" {
		text += " code " + e.Code
	}
	if e.Detail != "" {
		text += ": " + e.Detail
	}
	if e.Err != nil {
		text += ": " + e.Err.Text()
	}
	return text
}

// Unwrap returns the cause.
func (e *Error) Unwrap() error {
	if e.Err == nil {
		return nil // and no pointer in an interface
	}
	return e.Err
}

// KindOf returns the kind of an error, or 0 if it has none.
func KindOf(err error) Kind {
	if e, ok := errors.AsType[*Error](err); ok {
		return e.Kind
	}
	return 0
}

// Lasting says whether an error has that mark.
func Lasting(err error) bool {
	e, ok := errors.AsType[*Error](err)
	return ok && e.Lasting
}
