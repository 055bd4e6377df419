package scale

import (
	"context"
	"slices"
	"time"

	"golang.org/x/time/rate"
)

// process is one process of the fleet.
type process struct {
	busy []*chunk
	down bool
	// life counts the kills of the process.
	life  int
	lanes map[*organization]*rate.Limiter
}

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
		s.note(1, int64(st.number))
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

// dispatch gives waiting jobs to free workers, to the least busy process first.
func (s *simulation) dispatch() error {
	for len(s.waiting) > 0 {
		var free *process
		for _, p := range s.processes {
			if !p.down && len(p.busy) < s.scenario.Workers && (free == nil || len(p.busy) < len(free.busy)) {
				free = p
			}
		}
		if free == nil {
			return nil
		}
		st := s.waiting[0]
		s.waiting = s.waiting[1:]
		s.counts.slowest = max(s.counts.slowest, s.now-st.queued)
		s.begin(free, st)
	}
	return nil
}

// kill ends a process in the middle of its work: calls that it has sent still arrive, and their
// ends stay unreported.
func (s *simulation) kill(context.Context) error {
	p := s.processes[s.chance.IntN(len(s.processes))]
	lost := p.busy
	p.life++
	p.busy, p.down = nil, true
	p.lanes = map[*organization]*rate.Limiter{}
	s.counts.kills++
	for _, c := range lost {
		s.counts.busy += s.now - c.began
	}
	s.agenda.plan(s.now+jobsBack, func(context.Context) error {
		for _, c := range lost {
			s.queue(c.stream)
		}
		return nil
	})
	s.agenda.plan(s.now+restart, func(context.Context) error {
		p.down = false
		return s.dispatch()
	})
	return nil
}
