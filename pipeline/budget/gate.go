// Package budget decides whether a call may leave now.
//
// The ledger, which is the call log in Postgres, decides for any number of processes. This package
// waits for its decision, paces this process to spare the ledger refusals, and reports to the
// ledger what upstream says about its limits. It never counts calls itself, never talks to upstream
// and never gives a call back.
//
// Start reading at Gate.Enter, then Gate.Leave.
package budget

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"sluice/pipeline"
	"sluice/pipeline/outside"
)

const (
	// defaultMaxWait is longer than one minute of a closed gate and shorter than two.
	defaultMaxWait = 75 * time.Second
	// staleParts says that a grant may be a third of a minute old when it is used: after two
	// minutes the ledger frees the call's slot.
	staleParts = 3
	// finishTimeout bounds the statements that record the end of a call.
	finishTimeout = 10 * time.Second
)

// Ledger counts the calls of all processes and decides about them.
type Ledger interface {
	// Reserve counts the call, or names the limit that refuses it.
	Reserve(ctx context.Context, call pipeline.Call, limits pipeline.Limits) (pipeline.Decision, error)
	// Finish records how a reserved call ended.
	Finish(ctx context.Context, call int64, result pipeline.CallResult) error
	// Penalize holds calls back for d because upstream refused one.
	Penalize(ctx context.Context, organization, service, shared string, kind pipeline.Kind, d time.Duration) error
}

// Options are what a gate needs. Ledger and Now are required.
type Options struct {
	Ledger Ledger
	// Now is the clock for waits. The ledger uses its own clock for limits.
	Now func() time.Time
	// MaxWait is the longest time that Enter waits in all; zero means 75 seconds.
	MaxWait time.Duration
	// Minute is the length of the limits' minute; zero means a minute. The ledger has to use the
	// same. Tests and benchmarks have shorter ones.
	Minute time.Duration
}

// Gate is the budget of one process; it is safe for concurrent use.
type Gate struct {
	ledger  Ledger
	now     func() time.Time
	maxWait time.Duration
	minute  time.Duration

	mu    sync.Mutex
	lanes map[laneKey]*lane
}

// New makes a gate. It fails if a required option is missing.
func New(o Options) (*Gate, error) {
	if o.Ledger == nil || o.Now == nil {
		return nil, errors.New("budget: the options Ledger and Now are required")
	}
	gate := &Gate{
		ledger: o.Ledger, now: o.Now, maxWait: o.MaxWait, minute: o.Minute, lanes: make(map[laneKey]*lane),
	}
	if gate.maxWait <= 0 {
		gate.maxWait = defaultMaxWait
	}
	if gate.minute <= 0 {
		gate.minute = time.Minute
	}
	return gate, nil
}

// Enter waits until the call may leave, counts it and returns its number in the call log. If the
// call may not leave within MaxWait, the error is a *pipeline.Error of kind Throttled or Crowded.
// If the day or the share of its class is spent, it is one of kind Exhausted. Each has Until. Every
// call that entered has to Leave.
func (g *Gate) Enter(ctx context.Context, call pipeline.Call) (int64, error) {
	limits, err := limitsOf(call)
	if err != nil {
		return 0, err
	}
	lane := g.lane(call.Organization, limits)
	deadline := g.now().Add(g.maxWait)
	if wait, waitErr := lane.pace(ctx, g.now, deadline); waitErr != nil {
		return 0, g.stopped(call, pipeline.RefusedMinute, wait, waitErr)
	}
	if waitErr := lane.queue(ctx, deadline.Sub(g.now())); waitErr != nil {
		return 0, g.stopped(call, lane.last(), 0, waitErr)
	}
	defer lane.done()
	for {
		// The channel is taken before the question: a slot that is freed between the answer and the
		// wait must still wake this call.
		freed := lane.freed()
		asked := g.now()
		decision, reserveErr := g.ledger.Reserve(ctx, call, limits)
		if reserveErr != nil {
			return 0, fmt.Errorf("reserve a call of %s/%s: %w", call.Organization, call.Service, reserveErr)
		}
		if decision.Refused == "" {
			if decision.Call <= 0 {
				return 0, fmt.Errorf("reserve a call of %s/%s: the ledger granted it without a number", call.Organization, call.Service)
			}
			if g.now().Sub(asked) <= g.minute/staleParts {
				return decision.Call, nil
			}
			// The process was suspended meanwhile, and the ledger may have freed the slot
			// (invariant 3).
			if finishErr := g.Leave(ctx, call, decision.Call, pipeline.CallResult{Detail: "granted too long ago, not made"}); finishErr != nil {
				return 0, finishErr
			}
			continue
		}
		if kindOf(decision.Refused) == 0 {
			return 0, fmt.Errorf("reserve a call of %s/%s: unknown refusal %q", call.Organization, call.Service, decision.Refused)
		}
		if kindOf(decision.Refused) != pipeline.Exhausted {
			lane.note(decision.Refused) // a spent day or class says nothing about others of the lane
		}
		if waitErr := g.wait(ctx, decision, deadline, freed); waitErr != nil {
			return 0, g.stopped(call, decision.Refused, decision.Wait, waitErr)
		}
	}
}

// limitsOf returns the limits that apply to a call. It fails if the service is not configured.
func limitsOf(call pipeline.Call) (pipeline.Limits, error) {
	limits, configured := call.Org.Limits[call.Service]
	if !configured {
		return limits, fmt.Errorf("limits of %s/%s: no such service is configured", call.Organization, call.Service)
	}
	return limits, nil
}

// errTooLong says that the wait would pass the deadline. Callers see the error that stopped makes
// of it.
var errTooLong = errors.New("the wait is too long")

// wait waits until it makes sense to ask the ledger again.
func (g *Gate) wait(ctx context.Context, decision pipeline.Decision, deadline time.Time, freed <-chan struct{}) error {
	left := deadline.Sub(g.now())
	pause := decision.Wait
	switch decision.Refused {
	case pipeline.RefusedDay, pipeline.RefusedClass:
		return errTooLong
	case pipeline.RefusedConcurrent:
		// The ledger can only say when the lease of a lost call ends. Most calls end much sooner,
		// here or in another process.
		pause = min(pause, pollConcurrent)
	case pipeline.RefusedMinute, pipeline.RefusedClosed, pipeline.RefusedForgotten:
		freed = nil
	}
	pause = jitter(pause)
	if pause > left {
		return errTooLong
	}
	return sleep(ctx, pause, freed)
}

// stopped turns the end of a wait into the error of Enter.
func (g *Gate) stopped(call pipeline.Call, refused pipeline.Refusal, wait time.Duration, err error) error {
	if !errors.Is(err, errTooLong) {
		return fmt.Errorf("wait for a call of %s/%s: %w", call.Organization, call.Service, err)
	}
	detail := "the budget holds the call back: " + sentenceOf(refused)
	if refused == pipeline.RefusedClosed && wait > longWait {
		detail += "; at once: sluice budget reopen ORG"
	}
	return &pipeline.Error{Kind: kindOf(refused), Op: call.Method + " " + call.Path, Until: g.now().Add(wait), Detail: detail}
}

// longWait is the wait above which the error names the command that ends it.
const longWait = 5 * time.Minute

func kindOf(refused pipeline.Refusal) pipeline.Kind {
	switch refused {
	case pipeline.RefusedMinute, pipeline.RefusedClosed, pipeline.RefusedForgotten:
		return pipeline.Throttled
	case pipeline.RefusedConcurrent:
		return pipeline.Crowded
	case pipeline.RefusedDay, pipeline.RefusedClass:
		return pipeline.Exhausted
	default:
		return 0
	}
}

func sentenceOf(refused pipeline.Refusal) outside.Text {
	switch refused {
	case pipeline.RefusedMinute:
		return "the calls of this minute are spent"
	case pipeline.RefusedConcurrent:
		return "as many calls as allowed are under way"
	case pipeline.RefusedDay:
		return "the calls of the day are spent"
	case pipeline.RefusedClass:
		return "this kind of work has spent its share of the day"
	case pipeline.RefusedClosed:
		return "upstream refused a call, so all calls wait for a while"
	case pipeline.RefusedForgotten:
		return "the database was restored or a standby promoted, and may have forgotten calls that upstream counts"
	default:
		return "a limit that has no name"
	}
}
