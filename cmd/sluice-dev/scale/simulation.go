package scale

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"time"

	"sluice/pipeline"
	"sluice/pipeline/warehouse/streams"
)

// The figures of the processes, as in package jobs: workers is the number of chunks at once.
const (
	workers    = 64
	tickLimit  = 500
	keepEvery  = 10 * time.Minute
	keepDays   = 35
	wakeEvery  = 5 * time.Second // of the queue: it wakes jobs whose wait is over
	fetchDelay = 100 * time.Millisecond
	// othersEvery is the interval between calls of other clients.
	othersEvery = 10 * time.Minute
)

// epoch returns the virtual time at which simulations begin.
func epoch() time.Time { return time.Date(2026, time.January, 5, 0, 0, 0, 0, time.UTC) }

// instant is a virtual point in time: the time since the beginning, in whole microseconds, as the
// database counts.
type instant = time.Duration

// event is an event at an instant.
type event struct {
	at instant
	do func(ctx context.Context) error
}

// simulation is a fleet in virtual time. One goroutine executes all events in the order of virtual
// time.
type simulation struct {
	scenario      scenario
	db            *database
	organizations []*organization
	byKey         map[pipeline.Key]*stream
	chance        *rand.Rand
	// agenda holds the planned events in order.
	agenda []event
	now    instant
	end    instant
	// waiting holds jobs for free workers, first come, first served.
	waiting []*stream
	busy    int // workers
	counts  counts
}

// counts holds the simulation's use of the database, and its results.
type counts struct {
	statements, granted int // about calls
	refused             map[pipeline.Refusal]int
	busy                time.Duration // of workers
	slowest             time.Duration // the longest wait of a job for a worker
}

// newSimulation prepares a scenario on a database.
func newSimulation(s scenario, db *database) (*simulation, error) {
	organizations, err := fleet(s)
	if err != nil {
		return nil, err
	}
	sim := &simulation{
		scenario: s, db: db, organizations: organizations, byKey: map[pipeline.Key]*stream{},
		chance: rand.New(rand.NewPCG(s.Seed, 2)), // a seed makes a simulation repeatable
		end:    time.Duration(s.Days) * 24 * time.Hour,
		counts: counts{refused: map[pipeline.Refusal]int{}},
	}
	for _, o := range organizations {
		for _, st := range o.streams {
			sim.byKey[st.key] = st
		}
	}
	return sim, nil
}

// run lets the virtual time pass.
func (s *simulation) run(ctx context.Context) error {
	settings := make([]streams.Setting, 0, len(s.byKey))
	for key, st := range s.byKey {
		settings = append(settings, streams.Setting{Key: key, Every: st.every, Enabled: true})
	}
	if err := s.db.Register(ctx, settings); err != nil {
		return err
	}
	s.each(0, s.scenario.Tick, s.tick)
	s.each(0, keepEvery, func(ctx context.Context) error {
		_, err := s.db.ledger.PruneCalls(ctx, keepDays)
		return err
	})
	for _, o := range s.organizations {
		if o.others != alone {
			s.each(s.draw(othersEvery), othersEvery, func(context.Context) error {
				o.owed += o.share * float64(o.limits.Daily) * float64(othersEvery) / float64(24*time.Hour)
				calls := int(o.owed)
				o.owed -= float64(calls)
				o.server.Spend(s.now, calls)
				return nil
			})
		}
	}
	for len(s.agenda) > 0 && s.agenda[0].at <= s.end {
		next := s.agenda[0]
		s.agenda = s.agenda[1:]
		s.now, s.db.now = next.at, next.at
		if err := next.do(ctx); err != nil {
			return fmt.Errorf("after %s of virtual time: %w", s.now, err)
		}
	}
	return nil
}

// plan plans an event at an instant; of two at the same instant, the one planned first happens
// first.
func (s *simulation) plan(at instant, do func(ctx context.Context) error) {
	at = at.Truncate(time.Microsecond)
	place, _ := slices.BinarySearchFunc(s.agenda, at+1, func(e event, at instant) int { return int(e.at - at) })
	s.agenda = slices.Insert(s.agenda, place, event{at, do})
}

// each plans a repeated event.
func (s *simulation) each(first instant, every time.Duration, do func(ctx context.Context) error) {
	s.plan(first, func(ctx context.Context) error {
		s.each(s.now+every, every, do)
		return do(ctx)
	})
}

// draw returns a random span below d.
func (s *simulation) draw(d time.Duration) time.Duration {
	return time.Duration(s.chance.Int64N(int64(d)))
}

// tick takes due streams and makes their jobs. A stream with a job keeps it.
func (s *simulation) tick(ctx context.Context) error {
	keys, err := s.db.TakeDue(ctx)
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
	s.plan(s.now+fetchDelay, func(context.Context) error { return s.dispatch() })
}

// dispatch gives waiting jobs to free workers.
func (s *simulation) dispatch() error {
	for len(s.waiting) > 0 && s.busy < workers {
		st := s.waiting[0]
		s.waiting = s.waiting[1:]
		s.counts.slowest = max(s.counts.slowest, s.now-st.queued)
		s.begin(st)
	}
	return nil
}
