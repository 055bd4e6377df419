package scale

import (
	"context"
	"slices"
	"time"
)

// tick takes due streams and makes their jobs. A stream with a job keeps it.
func (s *simulation) tick(ctx context.Context) error {
	keys, err := s.db.TakeDue(ctx, s.now, tickLimit)
	if err != nil {
		return err
	}
	due := make([]*stream, 0, len(keys))
	for _, key := range keys {
		due = append(due, s.byKey[key])
	}
	slices.SortFunc(due, func(a, b *stream) int { return a.number - b.number })
	for _, st := range due {
		if !st.job && !st.done {
			st.job, st.errors = true, 0
			s.queue(st)
		}
	}
	return nil
}

// queue appends a job to the waiting ones.
func (s *simulation) queue(st *stream) {
	st.queued = s.now
	s.waiting = append(s.waiting, st)
	s.agenda.plan(s.now+fetchDelay, func(context.Context) error { return s.dispatch() })
}

// sleep makes a job wait until the queue wakes it.
func (s *simulation) sleep(st *stream, until instant) {
	s.agenda.plan(max(until, s.now+time.Second)+s.draw(wakeEvery), func(context.Context) error {
		s.queue(st)
		return nil
	})
}

// dispatch gives waiting jobs to free workers.
func (s *simulation) dispatch() error {
	for len(s.waiting) > 0 && s.busy < s.scenario.Workers {
		st := s.waiting[0]
		s.waiting = s.waiting[1:]
		s.counts.slowest = max(s.counts.slowest, s.now-st.queued)
		s.begin(st)
	}
	return nil
}
