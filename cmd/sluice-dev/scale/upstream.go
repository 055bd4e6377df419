package scale

import (
	"time"

	"sluice/pipeline"
	"sluice/pipeline/outside"
)

// serverOptions describe an organization's upstream.
type serverOptions struct {
	Limits pipeline.Limits
	// Zone is the organization's zone. Rolls means a day of any 24 hours; otherwise it begins at
	// the organization's midnight.
	Zone  *time.Location
	Rolls bool
	// Shows says that the headers of answers have what is left of the day.
	Shows bool
	// Outages are the times in which upstream is down.
	Outages []span
}

// span is a stretch of time.
type span struct{ From, To instant }

// Server is upstream for one organization.
type server struct {
	// tally holds the judge's counts.
	tally tally

	options serverOptions
	// own are the fleet's calls; all includes those of other clients.
	own, all arrivals
	underWay int
}

// tally holds the judge's counts.
type tally struct {
	// Calls of the fleet that arrived, Foreign ones of other clients, and Failed ones of the fleet
	// that met an outage.
	Calls, Foreign, Failed int
	// AtOnce, Minute and Day are the highest counts of the fleet's calls at once, in any 60 s and
	// in a day, as shares of the limits.
	AtOnce, Minute, Day float64
	// Exceeded counts the fleet's calls that exceeded a limit without any call of others.
	Exceeded int
	// Refused counts refusals by code, MostOfADay the most refusals for the day in one day.
	Refused    map[string]int
	MostOfADay int

	lastDay    instant
	spentToday int
}

// New returns a server without calls.
func newServer(options serverOptions) *server {
	return &server{options: options, tally: tally{Refused: map[string]int{}}}
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

// dayOf returns the beginning and the end of the day of an instant.
func (s *server) dayOf(at instant) (instant, instant) {
	if s.options.Rolls {
		return at - 24*time.Hour + 1, at + 24*time.Hour
	}
	local := epoch().Add(at).In(s.options.Zone)
	year, month, day := local.Date()
	from := time.Date(year, month, day, 0, 0, 0, 0, s.options.Zone)
	to := time.Date(year, month, day+1, 0, 0, 0, 0, s.options.Zone)
	return from.Sub(epoch()), to.Sub(epoch())
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
	limits := s.options.Limits
	from, to := s.dayOf(at)
	s.own.add(at, from)
	s.all.add(at, from)
	s.underWay++
	t := &s.tally
	t.Calls++
	t.AtOnce = max(t.AtOnce, float64(s.underWay)/float64(limits.Concurrent))
	t.Minute = max(t.Minute, float64(s.own.inMinute())/float64(limits.PerMinute))
	t.Day = max(t.Day, float64(s.own.inDay())/float64(limits.Daily))
	if s.underWay > limits.Concurrent || s.own.inMinute() > limits.PerMinute || s.own.inDay() > limits.Daily {
		t.Exceeded++
	}
	result := pipeline.CallResult{Status: 200, Records: 200}
	switch {
	case s.down(at):
		t.Failed++
		return pipeline.CallResult{Status: 503, Kind: pipeline.Unavailable}
	case s.all.inDay() > limits.Daily:
		result = s.refuse(codeDay, pipeline.Exhausted)
		if t.lastDay != from && !s.options.Rolls {
			t.lastDay, t.spentToday = from, 0
		}
		t.spentToday++
		t.MostOfADay = max(t.MostOfADay, t.spentToday)
	case s.all.inMinute() > limits.PerMinute:
		result = s.refuse(codeMinute, pipeline.Throttled)
	case s.underWay > limits.Concurrent:
		result = s.refuse(codeCrowded, pipeline.Crowded)
	}
	if s.options.Shows {
		result.DayLimit = limits.Daily
		result.DayRemaining = max(0, limits.Daily-s.all.inDay())
		result.DayReset = (to - at).Truncate(time.Second) + time.Second
	}
	return result
}

// End ends a call of the fleet, at upstream.
func (s *server) End() { s.underWay-- }

func (s *server) refuse(code outside.Text, kind pipeline.Kind) pipeline.CallResult {
	s.tally.Refused[string(code)]++
	return pipeline.CallResult{Status: 429, Code: code, Kind: kind}
}

func (s *server) down(at instant) bool {
	for _, outage := range s.options.Outages {
		if at >= outage.From && at < outage.To {
			return true
		}
	}
	return false
}

// Spend makes calls of other clients, as many as upstream permits.
func (s *server) Spend(at instant, calls int) {
	from, _ := s.dayOf(at)
	s.all.turn(at, from)
	for range calls {
		if s.all.inDay() >= s.options.Limits.Daily || s.all.inMinute() >= s.options.Limits.PerMinute {
			return
		}
		s.all.add(at, from)
		s.tally.Foreign++
	}
}
