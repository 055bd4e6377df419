package scale

import (
	"slices"
	"time"

	"sluice/pipeline"
	"sluice/pipeline/outside"
)

// span is a stretch of time.
type span struct{ From, To instant }

// server is upstream for one organization, and the judge of the fleet's calls.
type server struct {
	tally tally
	of    *organization
	// own are the fleet's calls; all includes those of other clients.
	own, all arrivals
	underWay int
}

// tally holds the judge's counts.
type tally struct {
	// Calls of the fleet that arrived, Foreign ones of other clients.
	Calls, Foreign int
	// Exceeded counts the fleet's calls that exceeded a limit without any call of others.
	Exceeded int
	// Refused counts refusals, Crowded those for calls at once, MostOfADay the most refusals for
	// the day in one day.
	Refused, Crowded, MostOfADay int

	lastDay    instant
	spentToday int
}

// arrivals are the calls of the last day, in order.
type arrivals struct {
	at          []instant
	minute, day int // the first of the last 60 s and of the day
}

// add counts an arrival, in a day that began at dayBegan.
func (a *arrivals) add(at, dayBegan instant) {
	a.at = append(a.at, at)
	a.turn(at, dayBegan)
}

func (a *arrivals) turn(at, dayBegan instant) {
	for a.minute < len(a.at) && a.at[a.minute] <= at-time.Minute {
		a.minute++
	}
	for a.day < len(a.at) && a.at[a.day] < dayBegan {
		a.day++
	}
	if spare := min(a.minute, a.day); spare > 4096 {
		a.at = append(a.at[:0], a.at[spare:]...)
		a.minute, a.day = a.minute-spare, a.day-spare
	}
}

func (a *arrivals) inMinute() int { return len(a.at) - a.minute }
func (a *arrivals) inDay() int    { return len(a.at) - a.day }

// localDay returns the beginning and the end of the organization's day of an instant.
func (o *organization) localDay(at instant) (instant, instant) {
	year, month, day := epoch().Add(at).In(o.zone).Date()
	from := time.Date(year, month, day, 0, 0, 0, 0, o.zone)
	return from.Sub(epoch()), from.AddDate(0, 0, 1).Sub(epoch())
}

// dayOf returns the beginning and the end of upstream's day of an instant.
func (s *server) dayOf(at instant) (instant, instant) {
	if s.of.rolls {
		return at - 24*time.Hour + 1, at + 24*time.Hour
	}
	return s.of.localDay(at)
}

// Codes of refusals. Source: docs/upstream.md U62, U64 and U65.
const (
	codeMinute  = "44"
	codeDay     = "45"
	codeCrowded = "1070"
)

// Arrive counts a call of the fleet and returns upstream's answer; End reports the end of the call
// there.
func (s *server) Arrive(at instant) pipeline.CallResult {
	limits := s.of.limits
	from, to := s.dayOf(at)
	s.own.add(at, from)
	s.all.add(at, from)
	s.underWay++
	t := &s.tally
	t.Calls++
	if s.underWay > limits.Concurrent || s.own.inMinute() > limits.PerMinute || s.own.inDay() > limits.Daily {
		t.Exceeded++
	}
	result := pipeline.CallResult{Status: 200, Records: 200}
	switch {
	case slices.ContainsFunc(s.of.outages, func(outage span) bool { return at >= outage.From && at < outage.To }):
		return pipeline.CallResult{Status: 503, Kind: pipeline.Unavailable}
	case s.all.inDay() > limits.Daily:
		result = s.refuse(codeDay, pipeline.Exhausted)
		if t.lastDay != from && !s.of.rolls {
			t.lastDay, t.spentToday = from, 0
		}
		t.spentToday++
		t.MostOfADay = max(t.MostOfADay, t.spentToday)
	case s.all.inMinute() > limits.PerMinute:
		result = s.refuse(codeMinute, pipeline.Throttled)
	case s.underWay > limits.Concurrent:
		result = s.refuse(codeCrowded, pipeline.Crowded)
		t.Crowded++
	}
	if s.of.others == seen {
		result.DayLimit = limits.Daily
		result.DayRemaining = max(0, limits.Daily-s.all.inDay())
		result.DayReset = (to - at).Truncate(time.Second) + time.Second
	}
	return result
}

// End ends a call of the fleet, at upstream.
func (s *server) End() { s.underWay-- }

func (s *server) refuse(code outside.Text, kind pipeline.Kind) pipeline.CallResult {
	s.tally.Refused++
	return pipeline.CallResult{Status: 429, Code: code, Kind: kind}
}

// Spend makes calls of other clients, as many as upstream permits.
func (s *server) Spend(at instant, calls int) {
	from, _ := s.dayOf(at)
	s.all.turn(at, from)
	for range calls {
		if s.all.inDay() >= s.of.limits.Daily || s.all.inMinute() >= s.of.limits.PerMinute {
			return
		}
		s.all.add(at, from)
		s.tally.Foreign++
	}
}
