package bench

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"time"

	"sluice/cmd/sluice-dev/harness"
	"sluice/sandbox"
)

// farRecords make lists of well over a thousand pages of ten.
const farRecords = 60_000

// measureLimit measures the used share of the permitted calls at several latencies of upstream. The
// sandbox enforces the limits and is the judge.
// The runs read lists beyond their hundredth page and move no watermark, like a large backfill.
// Latencies and other times are scaled with the minute, but a process's own computing is not, so
// that a true minute does better.
func measureLimit(ctx context.Context, s *stage, p *plan, t *table) error {
	for _, latency := range []time.Duration{100 * time.Millisecond, time.Second, 3 * time.Second} {
		for _, processes := range p.processes {
			err := s.fresh(ctx, sandbox.Options{
				Records: farRecords, Limits: sandbox.Limits{Minute: p.minute},
				PageLatency: time.Duration(float64(latency) * float64(p.minute) / float64(time.Minute)),
			}, func(w *warehouse) error { return w.atLimit(ctx, p, t, processes, latency) })
			if err != nil {
				return fmt.Errorf("read at the limit: %w", err)
			}
		}
	}
	return nil
}

// atLimit makes a number of processes read business services, which share the minute, for the plan's
// minutes.
func (w *warehouse) atLimit(ctx context.Context, p *plan, t *table, processes int, latency time.Duration) (err error) {
	var workers []*harness.Process
	defer func() {
		for _, worker := range workers {
			err = errors.Join(err, worker.Stop(ctx))
		}
	}()
	for n := range processes {
		worker, err := w.worker("-minute", p.minute.String(), "-prepare="+strconv.FormatBool(n == 0),
			"inventory.items", "inventory.bills", "inventory.credit_notes", "accounting.vendor_payments")
		if err != nil {
			return err
		}
		workers = append(workers, worker)
	}
	used, err := p.use(ctx, w.world)
	t.add(fmt.Sprintf("limit %v s", latency.Seconds()), 100*used)
	t.add("limit 429", float64(w.world.Stats().ByStatus["429"]))
	return err
}

// use waits until the calls of the minutes after the first one have been made, and returns their
// share of the permitted ones.
func (p *plan) use(ctx context.Context, u *world) (float64, error) {
	wanted := time.Duration(p.minutes) * p.minute
	var first, last time.Time
	goal := 0
	err := harness.Wait(ctx, 2*wanted+time.Minute, "too few calls are made", func(context.Context) (bool, error) {
		calls, now := u.Stats().Calls, time.Now()
		if first.IsZero() && calls > 0 {
			first, goal = now, calls+p.minutes*harness.PerMinute
		}
		last = now
		return !first.IsZero() && calls >= goal, nil
	})
	return float64(wanted) / float64(last.Sub(first)), err
}
