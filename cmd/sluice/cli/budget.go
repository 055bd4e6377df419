package cli

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"sluice/cmd/sluice/cli/view"
	"sluice/pipeline"
	"sluice/pipeline/engine"
	"sluice/pipeline/warehouse/report"
)

func (c *cli) budgetCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "budget",
		Short: "Show what today's calls were spent on, what is kept for whom, and when they run out",
		Long: `Show the day of every organization's services: calls spent by class of work, what
is kept for a class (its floor), what of that is lent to others at the moment, what
others spent outside of this program, what is left, and when it runs out at the
pace of the last hour. Floors and ceilings are shares of the plan's daily limit. What
upstream's answers have closed is named with the time and the reason; reopen opens it.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return c.withApp(cmd.Context(), c.budget)
		},
	}
	cmd.AddCommand(c.reopenBudgetCommand())
	return cmd
}

// classDay is what a class of work has of a service's day, in calls.
type classDay struct {
	Class   pipeline.Class `json:"class"`
	Spent   int64          `json:"spent"`
	Floor   int64          `json:"floor"`
	Ceiling int64          `json:"ceiling"`
	// Reserved is what the class has not spent of its floor; Lent is how much of that others have at the moment, which
	// comes back as their calls leave the day.
	Reserved int64 `json:"reserved"`
	Lent     int64 `json:"lent"`
}

// serviceDay is a service's day. Limit and Left are zero where nothing limits it.
type serviceDay struct {
	Organization string     `json:"organization"`
	Service      string     `json:"service"`
	Limit        int64      `json:"limit"`
	Left         int64      `json:"left"`
	Classes      []classDay `json:"classes"`
	// RunsOutAt is when nothing will be left at the pace of the last hour; nil if calls come back sooner.
	RunsOutAt *time.Time `json:"runs_out_at"`
	// Rules are what the configuration and the plan say of the allowance.
	Rules allowanceRules `json:"rules"`
	// Gate is the allowance that it shares with other services, where upstream has closed or narrowed it; ExhaustedUntil is until
	// when upstream calls the day spent.
	Gate           *report.Gate `json:"gate,omitempty"`
	ExhaustedUntil *time.Time   `json:"exhausted_until,omitempty"`

	report.Day
}

func (c *cli) budget(ctx context.Context, a *engine.App) error {
	days, err := daysOf(ctx, a)
	if err != nil {
		return err
	}
	gates, err := a.Report.Gates(ctx)
	if err != nil {
		return fmt.Errorf("read the gates: %w", err)
	}
	if err := closings(ctx, a, days, gates); err != nil {
		return err
	}
	if c.json {
		return c.printer().Document(days)
	}
	return errors.Join(c.printBudget(a, days), c.printClosed(a, gates))
}

// closings notes in days what upstream has closed.
func closings(ctx context.Context, a *engine.App, days []serviceDay, gates []report.Gate) error {
	for i := range days {
		day := &days[i]
		limits, err := a.Limits(day.Organization, day.Service)
		if err != nil {
			return err
		}
		for g := range gates {
			if gates[g].Organization == day.Organization && gates[g].Shared == limits.Shared {
				day.Gate = &gates[g]
			}
		}
		budget, err := a.Report.BudgetLeft(ctx, day.Organization, day.Service)
		if err != nil {
			return fmt.Errorf("read the budget: %w", err)
		}
		day.ExhaustedUntil = budget.ExhaustedUntil
	}
	return nil
}

// daysOf gives the day of each configured service.
func daysOf(ctx context.Context, a *engine.App) ([]serviceDay, error) {
	var days []serviceDay
	seen := make(map[string]bool)
	for _, stream := range a.Streams() {
		organization, service := stream.Organization, stream.Service.Name
		if seen[organization+"/"+service] {
			continue
		}
		seen[organization+"/"+service] = true
		limits, err := a.Limits(organization, service)
		if err != nil {
			return nil, err
		}
		day, err := a.Report.Day(ctx, organization, service, limits)
		if err != nil {
			return nil, fmt.Errorf("read the budget: %w", err)
		}
		view := dayOf(organization, service, limits, day)
		view.Rules = rulesOf(limits, a.SharedWith(organization, service))
		days = append(days, view)
	}
	return days, nil
}

// dayOf holds what was spent against the limits.
func dayOf(organization, service string, limits pipeline.Limits, day report.Day) serviceDay {
	view := serviceDay{Organization: organization, Service: service, Limit: int64(limits.Daily), Day: day}
	shares := limits.Shares
	if shares == nil {
		shares = pipeline.DefaultShares()
	}
	view.Left = max(0, view.Limit-day.Spent)
	if day.SeenLeft != nil && (view.Limit == 0 || *day.SeenLeft < view.Left) {
		view.Left = *day.SeenLeft
	}
	var reserved int64
	for _, class := range pipeline.Classes() {
		share := shares[class]
		of := classDay{Class: class, Spent: day.ByClass[class], Ceiling: view.Limit, Floor: int64(share.Floor * float64(view.Limit))}
		if share.Ceiling > 0 {
			of.Ceiling = int64(share.Ceiling * float64(view.Limit))
		}
		of.Reserved = max(0, of.Floor-of.Spent)
		reserved += of.Reserved
		view.Classes = append(view.Classes, of)
	}
	// What is reserved and yet not there was lent, by all floors alike.
	if lent := reserved - view.Left; lent > 0 {
		for i := range view.Classes {
			view.Classes[i].Lent = view.Classes[i].Reserved * lent / reserved
		}
	}
	view.RunsOutAt = runsOut(&view)
	return view
}

// runsOut says when a service has nothing left at the pace of the last hour, if that is before calls come back.
func runsOut(view *serviceDay) *time.Time {
	if view.LastHour == 0 || view.Limit == 0 && view.SeenLeft == nil {
		return nil
	}
	at := view.At.Add(time.Duration(float64(view.Left) / float64(view.LastHour) * float64(time.Hour)))
	back := view.At.Add(24 * time.Hour)
	if view.Turn != nil {
		back = *view.Turn
	}
	if !at.Before(back) {
		return nil
	}
	return &at
}

func (c *cli) printBudget(a *engine.App, days []serviceDay) error {
	p := c.printer()
	var rows [][]string
	for i := range days {
		for _, of := range days[i].Classes {
			rows = append(rows, []string{
				days[i].Organization, days[i].Service, string(of.Class), view.Count(of.Spent), view.Count(of.Floor),
				view.Count(of.Ceiling), view.Count(of.Reserved), view.Count(of.Lent),
			})
		}
	}
	header := []string{headOrganization, "SERVICE", "CLASS", "SPENT", "FLOOR", "CEILING", "RESERVED", "LENT"}
	if err := p.Table(header, rows); err != nil {
		return err
	}
	for i := range days {
		if err := p.Line("%s\n  in force: %s", budgetLine(&days[i], a.Zone(days[i].Organization)), days[i].Rules); err != nil {
			return err
		}
	}
	return nil
}

// budgetLine says in words what a service's day has come to.
func budgetLine(day *serviceDay, zone *time.Location) string {
	text := fmt.Sprintf("%s %s: %s spent", day.Organization, day.Service, view.Plural(day.Spent, "call"))
	if day.External != nil {
		text += fmt.Sprintf(", %s by others", view.Count(*day.External))
	}
	if day.Limit > 0 || day.SeenLeft != nil {
		text += fmt.Sprintf(", %s left", view.Count(day.Left))
	}
	if day.Limit > 0 {
		text += " of " + view.Count(day.Limit)
	}
	text += fmt.Sprintf("; %s in the last hour", view.Count(day.LastHour))
	if day.RunsOutAt != nil {
		text += ", at this pace nothing is left at " + day.RunsOutAt.In(zone).Format("2006-01-02 15:04 MST")
	}
	if day.ExhaustedUntil != nil {
		text += ", spent by upstream's word until " + day.ExhaustedUntil.In(zone).Format("2006-01-02 15:04 MST") + "; sluice budget reopen ORG asks at once"
	}
	return text
}
