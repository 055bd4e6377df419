package cli

import (
	"cmp"
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"sluice/cmd/sluice/cli/view"
	"sluice/pipeline/engine"
	"sluice/pipeline/warehouse/streams"
)

func (c *cli) runsCommand() *cobra.Command {
	var filter streams.RunFilter
	cmd := &cobra.Command{
		Use:   "runs [resource]",
		Short: "List the last runs: what each read, wrote and spent",
		Long: `List the last runs, newest first. SILENT are those of the changed records whose
modification time stayed what it was: only runs that read a whole list find such.`,
		Example: "  sluice runs inventory.bills --limit 5",
		Args:    cobra.MaximumNArgs(1),
		RunE: c.offlineWork(func(ctx context.Context, a *engine.App, args []string) error {
			if len(args) == 1 {
				filter.Service, filter.Resource = splitName(args[0])
			}
			return c.runs(ctx, a, filter)
		}),
	}
	cmd.Flags().IntVar(&filter.Limit, "limit", 20, "how many runs")
	return cmd
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
