package cli

import (
	"context"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"sluice/cmd/sluice/cli/view"
	"sluice/pipeline/engine"
	"sluice/pipeline/warehouse/calls"
)

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
	// Gates are allowances of a minute; Days are services whose day upstream had said to be spent.
	Gates []string `json:"gates"`
	Days  []string `json:"days"`
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
	return c.show(reopenedView{Key: o.Key, Streams: woken, Gates: opened.Gates, Days: opened.Days}, said)
}

// closed says which allowances upstream has closed, why, and which command opens them.
func closed(a *engine.App, gates []calls.Gate) view.Text {
	return func(page *view.Page) {
		for _, gate := range gates {
			if gate.ClosedUntil != nil {
				page.Linef("%s", closedLine(gate, a.Zone(gate.Organization)))
			}
		}
	}
}

func closedLine(gate calls.Gate, zone *time.Location) string {
	text := "CLOSED " + gate.Organization + " " + gate.Shared + ": no call leaves until " + view.Minute(*gate.ClosedUntil, zone)
	if gate.Reason != "" {
		text += ", as upstream refused one (" + gate.Reason + ")"
	}
	return text + "; at once: sluice budget reopen " + gate.Organization
}
