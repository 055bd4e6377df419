package cli

import (
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"sluice/cmd/sluice/cli/view"
	"sluice/pipeline/engine"
	"sluice/pipeline/warehouse/report"
)

func (c *cli) runsCommand() *cobra.Command {
	var limit int
	cmd := &cobra.Command{
		Use:   "runs [resource]",
		Short: "List the last runs: what each read, wrote and spent",
		Long: `List the last runs, newest first. SILENT are those of the changed records whose
modification time stayed what it was: only runs that read a whole list find such.`,
		Example: "  sluice runs inventory.bills --limit 5",
		Args:    cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			filter := report.RunFilter{Limit: limit}
			if len(args) == 1 {
				filter.Service, filter.Resource = splitName(args[0])
			}
			return c.withApp(cmd.Context(), func(ctx context.Context, a *engine.App) error {
				return c.runs(ctx, a, filter)
			})
		},
	}
	cmd.Flags().IntVar(&limit, "limit", 20, "how many runs")
	return cmd
}

// splitName takes service and resource apart; a name without a dot is a resource.
func splitName(name string) (string, string) {
	if before, after, found := strings.Cut(name, "."); found {
		return before, after
	}
	return "", name
}

func (c *cli) runs(ctx context.Context, a *engine.App, filter report.RunFilter) error {
	runs, err := a.Report.Runs(ctx, filter)
	if err != nil {
		return fmt.Errorf("read the runs: %w", err)
	}
	if c.json {
		return c.printer().Document(runs)
	}
	rows := make([][]string, 0, len(runs))
	for i := range runs {
		r := &runs[i]
		outcome := r.Outcome
		if outcome == "" {
			outcome = "open"
		}
		rows = append(rows, []string{
			view.Count(r.ID), r.Service + "." + r.Resource, r.StartedAt.In(a.Zone(r.Organization)).Format("2006-01-02 15:04:05"),
			fmt.Sprintf("%.1f s", r.Seconds), outcome, view.Count(r.Received), view.Count(r.Inserted), view.Count(r.Updated), view.Count(r.Silent),
			view.Count(r.Quarantined), view.Count(r.Calls), foreseen(r), r.Note,
		})
	}
	header := []string{"RUN", "STREAM", "STARTED", "TIME", "OUTCOME", "READ", "NEW", "CHANGED", "SILENT", "QUARANTINED", "CALLS", "FORECAST", "NOTE"}
	return c.printer().Table(header, rows)
}

// foreseen says how many calls a run was expected to make, and by how many it made more
// or fewer: "200 +4".
func foreseen(r *report.Run) string {
	if r.Forecast == nil {
		return "-"
	}
	text := view.Count(*r.Forecast)
	if off := r.Calls - *r.Forecast; r.Outcome != "" && off != 0 {
		text += fmt.Sprintf(" %+d", off)
	}
	return text
}
