package cli

import (
	"github.com/spf13/cobra"

	"sluice/cmd/sluice/cli/view"
	"sluice/pipeline/engine/metrics"
)

func (c *cli) metricsCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "metrics",
		Short: "Print the reference of the metrics, in Markdown",
		Long: `Print every metric of the page /metrics of sluice serve: its type, unit and labels,
what counts it, what it means, and when to look at it. The values are on that page.
It needs neither a configuration nor a database.`,
		Example: `  sluice metrics
  sluice metrics --json`,
		Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			return c.show(metrics.Declared(), view.Verbatim(metrics.Markdown()))
		},
	}
}

// build says in the metrics which program this is.
func build() metrics.Build {
	info := thisProgram()
	return metrics.Build{Version: info.Version, Revision: info.Revision, Go: info.Go}
}
