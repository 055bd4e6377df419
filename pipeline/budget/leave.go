package budget

import (
	"context"
	"errors"
	"fmt"
	"time"

	"sluice/pipeline"
)

// What holds for how long where upstream does not say: code 44 blocks the organization for about a
// minute (docs/upstream.md U51); fewer calls at once are kept up for five. What upstream says is
// believed for an hour at most: behind a longer wait one call asks again.
const (
	throttledFor = time.Minute
	crowdedFor   = 5 * time.Minute
	maxRetry     = time.Hour
)

// Leave notes how a call that entered ended, also when ctx is cancelled by then: a call whose end
// is not noted holds its slot until its lease is over. If upstream refused the call for its limits,
// calls are held back for all processes. An error means that the ledger did not take the note; the
// call stays counted.
func (g *Gate) Leave(ctx context.Context, call pipeline.Call, number int64, result pipeline.CallResult) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), finishTimeout)
	defer cancel()
	limits, err := limitsOf(call)
	// First the penalty: the freed slot must not let another call out to upstream that has just
	// refused one.
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

// penalty is for how long calls are held back after this result; zero if not.
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

// untilTurn is the time to the next instant at which the day of an organization may turn: the
// configured one, and else, as that is not documented, its own midnight or that in UTC, whichever
// is sooner. If the day is still spent then, the call that finds out leads to the next of them. A
// minute is added, as clocks differ: a call a moment too early would cost a day.
func (g *Gate) untilTurn(zone *time.Location, limits pipeline.Limits) time.Duration {
	now := g.now()
	if limits.ResetZone != "" {
		if zone, err := time.LoadLocation(limits.ResetZone); err == nil {
			return next(now.In(zone), limits.ResetHour) + turnMargin
		}
	}
	return min(next(now.In(zone), 0), next(now.UTC(), 0)) + turnMargin
}

// turnMargin is how much later than upstream a day turns here.
const turnMargin = time.Minute

// next is the time to the next full hour of that number, in the zone of now.
func next(now time.Time, hour int) time.Duration {
	year, month, day := now.Date()
	at := time.Date(year, month, day, hour, 0, 0, 0, now.Location())
	if !at.After(now) {
		at = time.Date(year, month, day+1, hour, 0, 0, 0, now.Location())
	}
	return at.Sub(now)
}
