package cli

import (
	"github.com/spf13/cobra"

	"sluice/cmd/sluice/cli/view"
	"sluice/connectors"
	"sluice/schema/docs"
)

func (c *cli) erdCommand() *cobra.Command {
	var format string
	cmd := &cobra.Command{
		Use:   "erd",
		Short: "Print the entity-relationship diagrams of all tables, as Mermaid or DBML",
		Long: `Print how the tables relate. Mermaid, in Markdown, shows one diagram per service with
keys and relations only, so that it can be read. DBML is complete: every column with
its type and its sentence.`,
		Example: "  sluice erd > erd.md\n  sluice erd --format dbml > erd.dbml",
		Args:    cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			switch format {
			case "mermaid":
				return c.printer().Print(view.Verbatim(docs.Mermaid(connectors.All())))
			case "dbml":
				return c.printer().Print(view.Verbatim(docs.DBML(connectors.All())))
			default:
				return usage("there is no format %q: choose mermaid or dbml", format)
			}
		},
	}
	cmd.Flags().StringVar(&format, "format", "mermaid", "mermaid or dbml")
	return cmd
}
