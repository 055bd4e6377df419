package cli

import (
	"cmp"
	"context"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"sluice/cmd/sluice/cli/view"
	"sluice/pipeline/engine"
	"sluice/pipeline/warehouse/actions"
	"sluice/pipeline/warehouse/streams"
)

func (c *cli) runsCommand() *cobra.Command {
	var filter streams.RunFilter
	var byOperators bool
	var before int64
	cmd := &cobra.Command{
		Use:   "runs [resource]",
		Short: "List the last runs: what each read, wrote and spent",
		Long: `List the last runs, newest first. SILENT are those of the changed records whose
modification time stayed what it was: only runs that read a whole list find such.

With --actions, list what operators did in the console: who, what, to what, and the
error if it failed. --json has the state before and after, too. What commands do stands
in no such list.`,
		Example: "  sluice runs inventory.bills --limit 5\n  sluice runs --actions",
		Args:    cobra.MaximumNArgs(1),
		RunE: c.offlineWork(func(ctx context.Context, a *engine.App, args []string) error {
			switch {
			case byOperators && len(args) > 0:
				return usage("runs: --actions goes with no resource")
			case byOperators:
				return c.actions(ctx, a, actions.Filter{Limit: filter.Limit, Before: before})
			case before != 0:
				return usage("runs: --before goes with --actions")
			}
			if len(args) == 1 {
				filter.Service, filter.Resource = splitName(args[0])
			}
			return c.runs(ctx, a, filter)
		}),
	}
	cmd.Flags().IntVar(&filter.Limit, "limit", 20, "how many runs or actions")
	cmd.Flags().BoolVar(&byOperators, "actions", false, "what operators did in the console")
	cmd.Flags().Int64Var(&before, "before", 0, "with --actions: only those before the action with this number")
	return cmd
}

// actions shows what operators did in the console.
func (c *cli) actions(ctx context.Context, a *engine.App, filter actions.Filter) error {
	done, err := actions.List(ctx, a.DB.Pool(), filter)
	if err != nil {
		return err
	}
	return c.show(done, view.Table(done, "ACTION  WHEN  WHO  WHAT  TARGET  "+headOrganization+"  OUTCOME  ERROR", func(d *actions.Action) view.Row {
		return view.Row{
			d.ID, view.Instant(&d.At, zoneOf(a, d.Organization)), d.Actor, d.Action, d.Target, d.Organization, string(d.Outcome), string(d.Error),
		}
	}))
}

// zoneOf is the zone of an organization, or UTC for none and for one that is not configured.
func zoneOf(a *engine.App, organization string) *time.Location {
	if organization == "" || a.Organization(organization) == nil {
		return time.UTC
	}
	return a.Zone(organization)
}

func (c *cli) runs(ctx context.Context, a *engine.App, filter streams.RunFilter) error {
	runs, err := a.DB.Runs(ctx, filter)
	if err != nil {
		return fmt.Errorf("read the runs: %w", err)
	}
	const head = "RUN  STREAM  STARTED  TIME  OUTCOME  READ  NEW  CHANGED  SILENT  QUARANTINED  CALLS  FORECAST  NOTE"
	return c.show(runs, view.Table(runs, head, func(r *streams.Run) view.Row {
		return view.Row{
			r.ID, r.Service + "." + r.Resource, view.Instant(&r.StartedAt, a.Zone(r.Organization)), view.Seconds(r.Seconds),
			cmp.Or(r.Outcome, "open"), r.Received, r.Inserted, r.Updated, r.Silent, r.Quarantined, r.Calls, foreseen(r), r.Note,
		}
	}))
}

// foreseen is how many calls a run was expected to make, and how many more or fewer it made: "200
// +4".
func foreseen(r *streams.Run) string {
	if r.Forecast == nil {
		return "-"
	}
	text := view.Count(*r.Forecast)
	if off := r.Calls - *r.Forecast; r.Outcome != "" && off != 0 {
		text += fmt.Sprintf(" %+d", off)
	}
	return text
}
