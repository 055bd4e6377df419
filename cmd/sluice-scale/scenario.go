package main

import (
	"fmt"
	"math/rand/v2"
	"time"

	"sluice/cmd/sluice-scale/upstream"
	"sluice/cmd/sluice-scale/virtual"
	"sluice/pipeline"
)

// scenario is what is simulated. The same one gives the same simulation, decision by decision.
type scenario struct {
	// Organizations of StreamsEach streams each, for so many Days.
	Organizations, Days int
	// Processes work, each Workers chunks at once.
	Processes, Workers int
	// Tick is how often due streams are taken.
	Tick time.Duration
	// Backfill is how many calls the backfill of an organization takes; in one of LongEvery it is a long one, that takes days.
	Backfill, LongEvery int
	Seed                uint64
}

// streamsEach is how many streams an organization has.
const streamsEach = 20

// others says whether other clients spend from an organization's allowance.
type others int

const (
	nobody others = iota
	// seen others show in the daily headers of upstream's answers.
	seen
	// unseen others show only when upstream refuses a call with code 45.
	unseen
)

// organization is one organization upstream, with its plan and its misfortunes.
type organization struct {
	name    string
	limits  pipeline.Limits
	zone    *time.Location
	rolls   bool // its day upstream is any 24 hours
	others  others
	share   float64 // of the day that others spend
	outages []upstream.Span
	streams []*stream
	server  *upstream.Server
	// owed are calls of others that did not make a whole one yet.
	owed float64
}

// stream is one stream: how often it is due, what a run takes, and where it stands.
type stream struct {
	number int
	key    pipeline.Key
	of     *organization
	class  pipeline.Class
	every  time.Duration
	calls  int
	// floating says that no floor of the day is kept for the class: it may have to wait for the day.
	floating bool

	ticket  bool            // there is an unfinished ticket
	queued  virtual.Instant // since when it waits for a worker
	errors  int             // of the ticket
	page    int             // calls of the run that are done
	started virtual.Instant
	open    bool            // a run is under way
	fresh   virtual.Instant // when the last clean run began
	done    bool            // of a backfill
	doneAt  virtual.Instant
	worst   time.Duration // the longest that passed from the beginning of a clean run to the end of the next
	strain  float64       // the largest part of its bound that the stream used
}

// The mix of plans: calls a day, calls at once, and how many of twenty organizations have it. Source: the documents, "Limits".
func plans() []struct{ daily, concurrent, of int } {
	return []struct{ daily, concurrent, of int }{{1000, 5, 9}, {2500, 10, 5}, {5000, 10, 4}, {10000, 10, 2}}
}

// fleet draws the organizations of a scenario.
func fleet(s scenario) ([]*organization, error) {
	chance := rand.New(rand.NewPCG(s.Seed, 1)) // a seed makes a simulation repeatable
	zones := []*time.Location{time.UTC}
	for _, name := range []string{"Asia/Kolkata", "Europe/Berlin", "America/New_York"} {
		zone, err := time.LoadLocation(name)
		if err != nil {
			return nil, fmt.Errorf("find a zone: %w", err)
		}
		zones = append(zones, zone)
	}
	end := time.Duration(s.Days) * 24 * time.Hour
	// For two hours in the middle of the simulation all of upstream is out of order.
	everywhere := upstream.Span{From: end/2 + 3*time.Hour, To: end/2 + 5*time.Hour}
	all := make([]*organization, s.Organizations)
	for i := range all {
		o := &organization{name: fmt.Sprintf("o%04d", i), zone: zones[i%len(zones)], outages: []upstream.Span{everywhere}}
		place := i * 7 % 20 // plans, others and zones are mixed with each other
		for _, plan := range plans() {
			if place -= plan.of; place < 0 {
				o.limits = pipeline.Limits{Shared: "suite", PerMinute: 100, Concurrent: plan.concurrent, Daily: plan.daily}
				break
			}
		}
		rolls := chance.IntN(2) == 0
		switch draw := chance.IntN(10); {
		case draw < 2:
			o.others, o.share, rolls = seen, 0.1+0.25*chance.Float64(), false
		case draw < 4:
			o.others, o.share, rolls = unseen, 0.2+0.4*chance.Float64(), false
		}
		// Where upstream's day turns at midnight, half of the configurations say so, and the others count the day rolling.
		if !rolls && chance.IntN(2) == 0 {
			o.limits.ResetZone = o.zone.String()
		}
		if chance.IntN(10) == 0 {
			from := time.Duration(chance.Int64N(int64(end * 3 / 4))).Truncate(time.Microsecond)
			o.outages = append(o.outages, upstream.Span{From: from, To: from + time.Hour + time.Duration(chance.IntN(300))*time.Minute})
		}
		o.rolls = rolls
		o.open()
		backfill := s.Backfill
		if i%s.LongEvery == 0 {
			backfill = long(o.limits.Daily)
		}
		o.streams = newStreams(o, i*streamsEach, backfill)
		all[i] = o
	}
	return all, nil
}

// open makes upstream as the organization is.
func (o *organization) open() {
	o.server = upstream.New(upstream.Options{Limits: o.limits, Zone: o.zone, Rolls: o.rolls, Shows: o.others == seen, Outages: o.outages})
}

// long returns how many calls a long backfill takes: with the share that backfills get of the day, half of it, more than a day.
func long(daily int) int { return daily * 6 / 10 }

// streams gives an organization its streams: about 56 calls a day, and the backfill.
func newStreams(o *organization, number, backfill int) []*stream {
	list := make([]*stream, streamsEach)
	for i := range list {
		s := &stream{number: number + i, of: o, class: pipeline.ClassIncremental, every: 24 * time.Hour, calls: 1}
		switch {
		case i < 1:
			s.every = time.Hour
		case i < 6:
			s.every = 8 * time.Hour
		case i < 16:
		case i < 18:
			s.class, s.calls = pipeline.ClassDetails, 2
		case i < 19:
			s.class, s.calls = pipeline.ClassSweep, 3
		default:
			// Backfills are asked for; what failed is taken up again after an hour.
			s.class, s.every, s.calls = pipeline.ClassBackfill, time.Hour, backfill
		}
		s.floating = s.class != pipeline.ClassIncremental
		s.key = pipeline.Key{Organization: o.name, Service: "books", Resource: fmt.Sprintf("r%02d", i)}
		list[i] = s
	}
	return list
}

// patience is what a stream may wait beyond its interval for a worker, for the minute and for the retries of a single failure.
const patience = 30 * time.Minute

// bound returns the longest that may pass from the beginning of a clean run to the end of the next, if these were the two: the
// interval and patience; a day where the day can be spent for this class, by other classes without a floor or by others; and
// for each outage its length and the interval after which a failed run is repeated.
func (s *stream) bound(from, to virtual.Instant) time.Duration {
	bound := s.every + patience
	if s.floating || s.of.others != nobody {
		bound += 24 * time.Hour
	}
	for _, outage := range s.of.outages {
		if outage.From < to && outage.To > from {
			bound += outage.To - outage.From + s.every
		}
	}
	return bound
}

// clean ends a run without an error: the stream is as fresh as its beginning.
func (s *stream) clean(at virtual.Instant) {
	s.judge(at)
	s.fresh = s.started
	if s.class == pipeline.ClassBackfill {
		s.done, s.doneAt = true, at
	}
	s.page = 0
}

// judge holds how old the stream has become against its bound.
func (s *stream) judge(at virtual.Instant) {
	if s.class == pipeline.ClassBackfill {
		return
	}
	s.worst = max(s.worst, at-s.fresh)
	s.strain = max(s.strain, float64(at-s.fresh)/float64(s.bound(s.fresh, at)))
}
