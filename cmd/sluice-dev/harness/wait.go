package harness

import (
	"context"
	"fmt"
	"math"
	"slices"
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
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-ctx.Done():
	}
}

// Quantile returns the value that a share of the values does not exceed; 0 of none.
func Quantile(values []float64, share float64) float64 {
	if len(values) == 0 {
		return 0
	}
	sorted := slices.Sorted(slices.Values(values))
	return sorted[max(int(math.Ceil(share*float64(len(sorted))))-1, 0)]
}
