// Package budget answers one question: may this call leave now?
//
// The ledger (Postgres) decides, for any number of processes; this package waits in the meantime,
// paces this process so that the ledger is spared refusals, and carries to the ledger what upstream
// says about its limits. It never counts calls itself, never talks to upstream and never gives a
// call back.
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
	// defaultMaxWait outlasts one full minute of a closed gate, but not two.
	defaultMaxWait = 75 * time.Second
	// staleParts of a minute is how old a grant may be when it is used: two minutes and the call's
	// slot is free.
	staleParts = 3
	// finishTimeout bounds the note that a call is over.
	finishTimeout = 10 * time.Second
)

// Ledger counts calls and decides about them, for all processes.
type Ledger interface {
	// Reserve counts the call, or says which limit refuses it.
	Reserve(ctx context.Context, call pipeline.Call, limits pipeline.Limits) (pipeline.Decision, error)
	// Finish notes how a reserved call ended.
	Finish(ctx context.Context, call int64, result pipeline.CallResult) error
	// Penalize holds calls back for d because upstream refused one.
	Penalize(ctx context.Context, organization, service, shared string, kind pipeline.Kind, d time.Duration) error
}

// Options are what a gate needs. Ledger and Now are required.
type Options struct {
	Ledger Ledger
	// Now is the clock that waits are planned by; limits are the ledger's matter.
	Now func() time.Time
	// MaxWait is how long Enter may wait in all; zero means 75 seconds.
	MaxWait time.Duration
	// Minute is how long the minute of the limits is, which the ledger has to count alike; zero
	// means a minute. Tests and benchmarks have shorter ones.
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

// Enter waits until the call may leave, counts it and returns its number in the call log. A call
// that may not leave within MaxWait gives a *pipeline.Error of kind Throttled or Crowded, one that
// may not leave today, or not as work of its class, one of kind Exhausted, each with Until. Every
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
		// Taken before asking: a call that leaves between the answer and the wait must still wake
		// this one.
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
			// The process was suspended meanwhile: the slot is not held any more (invariant 3).
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

// limitsOf are what a call is held against. An error says that the configuration does not have its
// service.
func limitsOf(call pipeline.Call) (pipeline.Limits, error) {
	limits, configured := call.Org.Limits[call.Service]
	if !configured {
		return limits, fmt.Errorf("limits of %s/%s: no such service is configured", call.Organization, call.Service)
	}
	return limits, nil
}

// errTooLong says that the wait would pass the deadline; stopped makes of it the error that callers
// see.
var errTooLong = errors.New("the wait is too long")

// wait waits until it makes sense to ask the ledger again.
func (g *Gate) wait(ctx context.Context, decision pipeline.Decision, deadline time.Time, freed <-chan struct{}) error {
	left := deadline.Sub(g.now())
	pause := decision.Wait
	switch decision.Refused {
	case pipeline.RefusedDay, pipeline.RefusedClass:
		return errTooLong
	case pipeline.RefusedConcurrent:
		// The ledger only knows when a lost call's lease ends; most calls end much sooner, here or
		// in another process.
		pause = min(pause, pollConcurrent)
	case pipeline.RefusedMinute, pipeline.RefusedClosed:
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

// longWait is a wait behind which a person may not want to wait: the command that ends it is named.
const longWait = 5 * time.Minute

func kindOf(refused pipeline.Refusal) pipeline.Kind {
	switch refused {
	case pipeline.RefusedMinute, pipeline.RefusedClosed:
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
	default:
		return "a limit that has no name"
	}
}
