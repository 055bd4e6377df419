package cli

import (
	"context"
	"fmt"
	"strings"
	"time"

	"sluice/cmd/sluice/cli/view"
	"sluice/pipeline"
	"sluice/pipeline/engine"
	"sluice/pipeline/planning"
)

// rehearsalWishes are the flags of plan that rehearse another configuration.
type rehearsalWishes struct {
	with   string
	days   int
	refuse bool
}

// longestRehearsal is how many days a rehearsal may play.
const longestRehearsal = 60

// rehearse plays the configuration of a file beside the present one.
func (c *cli) rehearse(ctx context.Context, a *engine.App, args []string, wishes rehearsalWishes) error {
	switch {
	case len(args) > 0:
		return usage("--with compares whole configurations: name no resource")
	case wishes.days < 1 || wishes.days > longestRehearsal:
		return usage("--days %d: write a number from 1 to %d", wishes.days, longestRehearsal)
	}
	compared, err := a.Rehearse(ctx, wishes.with, wishes.days)
	if err != nil {
		return err
	}
	several := manyOrganizations(a)
	if err := c.show(compared, view.Text(func(page *view.Page) { rehearsalLines(page, &compared, wishes, several) })); err != nil {
		return err
	}
	return exitIf(wishes.refuse && len(compared.Worse) > 0)
}

func rehearsalLines(page *view.Page, c *planning.Comparisons, wishes rehearsalWishes, several bool) {
	page.Linef("%s of virtual time, before (this configuration) and after (%s): how old a change was, and calls a day",
		view.Plural(wishes.days, "day"), wishes.with)
	const header = "STREAM  EVERY  AFTER  MEDIAN  AFTER  WORST  AFTER  LATE ABOVE  FRESH  A DAY  AFTER  CALLS"
	page.Add(view.Table(c.Streams, header, func(s *planning.Comparison) view.Row {
		before, after := rehearsedCells(s.Before), rehearsedCells(s.After)
		late := before[3]
		if s.After != nil {
			late = after[3]
		}
		return view.Row{
			streamName(several, s.Organization, s.Service, s.Resource), before[0], after[0], before[1], after[1], before[2], after[2], late, s.Fresh,
			before[4], after[4], s.Calls,
		}
	}))
	page.Linef("\nCalls of a day by class")
	for _, of := range []struct {
		when     string
		services []planning.RehearsedDay
	}{{"before", c.Before.Services}, {"after", c.After.Services}} {
		for i := range of.services {
			page.Linef("%s", serviceLine(of.when, &of.services[i], several))
		}
	}
	for _, of := range []struct {
		when string
		ends []planning.RehearsedEnd
	}{{"before", c.Before.Backfills}, {"after", c.After.Backfills}} {
		for i := range of.ends {
			b, ends := &of.ends[i], "not within "+view.Plural(wishes.days, "day")
			if b.Seconds != nil {
				ends = "after " + took(*b.Seconds)
			}
			page.Linef("%s: the backfill %s ends %s", of.when, streamName(several, b.Organization, b.Service, b.Resource), ends)
		}
	}
	page.Linef("\nIn all %.0f calls a day before, %.0f after.", c.CallsBefore, c.CallsAfter)
	if len(c.Worse) == 0 {
		page.Linef("Nothing is worse than the tolerance of a tenth of freshness and a twentieth of calls.")
		return
	}
	page.Linef("Worse than the tolerance:\n  %s", strings.Join(c.Worse, "\n  "))
}

// rehearsedCells are interval, median, worst age, bound and calls a day of a stream.
func rehearsedCells(s *planning.RehearsedStream) [5]string {
	if s == nil {
		return [5]string{nothing, nothing, nothing, nothing, nothing}
	}
	calls := perDay(&s.CallsPerDay)
	if s.Basis == planning.Unknown {
		calls += "?"
	}
	age := func(seconds float64) string {
		return interval(float64(time.Duration(seconds*float64(time.Second)).Round(time.Minute) / time.Second))
	}
	return [5]string{interval(s.EverySeconds), age(s.MedianSeconds), age(s.WorstSeconds), age(s.BoundSeconds), calls}
}

func serviceLine(when string, of *planning.RehearsedDay, several bool) string {
	var parts []string
	for _, class := range pipeline.Classes() {
		if n := of.ByClass[class]; n > 0 {
			parts = append(parts, fmt.Sprintf("%s %.1f", class, n))
		}
	}
	text := fmt.Sprintf("%s: %s: %.1f", when, streamName(several, of.Organization, of.Service, ""), of.CallsPerDay)
	if of.Limit > 0 {
		text += " of " + view.Count(of.Limit)
	}
	if len(parts) > 0 {
		text += " (" + strings.Join(parts, ", ") + ")"
	}
	if of.Others > 0 {
		text += fmt.Sprintf(", others %.1f", of.Others)
	}
	return text
}
