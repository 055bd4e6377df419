package scale

import (
	"context"
	"fmt"
	"math/rand/v2"
	"time"

	"sluice/pipeline"
	"sluice/pipeline/warehouse/streams"
)

// The intervals and delays of the processes, as in package jobs.
const (
	tickLimit  = 500
	keepEvery  = 10 * time.Minute
	keepDays   = 35
	wakeEvery  = 5 * time.Second // of the queue: it wakes jobs whose wait is over
	fetchDelay = 100 * time.Millisecond
	// othersEvery is the interval between calls of other clients.
	othersEvery = 10 * time.Minute
)

// simulation is a fleet in virtual time. One goroutine executes all events in the order of virtual
// time.
type simulation struct {
	scenario      scenario
	db            *database
	organizations []*organization
	byKey         map[pipeline.Key]*stream
	chance        *rand.Rand
	agenda        agenda
	now           instant
	end           instant
	// waiting holds jobs for free workers, first come, first served.
	waiting []*stream
	busy    int // workers
	counts  counts
}

// counts holds the simulation's use of the database, and its results.
type counts struct {
	reservations, granted, finishes, penalties int
	refused                                    map[pipeline.Refusal]int
	// asked are the statements about calls in the current minute, mostAsked the most in one.
	minute, asked, mostAsked int
	busy                     time.Duration // of workers
	slowest                  time.Duration // the longest wait of a job for a worker
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

// run lets the virtual time pass. It calls progress every virtual hour.
func (s *simulation) run(ctx context.Context, progress func(hour int)) error {
	if err := s.db.Register(ctx, settings(s.organizations)); err != nil {
		return err
	}
	s.each(0, s.scenario.Tick, s.tick)
	s.each(0, keepEvery, func(ctx context.Context) error {
		if err := s.db.Set(ctx, s.now); err != nil {
			return err
		}
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
	hour := -1
	for next, more := s.agenda.next(); more && next.at <= s.end; next, more = s.agenda.next() {
		s.now = next.at
		s.turnMinute()
		if passed := int(s.now / time.Hour); passed > hour {
			hour = passed
			progress(hour)
		}
		if err := next.do(ctx); err != nil {
			return fmt.Errorf("after %s of virtual time: %w", s.now, err)
		}
	}
	s.now = s.end
	return nil
}

// settings returns the settings of all streams.
func settings(organizations []*organization) []streams.Setting {
	var all []streams.Setting
	for _, o := range organizations {
		for _, st := range o.streams {
			all = append(all, streams.Setting{Key: st.key, Every: st.every, Enabled: true})
		}
	}
	return all
}

// each plans a repeated event.
func (s *simulation) each(first instant, every time.Duration, do func(ctx context.Context) error) {
	s.agenda.plan(first, func(ctx context.Context) error {
		s.each(s.now+every, every, do)
		return do(ctx)
	})
}

// draw returns a random span below d.
func (s *simulation) draw(d time.Duration) time.Duration {
	return time.Duration(s.chance.Int64N(int64(d)))
}

// turnMinute closes the count of statements of a minute that is over.
func (s *simulation) turnMinute() {
	c := &s.counts
	if minute := int(s.now / time.Minute); minute > c.minute {
		c.mostAsked = max(c.mostAsked, c.asked)
		c.minute, c.asked = minute, 0
	}
}
