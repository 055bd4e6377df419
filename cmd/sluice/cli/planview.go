package cli

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"sluice/cmd/sluice/cli/view"
	"sluice/pipeline"
	"sluice/pipeline/engine"
	"sluice/pipeline/planning"
)

// planView is what the plan command shows.
type planView struct {
	planning.Plan

	// Config are the lines of the configuration that give the requested freshness.
	Config []string `json:"config,omitempty"`
	// Rules are the limits of each allowance.
	Rules []serviceRules `json:"rules"`
	// LastWeek is what each allowance took a day.
	LastWeek []engine.LastWeek `json:"last_week"`

	now     time.Time
	several bool
	zone    func(organization string) *time.Location
}

// sync shows how many calls the next sync takes, by stream.
func (v planView) sync(page *view.Page) {
	var unknown []string
	page.Linef("The next sync, by stream")
	page.Add(view.Table(v.Streams, "STREAM  ROWS  CALLS  LATER  TAKES  RESTS ON", func(s *planning.StreamPlan) view.Row {
		takes := took(s.Seconds)
		if s.Calls == nil {
			takes, unknown = nothing, append(unknown, s.Request)
		}
		return view.Row{v.name(s.Key), view.Or(s.Rows, notKnown), view.Or(s.Calls, notKnown), none(s.Later), takes, s.Basis}
	}))
	if len(unknown) > 0 {
		slices.Sort(unknown)
		page.Linef("unknown: nothing was read yet. A sync finds out, or --assume NAME=NUMBER says it, for:\n  %s",
			strings.Join(slices.Compact(unknown), "\n  "))
	}
}

// days shows each allowance, before and after the next sync.
func (v planView) days(page *view.Page) {
	page.Linef("\nThe allowances (calls for access tokens are counted apart: one an hour)")
	const head = "SERVICE  A DAY  SPENT  SYNC  TAKES  LEFT  LATER  ALL BY  SCHEDULE  FITS"
	page.Add(view.Table(v.Services, head, func(s *planning.ServicePlan) view.Row {
		daily, left := "no limit", nothing
		if s.Daily > 0 {
			daily, left = view.Count(s.Daily), view.Or(s.Remaining, notKnown)
		}
		return view.Row{
			streamName(v.several, s.Organization, s.Service, ""), daily, s.Spent, atLeast(s.Calls, s.Unknown), took(s.Seconds), left,
			none(s.Later), doneBy(s.DoneSeconds, v.now, v.zone(s.Organization)), perDay(&s.CallsPerDay), s.Fits,
		}
	}))
	for _, of := range v.Rules {
		page.Linef("%s: %s", streamName(v.several, of.Organization, of.Service, ""), of.allowanceRules)
	}
	for i := range v.LastWeek {
		of := &v.LastWeek[i]
		page.Linef("%s: calls a day of the last week: %s; of other programs: %s",
			streamName(v.several, of.Organization, of.Service, ""), weekWords(of.Calls), weekWords(of.Others))
	}
}

// weekWords are the figures of a week.
func weekWords(week *planning.Week) string {
	if week == nil {
		return notKnown
	}
	return fmt.Sprintf("mean %.0f, 90th percentile %s (%s)", week.Mean, view.Count(week.P90), view.Plural(week.Days, "day"))
}

// schedule shows what the intervals cost and how fresh they keep the rows, beside the cheapest
// schedule for the requested freshness.
func (v planView) schedule(page *view.Page) {
	head := "STREAM  EVERY  A DAY  FRESH  RESTS ON"
	if v.wanted() {
		head += "  CHEAPEST  A DAY  FRESH"
	}
	page.Linef("\nThe schedule: calls a day, and how old a change is at most when it is copied")
	page.Add(view.Table(v.Streams, head, func(s *planning.StreamPlan) view.Row {
		row := append(append(view.Row{v.name(s.Key)}, scheduled(s.Schedule)...), s.Schedule.Basis)
		switch {
		case s.Cheapest != nil:
			row = append(row, scheduled(*s.Cheapest)...)
		case s.Unmet():
			row = append(row, "cannot be met")
		}
		return row
	}))
}

func (v planView) wanted() bool {
	return slices.ContainsFunc(v.Streams, func(s planning.StreamPlan) bool { return s.Requested > 0 })
}

// advice shows the lines to paste into the configuration, and what does not fit.
func (v planView) advice(page *view.Page) {
	if len(v.Config) > 0 {
		page.Linef("\nFor the configuration:\n%s", strings.Join(v.Config, "\n"))
	}
	if !v.Fits {
		page.Linef("\nIt does not fit: longer intervals, a larger plan, or fewer resources.")
	}
}

func (v planView) name(key pipeline.Key) string {
	return streamName(v.several, key.Organization, key.Service, key.Resource)
}

// doneBy is when all records are copied.
func doneBy(seconds *float64, now time.Time, zone *time.Location) string {
	if seconds == nil {
		return "never"
	}
	return now.Add(time.Duration(*seconds * float64(time.Second))).In(zone).Format("2006-01-02 15:04")
}

// The texts for a figure that is not known, and for one that does not exist.
const (
	notKnown = "unknown"
	nothing  = "-"
)

// none shows zero as "-".
func none(n int) string {
	if n == 0 {
		return nothing
	}
	return view.Count(n)
}

// atLeast marks a sum to which some streams are missing.
func atLeast(n, missing int) string {
	if missing > 0 {
		return view.Count(n) + "+"
	}
	return view.Count(n)
}

func took(seconds float64) string {
	return view.Age(time.Duration(seconds * float64(time.Second)))
}

func perDay(calls *float64) string {
	switch {
	case calls == nil:
		return notKnown
	case *calls > 0 && *calls < 10: //nolint:mnd // below ten the first decimal matters
		return fmt.Sprintf("%.1f", *calls)
	default:
		return view.Count(int(math.Ceil(*calls)))
	}
}

func scheduled(s planning.Schedule) view.Row {
	fresh := interval(60 * math.Ceil(s.FreshSeconds/60)) //nolint:mnd // whole minutes
	if s.CallsPerDay == nil {
		fresh = nothing
	}
	return view.Row{interval(s.EverySeconds), perDay(s.CallsPerDay), fresh}
}

// interval writes a duration as in the configuration, without units that are zero: 1h30m.
func interval(seconds float64) string {
	text := time.Duration(seconds * float64(time.Second)).Round(time.Second).String()
	if strings.HasSuffix(text, "m0s") {
		text = strings.TrimSuffix(text, "0s")
	}
	if strings.HasSuffix(text, "h0m") {
		text = strings.TrimSuffix(text, "0m")
	}
	return text
}
