package planning

import (
	"math"
	"time"

	"sluice/pipeline/sync/scan"
)

// Cost is what an interval of a stream costs and achieves.
type Cost struct {
	Every time.Duration
	// PerDay is the expected number of calls a day.
	PerDay Figure
	// Fresh is the greatest age of a change when the warehouse shows it.
	Fresh time.Duration
}

// TickEvery is how long a stream may be due before the tick takes it. Source: tickEvery of package
// jobs.
const TickEvery = 15 * time.Second

// lateRuns is how many intervals may pass without a run that moves the watermark: one run may fail,
// and the next one then takes longer.
const lateRuns = 3

// LateAfter returns the age of a watermark above which its stream is late. Lag is how far a
// watermark stays behind the clock.
func LateAfter(every, lag time.Duration) time.Duration { return lateRuns*every + TickEvery + lag }

// PerDay returns what a stream costs under its own interval. List is the list of a stream of
// details, which runs after its list brought something.
func (s *Stream) PerDay(list *Stream, pace Pace) Cost {
	if s.Way == WayDetails && list != nil {
		return s.follows(list, pace)
	}
	return s.under(pace)
}

// under returns what a stream without its details costs under its interval.
func (s *Stream) under(pace Pace) Cost {
	turn := s.turn()
	run := pace.Takes(ceil(turn.calls), ceil(turn.calls))
	return Cost{
		Every:  s.Every,
		PerDay: Figure{Value: turn.calls / days(s.Every), Basis: turn.basis},
		// A change just after its page was read has to wait for the end of this run, the interval,
		// the tick and the next run. Where several runs go round all parents, it waits for the
		// whole round.
		Fresh: time.Duration(turn.round)*(s.Every+TickEvery+run) + run,
	}
}

// turn is one scheduled run: its calls, and how many runs it takes to read all parents once.
type turn struct {
	calls float64
	round int
	basis Basis
}

func (s *Stream) turn() turn {
	switch s.Way {
	case WayOnce:
		return turn{calls: 1, round: 1, basis: Declared}
	case WayLook:
		return turn{calls: lookCalls, round: 1, basis: Assumed}
	case WayRows:
		calls := float64(s.listing(s.Rows.Value))
		if share := float64(s.Every) / float64(scan.WholeEvery); s.CountStands && share < 1 { // that of the runs that read
			calls = share*calls + 1 - share
		}
		return turn{calls: calls, round: 1, basis: s.Rows.Basis}
	case WayChanges:
		if !s.Changes.Known() {
			return turn{calls: 1, round: 1, basis: Assumed} // the least that a run takes
		}
		return turn{calls: float64(s.listing(s.changed(s.Every).Value)), round: 1, basis: s.Changes.Basis}
	case WayParents:
		run := s.parents()
		round := 1
		if run.Calls > 0 {
			round = ceil(float64(run.Calls+run.Left) / float64(run.Calls))
		}
		return turn{calls: float64(run.Calls), round: round, basis: run.Basis}
	default: // WayDetails follows its list
		return turn{round: 1, basis: Unknown}
	}
}

// follows returns what details cost after the runs of their list: one call for each changed row
// that needs its single record, or for each batch of them.
func (s *Stream) follows(list *Stream, pace Pace) Cost {
	cost := list.under(pace)
	changed := list.changed(list.Every)
	calls := changed.Value * (1 - list.Whole)
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
