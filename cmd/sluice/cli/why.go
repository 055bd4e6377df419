package cli

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"sluice/cmd/sluice/cli/view"
	"sluice/cmd/sluice/cli/why"
	"sluice/pipeline"
	"sluice/pipeline/engine"
	"sluice/pipeline/planning"
	"sluice/pipeline/warehouse/capabilities"
	"sluice/pipeline/warehouse/streams"
)

// statusWhy explains streams.
func (c *cli) statusWhy(ctx context.Context, a *engine.App, names []string) error {
	selected, err := a.Select(names, "")
	if err != nil {
		return err
	}
	stands, err := a.DB.Streams(ctx, "")
	if err != nil {
		return fmt.Errorf("read the streams: %w", err)
	}
	explained, err := c.explained(ctx, a, selected, stands, a.Streams())
	if err != nil {
		return err
	}
	return c.show(explained, c.why(a, explained))
}

// explained explains those of the selected streams that are registered: without a run of this
// configuration a stream is never due. Stands are how they stand. Foreseen are the streams to plan:
// all of the services of the selected ones.
func (c *cli) explained(ctx context.Context, a *engine.App, selected []pipeline.Stream, stands []streams.Status, foreseen []pipeline.Stream,
) ([]why.Explanation, error) {
	byKey := make(map[engine.Key]streams.Status, len(stands))
	for i := range stands {
		byKey[engine.Key{Organization: stands[i].Organization, Service: stands[i].Service, Resource: stands[i].Resource}] = stands[i]
	}
	made, err := planOf(ctx, a, foreseen)
	if err != nil {
		return nil, err
	}
	plans := make(map[engine.Key]planning.StreamPlan, len(made.Streams))
	for _, plan := range made.Streams {
		plans[plan.Key] = plan
	}
	days, _, err := daysOf(ctx, a, foreseen)
	if err != nil {
		return nil, err
	}
	read, err := readings(ctx, a)
	if err != nil {
		return nil, err
	}
	explained := make([]why.Explanation, 0, len(selected))
	for _, stream := range selected {
		key := stream.Key()
		stands, registered := byKey[key]
		if !registered {
			continue
		}
		choice := a.Config.Resources[stream.Service.Name+"."+stream.Resource.Name]
		facts := why.Facts{
			Stream: stands, Class: pipeline.ClassOf(stream), Stated: choice.Stated,
			Follows: stream.Work == pipeline.WorkDetails, Hinted: stream.Work == pipeline.WorkHinted,
			Forecast: plans[key], Reading: read(stream), Now: c.env.Now(),
			Zone: a.Zone(key.Organization),
		}
		facts.Budget = whyBudget(days, key, facts.Class)
		explained = append(explained, why.Explain(facts))
	}
	return explained, nil
}

// readings says how each stream is read.
func readings(ctx context.Context, a *engine.App) (func(pipeline.Stream) why.Reading, error) {
	known, err := a.DB.AllCapabilities(ctx)
	if err != nil {
		return nil, fmt.Errorf("read what lists can do: %w", err)
	}
	late, err := a.DB.Lateness(ctx)
	if err != nil {
		return nil, fmt.Errorf("read how late records came: %w", err)
	}
	lateOf := make(map[engine.Key]*capabilities.Lateness, len(late))
	for i := range late {
		lateOf[engine.Key{Organization: late[i].Organization, Service: late[i].Service, Resource: late[i].Resource}] = &late[i]
	}
	return func(stream pipeline.Stream) why.Reading {
		key := stream.ListKey()
		return why.Read(stream, known[key], lateOf[key], pipeline.DefaultRules())
	}, nil
}

// planOf plans streams, with the figures that a command line assumes: details are forecast after
// their lists, so that a service is planned whole.
func planOf(ctx context.Context, a *engine.App, streams []pipeline.Stream, assumed ...string) (planning.Plan, error) {
	var input planning.Input
	var err error
	if input.Streams, err = a.Foresee(ctx, streams); err != nil {
		return planning.Plan{}, err
	}
	if err := assume(input.Streams, assumed); err != nil {
		return planning.Plan{}, err
	}
	if input.Services, err = a.Allowances(ctx, streams); err != nil {
		return planning.Plan{}, err
	}
	return planning.Make(input), nil
}

// whyBudget is the budget of a stream's calls.
func whyBudget(days []serviceDay, key engine.Key, class pipeline.Class) why.Budget {
	at := slices.IndexFunc(days, func(d serviceDay) bool { return d.Organization == key.Organization && d.Service == key.Service })
	if at < 0 {
		return why.Budget{}
	}
	service := &days[at]
	budget := why.Budget{Limited: service.Limit > 0, Left: service.Left, ExhaustedUntil: service.ExhaustedUntil}
	if service.Gate != nil {
		budget.Gate = *service.Gate
	}
	for _, of := range service.Classes {
		if of.Class == class {
			budget.Spent, budget.Ceiling = of.Spent, of.Ceiling
			continue
		}
		budget.Kept += of.Reserved - of.Lent
	}
	return budget
}

func (c *cli) why(a *engine.App, explained []why.Explanation) view.Text {
	return func(page *view.Page) {
		for i := range explained {
			e := &explained[i]
			name := e.Service + "." + e.Resource
			if manyOrganizations(a) {
				name = e.Organization + " " + name
			}
			page.Linef("%s: every %s, %s\n  due: %s", name, why.Span(e.EverySeconds), e.Why, c.due(e))
			for _, delay := range e.Delays {
				page.Linef("  now: %s", delay)
			}
			for _, line := range e.Reading.Lines() {
				page.Linef("  %s", line)
			}
			if e.Told != "" {
				page.Linef("  notifications: %s", e.Told)
			}
			if e.Proof != "" {
				page.Linef("  proof of the last run: %s", e.Proof)
			}
			if e.Counted != nil {
				page.Linef("  counted: %s", countedText(e.Counted, a.Zone(e.Organization)))
			}
			page.Linef("  expected: %s", expected(&e.Forecast))
		}
	}
}

// countedText is upstream's last count in words: by upstream 2,240, here 2,239 …
func countedText(count *streams.Count, zone *time.Location) string {
	if count == nil {
		return ""
	}
	text := fmt.Sprintf("%s by upstream at %s, ", view.Count(count.Upstream), view.Minute(count.At, zone))
	switch {
	case count.Ours == nil:
		text += "and how many of these are here is uncertain"
	case count.Missing() == 0:
		text += "as many as here"
	default:
		text += view.Count(*count.Ours) + " here"
	}
	if sums := sumsText(count); sums != "" {
		text += "; sums: " + sums
	}
	switch {
	case count.Ours != nil && count.Missing() == 0 && len(count.Unequal()) == 0:
		return text
	case count.AgreedAt == nil:
		return text + "; they never agreed"
	default:
		return text + "; they agreed last at " + view.Minute(*count.AgreedAt, zone)
	}
}

// sumsText is upstream's last sums in words: those that differ, or the names of all.
func sumsText(count *streams.Count) string {
	var differ []string
	for _, column := range count.Unequal() {
		differ = append(differ, fmt.Sprintf("%s %s, here %s", column, count.Sums[column].Upstream, count.Sums[column].Ours))
	}
	if len(differ) == 0 && len(count.Sums) > 0 {
		return "equal (" + strings.Join(slices.Sorted(maps.Keys(count.Sums)), ", ") + ")"
	}
	return strings.Join(differ, "; ")
}

func (c *cli) due(e *why.Explanation) string {
	switch left := e.NextDueAt.Sub(c.env.Now()); {
	case e.State == string(pipeline.StateDenied):
		return "when asked for"
	case left > 0:
		return "in " + why.Span(left.Seconds())
	default:
		return "now"
	}
}

// expected says how many calls runs take.
func expected(f *why.Forecast) string {
	if f.Calls == nil {
		return "unknown until it was read once"
	}
	text := fmt.Sprintf("%s for the next run (%s)", view.Plural(*f.Calls, "call"), f.Basis)
	if f.CallsPerDay != nil {
		text += fmt.Sprintf(", %s a day, a change is here within %s", view.Count(int(*f.CallsPerDay+0.5)), why.Span(f.FreshSeconds)) //nolint:mnd // rounded
	}
	return text
}
