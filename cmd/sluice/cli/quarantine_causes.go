package cli

import (
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"sluice/cmd/sluice/cli/view"
	"sluice/pipeline/engine"
	"sluice/pipeline/warehouse/quarantine"
)

// mostCauses bounds how many causes are listed. There are few: a resource has some columns.
const mostCauses = 500

func (c *cli) quarantineCauses() *cobra.Command {
	var flags quarantineFlags
	cmd := &cobra.Command{
		Use:   "causes [resource]",
		Short: "Sum up why records are in quarantine: new causes first, then the largest",
		Long: `Sum up open entries by what they have in common: the list, the reason and the field.
Causes that first came within a day stand first, then those with the most entries.`,
		Example: "  sluice quarantine causes\n  sluice quarantine causes inventory.bills",
		Args:    cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			flags.resource = strings.Join(args, "")
			return c.withApp(cmd.Context(), func(ctx context.Context, a *engine.App) error {
				filter, err := flags.filter(c, a, false)
				if err != nil {
					return err
				}
				causes, err := causesOf(ctx, a, filter)
				if err != nil {
					return err
				}
				const head = "STREAM  " + headOrganization + "  CODE  FIELD  ENTRIES  FIRST SEEN  LAST SEEN  EXAMPLE"
				return c.show(causes, view.Table(causes, head, func(g *quarantine.Cause) view.Row {
					zone := a.Zone(g.Organization)
					return view.Row{
						g.Service + "." + g.Resource, g.Organization, g.Code, g.Field, g.Entries,
						view.Minute(g.FirstSeenAt, zone), view.Minute(g.LastSeenAt, zone), view.ID(g.Example),
					}
				}).Or("Nothing is in quarantine."))
			})
		},
	}
	flags.organization.add(cmd)
	cmd.Flags().StringVar(&flags.code, "code", "", "only entries with this reason, such as bad_time")
	return cmd
}

// causesOf sums up the open entries that a filter selects.
func causesOf(ctx context.Context, a *engine.App, filter quarantine.Filter) ([]quarantine.Cause, error) {
	filter.Limit = mostCauses
	causes, err := a.DB.Causes(ctx, filter)
	if err != nil {
		return nil, fmt.Errorf("sum up the quarantine: %w", err)
	}
	return causes, nil
}
