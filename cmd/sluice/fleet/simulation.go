package main

import (
	"context"
	"encoding/binary"
	"fmt"
	"hash"
	"hash/fnv"
	"math/rand/v2"
	"slices"
	"time"

	"golang.org/x/time/rate"

	"sluice/pipeline"
)

// The rhythm of the processes, as package jobs has it.
const (
	tickLimit  = 500
	keepEvery  = 10 * time.Minute
	keepDays   = 35
	wakeEvery  = 5 * time.Second // of the queue: it wakes tickets whose wait is over
	fetchDelay = 100 * time.Millisecond
	// A process is killed now and then; its tickets come back when two looks have missed its lock, and it starts anew.
	killEvery   = 2 * time.Hour
	ticketsBack = 2 * time.Second
	restart     = 10 * time.Second
	// othersEvery is how often others spend.
	othersEvery = 10 * time.Minute
)

// simulation is a fleet in virtual time. One goroutine does one thing after the other, in the order of virtual time.
type simulation struct {
	scenario      scenario
	db            *database
	organizations []*organization
	byKey         map[pipeline.Key]*stream
	processes     []*process
	chance        *rand.Rand
	agenda        agenda
	sequence      int64
	now           instant
	end           instant
	// stop, if there is one, ends the simulation early; what has passed is judged.
	stop func() bool
	// waiting are tickets that a worker may take, first come first served.
	waiting []*stream
	trace   hash.Hash64
	counts  counts
}

// counts are what the simulation has asked of the database, and what came of it.
type counts struct {
	reservations, granted, finishes, penalties, ticks, taken, kills int
	refused                                                         map[pipeline.Refusal]int
	// asked are the statements about calls in the current minute, ticked those of ticks; most are the most in one.
	minute, asked, ticked, mostAsked, mostTicked int
	busy                                         time.Duration // of workers
	slowest                                      time.Duration // the longest that a ticket waited for a worker
}

// process is one process of the fleet.
type process struct {
	busy []*chunk
	down bool
	// life is how often it was killed.
	life  int
	lanes map[*organization]*rate.Limiter
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
		end:    time.Duration(s.Days) * 24 * time.Hour, trace: fnv.New64a(),
		counts: counts{refused: map[pipeline.Refusal]int{}},
	}
	for _, o := range organizations {
		for _, st := range o.streams {
			sim.byKey[st.key] = st
		}
	}
	for range s.Processes {
		sim.processes = append(sim.processes, &process{lanes: map[*organization]*rate.Limiter{}})
	}
	return sim, nil
}

// run lets the virtual time pass. progress hears of each virtual hour.
func (s *simulation) run(ctx context.Context, progress func(hour int)) error {
	if err := s.db.register(ctx, s.organizations); err != nil {
		return err
	}
	s.each(0, s.scenario.Tick, s.tick)
	s.each(0, keepEvery, func(ctx context.Context) error {
		s.spendTicks(1)
		if err := s.db.set(ctx, s.now); err != nil {
			return err
		}
		_, err := s.db.ledger.KeepCalls(ctx, keepDays)
		return err
	})
	s.each(killEvery, killEvery, s.kill)
	for _, o := range s.organizations {
		if o.others != nobody {
			s.each(s.draw(othersEvery), othersEvery, func(context.Context) error {
				o.owed += o.share * float64(o.limits.Daily) * float64(othersEvery) / float64(24*time.Hour)
				calls := int(o.owed)
				o.owed -= float64(calls)
				o.server.spend(s.now, calls)
				return nil
			})
		}
	}
	hour := -1
	for len(s.agenda.events) > 0 {
		next := s.agenda.pop()
		if next.at > s.end {
			break
		}
		s.now = next.at
		s.turnMinute()
		if passed := int(s.now / time.Hour); passed > hour {
			hour = passed
			progress(hour)
		}
		if s.stop != nil && s.stop() {
			break
		}
		if err := next.do(ctx); err != nil {
			return fmt.Errorf("after %s of virtual time: %w", s.now, err)
		}
	}
	s.now = min(s.now, s.end)
	s.end = s.now
	return nil
}

// at plans something.
func (s *simulation) at(when instant, do func(ctx context.Context) error) {
	s.sequence++
	s.agenda.push(event{at: when.Truncate(time.Microsecond), sequence: s.sequence, do: do})
}

// each plans something again and again.
func (s *simulation) each(first instant, every time.Duration, do func(ctx context.Context) error) {
	s.at(first, func(ctx context.Context) error {
		s.each(s.now+every, every, do)
		return do(ctx)
	})
}

// draw gives a span below d.
func (s *simulation) draw(d time.Duration) time.Duration {
	return time.Duration(s.chance.Int64N(int64(d)))
}

// turnMinute closes the count of statements of a minute that is over.
func (s *simulation) turnMinute() {
	c := &s.counts
	if minute := int(s.now / time.Minute); minute > c.minute {
		c.mostAsked, c.mostTicked = max(c.mostAsked, c.asked), max(c.mostTicked, c.ticked)
		c.minute, c.asked, c.ticked = minute, 0, 0
	}
}

func (s *simulation) spendTicks(statements int) { s.counts.ticked += statements }

// note adds to the trace what was decided.
func (s *simulation) note(what ...int64) {
	for _, number := range append(what, int64(s.now)) {
		_ = binary.Write(s.trace, binary.LittleEndian, number) // a hash takes everything
	}
}

// tick takes due streams and makes their tickets. A stream that has one keeps it.
func (s *simulation) tick(ctx context.Context) error {
	s.spendTicks(2) // what is due, and its tickets
	s.counts.ticks++
	keys, err := s.db.takeDue(ctx, s.now, tickLimit)
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
		if !st.ticket && !st.done {
			st.ticket, st.errors = true, 0
			s.queue(st)
			s.counts.taken++
		}
	}
	return nil
}

// queue puts a ticket behind those that wait.
func (s *simulation) queue(st *stream) {
	st.queued = s.now
	s.waiting = append(s.waiting, st)
	s.at(s.now+fetchDelay, func(context.Context) error { return s.dispatch() })
}

// sleep lets a ticket wait until the queue wakes it.
func (s *simulation) sleep(st *stream, until instant) {
	s.at(max(until, s.now+time.Second)+s.draw(wakeEvery), func(context.Context) error {
		s.queue(st)
		return nil
	})
}

// dispatch gives waiting tickets to workers that are free, to the least busy process first.
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

// kill ends a process in the middle of what it does: calls that it has sent still arrive, and nobody reports their ends.
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
	s.at(s.now+ticketsBack, func(context.Context) error {
		for _, c := range lost {
			s.queue(c.stream)
		}
		return nil
	})
	s.at(s.now+restart, func(context.Context) error {
		p.down = false
		return s.dispatch()
	})
	return nil
}
