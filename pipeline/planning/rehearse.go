package planning

import (
	"hash/fnv"
	"math/rand/v2"
	"slices"
	"time"

	"sluice/pipeline"
)

// RehearsalInput is what a rehearsal plays. Equal inputs give equal results.
type RehearsalInput struct {
	Streams   []Stream
	Services  []RehearsedService
	Backfills []RehearsedBackfill
	// Bounds are the ages of watermarks above which streams are late.
	Bounds  map[pipeline.Key]time.Duration
	Workers int
	// From is where the virtual time begins, at the turn of a day. The first day is played and not
	// judged, Days follow it.
	From time.Time
	Days int
	Seed uint64
}

// RehearsedService is one service of one organization.
type RehearsedService struct {
	Organization, Name string
	Limits             pipeline.Limits
	Latency            time.Duration
	// Zone is where Others are counted: the calls of other programs by weekday and hour.
	Zone   *time.Location
	Others [7][hoursADay]float64
}

// RehearsedBackfill is an open backfill with the calls that it still has to make.
type RehearsedBackfill struct {
	pipeline.Key

	Calls int
}

// Rehearsal is what a configuration achieves.
type Rehearsal struct {
	Streams   []RehearsedStream `json:"streams"`
	Services  []RehearsedDay    `json:"services"`
	Backfills []RehearsedEnd    `json:"backfills"`
}

// RehearsedStream is what a stream achieves.
type RehearsedStream struct {
	pipeline.Key

	EverySeconds float64 `json:"every_seconds"`
	Runs         int     `json:"runs"`
	// MedianSeconds and WorstSeconds are how old a change was when the warehouse showed it.
	MedianSeconds float64 `json:"fresh_median_seconds"`
	WorstSeconds  float64 `json:"fresh_worst_seconds"`
	// BoundSeconds is the age above which the stream is late.
	BoundSeconds float64 `json:"late_above_seconds"`
	CallsPerDay  float64 `json:"calls_per_day"`
	// Waits counts the runs that had to wait for calls of the day.
	Waits int `json:"waits"`
	// Basis is unknown where no run has measured the size or the changes: then its runs take one
	// call.
	Basis Basis `json:"basis"`
}

// RehearsedDay is the mean day of a service.
type RehearsedDay struct {
	Organization string                     `json:"organization"`
	Service      string                     `json:"service"`
	ByClass      map[pipeline.Class]float64 `json:"calls_per_day_by_class"`
	CallsPerDay  float64                    `json:"calls_per_day"`
	Others       float64                    `json:"others_per_day"`
	Limit        int                        `json:"daily_limit"`
}

// RehearsedEnd is when a backfill ends; nil if not within the rehearsal.
type RehearsedEnd struct {
	pipeline.Key

	Seconds *float64 `json:"ends_after_seconds"`
}

// backfillChunk is how many calls of a backfill are made at once.
const backfillChunk = 50

// rehearsal is a rehearsal under way. Times are spans since From.
type rehearsal struct {
	in       *RehearsalInput
	end      time.Duration
	streams  []*rehearsed
	services map[[2]string]*rehearsedBudget
	minutes  map[[2]string]map[int]int // calls by minutes, of each shared allowance
	workers  []time.Duration           // when each is free
}

// rehearsed is a stream under way.
type rehearsed struct {
	*Stream

	budget  *rehearsedBudget
	chance  *rand.Rand
	arrives time.Duration // the next change upstream
	details *rehearsed
	backlog int // calls that a backfill has to make; -1 of other streams
	ends    *time.Duration

	due, mark, started time.Duration
	open               bool
	owed, turns        int
	waiting            float64 // rows that need their single record
	oldest, newest     time.Duration

	runs, waits, calls int
	seen               []stretch
}

// stretch says that changes, spread evenly, were between from and to old when they were shown.
type stretch struct{ from, to time.Duration }

// Rehearse plays the schedule of a configuration in virtual time: the measured changes, the limits
// of a minute and of the day with their shares, what others spend, and a number of workers. Changes
// come at random, and at the same instants for every configuration.
func Rehearse(in *RehearsalInput) Rehearsal {
	r := newRehearsal(in)
	for {
		next := slices.MinFunc(r.streams, func(a, b *rehearsed) int { return int(a.due - b.due) })
		if next.due > r.end {
			break
		}
		r.turn(next)
	}
	return r.result()
}

func newRehearsal(in *RehearsalInput) *rehearsal {
	r := &rehearsal{
		in: in, end: time.Duration(in.Days+1) * day, services: make(map[[2]string]*rehearsedBudget), minutes: make(map[[2]string]map[int]int),
		workers: make([]time.Duration, max(in.Workers, 1)),
	}
	for i := range in.Services {
		s := &in.Services[i]
		r.services[[2]string{s.Organization, s.Name}] = newRehearsedBudget(s, in.From, in.Days)
		r.minutes[[2]string{s.Organization, s.Limits.Shared}] = make(map[int]int)
	}
	lists := make(map[pipeline.Key]*rehearsed)
	for i := range in.Streams {
		st := r.stream(&in.Streams[i])
		lists[st.Key] = st
	}
	for _, st := range r.streams {
		if list := lists[st.list()]; st.Way == WayDetails && list != nil && list != st {
			list.details = st
		}
	}
	for _, b := range in.Backfills {
		st := r.stream(&Stream{Key: b.Key, Class: pipeline.ClassBackfill, Facts: Facts{Every: time.Hour}})
		st.backlog, st.due = b.Calls, day
	}
	return r
}

// stream adds a stream. Where in its interval it begins depends on its name alone, so that it is
// the same in every configuration.
func (r *rehearsal) stream(s *Stream) *rehearsed {
	h := fnv.New64a()
	_, _ = h.Write([]byte(s.String())) // a hash never fails
	st := &rehearsed{
		Stream: s, budget: r.services[[2]string{s.Organization, s.Service}], backlog: -1,
		chance: rand.New(rand.NewPCG(h.Sum64(), r.in.Seed)), // a seed makes a rehearsal repeatable
	}
	st.due = time.Duration(st.chance.Float64() * float64(s.Every))
	st.arrives = st.pause()
	r.streams = append(r.streams, st)
	return st
}

// pause draws the time to the next change.
func (st *rehearsed) pause() time.Duration {
	if !st.Changes.Known() || st.Changes.Value <= 0 {
		return never
	}
	return time.Duration(min(st.chance.ExpFloat64()*float64(day)/st.Changes.Value, float64(never)))
}

// changes counts the changes up to an instant that were not counted before.
func (st *rehearsed) changesUntil(until time.Duration) int {
	n := 0
	for st.arrives <= until {
		n++
		st.arrives += max(st.pause(), 1)
	}
	return n
}

// turn lets one stream run at its due time, or go on with its run.
func (r *rehearsal) turn(st *rehearsed) {
	worker := 0
	for i := range r.workers {
		if r.workers[i] < r.workers[worker] {
			worker = i
		}
	}
	at := max(st.due+TickEvery, r.workers[worker])
	if !st.open {
		st.open, st.started = true, at
		st.owed = st.needs(at)
	}
	take := st.owed
	if st.backlog >= 0 {
		take = min(take, backfillChunk)
	}
	granted := st.budget.take(st.Class, take, at)
	ends := r.leave(st.budget.of, granted, at)
	st.owed -= granted
	if at >= day {
		st.calls += granted
	}
	r.workers[worker] = ends
	switch {
	case granted < take: // it goes on as calls return
		st.waits++
		st.due = at.Truncate(time.Hour) + time.Hour
	case st.owed > 0:
		st.due = ends
	default:
		r.ended(st, ends)
	}
}

// needs returns the calls of a run that begins now.
func (st *rehearsed) needs(at time.Duration) int {
	switch {
	case st.backlog >= 0:
		return st.backlog
	case st.Way == WayDetails:
		calls := ceil(st.waiting / float64(max(st.Batch, 1)))
		if st.PerRun > 0 {
			calls = min(calls, st.PerRun)
		}
		return calls
	case st.Way == WayChanges:
		n := st.changesUntil(at)
		if st.details != nil {
			st.details.wants(n, st.Whole, st.mark, at)
		}
		return st.listing(float64(n))
	default:
		if n := st.changesUntil(at); st.details != nil {
			st.details.wants(n, st.Whole, st.mark, at)
		}
		return max(ceil(st.turn(st.Every, st.PerRun).calls), 1)
	}
}

// wants notes rows that a list brought, changed after one instant and up to another. It had a share
// of them whole: the same rows in every configuration.
func (st *rehearsed) wants(rows int, whole float64, from, to time.Duration) {
	for range rows {
		if st.chance.Float64() < whole {
			continue
		}
		if st.waiting == 0 {
			st.oldest = from
		}
		st.waiting, st.newest = st.waiting+1, to
	}
}

// ended ends a run: what changed up to its beginning is shown.
func (r *rehearsal) ended(st *rehearsed, at time.Duration) {
	st.open, st.due = false, at+st.Every
	if st.backlog >= 0 {
		st.ends, st.due = new(at-day), never
		return
	}
	if at >= day {
		st.runs++
	}
	if st.Way == WayDetails {
		if st.waiting > 0 {
			st.shown(st.oldest, st.newest, at)
			calls := ceil(st.waiting / float64(max(st.Batch, 1)))
			if st.PerRun > 0 && calls > st.PerRun {
				st.waiting -= float64(st.PerRun * max(st.Batch, 1))
			} else {
				st.waiting, st.mark = 0, st.newest
			}
		}
		return
	}
	if st.turns++; st.turns >= st.turn(st.Every, st.PerRun).round {
		st.turns = 0
		st.shown(st.mark, st.started, at)
		st.mark = st.started
	}
	if d := st.details; d != nil && d.waiting > 0 && !d.open {
		d.due = min(d.due, at)
	}
}

// shown notes that changes between two instants are in the warehouse.
func (st *rehearsed) shown(from, to, at time.Duration) {
	if at >= day {
		st.seen = append(st.seen, stretch{from: at - to, to: at - from})
	}
}

// leave makes calls under the limits of the minute and of calls at once, and returns when the last
// one ends.
func (r *rehearsal) leave(of *RehearsedService, calls int, at time.Duration) time.Duration {
	ends := at + time.Duration(calls)*of.Latency
	minutes := r.minutes[[2]string{of.Organization, of.Limits.Shared}]
	if of.Limits.PerMinute <= 0 {
		return ends
	}
	for minute := int(at / time.Minute); calls > 0; minute++ {
		free := min(calls, of.Limits.PerMinute-minutes[minute])
		if free > 0 {
			minutes[minute] += free
			calls -= free
			ends = max(ends, time.Duration(minute)*time.Minute+time.Duration(free)*of.Latency)
		}
	}
	return ends
}
