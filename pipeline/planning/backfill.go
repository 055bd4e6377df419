package planning

import (
	"time"

	"sluice/pipeline"
)

// BackfillRun forecasts the run of a backfill: every list in one pass, window by window. Rows are
// those of each window; none are known if it is empty.
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

// BackfillCost is what backfills ask of one service.
type BackfillCost struct {
	// Calls are those of all of them, Chain those of the longest: they follow one another.
	Calls, Chain int
	// Unknown counts backfills whose calls are unknown.
	Unknown int
	// Schedule is how many calls a day the regular schedule takes.
	Schedule float64
}

// Quota is what becomes of an allowance under a demand.
type Quota struct {
	Organization string `json:"organization"`
	Service      string `json:"service"`
	// Daily is the limit of calls a day, 0 if there is none; Ceiling is how many of them backfills
	// may spend.
	Daily   int `json:"daily_limit"`
	Ceiling int `json:"ceiling"`
	Calls   int `json:"calls"`
	// Today are those of Calls that leave before the allowance stops them, Seconds how long all
	// take where it does not.
	Today   int     `json:"calls_today"`
	Seconds float64 `json:"seconds"`
	// Remaining are left of the day for the others behind those of today; nil where there is no
	// limit. PerDay is what the schedule takes of each day.
	Remaining *int    `json:"remaining"`
	PerDay    float64 `json:"schedule_calls_per_day"`
	// DoneSeconds is in how long all is read beside the schedule; nil if it never is.
	DoneSeconds *float64 `json:"done_seconds"`
	Unknown     int      `json:"unknown_backfills"`
	// Fits says that all calls leave today.
	Fits bool `json:"fits"`
}

// Under says what becomes of a service's allowance under a demand of backfills.
func Under(of *Service, demand BackfillCost) Quota {
	s := Quota{
		Organization: of.Organization, Service: of.Name, Daily: of.Day.Limit, Ceiling: of.Day.Limit,
		Calls: demand.Calls, Today: demand.Calls, PerDay: demand.Schedule, Unknown: demand.Unknown,
		Seconds: of.Pace.Takes(demand.Calls, demand.Chain).Seconds(),
	}
	whole := of.Day
	whole.Others = demand.Schedule
	done, ok := whole.Done(demand.Calls, of.Pace)
	if class, limited := of.Ceilings[pipeline.ClassBackfill]; limited {
		s.Ceiling = class.Limit
		s.Today = min(s.Today, class.Left())
		later, fits := class.Done(demand.Calls, of.Pace)
		done, ok = max(done, later), ok && fits
	}
	if of.Day.Limit > 0 {
		s.Today = min(s.Today, of.Day.Left())
		s.Remaining = new(of.Day.Left() - s.Today)
	}
	s.Fits = s.Today == s.Calls
	if ok {
		s.DoneSeconds = new(max(done, time.Duration(s.Seconds*float64(time.Second))).Seconds())
	}
	return s
}
