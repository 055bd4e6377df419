package cli

import (
	"github.com/spf13/cobra"

	"sluice/cmd/sluice/cli/view"
	"sluice/connectors"
	"sluice/schema/docs"
)

func (c *cli) dictionaryCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "dictionary",
		Short: "Print the data dictionary of all tables, in Markdown",
		Args:  cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			return c.printer().Print(view.Verbatim(docs.Dictionary(connectors.All())))
		},
	}
}
