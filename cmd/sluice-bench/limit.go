package main

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
	"slices"
	"strconv"
	"syscall"
	"time"
)

const (
	// perMinute is the limit that all plans have (docs/upstream.md U40).
	perMinute = 100
	// farRecords make lists of well over a thousand pages of ten.
	farRecords = 60_000
	// countEvery is the interval between reads of the sandbox's count: the precision of times.
	countEvery = 10 * time.Millisecond
)

// farLists returns lists of business services, which share the minute.
func farLists() []string {
	return []string{"inventory.items", "inventory.bills", "inventory.credit_notes", "accounting.vendor_payments"}
}

// measureLimit measures the used share of the permitted calls at several latencies of upstream, and
// the time for deciding whether a call may leave. The sandbox enforces the limits and is the judge.
// The runs read lists beyond their hundredth page and move no watermark, like a large backfill.
// Latencies and other times are scaled with the minute, but a process's own computing is not, so
// that a true minute does better.
func measureLimit(ctx context.Context, s *stage, p *plan, t *table) error {
	for _, latency := range []time.Duration{100 * time.Millisecond, time.Second, 3 * time.Second} {
		for _, processes := range p.processes {
			scaled := time.Duration(float64(latency) * float64(p.minute) / float64(time.Minute))
			err := s.upstream(ctx, func(u *sandbox) error {
				return s.fresh(ctx, func(w *warehouse) error { return w.atLimit(ctx, p, t, u, processes, latency) })
			}, "--plan", tariff, "--minute", p.minute.String(), "--latency", scaled.String(), "--records", strconv.Itoa(farRecords))
			if err != nil {
				return err
			}
		}
	}
	return nil
}

// atLimit makes a number of processes read for the plan's minutes.
func (w *warehouse) atLimit(ctx context.Context, p *plan, t *table, u *sandbox, processes int, latency time.Duration) error {
	var workers []*exec.Cmd
	for n := range processes {
		args := append([]string{"-minute", p.minute.String(), "-prepare=" + strconv.FormatBool(n == 0)}, farLists()...)
		cmd, err := w.worker(ctx, u, args...)
		if err != nil {
			return err
		}
		workers = append(workers, cmd)
	}
	var (
		used      float64
		counted   stats
		decisions []time.Duration
	)
	err := during(workers, func() error {
		var err error
		if used, err = p.use(ctx, u); err != nil {
			return err
		}
		counted, err = u.stats(ctx)
		return err
	})
	for i := 0; i < len(workers) && err == nil; i++ {
		var did worked
		did, err = said(workers[i])
		decisions = append(decisions, did.Decisions...)
	}
	if err != nil {
		return fmt.Errorf("read at the limit: %w", err)
	}
	const percent = 100
	t.add(fmt.Sprintf("limit %v s", latency.Seconds()), percent*used)
	t.add("limit 429", float64(counted.ByStatus["429"]))
	if processes == 1 {
		slices.Sort(decisions)
		t.add("decision", decisions[(len(decisions)-1)/2].Seconds()*1000)
	}
	return nil
}

// during starts processes, runs work beside them, and ends them.
func during(processes []*exec.Cmd, work func() error) error {
	if len(processes) == 0 {
		return work()
	}
	if err := processes[0].Start(); err != nil {
		return fmt.Errorf("start a worker: %w", err)
	}
	return errors.Join(during(processes[1:], work), processes[0].Process.Signal(syscall.SIGTERM), processes[0].Wait())
}

// use waits until the calls of the minutes after the first one have been made, and returns their
// share of the permitted ones.
func (p *plan) use(ctx context.Context, u *sandbox) (float64, error) {
	wanted := time.Duration(p.minutes) * p.minute
	deadline := time.Now().Add(2*wanted + time.Minute)
	ticker := time.NewTicker(countEvery)
	defer ticker.Stop()
	var first time.Time
	for goal := 0; ; {
		count, err := u.stats(ctx)
		if err != nil {
			return 0, err
		}
		now := time.Now()
		switch {
		case first.IsZero() && count.Calls > 0:
			first, goal = now, count.Calls+p.minutes*perMinute
		case !first.IsZero() && count.Calls >= goal:
			return float64(wanted) / float64(now.Sub(first)), nil
		case now.After(deadline):
			return 0, fmt.Errorf("only %d calls were made", count.Calls)
		}
		select {
		case <-ctx.Done():
			return 0, fmt.Errorf("interrupted: %w", context.Cause(ctx))
		case <-ticker.C:
		}
	}
}
