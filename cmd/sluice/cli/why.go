package cli

import (
	"context"
	"fmt"
	"strings"

	"sluice/cmd/sluice/cli/view"
	"sluice/cmd/sluice/cli/why"
	"sluice/pipeline"
	"sluice/pipeline/engine"
	"sluice/pipeline/planning"
	"sluice/pipeline/warehouse/report"
)

// statusWhy explains streams.
func (c *cli) statusWhy(ctx context.Context, a *engine.App, names []string) error {
	streams, err := a.Select(names, "")
	if err != nil {
		return err
	}
	stands, err := a.Report.Streams(ctx, "")
	if err != nil {
		return fmt.Errorf("read the streams: %w", err)
	}
	byKey := make(map[engine.Key]report.Stream, len(stands))
	for i := range stands {
		byKey[engine.Key{Organization: stands[i].Organization, Service: stands[i].Service, Resource: stands[i].Resource}] = stands[i]
	}
	plans, err := c.foreseen(ctx, a)
	if err != nil {
		return err
	}
	budgets, err := whyBudgets(ctx, a)
	if err != nil {
		return err
	}
	read, err := readings(ctx, a)
	if err != nil {
		return err
	}
	explained := make([]why.Explanation, 0, len(streams))
	for _, stream := range streams {
		key := stream.Key()
		stands, registered := byKey[key]
		if !registered {
			continue // it never will be without a run of this configuration
		}
		choice := a.Config.Resources[stream.Service.Name+"."+stream.Resource.Name]
		facts := why.Facts{
			Stream: stands, Class: pipeline.ClassOf(stream), Stated: choice.Stated, Freshness: choice.Freshness, Ceiling: choice.Ceiling,
			Follows: stream.Work == pipeline.WorkDetails, Forecast: plans[key], Reading: read(stream), Now: c.env.Now(),
			Zone: a.Zone(key.Organization),
		}
		if facts.Follows {
			facts.Freshness = 0 // the target is that of the list
		}
		facts.Budget = budgets.of(key, facts.Class)
		explained = append(explained, why.Explain(facts))
	}
	if c.json {
		return c.printer().Document(explained)
	}
	return c.printWhy(a, explained)
}

// readings says of each stream how it is read.
func readings(ctx context.Context, a *engine.App) (func(pipeline.Stream) why.Reading, error) {
	known, err := a.Report.Capabilities(ctx)
	if err != nil {
		return nil, fmt.Errorf("read what lists can do: %w", err)
	}
	late, err := a.Report.Lateness(ctx)
	if err != nil {
		return nil, fmt.Errorf("read how late records came: %w", err)
	}
	lateOf := make(map[engine.Key]*report.Lateness, len(late))
	for i := range late {
		lateOf[engine.Key{Organization: late[i].Organization, Service: late[i].Service, Resource: late[i].Resource}] = &late[i]
	}
	return func(stream pipeline.Stream) why.Reading {
		key := stream.ListKey()
		return why.Read(stream, known[key], lateOf[key], pipeline.DefaultRules())
	}, nil
}

// foreseen forecasts all streams: details are forecast behind their lists.
func (c *cli) foreseen(ctx context.Context, a *engine.App) (map[engine.Key]planning.StreamPlan, error) {
	streams := a.Streams()
	var input planning.Input
	var err error
	if input.Streams, err = a.Foresee(ctx, streams); err != nil {
		return nil, err
	}
	if input.Services, err = a.Allowances(ctx, streams); err != nil {
		return nil, err
	}
	plans := make(map[engine.Key]planning.StreamPlan)
	for _, plan := range planning.Make(input).Streams {
		plans[plan.Key] = plan
	}
	return plans, nil
}

// heldAgainst is what delays may come from, by organization and service.
type heldAgainst map[engine.Key]heldService

type heldService struct {
	serviceDay

	budget report.Budget
	gate   report.Gate
}

func whyBudgets(ctx context.Context, a *engine.App) (heldAgainst, error) {
	gates, err := a.Report.Gates(ctx)
	if err != nil {
		return nil, fmt.Errorf("read the gates: %w", err)
	}
	days, err := daysOf(ctx, a)
	if err != nil {
		return nil, err
	}
	held := make(heldAgainst, len(days))
	for i := range days {
		organization, service := days[i].Organization, days[i].Service
		of := heldService{serviceDay: days[i]}
		if of.budget, err = a.Report.BudgetLeft(ctx, organization, service); err != nil {
			return nil, fmt.Errorf("read the budget: %w", err)
		}
		limits, err := a.Limits(organization, service)
		if err != nil {
			return nil, err
		}
		for _, gate := range gates {
			if gate.Organization == organization && gate.Shared == limits.Shared {
				of.gate = gate
			}
		}
		held[engine.Key{Organization: organization, Service: service}] = of
	}
	return held, nil
}

// of is what the calls of a stream are held against.
func (h heldAgainst) of(key engine.Key, class pipeline.Class) why.Budget {
	service := h[engine.Key{Organization: key.Organization, Service: key.Service}]
	budget := why.Budget{
		Limited: service.Limit > 0, Left: service.Left, ExhaustedUntil: service.budget.ExhaustedUntil, Gate: service.gate,
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

func (c *cli) printWhy(a *engine.App, explained []why.Explanation) error {
	p := c.printer()
	for i := range explained {
		e := &explained[i]
		name := e.Service + "." + e.Resource
		if len(a.Config.Organizations) > 1 {
			name = e.Organization + " " + name
		}
		lines := []string{
			fmt.Sprintf("%s: every %s, %s", name, why.Span(e.EverySeconds), e.Why),
			"  due: " + c.due(e),
		}
		for _, delay := range e.Delays {
			lines = append(lines, "  now: "+delay)
		}
		for _, line := range e.Reading.Lines() {
			lines = append(lines, "  "+line)
		}
		lines = append(lines, "  expected: "+expected(&e.Forecast))
		if err := p.Line("%s", strings.Join(lines, "\n")); err != nil {
			return err
		}
	}
	return nil
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

// expected says what runs take.
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
