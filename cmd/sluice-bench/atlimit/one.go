package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"time"
)

// perMinute is the limit that all plans have. Source: docs/upstream.md U40.
const perMinute = 100

// pollEvery is how often the sandbox is asked for its count: the precision of times.
const pollEvery = 10 * time.Millisecond

// stats is what the sandbox counted.
type stats struct {
	Calls           int            `json:"calls"`
	Worst           int            `json:"worst_60s"`
	WorstConcurrent int            `json:"worst_concurrent"`
	ByStatus        map[string]int `json:"by_status"`
}

// measured is one line of the table.
type measured struct {
	stats

	// used is the part of the permitted calls that were made.
	used      float64
	decisions []time.Duration
}

// measure lets so many processes read for the plan's minutes.
func (s *stage) measure(ctx context.Context, processes int, latency time.Duration) (_ *measured, err error) {
	m := new(measured)
	upstream, err := s.upstream(ctx, time.Duration(float64(latency)*float64(s.plan.Minute)/float64(time.Minute)))
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, upstream.Stop()) }()
	w, err := s.fresh(ctx, upstream)
	if err != nil {
		return m, err
	}
	var workers []*worker
	defer func() {
		for _, one := range workers {
			decisions, stopErr := one.stop()
			m.decisions, err = append(m.decisions, decisions...), errors.Join(err, stopErr)
		}
	}()
	for n := range processes {
		one, err := w.start(ctx, n == 0)
		if err != nil {
			return m, err
		}
		workers = append(workers, one)
	}
	m.used, err = s.use(ctx, upstream)
	if err == nil {
		m.stats, err = upstream.stats(ctx)
	}
	return m, err
}

// use waits until the minutes' calls have been made behind the first one, and says which
// part of the permitted ones that were.
func (s *stage) use(ctx context.Context, upstream *sandbox) (float64, error) {
	wanted := time.Duration(s.plan.Minutes) * s.plan.Minute
	deadline := time.Now().Add(2*wanted + time.Minute)
	ticker := time.NewTicker(pollEvery)
	defer ticker.Stop()
	var first time.Time
	for goal := 0; ; {
		count, err := upstream.stats(ctx)
		if err != nil {
			return 0, err
		}
		now := time.Now()
		switch {
		case first.IsZero() && count.Calls > 0:
			first, goal = now, count.Calls+s.plan.Minutes*perMinute
		case !first.IsZero() && count.Calls >= goal:
			return float64(wanted) / float64(now.Sub(first)), nil
		case now.After(deadline):
			return 0, fmt.Errorf("only %d calls were made in %s", count.Calls, now.Sub(first))
		}
		select {
		case <-ctx.Done():
			return 0, fmt.Errorf("interrupted: %w", context.Cause(ctx))
		case <-ticker.C:
		}
	}
}

func (m *measured) row(latency time.Duration, processes int) []string {
	slices.Sort(m.decisions)
	at := func(percent int) string {
		if len(m.decisions) == 0 {
			return ""
		}
		return fmt.Sprintf("%.2f", float64(m.decisions[(len(m.decisions)-1)*percent/100])/float64(time.Millisecond)) //nolint:mnd // percent
	}
	return []string{
		latency.String(), strconv.Itoa(processes), fmt.Sprintf("%.1f", 100*m.used), strconv.Itoa(m.Calls), strconv.Itoa(m.Worst), //nolint:mnd // percent
		strconv.Itoa(m.WorstConcurrent), strconv.Itoa(m.ByStatus["429"]), at(50), at(99), strconv.Itoa(len(m.decisions)), //nolint:mnd // percentiles
	}
}

// stats asks for the count.
func (u *sandbox) stats(ctx context.Context) (stats, error) {
	var counted stats
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, u.URL+"/_sandbox/stats", http.NoBody)
	if err != nil {
		return counted, fmt.Errorf("ask for the count: %w", err)
	}
	response, err := u.client.Do(request)
	if err != nil {
		return counted, fmt.Errorf("ask for the count: %w", err)
	}
	defer func() { _ = response.Body.Close() }() // it was read
	if err := json.NewDecoder(response.Body).Decode(&counted); err != nil {
		return counted, fmt.Errorf("read the count: %w", err)
	}
	return counted, nil
}
