package scale

import (
	"context"
	"math"
	"math/rand/v2"
	"time"

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
func (s *stream) rate(at instant) float64 {
	if !s.of.office {
		return s.perHour
	}
	const inside = officeTo - officeFrom
	if hour := epoch().Add(at).In(s.of.zone).Hour(); hour >= officeFrom && hour < officeTo {
		return s.perHour * officeShare * hoursADay / inside
	}
	return s.perHour * (1 - officeShare) * hoursADay / (hoursADay - inside)
}

// spend counts a call.
func (s *stream) spend(at instant) {
	for len(s.spent) <= int(at/time.Hour) {
		s.spent = append(s.spent, 0)
	}
	s.spent[at/time.Hour]++
}

// bring lets a clean run bring the changes from before its beginning, and returns their number.
func (s *stream) bring(at instant) int64 {
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

// waits returns how many seconds the changes of an organization waited in a window. A change that
// has not arrived at the end of the window counts until then.
func (o *organization) waits(window span) []float64 {
	var waits []float64
	for _, st := range o.streams {
		for i, at := range st.changed {
			if at < window.From || at >= window.To {
				continue
			}
			arrived := window.To
			if i < len(st.arrived) {
				arrived = min(arrived, st.arrived[i])
			}
			waits = append(waits, (arrived - at).Seconds())
		}
	}
	return waits
}
