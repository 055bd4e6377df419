package budget

import (
	"context"
	"errors"
	"fmt"
	"time"

	"sluice/pipeline"
)

// What holds for how long where upstream does not say: code 44 blocks the
// organization for about a minute (upstream facts, "Limits, errors, tokens");
// fewer calls at once are kept up for five.
const (
	throttledFor = time.Minute
	crowdedFor   = 5 * time.Minute
	maxRetry     = 24 * time.Hour
)

// Leave notes how a call that entered ended, also when ctx is cancelled by then:
// a call whose end is not noted holds its slot until its lease is over. If
// upstream refused the call for its limits, calls are held back for everybody.
// An error means that the ledger did not take the note; the call stays counted.
func (g *Gate) Leave(ctx context.Context, call pipeline.Call, number int64, result pipeline.CallResult) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), finishTimeout)
	defer cancel()
	limits, err := g.limits(call.Organization, call.Service)
	if err != nil {
		err = fmt.Errorf("limits of %s/%s: %w", call.Organization, call.Service, err)
	}
	// First the penalty: the freed slot must not let another call out to upstream
	// that has just refused one.
	if d := g.penalty(call, result); d > 0 && err == nil {
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
func (g *Gate) penalty(call pipeline.Call, result pipeline.CallResult) time.Duration {
	asked := result.RetryAfter
	if asked < time.Second || asked > maxRetry {
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
		return g.untilMidnight(call.Organization)
	case pipeline.Expired, pipeline.Denied, pipeline.Unavailable, pipeline.Unexpected:
		return 0
	default:
		return 0
	}
}

// untilMidnight is the time to the next midnight of the organization: when its
// day turns is not documented, its own midnight is the likeliest.
func (g *Gate) untilMidnight(organization string) time.Duration {
	now := g.now().In(g.zone(organization))
	year, month, day := now.Date()
	return time.Date(year, month, day+1, 0, 0, 0, 0, now.Location()).Sub(now)
}
