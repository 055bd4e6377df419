package cli

import (
	"maps"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"sluice/cmd/sluice/cli/view"
	"sluice/connectors"
	"sluice/migrations"
	"sluice/schema/ddl"
	"sluice/schema/docs"
	"sluice/schema/docs/dbt"
	"sluice/schema/validate"
)

func (c *cli) dictionaryCommand() *cobra.Command {
	var format, in string
	cmd := &cobra.Command{
		Use:   "dictionary",
		Short: "Print the data dictionary of all tables",
		Long: `Print the data dictionary of all tables: in Markdown, or as sources of the dbt package
in deploy/dbt, one schema at a time; or which columns hold personal data. It is refused if
a declaration has faults, such as a column without a class.`,
		Example: `  sluice dictionary
  sluice dictionary --format personal
  sluice dictionary --format dbt --schema analytics`,
		Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			if err := validate.Services(connectors.All()); err != nil {
				return err
			}
			switch {
			case format == "markdown" && in == "":
				return c.printer().Print(view.Verbatim(docs.Dictionary(connectors.All())))
			case format == "personal" && in == "":
				return c.printer().Print(view.Verbatim(docs.Personal(connectors.All())))
			case format == "dbt":
				return c.printSources(in)
			case format == "markdown", format == "personal":
				return usage("--schema is for --format dbt: the Markdown has all tables")
			default:
				return usage("--format: %q is unknown: use markdown, personal or dbt", format)
			}
		},
	}
	cmd.Flags().StringVar(&format, "format", "markdown", "markdown, personal or dbt")
	cmd.Flags().StringVar(&in, "schema", "", "schema of the sources, with --format dbt: analytics or that of a service")
	return cmd
}

// printSources prints the sources of one schema.
func (c *cli) printSources(in string) error {
	described, err := migrations.Views()
	if err != nil {
		return err
	}
	var views []ddl.Table
	for _, v := range described {
		if len(v.Needs) == 0 { // most databases lack the others
			views = append(views, v.Table)
		}
	}
	sources := dbt.Sources(connectors.All(), views)
	text, ok := sources[in]
	if !ok {
		return usage("--schema: %q has no sources; there are %s", in, strings.Join(slices.Sorted(maps.Keys(sources)), ", "))
	}
	return c.printer().Print(view.Verbatim(text))
}
