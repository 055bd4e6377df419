package scale

import (
	"fmt"
	"math/rand/v2"
	"time"

	"sluice/pipeline"
)

// scenario is the input of a simulation.
type scenario struct {
	// Organizations with StreamsEach streams each, for Days days.
	Organizations, Days int
	// Tick is the interval between ticks.
	Tick time.Duration
	// Backfill is the number of calls of an organization's backfill; one in LongEvery has a long
	// one, which takes days.
	Backfill, LongEvery int
	Seed                uint64
}

// streamsEach is the number of streams of an organization.
const streamsEach = 20

// others says whether other clients spend an organization's allowance.
type others int

const (
	alone others = iota
	// seen clients show in the daily headers of upstream's answers.
	seen
	// unseen clients show only in refusals with code 45.
	unseen
)

// organization is one organization upstream, with its plan and its outages.
type organization struct {
	name    string
	limits  pipeline.Limits
	zone    *time.Location
	rolls   bool // its day upstream is any 24 hours
	others  others
	share   float64 // of the day that others spend
	outages []span
	streams []*stream
	server  server
	// owed is the fraction of a call that other clients have still to make.
	owed float64
}

// stream is one stream: its interval, the calls of a run, and its state.
type stream struct {
	number int
	key    pipeline.Key
	of     *organization
	class  pipeline.Class
	every  time.Duration
	calls  int

	job     bool    // there is an unfinished job
	queued  instant // since when it waits for a worker
	errors  int     // of the job
	page    int     // calls of the run that are done
	started instant
	open    bool          // a run is under way
	fresh   instant       // when the last clean run began
	done    bool          // of a backfill
	worst   time.Duration // the longest that passed from the beginning of a clean run to the end of the next
	strain  float64       // the largest part of its bound that the stream used
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
	// For two hours in the middle of the simulation upstream is down for all organizations.
	everywhere := span{From: end/2 + 3*time.Hour, To: end/2 + 5*time.Hour}
	all := make([]*organization, s.Organizations)
	for i := range all {
		o := &organization{name: fmt.Sprintf("o%04d", i), zone: zones[i%len(zones)], outages: []span{everywhere}}
		place := i * 7 % 20 // plans, others and zones are mixed with each other
		// Calls a day, calls at once, and how many of twenty have the plan. Source: the documents, "Limits".
		for _, plan := range []struct{ daily, concurrent, of int }{{1000, 5, 9}, {2500, 10, 5}, {5000, 10, 4}, {10000, 10, 2}} {
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
		// Where upstream's day begins at midnight, half of the configurations say so; the others
		// assume a rolling day.
		if !rolls && chance.IntN(2) == 0 {
			o.limits.ResetZone = o.zone.String()
		}
		if chance.IntN(10) == 0 {
			from := time.Duration(chance.Int64N(int64(end * 3 / 4))).Truncate(time.Microsecond)
			o.outages = append(o.outages, span{From: from, To: from + time.Hour + time.Duration(chance.IntN(300))*time.Minute})
		}
		o.rolls, o.server.of = rolls, o
		backfill := s.Backfill
		if i%s.LongEvery == 0 {
			backfill = o.limits.Daily * 6 / 10 // with the backfills' share of the day, half of it, more than a day
		}
		o.streams = newStreams(o, i*streamsEach, backfill)
		all[i] = o
	}
	return all, nil
}

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
			// Backfills are requested; a failed one resumes after an hour.
			s.class, s.every, s.calls = pipeline.ClassBackfill, time.Hour, backfill
		}
		s.key = pipeline.Key{Organization: o.name, Service: "books", Resource: fmt.Sprintf("r%02d", i)}
		list[i] = s
	}
	return list
}

// patience is the permitted wait of a stream beyond its interval: for a worker, for the minute and
// for the retries of a single failure.
const patience = 30 * time.Minute

// bound returns the longest permitted time from the beginning of a clean run to the end of the
// next. It is the interval and patience, plus a day where other classes without a floor or other
// clients can spend the day. Each outage adds its length and the interval after which a failed run
// is repeated.
func (s *stream) bound(from, to instant) time.Duration {
	bound := s.every + patience
	if s.class != pipeline.ClassIncremental || s.of.others != alone {
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
func (s *stream) clean(at instant) {
	s.judge(at)
	s.fresh = s.started
	if s.class == pipeline.ClassBackfill {
		s.done = true
	}
	s.page = 0
}

// judge compares the age of the stream with its bound.
func (s *stream) judge(at instant) {
	if s.class == pipeline.ClassBackfill {
		return
	}
	s.worst = max(s.worst, at-s.fresh)
	s.strain = max(s.strain, float64(at-s.fresh)/float64(s.bound(s.fresh, at)))
}
