package cli

import (
	"context"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"sluice/cmd/sluice/cli/view"
	"sluice/pipeline/engine"
	"sluice/pipeline/warehouse/report"
)

func (c *cli) reopenBudgetCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "reopen ORG [service]",
		Short: "Open what upstream's answers have closed for an organization, and ask it with one call",
		Long: `Open what upstream's answers have closed for an organization, or for one of its
services and those that share its allowance: a gate behind Retry-After, a day that was
called spent, a figure that nothing is left. Streams that wait for it go on; one call asks
first, and the others wait for its answer. ORG is the organization's name, key or id in
the configuration.

Nothing is counted again: what our own count says is spent stays so, and if upstream
refuses the call that asks, what it says then holds.`,
		Example: "  sluice budget reopen acme\n  sluice budget reopen acme inventory --json",
		Args:    cobra.RangeArgs(1, 2), //nolint:mnd // the organization, and a service
		RunE: func(cmd *cobra.Command, args []string) error {
			return c.withApp(cmd.Context(), func(ctx context.Context, a *engine.App) error {
				return c.reopenBudget(ctx, a, args[0], strings.Join(args[1:], ""))
			})
		},
	}
}

// reopenedView is what was opened.
type reopenedView struct {
	Key string `json:"key"`
	// Streams is how many go on.
	Streams int `json:"streams"`
	// Gates are allowances of the minute, Days are services whose day upstream had called spent.
	Gates []string `json:"gates"`
	Days  []string `json:"days"`
}

func (c *cli) reopenBudget(ctx context.Context, a *engine.App, named, service string) error {
	o, err := chooseOrganization(a, named)
	if err != nil {
		return err
	}
	opened, woken, err := a.Reopen(ctx, o, service)
	if err != nil {
		return err
	}
	if c.json {
		return c.printer().Document(reopenedView{Key: o.Key, Streams: woken, Gates: opened.Gates, Days: opened.Days})
	}
	if len(opened.Gates)+len(opened.Days) == 0 {
		return c.printer().Line("Upstream has closed nothing of organization %s. What is spent by our own count: sluice budget", o.Name)
	}
	parts := make([]string, 0, len(opened.Gates)+len(opened.Days))
	for _, gate := range opened.Gates {
		parts = append(parts, "the allowance "+gate)
	}
	for _, day := range opened.Days {
		parts = append(parts, "the day of "+day)
	}
	return c.printer().Line("Open for organization %s: %s. One call asks first; %s that waited go on: sluice sync --org %s",
		o.Name, strings.Join(parts, ", "), view.Plural(woken, "stream"), o.Key)
}

// closedLine says which allowance upstream has closed, why, and what opens it.
func closedLine(gate report.Gate, zone *time.Location) string {
	text := "CLOSED " + gate.Organization + " " + gate.Shared + ": no call leaves until " + gate.ClosedUntil.In(zone).Format("2006-01-02 15:04 MST")
	if gate.Because != "" {
		text += ", as upstream refused one (" + gate.Because + ")"
	}
	return text + "; at once: sluice budget reopen " + gate.Organization
}

// printClosed says which allowances upstream has closed.
func (c *cli) printClosed(a *engine.App, gates []report.Gate) error {
	for _, gate := range gates {
		if gate.ClosedUntil == nil {
			continue
		}
		if err := c.printer().Line("%s", closedLine(gate, a.Zone(gate.Organization))); err != nil {
			return err
		}
	}
	return nil
}
