package planning

import "sluice/pipeline"

// Input is what a plan is made from.
type Input struct {
	Streams []Stream
	// Services are the allowances of the streams' services.
	Services []Service
}

// Service is one service of one organization: its allowance of a day, and the shared one of a
// minute.
type Service struct {
	Organization, Name string
	// Shared names the allowance of calls a minute and at once.
	Shared string
	// Spent is the number of calls of the day so far.
	Spent int
	Day   Day
	// Ceilings are what classes may spend of the day, where that is less than all.
	Ceilings map[pipeline.Class]Day
	Pace     Pace
	// Besides is the number of calls of the next sync that belong to no stream; BesidesPerDay is
	// that of the schedule. They check the organization's identity.
	Besides       int
	BesidesPerDay float64
}

// Plan is what a sync and the schedule cost.
type Plan struct {
	Streams  []StreamPlan  `json:"streams"`
	Services []ServicePlan `json:"services"`
	// Fits says that the next sync fits into the rest of each day, and that the schedule fits into
	// each day.
	Fits bool `json:"fits"`
}

// StreamPlan is what one stream costs.
type StreamPlan struct {
	pipeline.Key

	// Rows is the number of rows; nil if unknown.
	Rows *int `json:"rows"`
	// Calls is the number of calls of the next run; nil if unknown. Request then names the figure
	// that --assume has to give. Later is the number of calls after that run until all is copied.
	Calls   *int   `json:"calls"`
	Later   int    `json:"calls_later"`
	Basis   Basis  `json:"basis"`
	Request string `json:"assume,omitempty"`
	// Seconds is how long the next run takes by itself.
	Seconds  float64  `json:"seconds"`
	Schedule Schedule `json:"schedule"`
}

// Schedule is what an interval costs and achieves.
type Schedule struct {
	EverySeconds float64 `json:"every_seconds"`
	// CallsPerDay is nil if it is unknown.
	CallsPerDay *float64 `json:"calls_per_day"`
	Basis       Basis    `json:"basis"`
	// FreshSeconds is the greatest age of a change when the warehouse shows it.
	FreshSeconds float64 `json:"fresh_within_seconds"`
}

// ServicePlan says how the next sync and the schedule use one allowance.
type ServicePlan struct {
	Organization string `json:"organization"`
	Service      string `json:"service"`
	// Daily is the limit of calls a day, 0 if there is none; Spent is the number of calls of the
	// day so far.
	Daily int `json:"daily_limit"`
	Spent int `json:"spent"`
	// Calls is the number of calls of the next sync. Seconds is how long they take together with
	// those of the services that share the allowance of a minute. Remaining is what is left of the
	// day then; nil if there is no limit.
	Calls     int     `json:"calls"`
	Seconds   float64 `json:"seconds"`
	Remaining *int    `json:"remaining"`
	// Later is the number of calls after that until all is copied. DoneSeconds is the time until
	// then, beside the schedule; nil if the allowance never suffices.
	Later       int      `json:"calls_later"`
	DoneSeconds *float64 `json:"done_seconds"`
	// CallsPerDay is what the schedule takes.
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
		plan.Streams = append(plan.Streams, m.stream(i))
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

// serviceOf returns the service of a stream; nil if the input has none.
func (m *maker) serviceOf(key pipeline.Key) *Service {
	for i := range m.input.Services {
		if s := &m.input.Services[i]; s.Organization == key.Organization && s.Name == key.Service {
			return s
		}
	}
	return nil
}

func (m *maker) stream(i int) StreamPlan {
	s, run := &m.input.Streams[i], m.runs[i]
	var pace Pace
	if service := m.serviceOf(s.Key); service != nil {
		pace = service.Pace
	}
	plan := StreamPlan{Key: s.Key, Basis: run.Basis, Request: run.Request, Later: run.Left}
	if s.Rows.Known() && s.Way != WayDetails {
		plan.Rows = new(int(s.Rows.Value))
	}
	if run.Basis != Unknown {
		plan.Calls = new(run.Calls)
		plan.Seconds = pace.Takes(run.Calls, run.Calls).Seconds()
	}
	cost := s.PerDay(m.lists[s.list()], pace)
	plan.Schedule = Schedule{
		EverySeconds: cost.Every.Seconds(), Basis: cost.PerDay.Basis, FreshSeconds: cost.Fresh.Seconds(),
	}
	if cost.PerDay.Known() {
		plan.Schedule.CallsPerDay = new(cost.PerDay.Value)
	}
	return plan
}
