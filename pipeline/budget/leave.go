package budget

import (
	"context"
	"errors"
	"fmt"
	"time"

	"sluice/pipeline"
)

// How long calls are held back where upstream does not say. Code 44 blocks the organization for
// about a minute (docs/upstream.md U51). Fewer calls leave at once for five minutes. A Retry-After
// counts for an hour at most: after that, one call tries again.
const (
	throttledFor = time.Minute
	crowdedFor   = 5 * time.Minute
	maxRetry     = time.Hour
)

// Leave records how a call that entered ended, even if ctx is cancelled: a call without a recorded
// end holds its slot until its lease ends. If upstream refused the call for its limits, the calls
// of all processes are held back. An error means that the ledger did not record the end; the call
// stays counted.
func (g *Gate) Leave(ctx context.Context, call pipeline.Call, number int64, result pipeline.CallResult) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), finishTimeout)
	defer cancel()
	limits, err := limitsOf(call)
	// The penalty is recorded first: the freed slot must not let another call leave just after
	// upstream refused one.
	if d := g.penalty(call, limits, result); d > 0 && err == nil {
		if penalizeErr := g.ledger.Penalize(ctx, call.Organization, call.Service, limits.Shared, result.Kind, d); penalizeErr != nil {
			err = fmt.Errorf("hold calls of %s/%s back: %w", call.Organization, call.Service, penalizeErr)
		}
	}
	if finishErr := g.ledger.Finish(ctx, number, result); finishErr != nil {
		err = errors.Join(err, fmt.Errorf("note the end of call %d: %w", number, finishErr))
	}
	g.lane(call.Organization, limits).leave()
	return err
}

// penalty returns how long calls are held back after this result; zero for no penalty.
func (g *Gate) penalty(call pipeline.Call, limits pipeline.Limits, result pipeline.CallResult) time.Duration {
	asked := min(result.RetryAfter, maxRetry)
	if asked < time.Second {
		asked = 0
	}
	switch result.Kind {
	case pipeline.Throttled:
		if asked > 0 {
			return asked
		}
		return throttledFor
	case pipeline.Crowded:
		if asked > 0 {
			return asked
		}
		return crowdedFor
	case pipeline.Exhausted:
		if result.DayReset > 0 {
			return result.DayReset
		}
		return g.untilTurn(call.Org.Zone(), limits)
	case pipeline.Expired, pipeline.Denied, pipeline.Unavailable, pipeline.Unexpected:
		return 0
	default:
		return 0
	}
}

// untilTurn returns the time until a new day may begin for an organization. That is the configured
// instant. Where none is configured, it is the organization's own midnight or that in UTC,
// whichever is sooner, because upstream documents neither. If the day is still spent then, the
// refused call leads to the next of these instants. A minute is added, because clocks differ: a
// call a moment too early would cost a day.
func (g *Gate) untilTurn(zone *time.Location, limits pipeline.Limits) time.Duration {
	now := g.now()
	if limits.ResetZone != "" {
		if zone, err := time.LoadLocation(limits.ResetZone); err == nil {
			return next(now.In(zone), limits.ResetHour) + turnMargin
		}
	}
	return min(next(now.In(zone), 0), next(now.UTC(), 0)) + turnMargin
}

// turnMargin is how long after upstream's day a new day begins here.
const turnMargin = time.Minute

// next returns the time until the clock shows that full hour next, in the zone of now.
func next(now time.Time, hour int) time.Duration {
	year, month, day := now.Date()
	at := time.Date(year, month, day, hour, 0, 0, 0, now.Location())
	if !at.After(now) {
		at = time.Date(year, month, day+1, hour, 0, 0, 0, now.Location())
	}
	return at.Sub(now)
}
