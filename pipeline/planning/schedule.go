package planning

import (
	"math"
	"time"
)

// Cost is what a stream costs and gives under an interval.
type Cost struct {
	Every time.Duration
	// PerRun is what a run over parents has to be allowed; 0 where nothing has to change.
	PerRun int
	// PerDay is how many calls a day the runs take, expected.
	PerDay Figure
	// Fresh is how old at most what upstream changed is when the warehouse shows it.
	Fresh time.Duration
}

// TickEvery is how long a stream may be due before it is taken. Source: the scheduler.
const TickEvery = 15 * time.Second

// PerDay is what a stream costs under its own interval. List is the list of a stream of details:
// those run when it brought something.
func (s *Stream) PerDay(list *Stream, pace Pace) Cost {
	if s.Way == WayDetails && list != nil {
		return s.follows(list, pace)
	}
	return s.under(s.Every, s.PerRun, pace)
}

// Cheapest is the interval, in whole minutes, that keeps a stream within a freshness for the fewest
// calls a day; false if none does, or if that is unknown. It tries them all: lists of more than one
// page are read twice, so a longer interval can cost more.
func (s *Stream) Cheapest(fresh time.Duration, pace Pace) (Cost, bool) {
	perRun := 0
	if s.Way == WayParents && s.Parents.Known() {
		each, _ := s.each()
		perRun = ceil(s.Parents.Value) * each // all parents in each run
	}
	var best Cost
	found := false
	for every := time.Minute; every <= fresh; every += time.Minute {
		cost := s.under(every, perRun, pace)
		if cost.Fresh > fresh || !cost.PerDay.Known() {
			break // the age grows with the interval
		}
		if !found || cost.PerDay.Value < best.PerDay.Value {
			best, found = cost, true
		}
	}
	if best.PerRun <= s.PerRun || s.PerRun == 0 {
		best.PerRun = 0
	}
	return best, found
}

// under is what a stream costs under an interval, its details aside.
func (s *Stream) under(every time.Duration, perRun int, pace Pace) Cost {
	turn := s.turn(every, perRun)
	run := pace.Takes(ceil(turn.calls), ceil(turn.calls))
	return Cost{
		Every: every, PerRun: perRun,
		PerDay: Figure{Value: turn.calls / days(every), Basis: turn.basis},
		// What changes just behind the reading waits for the end of this run, for the interval, for
		// the tick and for the next run, or for a round of runs.
		Fresh: time.Duration(turn.round)*(every+TickEvery+run) + run,
	}
}

// turn is one scheduled run: its calls, and how many runs go round all parents.
type turn struct {
	calls float64
	round int
	basis Basis
}

func (s *Stream) turn(every time.Duration, perRun int) turn {
	switch s.Way {
	case WayOnce:
		return turn{calls: 1, round: 1, basis: Declared}
	case WayRows:
		return turn{calls: float64(s.listing(s.Rows.Value)), round: 1, basis: s.Rows.Basis}
	case WayChanges:
		if !s.Changes.Known() {
			return turn{calls: 1, round: 1, basis: Assumed} // the least that a run takes
		}
		return turn{calls: float64(s.listing(s.changed(every).Value)), round: 1, basis: s.Changes.Basis}
	case WayParents:
		bounded := *s
		bounded.PerRun = perRun
		run := bounded.parents()
		round := 1
		if run.Calls > 0 {
			round = ceil(float64(run.Calls+run.Left) / float64(run.Calls))
		}
		return turn{calls: float64(run.Calls), round: round, basis: run.Basis}
	case WayDetails:
		return turn{round: 1, basis: Unknown}
	default:
		return turn{round: 1, basis: Unknown}
	}
}

// follows is what details cost behind the runs of their list: one call for each row that changed,
// or for each batch.
func (s *Stream) follows(list *Stream, pace Pace) Cost {
	cost := list.under(list.Every, list.PerRun, pace)
	changed := list.changed(list.Every)
	calls := changed.Value
	if s.Batch > 1 {
		calls = math.Min(calls, math.Ceil(calls/float64(s.Batch)))
	}
	if s.PerRun > 0 {
		calls = math.Min(calls, float64(s.PerRun))
	}
	run := pace.Takes(ceil(calls), ceil(calls))
	return Cost{
		Every:  list.Every,
		PerDay: Figure{Value: calls / days(list.Every), Basis: list.Changes.Basis},
		Fresh:  cost.Fresh + TickEvery + run,
	}
}
