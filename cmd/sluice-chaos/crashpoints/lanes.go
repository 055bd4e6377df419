package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"sync"

	"sluice/cmd/sluice-chaos/testbed"
)

// lanes run trials side by side: a trial waits more than it works.
type lanes []*lane

// openLanes opens so many lanes on one Postgres.
func openLanes(ctx context.Context, options testbed.Options, count int) (lanes, error) {
	g, err := testbed.Open(ctx, options)
	if err != nil {
		return nil, err
	}
	var ls lanes
	for n := range count {
		if n > 0 {
			g, err = ls[0].bed.Beside(ctx)
		}
		var l *lane
		if err == nil {
			l, err = newLane(ctx, g, n)
		}
		if err != nil {
			return nil, errors.Join(err, ls.close(ctx))
		}
		ls = append(ls, l)
	}
	return ls, nil
}

// close closes the lanes, the one with the server last.
func (ls lanes) close(ctx context.Context) error {
	var errs []error
	for _, l := range slices.Backward(ls) {
		errs = append(errs, l.direct.Close(), l.bed.Close(ctx))
	}
	return errors.Join(errs...)
}

// do runs pieces of work, each on a free lane, until one fails.
func (ls lanes) do(ctx context.Context, pieces int, work func(ctx context.Context, l *lane, piece int) error) error {
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	todo := make(chan int)
	var working sync.WaitGroup
	for _, l := range ls {
		working.Go(func() {
			for piece := range todo {
				if err := work(ctx, l, piece); err != nil {
					stop(err)
					return
				}
			}
		})
	}
	for piece := range pieces {
		select {
		case todo <- piece:
			continue
		case <-ctx.Done():
		}
		break
	}
	close(todo)
	working.Wait()
	return context.Cause(ctx)
}

// count runs the scenarios undisturbed, and returns the events. Each must leave both sides equal.
func (ls lanes) count(ctx context.Context, chosen []scenario) (counts, error) {
	var mu sync.Mutex
	passed := make(counts)
	err := ls.do(ctx, len(chosen), func(ctx context.Context, l *lane, piece int) error {
		sc := chosen[piece]
		if err := l.prepare(ctx, sc); err != nil {
			return fmt.Errorf("scenario %s: %w", sc.Name, err)
		}
		whole, err := l.try(ctx, sc, point{})
		if err != nil {
			return fmt.Errorf("scenario %s: %w", sc.Name, err)
		}
		if bad := whole.verdict.Violations; len(bad) > 0 {
			return fmt.Errorf("scenario %s, without a kill: %s", sc.Name, bad)
		}
		mu.Lock()
		defer mu.Unlock()
		passed[sc.Name] = whole.count
		return nil
	})
	return passed, err
}

// tryAll runs the trials without a result, and reports its progress now and then.
func (ls lanes) tryAll(ctx context.Context, kept *ledger, trials []trial, log io.Writer) error {
	of := make(map[string]scenario)
	for _, sc := range scenarios() {
		of[sc.Name] = sc
	}
	left := kept.left(trials)
	var mu sync.Mutex
	done := 0
	return ls.do(ctx, len(left), func(ctx context.Context, l *lane, piece int) error {
		t := left[piece]
		o, err := l.try(ctx, of[t.Scenario], t.point)
		if err != nil {
			return fmt.Errorf("%s: %w", t, err)
		}
		mu.Lock()
		defer mu.Unlock()
		if done++; done%50 == 0 {
			_, _ = fmt.Fprintf(log, "%d of %d points\n", done, len(left)) // an error of progress is ignored
		}
		return kept.add(result{trial: t, Hit: o.hit, Violations: o.verdict.Violations})
	})
}
