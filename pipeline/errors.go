package pipeline

import (
	"errors"
	"time"

	"sluice/pipeline/outside"
)

// ErrLostClaim says that another worker claimed the stream: whatever this one still holds must not
// be written.
var ErrLostClaim = errors.New("the stream was claimed by another worker")

// ErrNotRequested says that no run of the stream is requested any more: its backfill is over, or
// paused. The worker that holds its job drops it.
var ErrNotRequested = errors.New("no run was requested for the stream")

// ErrNotMade says of a call that failed that it never left.
var ErrNotMade = errors.New("the call could not be counted, so it was not made")

// Kind is a closed set: what went wrong, seen from what has to happen next.
type Kind int

// The kinds, with the fate that package jobs gives each.
const (
	// Exhausted: the day's allowance is spent; come back at Until.
	Exhausted Kind = iota + 1
	// Throttled: more calls a minute than allowed; the gate closes for a minute.
	Throttled
	// Crowded: more calls at once than allowed; fewer for a while.
	Crowded
	// Expired: the access token is dead; one refresh, same request.
	Expired
	// Denied: no right, or the refresh token is dead; a person has to act.
	Denied
	// Unavailable: no answer, a 5xx, a cut body; try again later.
	Unavailable
	// Unexpected: an answer that is not what the documents describe.
	Unexpected
)

var kindNames = map[Kind]outside.Text{ //nolint:gochecknoglobals // a constant table
	Exhausted: "exhausted", Throttled: "throttled", Crowded: "crowded", Expired: "expired",
	Denied: "denied", Unavailable: "unavailable", Unexpected: "unexpected",
}

// String is the word of the kind, as the runs table has it.
func (k Kind) String() string { return string(k.text()) }

func (k Kind) text() outside.Text {
	if name, ok := kindNames[k]; ok {
		return name
	}
	return "kind " + outside.Number(k)
}

// Error is a failure with its kind. Its text never holds a secret (invariant 10): all of it is the
// program's own words, or was made fit to be kept by a scrubber.
type Error struct {
	Kind Kind
	// Op is the call: "GET /inventory/v1/bills page 3".
	Op outside.Text
	// Status and Code are the HTTP status and the envelope's code, if any.
	Status int
	Code   outside.Text
	// Until is when it makes sense to come back; zero if unknown.
	Until time.Time
	// Detail explains, in words for a person who has to act.
	Detail outside.Text
	Err    *outside.Cause
}

// Error implements error.
func (e *Error) Error() string { return string(e.Text()) }

// Text is what Error says.
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

// Unwrap gives the cause.
func (e *Error) Unwrap() error {
	if e.Err == nil {
		return nil // and no pointer in an interface
	}
	return e.Err
}

// KindOf gives the kind of an error, or 0 if it has none.
func KindOf(err error) Kind {
	if e, ok := errors.AsType[*Error](err); ok {
		return e.Kind
	}
	return 0
}
