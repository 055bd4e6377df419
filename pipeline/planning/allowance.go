package planning

import (
	"time"

	"sluice/pipeline"
)

func (m *maker) service(of *Service, streams []StreamPlan) ServicePlan {
	plan := ServicePlan{
		Organization: of.Organization, Service: of.Name, Daily: of.Day.Limit, Spent: of.Spent,
		Calls: of.Besides, CallsPerDay: of.BesidesPerDay, Fits: true,
	}
	classes := make(map[pipeline.Class]*ServicePlan, len(of.Ceilings))
	for class := range of.Ceilings {
		classes[class] = new(ServicePlan)
	}
	for i := range streams {
		s := &streams[i]
		if s.Organization != of.Organization || s.Service != of.Name {
			continue
		}
		plan.add(s)
		if class := classes[m.input.Streams[i].Class]; class != nil {
			class.add(s)
		}
	}
	plan.Seconds = m.together(of, streams).Seconds()
	if of.Day.Limit > 0 {
		plan.Remaining = new(max(of.Day.Left-plan.Calls, 0))
	}
	done, ok := plan.held(of.Day, of.Pace)
	plan.Fits = ok && plan.within(of.Day)
	for class, spends := range classes {
		later, ok := spends.held(of.Ceilings[class], of.Pace)
		done, plan.Fits = max(done, later), plan.Fits && ok && spends.within(of.Ceilings[class])
	}
	if done < never {
		plan.DoneSeconds = new(max(done.Seconds(), plan.Seconds))
	}
	return plan
}

// never is a time longer than any forecast.
const never = 100 * 365 * day

// held returns the time until all calls are made beside the schedule; false and never if the
// allowance does not suffice.
func (p *ServicePlan) held(by Day, pace Pace) (time.Duration, bool) {
	done, ok := by.Done(p.Calls+p.Later, p.CallsPerDay, pace)
	if !ok {
		done = never
	}
	return done, ok
}

// within reports whether the next sync fits into the rest of the day, and the schedule into a whole
// day.
func (p *ServicePlan) within(by Day) bool {
	return by.Limit == 0 || p.Calls <= by.Left && p.CallsPerDay <= float64(by.Limit)
}

func (p *ServicePlan) add(s *StreamPlan) {
	if s.Calls == nil {
		p.Unknown++
	} else {
		p.Calls += *s.Calls
		p.Later += s.Later
	}
	if s.Schedule.CallsPerDay != nil {
		p.CallsPerDay += *s.Schedule.CallsPerDay
	}
}

// together returns how long the next sync of all services takes that share an allowance. Lists run
// side by side; details and lists under parents follow them.
func (m *maker) together(of *Service, streams []StreamPlan) time.Duration {
	calls, lists, behind := of.Besides, 0, 0
	for i := range streams {
		s := &m.input.Streams[i]
		service := m.serviceOf(s.Key)
		shares := service != nil && service.Organization == of.Organization && service.Shared == of.Shared
		if streams[i].Calls == nil || !shares {
			continue
		}
		own := *streams[i].Calls
		calls += own
		if s.Way == WayDetails || s.Way == WayParents {
			behind = max(behind, own)
		} else {
			lists = max(lists, own)
		}
	}
	return of.Pace.Takes(calls, lists+behind)
}
