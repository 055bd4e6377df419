package main

import (
	"time"

	"sluice/pipeline"
)

// server plays upstream for one organization, and is the judge: it counts arrivals, and knows nothing of how we count.
type server struct {
	of    *organization
	rolls bool // the day is any 24 hours; else it turns at the organization's midnight
	// own are our calls, all those of others, too.
	own, all arrivals
	underWay int
	tally    tally
}

// tally is what the judge has seen.
type tally struct {
	calls, foreign, failed int
	// The most of our calls at once, in any 60 s and in a day, as parts of what is allowed.
	atOnce, minute, day float64
	// exceeded counts the calls of ours with which our calls alone were more than allowed.
	exceeded int
	// Refusals by code; lastDay and spentToday bound those of the day.
	refused                map[string]int
	lastDay                instant
	spentToday, mostOfADay int
}

func newServer(o *organization, rolls bool) *server {
	return &server{of: o, rolls: rolls, tally: tally{refused: map[string]int{}}}
}

// arrivals are the calls of the last day, in order.
type arrivals struct {
	at          []instant
	minute, day int // the first of the last 60 s and of the day
}

// add counts an arrival in a day that began then.
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

// dayOf gives when the day of an instant began, and when it ends.
func (s *server) dayOf(at instant) (instant, instant) {
	if s.rolls {
		return at - 24*time.Hour + 1, at + 24*time.Hour
	}
	local := began().Add(at).In(s.of.zone)
	year, month, day := local.Date()
	from := time.Date(year, month, day, 0, 0, 0, 0, s.of.zone)
	to := time.Date(year, month, day+1, 0, 0, 0, 0, s.of.zone)
	return from.Sub(began()), to.Sub(began())
}

// Codes of refusals. Source: upstream facts, "Limits, errors, tokens".
const (
	codeMinute  = "44"
	codeDay     = "45"
	codeCrowded = "1070"
)

// arrive is a call of ours that arrives. It gives what upstream will answer; ended says when the call is over there.
func (s *server) arrive(at instant) pipeline.CallResult {
	limits := s.of.limits
	from, to := s.dayOf(at)
	s.own.add(at, from)
	s.all.add(at, from)
	s.underWay++
	t := &s.tally
	t.calls++
	t.atOnce = max(t.atOnce, float64(s.underWay)/float64(limits.Concurrent))
	t.minute = max(t.minute, float64(s.own.inMinute())/float64(limits.PerMinute))
	t.day = max(t.day, float64(s.own.inDay())/float64(limits.Daily))
	if s.underWay > limits.Concurrent || s.own.inMinute() > limits.PerMinute || s.own.inDay() > limits.Daily {
		t.exceeded++
	}
	result := pipeline.CallResult{Status: 200, Records: 200}
	switch {
	case s.down(at):
		t.failed++
		return pipeline.CallResult{Status: 503, Kind: pipeline.Unavailable}
	case s.all.inDay() > limits.Daily:
		result = s.refuse(codeDay, pipeline.Exhausted)
		if t.lastDay != from && !s.rolls {
			t.lastDay, t.spentToday = from, 0
		}
		t.spentToday++
		t.mostOfADay = max(t.mostOfADay, t.spentToday)
	case s.all.inMinute() > limits.PerMinute:
		result = s.refuse(codeMinute, pipeline.Throttled)
	case s.underWay > limits.Concurrent:
		result = s.refuse(codeCrowded, pipeline.Crowded)
	}
	if s.of.others == seen {
		result.DayLimit = limits.Daily
		result.DayRemaining = max(0, limits.Daily-s.all.inDay())
		result.DayReset = (to - at).Truncate(time.Second) + time.Second
	}
	return result
}

// end is the end of a call of ours, at upstream.
func (s *server) end() { s.underWay-- }

func (s *server) refuse(code string, kind pipeline.Kind) pipeline.CallResult {
	s.tally.refused[code]++
	return pipeline.CallResult{Status: 429, Code: code, Kind: kind}
}

func (s *server) down(at instant) bool {
	for _, outage := range s.of.outages {
		if at >= outage.from && at < outage.to {
			return true
		}
	}
	return false
}

// spend is others' spending: as many calls as they are let.
func (s *server) spend(at instant, calls int) {
	from, _ := s.dayOf(at)
	s.all.turn(at, from)
	for range calls {
		if s.all.inDay() >= s.of.limits.Daily || s.all.inMinute() >= s.of.limits.PerMinute {
			return
		}
		s.all.add(at, from)
		s.tally.foreign++
	}
}
