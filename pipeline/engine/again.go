package engine

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"sluice/pipeline"
	"sluice/pipeline/engine/config"
	"sluice/pipeline/warehouse/calls"
	"sluice/pipeline/warehouse/postgres"
)

// longestAsk is how long Reauthorize waits for the minute between two requests of a token, or to
// try a second refresh token.
const longestAsk = 70 * time.Second

// Reauthorize requests a token for the organization's credential, even after earlier refusals. If
// it gets one, it wakes the denied and failed streams and returns their number. The error of a
// refusal is upstream's. Waits is called before each further attempt.
func (a *App) Reauthorize(ctx context.Context, o *config.Organization, waits func(*pipeline.Error)) (int, error) {
	_, tokens, err := a.tokens()
	if err != nil {
		return 0, err
	}
	if err := tokens.Forget(ctx, a.organizations[o.Key]); err != nil {
		return 0, fmt.Errorf("forget what was refused: %w", err)
	}
	last := a.options.Now().Add(longestAsk)
	for {
		_, _, err := tokens.Token(ctx, a.organizations[o.Key])
		if err == nil {
			break
		}
		failure, ok := errors.AsType[*pipeline.Error](err)
		again := ok && failure.Kind == pipeline.Unavailable && !failure.Until.IsZero()
		if !again || failure.Until.After(last) || a.options.Now().After(last) {
			return 0, fmt.Errorf("ask for a token: %w", err)
		}
		waits(failure)
		if err := wait(ctx, max(failure.Until.Sub(a.options.Now()), time.Second)); err != nil {
			return 0, err
		}
	}
	woken, err := a.DB.Wake(ctx, o.Key, servicesOf(o), pipeline.StateDenied, pipeline.StateFailed)
	return woken, postgres.Fail("let the streams go on", err)
}

// Reopen opens the gates that upstream's answers closed for an organization, or for one of its
// services and those that share its allowance. It wakes the waiting streams and returns their
// number.
func (a *App) Reopen(ctx context.Context, o *config.Organization, service string) (calls.Reopened, int, error) {
	services := servicesOf(o)
	if service != "" {
		if _, configured := o.Services[service]; !configured {
			return calls.Reopened{}, 0, fmt.Errorf("%w: organization %s has no service %q", ErrUsage, o.Name, service)
		}
		services = []string{service}
	}
	allowances := []string{tokenService}
	for _, name := range services {
		limits, err := a.Limits(o.Key, name)
		if err != nil {
			return calls.Reopened{}, 0, err
		}
		allowances = append(allowances, limits.Shared)
	}
	opened, err := a.DB.Reopen(ctx, o.Key, allowances, services)
	if err != nil {
		return calls.Reopened{}, 0, err
	}
	// The streams of all services that share the allowance waited for it.
	for _, name := range services {
		services = append(services, a.SharedWith(o.Key, name)...)
	}
	woken, err := a.DB.Wake(ctx, o.Key, services)
	return opened, woken, postgres.Fail("let the streams go on", err)
}

func servicesOf(o *config.Organization) []string { return slices.Sorted(maps.Keys(o.Services)) }

func wait(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(max(d, 0))
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return fmt.Errorf("stopped waiting: %w", context.Cause(ctx))
	}
}
