package planning

import (
	"time"

	"sluice/pipeline"
)

// Input is what a plan is made from.
type Input struct {
	Streams []Stream
	// Services are the allowances of the streams' services.
	Services []Service
	// Fresh is how old at most what changed may be, for streams of which that is asked.
	Fresh map[pipeline.Key]time.Duration
}

// Service is one service of one organization: a day's allowance, and a share of the minute's.
type Service struct {
	Organization, Name string
	// Shared names the allowance of the minute and of calls at once.
	Shared string
	Day    Day
	// Ceilings are what classes of work may spend of the day, where that is less.
	Ceilings map[pipeline.Class]Day
	Pace     Pace
	// Besides are calls of the next sync, BesidesPerDay of the schedule, that belong to no stream:
	// who the organization is.
	Besides       int
	BesidesPerDay float64
}

// Plan is what a sync and the schedule cost.
type Plan struct {
	Streams  []StreamPlan  `json:"streams"`
	Services []ServicePlan `json:"services"`
	// Fits says that the next sync fits into what is left of each day, and the schedule into each
	// day and into the freshness asked for.
	Fits bool `json:"fits"`
}

// StreamPlan is what one stream costs.
type StreamPlan struct {
	pipeline.Key

	// Rows are those known; nil if they are unknown.
	Rows *int `json:"rows"`
	// Calls are those of the next run, Later those after it until all is copied; nil if that is
	// unknown. Ask is then what --assume has to give.
	Calls   *int   `json:"calls"`
	Later   int    `json:"calls_later"`
	Basis   Basis  `json:"basis"`
	Request string `json:"assume,omitempty"`
	// Seconds is how long the next run takes by itself.
	Seconds  float64  `json:"seconds"`
	Schedule Schedule `json:"schedule"`
	// Cheapest is the schedule that keeps within Wanted; nil if none was asked for, or if none
	// does.
	Cheapest  *Schedule `json:"cheapest,omitempty"`
	Requested float64   `json:"freshness_wanted_seconds,omitempty"`
}

// Suspected says that no interval keeps the stream as fresh as it is wanted. Of what is unknown it
// does not say that.
func (p *StreamPlan) Suspected() bool {
	return p.Requested > 0 && p.Cheapest == nil && p.Schedule.CallsPerDay != nil
}

// Schedule is what an interval costs and buys.
type Schedule struct {
	EverySeconds float64 `json:"every_seconds"`
	// CallsPerRun is what a run has to be allowed; 0 leaves it as it is.
	CallsPerRun int `json:"calls_per_run,omitempty"`
	// CallsPerDay is nil if that is unknown.
	CallsPerDay *float64 `json:"calls_per_day"`
	Basis       Basis    `json:"basis"`
	// FreshSeconds is how old at most what changed upstream is when it is here.
	FreshSeconds float64 `json:"fresh_within_seconds"`
}

// ServicePlan is what becomes of one allowance.
type ServicePlan struct {
	Organization string `json:"organization"`
	Service      string `json:"service"`
	// Daily is the limit of calls a day, 0 if there is none; Spent are those of the last 24 hours.
	Daily int `json:"daily_limit"`
	Spent int `json:"spent"`
	// Calls are those of the next sync, Seconds how long they take with those of the services that
	// share the minute's allowance; Remaining are left for others then.
	Calls     int     `json:"calls"`
	Seconds   float64 `json:"seconds"`
	Remaining *int    `json:"remaining"`
	// Later are calls after that until all is copied, DoneSeconds in how long that is beside the
	// schedule; nil if it never is.
	Later       int      `json:"calls_later"`
	DoneSeconds *float64 `json:"done_seconds"`
	// CallsPerDay is what the schedule takes: the cheapest where one was asked for.
	CallsPerDay float64 `json:"calls_per_day"`
	// Unknown counts streams that are in none of these figures.
	Unknown int  `json:"unknown_streams"`
	Fits    bool `json:"fits"`
}

// Make makes the plan.
func Make(input Input) Plan {
	m := maker{input: input, lists: make(map[pipeline.Key]*Stream), runs: Next(input.Streams)}
	for i := range input.Streams {
		m.lists[input.Streams[i].Key] = &input.Streams[i]
	}
	plan := Plan{Streams: make([]StreamPlan, 0, len(input.Streams)), Fits: true}
	for i := range input.Streams {
		stream := m.stream(i)
		plan.Fits = plan.Fits && !stream.Suspected()
		plan.Streams = append(plan.Streams, stream)
	}
	for i := range input.Services {
		service := m.service(&input.Services[i], plan.Streams)
		plan.Fits = plan.Fits && service.Fits
		plan.Services = append(plan.Services, service)
	}
	return plan
}

type maker struct {
	input Input
	lists map[pipeline.Key]*Stream
	runs  []Run
}

func (m *maker) pace(key pipeline.Key) Pace {
	for i := range m.input.Services {
		if s := &m.input.Services[i]; s.Organization == key.Organization && s.Name == key.Service {
			return s.Pace
		}
	}
	return Pace{}
}

func (m *maker) stream(i int) StreamPlan {
	s, run, pace := &m.input.Streams[i], m.runs[i], m.pace(m.input.Streams[i].Key)
	plan := StreamPlan{Key: s.Key, Basis: run.Basis, Request: run.Request, Later: run.Left}
	if s.Rows.Known() && s.Way != WayDetails {
		plan.Rows = new(int(s.Rows.Value))
	}
	if run.Basis != Unknown {
		plan.Calls = new(run.Calls)
		plan.Seconds = pace.Takes(run.Calls, run.Calls).Seconds()
	}
	list := m.lists[s.list()]
	plan.Schedule = scheduleOf(s.PerDay(list, pace))
	switch {
	case s.Way == WayDetails && list != nil:
		// Details follow their list, also under another interval.
		if cost, ok := m.cheapest(list); ok {
			faster := *list
			faster.Every = cost.Every
			plan.Cheapest = new(scheduleOf(s.PerDay(&faster, pace)))
		}
	default:
		plan.Requested = m.input.Fresh[s.Key].Seconds()
		if cost, ok := m.cheapest(s); ok {
			plan.Cheapest = new(scheduleOf(cost))
		}
	}
	return plan
}

// cheapest is the schedule asked for; false if none was, or if none keeps within it.
func (m *maker) cheapest(s *Stream) (Cost, bool) {
	return s.Cheapest(m.input.Fresh[s.Key], m.pace(s.Key))
}

func scheduleOf(cost Cost) Schedule {
	schedule := Schedule{
		EverySeconds: cost.Every.Seconds(), CallsPerRun: cost.PerRun, Basis: cost.PerDay.Basis, FreshSeconds: cost.Fresh.Seconds(),
	}
	if cost.PerDay.Known() {
		schedule.CallsPerDay = new(cost.PerDay.Value)
	}
	return schedule
}
