package cli

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"sluice/cmd/sluice/cli/view"
	"sluice/pipeline"
	"sluice/pipeline/engine"
	"sluice/pipeline/planning"
	"sluice/pipeline/warehouse/calls"
)

func (c *cli) budgetCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "budget [ORG]",
		Short: "Show what today's calls were spent on, what is kept for each class, and when they run out",
		Long: `Show the day of every organization's services: calls spent by class of work, what
is kept for a class (its floor), what of that is lent to other classes now, what
other clients of the organization spent, what is left, and when it runs out at the
pace of the last hour. Floors and ceilings are shares of the plan's daily limit. What
upstream's answers have closed is named with the time and the reason; reopen opens it.

What the schedule takes of a day, and what a day of the last week took, is in sluice plan.`,
		Example: "  sluice budget\n  sluice budget acme",
		Args:    cobra.MaximumNArgs(1),
		RunE:    c.offlineWork(c.budget),
	}
	cmd.AddCommand(c.reopenBudgetCommand())
	return cmd
}

// serviceDay is a service's day.
type serviceDay struct {
	Organization string `json:"organization"`
	Service      string `json:"service"`

	planning.DayLeft

	// Rules are what the configuration and the plan say of the allowance.
	Rules allowanceRules `json:"rules"`
	// Gate is the service's allowance, which other services may share, if upstream has closed or
	// narrowed it. ExhaustedUntil is until when upstream says that the day is spent.
	Gate           *calls.Gate `json:"gate,omitempty"`
	ExhaustedUntil *time.Time  `json:"exhausted_until,omitempty"`

	calls.Day
}

func (c *cli) budget(ctx context.Context, a *engine.App, args []string) error {
	streams := a.Streams()
	if len(args) > 0 {
		o, err := a.ChooseOrganization(args[0])
		if err != nil {
			return err
		}
		streams = slices.DeleteFunc(slices.Clone(streams), func(s pipeline.Stream) bool { return s.Organization != o.Key })
	}
	days, gates, err := daysOf(ctx, a, streams)
	if err != nil {
		return err
	}
	return c.show(days, textOfDays(a, days), closed(a, gates))
}

// accounts are the services of the organizations of streams, each once.
func accounts(of []pipeline.Stream) []engine.QuotaKey {
	var found []engine.QuotaKey
	for _, stream := range of {
		of := engine.QuotaKey{Organization: stream.Organization, Service: stream.Service.Name}
		if !slices.Contains(found, of) {
			found = append(found, of)
		}
	}
	return found
}

// daysOf gives the day of each service of streams, with its gate, and all gates.
func daysOf(ctx context.Context, a *engine.App, streams []pipeline.Stream) ([]serviceDay, []calls.Gate, error) {
	gates, err := a.DB.Gates(ctx)
	if err != nil {
		return nil, nil, fmt.Errorf("read the gates: %w", err)
	}
	var days []serviceDay
	for _, of := range accounts(streams) {
		limits, err := a.Limits(of.Organization, of.Service)
		if err != nil {
			return nil, nil, err
		}
		spent, err := a.DB.Day(ctx, of.Organization, of.Service, limits)
		if err != nil {
			return nil, nil, fmt.Errorf("read the budget: %w", err)
		}
		left, err := a.DB.BudgetLeft(ctx, of.Organization, of.Service)
		if err != nil {
			return nil, nil, fmt.Errorf("read the budget: %w", err)
		}
		day := serviceDay{
			Organization: of.Organization, Service: of.Service, DayLeft: planning.LeftOf(limits, &spent), Day: spent,
			Rules: rulesOf(limits, a.SharedWith(of.Organization, of.Service)), ExhaustedUntil: left.ExhaustedUntil,
		}
		for g := range gates {
			if gates[g].Organization == of.Organization && gates[g].Shared == limits.Shared {
				day.Gate = &gates[g]
			}
		}
		days = append(days, day)
	}
	return days, gates, nil
}

func textOfDays(a *engine.App, days []serviceDay) view.Text {
	return func(page *view.Page) {
		var rows []view.Row
		for i := range days {
			for _, of := range days[i].Classes {
				rows = append(rows, view.Row{
					days[i].Organization, days[i].Service, of.Class, of.Spent, of.Floor, of.Ceiling, of.Reserved, of.Lent,
				})
			}
		}
		page.Add(view.TableOf(headOrganization+"  SERVICE  CLASS  SPENT  FLOOR  CEILING  RESERVED  LENT", rows))
		for i := range days {
			page.Linef("%s\n  in force: %s", budgetLine(&days[i], a.Zone(days[i].Organization)), days[i].Rules)
		}
	}
}

// budgetLine is a sentence about a service's day.
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
		text += ", at this pace nothing is left at " + view.Minute(*day.RunsOutAt, zone)
	}
	if day.ExhaustedUntil != nil {
		text += ", spent by upstream's word until " + view.Minute(*day.ExhaustedUntil, zone) + "; sluice budget reopen ORG asks at once"
	}
	return text
}

func (c *cli) reopenBudgetCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "reopen ORG [service]",
		Short: "Open what upstream's answers have closed for an organization, and ask it with one call",
		Long: `Open what upstream's answers have closed for an organization, or for one of its
services and those that share its allowance: a gate closed by Retry-After, a day that
upstream called spent, or headers that said no call is left. Streams that wait for it go
on; one call asks first, and the others wait for its answer. ORG is the organization's
name, key or id in the configuration.

The counts of the call log stay as they are. If upstream refuses the call that asks, its
new answer counts.`,
		Example: "  sluice budget reopen acme\n  sluice budget reopen acme inventory --json",
		Args:    cobra.RangeArgs(1, 2), //nolint:mnd // the organization, and a service
		RunE:    c.offlineWork(c.reopenBudget),
	}
}

// reopenedView is what budget reopen opened.
type reopenedView struct {
	Key string `json:"key"`
	// Streams is how many streams go on.
	Streams int `json:"streams"`
	calls.Reopened
}

func (c *cli) reopenBudget(ctx context.Context, a *engine.App, args []string) error {
	o, err := a.ChooseOrganization(args[0])
	if err != nil {
		return err
	}
	opened, woken, err := a.Reopen(ctx, o, strings.Join(args[1:], ""))
	if err != nil {
		return err
	}
	said := view.Line("Upstream has closed nothing of organization %s. What is spent by our own count: sluice budget", o.Name)
	var parts []string
	for _, gate := range opened.Gates {
		parts = append(parts, "the allowance "+gate)
	}
	for _, day := range opened.Days {
		parts = append(parts, "the day of "+day)
	}
	if len(parts) > 0 {
		said = view.Line("Open for organization %s: %s. One call asks first; %s that waited go on: sluice sync --org %s",
			o.Name, strings.Join(parts, ", "), view.Plural(woken, "stream"), o.Key)
	}
	return c.show(reopenedView{Key: o.Key, Streams: woken, Reopened: opened}, said)
}

// closed says which allowances upstream has closed, why, and which command opens them.
func closed(a *engine.App, gates []calls.Gate) view.Text {
	return func(page *view.Page) {
		for _, gate := range gates {
			if gate.ClosedUntil == nil {
				continue
			}
			why := ""
			if gate.Reason != "" {
				why = ", as upstream refused one (" + gate.Reason + ")"
			}
			page.Linef("CLOSED %[1]s %s: no call leaves until %s%s; at once: sluice budget reopen %[1]s",
				gate.Organization, gate.Shared, view.Minute(*gate.ClosedUntil, a.Zone(gate.Organization)), why)
		}
	}
}

// allowanceRules are the limits of a service's calls, by plan and configuration.
type allowanceRules struct {
	// PerMinute and Concurrent are shared with SharedWith, other services of the organization.
	PerMinute  int      `json:"per_minute"`
	Concurrent int      `json:"concurrent"`
	Daily      int      `json:"daily"`
	SharedWith []string `json:"shared_with"`
	// ResetZone and ResetHour are when the day begins anew; ResetZone is empty if the day is the
	// last 24 hours.
	ResetZone string `json:"reset_zone,omitempty"`
	ResetHour int    `json:"reset_hour,omitempty"`
}

func rulesOf(limits pipeline.Limits, with []string) allowanceRules {
	if with == nil {
		with = []string{}
	}
	return allowanceRules{
		PerMinute: limits.PerMinute, Concurrent: limits.Concurrent, Daily: limits.Daily, SharedWith: with,
		ResetZone: limits.ResetZone, ResetHour: limits.ResetHour,
	}
}

// serviceRules are the rules of one service.
type serviceRules struct {
	Organization string `json:"organization"`
	Service      string `json:"service"`
	allowanceRules
}

// String writes the rules in words: "2,500 calls in any 24 hours, 100 a minute and 10 at once
// together with accounting".
func (r allowanceRules) String() string {
	var parts []string
	switch {
	case r.Daily == 0:
		parts = append(parts, "no daily limit")
	case r.ResetZone != "":
		parts = append(parts, fmt.Sprintf("%s calls a day, which turns at %02d:00 %s", view.Count(r.Daily), r.ResetHour, r.ResetZone))
	default:
		parts = append(parts, view.Count(r.Daily)+" calls in any 24 hours")
	}
	var rates []string
	if r.PerMinute > 0 {
		rates = append(rates, view.Count(r.PerMinute)+" a minute")
	}
	if r.Concurrent > 0 {
		rates = append(rates, view.Count(r.Concurrent)+" at once")
	}
	if len(rates) > 0 {
		text := strings.Join(rates, " and ")
		if len(r.SharedWith) > 0 {
			text += " together with " + strings.Join(r.SharedWith, ", ")
		}
		parts = append(parts, text)
	}
	return strings.Join(parts, ", ")
}
