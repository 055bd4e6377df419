package pipeline

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"

	"sluice/pipeline/outside"
	"sluice/schema"
)

// Key names a stream in tables and jobs. Resource is the resource's name, and for work on its
// details "<name>.details", for sweeps "<name>.sweep", for looks "<name>.look",
// for what change notifications told "<name>.hinted".
type Key struct {
	Organization string `json:"organization"`
	Service      string `json:"service"`
	Resource     string `json:"resource"`
}

// Key returns the stream's key.
func (s Stream) Key() Key {
	key := Key{Organization: s.Organization, Service: s.Service.Name, Resource: s.Resource.Name}
	if s.Work != WorkList {
		key.Resource += "." + string(s.Work)
	}
	return key
}

// String names the stream in messages: 10234695/inventory.bills.
func (k Key) String() string { return k.Organization + "/" + k.Service + "." + k.Resource }

// Log names the stream in a line of the log, whole and in its parts.
func (k Key) Log() slog.Attr {
	return slog.Group("", slog.String("stream", k.String()),
		slog.String("organization", k.Organization), slog.String("service", k.Service), slog.String("resource", k.Resource))
}

// ListKey returns the key of the resource's list, for any work of the stream.
func (s Stream) ListKey() Key {
	return Key{Organization: s.Organization, Service: s.Service.Name, Resource: s.Resource.Name}
}

// ProvesAbsence reports whether a row that a clean run of the stream did not see is evidence of a
// deletion. That requires that the run reads the whole list, or the whole lists of parents, and
// that the declaration says that the list shows every record (invariant 7).
func (s Stream) ProvesAbsence() bool {
	if s.Resource.Complete == "" {
		return false
	}
	return s.Work == WorkSweep || s.Work == WorkList && !s.Resource.Swept() && (s.Resource.ReadWhole() || s.UnderParents())
}

// UnderParents reports whether the resource has a list under each parent.
func (s Stream) UnderParents() bool {
	_, under := s.Resource.Cursor.(schema.PerParent)
	return under
}

// Countable reports whether the list can be asked how many records it has, and its records tell which
// of them it had then: it goes on by page number, and they carry their time of creation.
func (s Stream) Countable() bool {
	return s.Resource.Paging == schema.PagingNumber && s.Resource.Created() != "" && !s.UnderParents() && !s.Resource.Exported()
}

// ClassOf returns the class of the calls of a stream's scheduled runs.
func ClassOf(stream Stream) Class {
	switch stream.Work {
	case WorkDetails:
		return ClassDetails
	case WorkBackfill:
		return ClassBackfill
	case WorkSweep, WorkLook:
		return ClassSweep
	case WorkHinted:
		return ClassHinted
	case WorkList:
	}
	switch stream.Resource.Cursor.(type) {
	case schema.FullScan, schema.PerParent:
		return ClassSweep
	default:
		return ClassIncremental
	}
}

// State is a closed set: what a stream is doing.
type State string

// The states.
const (
	StateIdle     State = "idle"
	StateQueued   State = "queued"
	StateRunning  State = "running"
	StateRetrying State = "retrying"
	// StateWaiting: the day's allowance is spent.
	StateWaiting State = "waiting"
	// StateDenied: the operator has to act. A requested run starts at once, a scheduled one after a
	// day at the earliest.
	StateDenied State = "denied"
	// StateFailed: the last run failed after its retries; the next one follows on schedule.
	StateFailed State = "failed"
)

// Settlement says why a chunk stopped before its end.
type Settlement struct {
	State State
	Kind  Kind
	// Reason is for the operator; it holds no secret.
	Reason outside.Text
	// Until is when the stream goes on; zero if unknown.
	Until time.Time
	// EndRun closes the run as failed. Otherwise the run stays open and goes on later.
	EndRun bool
	// Complete is called last inside the transaction and completes the job; nil if the job stays in
	// the queue.
	Complete func(ctx context.Context, tx pgx.Tx) error
}

// Settle completes the job inside the last transaction of a chunk. More says that the run goes on
// in another chunk.
type Settle func(ctx context.Context, tx pgx.Tx, more bool) error

// Completion returns the function that a batch calls last in its transaction.
func (s Settle) Completion(more bool) func(ctx context.Context, tx pgx.Tx) error {
	return func(ctx context.Context, tx pgx.Tx) error { return s(ctx, tx, more) }
}

// Turn is the right to hold a large answer in memory. A process gives it to one answer at a time.
// It is handed on with the records of the answer and ends when they are loaded. A small answer has
// a nil turn.
type Turn struct {
	once sync.Once
	end  func()
}

// NewTurn makes a turn; end lets the next large answer in.
func NewTurn(end func()) *Turn { return &Turn{end: end} }

// End ends the turn; further calls do nothing.
func (t *Turn) End() {
	if t != nil {
		t.once.Do(t.end)
	}
}

type frontKey struct{}

// WithFront gives the calls of a context a channel that is closed when no earlier page is in front
// of theirs any more.
func WithFront(ctx context.Context, front <-chan struct{}) context.Context {
	return context.WithValue(ctx, frontKey{}, front)
}

// Front returns the channel that WithFront was given; nil if there is none.
func Front(ctx context.Context) <-chan struct{} {
	front, _ := ctx.Value(frontKey{}).(<-chan struct{})
	return front
}
