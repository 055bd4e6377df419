package cli

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"sluice/cmd/sluice/cli/view"
	"sluice/pipeline"
	"sluice/pipeline/planning"
)

// planView is what the plan command shows.
type planView struct {
	planning.Plan

	// Config are lines for the configuration that bring the freshness asked for.
	Config []string `json:"config,omitempty"`
	// Rules are what each allowance is held against.
	Rules []serviceRules `json:"rules"`

	now     time.Time
	several bool
	zone    func(organization string) *time.Location
}

// streamColumn heads the names of streams.
const streamColumn = "STREAM"

func (c *cli) printPlan(shown planView) error {
	p := c.printer()
	if p.JSON {
		return p.Document(shown)
	}
	for _, part := range []func(view.Printer) error{shown.sync, shown.days, shown.schedule, shown.advice} {
		if err := part(p); err != nil {
			return err
		}
	}
	return nil
}

// sync shows what the next sync takes, by stream.
func (v planView) sync(p view.Printer) error {
	rows := make([][]string, 0, len(v.Streams))
	var unknown []string
	for i := range v.Streams {
		s := &v.Streams[i]
		row := []string{v.name(s.Key), counted(s.Rows), counted(s.Calls), none(s.Later), took(s.Seconds), s.Basis.String()}
		if s.Calls == nil {
			row[4], unknown = none(0), append(unknown, s.Ask)
		}
		rows = append(rows, row)
	}
	if err := p.Line("The next sync, by stream"); err != nil {
		return err
	}
	if err := p.Table([]string{streamColumn, "ROWS", "CALLS", "LATER", "TAKES", "RESTS ON"}, rows); err != nil || len(unknown) == 0 {
		return err
	}
	slices.Sort(unknown)
	return p.Line("unknown: nothing was read yet. A sync finds out, or --assume NAME=NUMBER says it, for:\n  %s",
		strings.Join(slices.Compact(unknown), "\n  "))
}

// days shows what becomes of each allowance.
func (v planView) days(p view.Printer) error {
	rows := make([][]string, 0, len(v.Services))
	for i := range v.Services {
		s := &v.Services[i]
		daily, left := "no limit", none(0)
		if s.Daily > 0 {
			daily, left = view.Count(s.Daily), counted(s.Remaining)
		}
		rows = append(rows, []string{
			v.name(pipeline.Key{Organization: s.Organization, Service: s.Service}), daily, view.Count(s.Spent), atLeast(s.Calls, s.Unknown),
			took(s.Seconds), left, none(s.Later), v.done(s), perDay(&s.CallsPerDay), fits(s),
		})
	}
	if err := p.Line("\nThe allowances (calls for access tokens are counted apart: one an hour)"); err != nil {
		return err
	}
	header := []string{"SERVICE", "A DAY", "SPENT", "SYNC", "TAKES", "LEFT", "LATER", "ALL BY", "SCHEDULE", "FITS"}
	if err := p.Table(header, rows); err != nil {
		return err
	}
	for _, of := range v.Rules {
		name := v.name(pipeline.Key{Organization: of.Organization, Service: of.Service})
		if err := p.Line("%s: %s", name, of.allowanceRules); err != nil {
			return err
		}
	}
	return nil
}

// schedule shows what intervals cost and buy, beside the cheapest ones asked for.
func (v planView) schedule(p view.Printer) error {
	header := []string{streamColumn, "EVERY", "A DAY", "FRESH", "RESTS ON"}
	if v.wanted() {
		header = append(header, "CHEAPEST", "A DAY", "FRESH")
	}
	rows := make([][]string, 0, len(v.Streams))
	for i := range v.Streams {
		s := &v.Streams[i]
		row := append([]string{v.name(s.Key)}, scheduled(s.Schedule)...)
		row = append(row, s.Schedule.Basis.String())
		switch {
		case s.Cheapest != nil:
			row = append(row, scheduled(*s.Cheapest)...)
		case s.Missed():
			row = append(row, "cannot be met")
		}
		rows = append(rows, row)
	}
	if err := p.Line("\nThe schedule: calls a day, and how old a change is at most when it is copied"); err != nil {
		return err
	}
	return p.Table(header, rows)
}

func (v planView) wanted() bool {
	return slices.ContainsFunc(v.Streams, func(s planning.StreamPlan) bool { return s.Wanted > 0 })
}

// advice shows the lines to paste, and what does not fit.
func (v planView) advice(p view.Printer) error {
	if len(v.Config) > 0 {
		if err := p.Line("\nFor the configuration:\n%s", strings.Join(v.Config, "\n")); err != nil {
			return err
		}
	}
	if v.Fits {
		return nil
	}
	return p.Line("\nIt does not fit: longer intervals, a larger plan, or fewer resources.")
}

func (v planView) name(key pipeline.Key) string {
	name := strings.TrimSuffix(key.Service+"."+key.Resource, ".")
	if v.several {
		name = key.Organization + "/" + name
	}
	return name
}

// done is when all is copied.
func (v planView) done(s *planning.ServicePlan) string {
	if s.DoneSeconds == nil {
		return "never"
	}
	at := v.now.Add(time.Duration(*s.DoneSeconds * float64(time.Second))).In(v.zone(s.Organization))
	return at.Format("2006-01-02 15:04")
}

func fits(s *planning.ServicePlan) string {
	if s.Fits {
		return "yes"
	}
	return "no"
}

func counted(n *int) string {
	if n == nil {
		return "unknown"
	}
	return view.Count(*n)
}

// none shows nothing where there is nothing.
func none(n int) string {
	if n == 0 {
		return "-"
	}
	return view.Count(n)
}

// atLeast marks a sum from which streams are missing.
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
		return "unknown"
	case *calls > 0 && *calls < 10: //nolint:mnd // below it the first digit behind the point matters
		return fmt.Sprintf("%.1f", *calls)
	default:
		return view.Count(int(math.Ceil(*calls)))
	}
}

func scheduled(s planning.Schedule) []string {
	fresh := interval(60 * math.Ceil(s.FreshSeconds/60)) //nolint:mnd // whole minutes
	if s.CallsPerDay == nil {
		fresh = none(0)
	}
	return []string{interval(s.EverySeconds), perDay(s.CallsPerDay), fresh}
}

// interval writes a time as the configuration has it, without units that are zero: 1h30m.
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
