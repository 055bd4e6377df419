package cli

import (
	"context"
	"time"

	"github.com/spf13/cobra"

	"sluice/cmd/sluice/cli/view"
	"sluice/pipeline/engine"
	"sluice/pipeline/warehouse/actions"
)

func (c *cli) actionsCommand() *cobra.Command {
	filter := actions.Filter{}
	cmd := &cobra.Command{
		Use:   "actions",
		Short: "List what operators did in the console, and what became of it",
		Long: `List what operators did in the console, newest first: who, what, to what, and the error
if it failed. --json has the state before and after, too. What commands do stands in no
such list.`,
		Args: cobra.NoArgs,
		RunE: c.offlineWork(func(ctx context.Context, a *engine.App, _ []string) error {
			done, err := actions.List(ctx, a.DB.Pool(), filter)
			if err != nil {
				return err
			}
			return c.show(done, view.Table(done, "ACTION  WHEN  WHO  WHAT  TARGET  "+headOrganization+"  OUTCOME  ERROR", func(d *actions.Action) view.Row {
				return view.Row{
					d.ID, view.Instant(&d.At, zoneOf(a, d.Organization)), d.Actor, d.Action, d.Target, d.Organization, string(d.Outcome), string(d.Error),
				}
			}))
		}),
	}
	cmd.Flags().IntVar(&filter.Limit, "limit", pageRows, "how many actions")
	cmd.Flags().Int64Var(&filter.Before, "before", 0, "only those before the action with this number")
	return cmd
}

// zoneOf is the zone of an organization, or UTC for none and for one that is not configured.
func zoneOf(a *engine.App, organization string) *time.Location {
	if organization == "" || a.Organization(organization) == nil {
		return time.UTC
	}
	return a.Zone(organization)
}
