package main

import (
	"context"
	"math"
	"math/rand/v2"
	"time"

	"sluice/cmd/sluice-scale/optimum"
	"sluice/cmd/sluice-scale/upstream"
	"sluice/cmd/sluice-scale/virtual"
	"sluice/pipeline"
	"sluice/pipeline/planning"
	warehouse "sluice/pipeline/warehouse/streams"
)

// The changes upstream. A stream has between leastPerHour and mostPerHour, evenly drawn by
// magnitude and independent of its declared interval. In half of the organizations officeShare of
// the changes happen in the working hours, the same on all days; in the others they come at any
// time.
const (
	leastPerHour, mostPerHour = 0.02, 10.0
	officeFrom, officeTo      = 8, 18
	officeShare               = 0.8
	hoursADay                 = 24
)

// drawChanges draws the changes of all incremental streams, by a chance of their own: they leave
// the other decisions of a scenario as they are.
func drawChanges(all []*organization, s scenario) {
	chance := rand.New(rand.NewPCG(s.Seed, 3)) // a seed makes a simulation repeatable
	for _, o := range all {
		o.office = chance.IntN(2) == 0
		for i, st := range o.streams {
			if st.class != pipeline.ClassIncremental {
				continue
			}
			if s.Adaptive {
				st.ceiling = st.every * idleFactor
				if i >= costlyFrom {
					st.calls = costly
				}
			}
			st.perHour = leastPerHour * math.Pow(mostPerHour/leastPerHour, chance.Float64())
			for hour := range s.Days * hoursADay {
				from := time.Duration(hour) * time.Hour
				for at := 0.0; ; {
					if at += chance.ExpFloat64() / st.rate(from); at >= 1 {
						break
					}
					st.changed = append(st.changed, from+time.Duration(at*float64(time.Hour)))
				}
			}
		}
	}
}

// Where intervals are learned, the last of the lists that run daily have no filter: a run reads two
// pages twice.
const costlyFrom, costly = 14, 4

// rate returns the changes an hour in the hour that begins at an instant.
func (s *stream) rate(at virtual.Instant) float64 {
	if !s.of.office {
		return s.perHour
	}
	const inside = officeTo - officeFrom
	if hour := virtual.Began().Add(at).In(s.of.zone).Hour(); hour >= officeFrom && hour < officeTo {
		return s.perHour * officeShare * hoursADay / inside
	}
	return s.perHour * (1 - officeShare) * hoursADay / (hoursADay - inside)
}

// spend counts a call.
func (s *stream) spend(at virtual.Instant) {
	for len(s.spent) <= int(at/time.Hour) {
		s.spent = append(s.spent, 0)
	}
	s.spent[at/time.Hour]++
}

// spentIn returns the calls in a window of whole hours.
func (s *stream) spentIn(window upstream.Span) float64 {
	sum := 0
	for hour, calls := range s.spent {
		if at := time.Duration(hour) * time.Hour; at >= window.From && at < window.To {
			sum += calls
		}
	}
	return float64(sum)
}

// bring lets a clean run bring the changes from before its beginning, and returns their number.
func (s *stream) bring(at virtual.Instant) int64 {
	before := len(s.arrived)
	for len(s.arrived) < len(s.changed) && s.changed[len(s.arrived)] < s.started {
		s.arrived = append(s.arrived, at)
	}
	return int64(len(s.arrived) - before)
}

// replan computes the learned intervals anew, as serve does once a minute.
func (s *simulation) replan(ctx context.Context) error {
	s.spendTicks(2) // what the runs showed, and the plans
	names := make([]string, len(s.organizations))
	byName := make(map[string]*organization, len(s.organizations))
	for i, o := range s.organizations {
		names[i], byName[o.name] = o.name, o
	}
	return s.db.Replan(ctx, s.now, names, replanLimit, func(service *warehouse.Service) []warehouse.Plan {
		scheduled := map[pipeline.Key]planning.Scheduled{}
		o := byName[service.Organization]
		for _, st := range o.streams {
			scheduled[st.key] = planning.Scheduled{Class: st.class, Promised: false}
		}
		return planning.Intervals(service, o.limits, scheduleFloor, scheduled)
	})
}

// back returns the end of the outages at an instant, or the instant itself if upstream is there.
func (o *organization) back(at virtual.Instant) virtual.Instant {
	for i := 0; i < len(o.outages); i++ {
		if o.outages[i].From <= at && at < o.outages[i].To {
			at, i = o.outages[i].To, -1 // another outage may go on
		}
	}
	return at
}

// next returns the next instant in a window at which a rate may change, or an outage begin or end.
func (o *organization) next(at virtual.Instant, window upstream.Span) virtual.Instant {
	next := min(window.To, at.Truncate(time.Hour)+time.Hour)
	for _, outage := range o.outages {
		for _, edge := range []virtual.Instant{outage.From, outage.To} {
			if edge > at {
				next = min(next, edge)
			}
		}
	}
	return next
}

// stretches divides a window into times of one rate, and returns them with the changes during
// outages: these wait for the end of their outage at least.
func (s *stream) stretches(window upstream.Span) ([]optimum.Stretch, []optimum.Wait) {
	var list []optimum.Stretch
	var waits []optimum.Wait
	joined := false
	for at := window.From; at < window.To; {
		to := s.of.next(at, window)
		rate := s.rate(at) / time.Hour.Seconds()
		length := (to - at).Seconds()
		switch back := min(s.of.back(at), window.To); {
		case back > at:
			waits = append(waits, optimum.Wait{Changes: rate * length, From: (back - to).Seconds(), To: (back - at).Seconds()})
			joined = false
		case joined && list[len(list)-1].Rate == rate:
			list[len(list)-1].Length += length
		default:
			list = append(list, optimum.Stretch{Length: length, Rate: rate, Calls: float64(s.calls)})
			joined = true
		}
		at = to
	}
	return list, waits
}
