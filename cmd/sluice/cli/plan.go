package cli

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"sluice/cmd/sluice/cli/view"
	"sluice/pipeline"
	"sluice/pipeline/engine"
	"sluice/pipeline/planning"
)

// planWishes are the flags of plan, besides the resources.
type planWishes struct {
	organization organizationFlag
	assume       []string
}

func (c *cli) planCommand() *cobra.Command {
	var wishes planWishes
	cmd := &cobra.Command{
		Use:   "plan [resource ...]",
		Short: "Say what the next sync and the schedule cost, before they cost it",
		Long: `Say, without a call, what the next sync takes: calls by stream, minutes under the
limits of calls a minute and at once, and when all is copied under the daily
allowance; and what the regular schedule takes of each day and how fresh it keeps each
resource.

What a figure rests on is shown: declared (by the services' documents), measured (by
earlier runs) or assumed. Of a resource that was never read the size is unknown, and
no guess is made: --assume inventory.bills=20000 supplies it; with .details behind it
how many of its rows need their single record, with .changes how many change a day,
and with .parents, for a list under parents, how many of those there are.

The exit code is 4 if it cannot fit: the next sync into what is left of the day, or the
schedule into each day.

Beside that it shows the calls a day of the last week, as mean and 90th percentile, and
those of other programs that spend the same allowance.`,
		Example: "  sluice plan\n  sluice plan inventory --assume inventory.bills=20000",
		RunE: c.offlineWork(func(ctx context.Context, a *engine.App, args []string) error {
			return c.plan(ctx, a, args, wishes)
		}),
	}
	wishes.organization.add(cmd)
	cmd.Flags().StringSliceVar(&wishes.assume, "assume", nil, "a size that was not measured: inventory.bills=20000, ….parents=64, ….changes=500")
	return cmd
}

func (c *cli) plan(ctx context.Context, a *engine.App, names []string, wishes planWishes) error {
	key, err := wishes.organization.key(a)
	if err != nil {
		return err
	}
	streams, err := a.Select(names, key)
	if err != nil {
		return err
	}
	made, err := planOf(ctx, a, streams, wishes.assume...)
	if err != nil {
		return err
	}
	shown := planView{Plan: made, Rules: []serviceRules{}, now: c.env.Now(), several: manyOrganizations(a), zone: a.Zone}
	for i := range made.Services {
		organization, service := made.Services[i].Organization, made.Services[i].Service
		limits, err := a.Limits(organization, service)
		if err != nil {
			return err
		}
		shown.Rules = append(shown.Rules, serviceRules{organization, service, rulesOf(limits, a.SharedWith(organization, service))})
		week, err := a.LastWeek(ctx, organization, service)
		if err != nil {
			return err
		}
		shown.LastWeek = append(shown.LastWeek, week)
	}
	if err := c.show(shown, view.Text(shown.sync), view.Text(shown.days), view.Text(shown.schedule)); err != nil {
		return err
	}
	if !made.Fits {
		return exit(codeBudget)
	}
	return nil
}

// changesSuffix, behind the name of a stream, names its changed records a day.
const changesSuffix = ".changes"

// assume replaces known figures by those of the command line.
func assume(streams []planning.Stream, flags []string) error {
	for _, flag := range flags {
		name, written, _ := strings.Cut(flag, "=")
		value, err := strconv.ParseUint(written, 10, 31)
		if err != nil {
			return usage("--assume %s: write a resource and a number of rows, such as inventory.bills=20000", flag)
		}
		found := false
		for i := range streams {
			if figure := assumed(&streams[i], name); figure != nil {
				*figure, found = planning.Figure{Value: float64(value), Basis: planning.Assumed}, true
			}
		}
		if !found {
			return usage("--assume %s: %s is no figure of a stream of this plan; they are service.resource, "+
				"and behind that .details, .changes or, for lists under parents, .parents", flag, name)
		}
	}
	return nil
}

// assumed is the figure of a stream that a name means, nil if it means none of this stream.
func assumed(s *planning.Stream, name string) *planning.Figure {
	stream := s.Service + "." + s.Resource
	switch {
	case name == stream && s.Way == planning.WayDetails:
		return &s.Waiting
	case name == stream:
		return &s.Rows
	case name == stream+changesSuffix && s.Way != planning.WayDetails:
		return &s.Changes
	case name == stream+planning.ParentsSuffix && s.Way == planning.WayParents:
		return &s.Parents
	default:
		return nil
	}
}

// planView is what the plan command shows.
type planView struct {
	planning.Plan

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

// schedule shows what the intervals cost and how fresh they keep the rows, and what to change if it
// does not fit.
func (v planView) schedule(page *view.Page) {
	page.Linef("\nThe schedule: calls a day, and how old a change is at most when it is copied")
	page.Add(view.Table(v.Streams, "STREAM  EVERY  A DAY  FRESH  RESTS ON", func(s *planning.StreamPlan) view.Row {
		fresh := nothing
		if s.Schedule.CallsPerDay != nil {
			fresh = interval(60 * math.Ceil(s.Schedule.FreshSeconds/60)) //nolint:mnd // whole minutes
		}
		return view.Row{v.name(s.Key), interval(s.Schedule.EverySeconds), perDay(s.Schedule.CallsPerDay), fresh, s.Schedule.Basis}
	}))
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
