package cli

import (
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"sluice/connectors"
	"sluice/schema/docs"
)

func (c *cli) dictionaryCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "dictionary",
		Short: "Print the data dictionary of all tables, in Markdown",
		Args:  cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			if _, err := io.WriteString(c.env.Stdout, docs.Dictionary(connectors.All())); err != nil {
				return fmt.Errorf("print the dictionary: %w", err)
			}
			return nil
		},
	}
}
