package harness

import (
	"context"
	"fmt"
	"time"
)

// pollEvery is the interval at which a condition is checked.
const pollEvery = 20 * time.Millisecond

// Until checks at intervals whether a condition holds, as long as the context lasts.
func Until(ctx context.Context, holds func() bool) bool {
	ticker := time.NewTicker(pollEvery)
	defer ticker.Stop()
	for !holds() {
		select {
		case <-ctx.Done():
			return false
		case <-ticker.C:
		}
	}
	return true
}

// Wait waits until a condition holds. Its error after the limit begins with what is otherwise the
// case.
func Wait(ctx context.Context, limit time.Duration, otherwise string, holds func(context.Context) (bool, error)) error {
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	var failed error
	if !Until(ctx, func() bool {
		ok, err := holds(ctx)
		failed = err
		return ok || err != nil
	}) {
		return fmt.Errorf("%s within %s: %w", otherwise, limit, context.Cause(ctx))
	}
	return failed
}

// Each calls work at intervals until the context ends.
func Each(ctx context.Context, every time.Duration, work func()) {
	ticker := time.NewTicker(every)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
			work()
		}
	}
}

// Sleep waits for a time, or for the end of the context.
func Sleep(ctx context.Context, d time.Duration) {
	select {
	case <-time.After(d):
	case <-ctx.Done():
	}
}
