package planning

import (
	"time"

	"sluice/pipeline"
)

// BackfillRun forecasts the run of a backfill: one pass over the list, window by window. Rows are
// the numbers of rows of each window. For a list under parents rows are ignored.
func (s *Stream) BackfillRun(rows []int64) Run {
	run := Run{Key: s.Key, Basis: Measured}
	switch {
	case s.Way == WayOnce:
		return Run{Key: s.Key, Calls: 1, Basis: Declared}
	case s.Way == WayParents && !s.Parents.Known():
		return Run{Key: s.Key, Basis: Unknown, Request: name(s.Key) + ParentsSuffix}
	case s.Way == WayParents:
		each, basis := 1, Assumed
		if s.Each == WayOnce {
			basis = Declared
		} else if s.Rows.Known() {
			each, basis = s.pages(s.Rows.Value/max(s.Parents.Value, 1)), s.Rows.Basis
		}
		return Run{Key: s.Key, Calls: ceil(s.Parents.Value) * each, Basis: weaker(s.Parents.Basis, basis)}
	case !s.Rows.Known():
		return Run{Key: s.Key, Basis: Unknown, Request: name(s.Key)}
	}
	run.Basis = s.Rows.Basis
	for _, n := range rows {
		run.Calls += s.pages(float64(n))
	}
	return run
}

// BackfillCost is what backfills demand of one service.
type BackfillCost struct {
	// Calls is the number of calls of all backfills. Chain is that of the longest one, whose calls
	// follow one another.
	Calls, Chain int
	// Unknown counts the backfills without a forecast.
	Unknown int
	// Schedule is how many calls a day the schedule takes.
	Schedule float64
}

// Quota says how backfills use an allowance.
type Quota struct {
	Organization string `json:"organization"`
	Service      string `json:"service"`
	// Daily is the limit of calls a day, 0 if there is none; Ceiling is how many of them backfills
	// may spend.
	Daily   int `json:"daily_limit"`
	Ceiling int `json:"ceiling"`
	Calls   int `json:"calls"`
	// Today is how many of Calls can leave before the allowance is spent. Seconds is how long all
	// calls take without that limit.
	Today   int     `json:"calls_today"`
	Seconds float64 `json:"seconds"`
	// Remaining is what the calls of today leave of the day; nil if there is no limit. PerDay is
	// what the schedule takes of each day.
	Remaining *int    `json:"remaining"`
	PerDay    float64 `json:"schedule_calls_per_day"`
	// DoneSeconds is the time until all is read beside the schedule; nil if the allowance never
	// suffices.
	DoneSeconds *float64 `json:"done_seconds"`
	Unknown     int      `json:"unknown_backfills"`
	// Fits says that all calls leave today.
	Fits bool `json:"fits"`
}

// Under returns how a demand of backfills uses a service's allowance.
func Under(of *Service, demand BackfillCost) Quota {
	s := Quota{
		Organization: of.Organization, Service: of.Name, Daily: of.Day.Limit, Ceiling: of.Day.Limit,
		Calls: demand.Calls, Today: demand.Calls, PerDay: demand.Schedule, Unknown: demand.Unknown,
		Seconds: of.Pace.Takes(demand.Calls, demand.Chain).Seconds(),
	}
	done, ok := of.Day.Done(demand.Calls, demand.Schedule, of.Pace)
	if class, limited := of.Ceilings[pipeline.ClassBackfill]; limited {
		s.Ceiling = class.Limit
		s.Today = min(s.Today, class.Left)
		later, fits := class.Done(demand.Calls, 0, of.Pace)
		done, ok = max(done, later), ok && fits
	}
	if of.Day.Limit > 0 {
		s.Today = min(s.Today, of.Day.Left)
		s.Remaining = new(of.Day.Left - s.Today)
	}
	s.Fits = s.Today == s.Calls
	if ok {
		s.DoneSeconds = new(max(done, time.Duration(s.Seconds*float64(time.Second))).Seconds())
	}
	return s
}
