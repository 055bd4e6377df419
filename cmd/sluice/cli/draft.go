package cli

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/spf13/cobra"

	"sluice/cmd/sluice/cli/view"
	"sluice/connectors"
	"sluice/migrations"
	"sluice/pipeline/engine"
	"sluice/pipeline/warehouse/postgres/local"
	"sluice/schema"
	"sluice/schema/ddl"
)

func (c *cli) draftCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "draft",
		Short: "Print the migration that the declarations ask for (for developers)",
		Long: `Compare the declarations with what the existing migrations arrive at in an empty
database, and print the difference as the next migration, to be read, corrected
and frozen by hand. It never drops a table or a column and never changes a type.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return c.draft(cmd.Context()) },
	}
}

// draft migrates a temporary database and compares.
func (c *cli) draft(ctx context.Context) (err error) {
	server, err := local.Start(ctx, local.Options{Log: c.env.Stderr})
	if err != nil {
		return fmt.Errorf("compare with a temporary server: %w: %w", engine.ErrNoServer, err)
	}
	defer func() { err = errors.Join(err, server.Stop(context.WithoutCancel(ctx))) }()
	if err := migrations.Migrate(ctx, server.URL(), migrations.Options{}); err != nil {
		return fmt.Errorf("apply the existing migrations: %w", err)
	}
	existing, err := catalogOf(ctx, server.URL(), connectors.All())
	if err != nil {
		return err
	}
	sql, changed := ddl.Draft(connectors.All(), existing)
	if sql == "" && !changed {
		sql = "-- The migrations arrive at the declarations: there is nothing to draft.\n"
	}
	return c.printer().Print(view.Verbatim(sql))
}

// catalogOf reads the tables of the services' schemas from a database.
func catalogOf(ctx context.Context, url string, services []schema.Service) (ddl.Catalog, error) {
	var schemas []string
	for i := range services {
		for r := range services[i].Resources {
			schemas = append(schemas, services[i].Resources[r].SchemaName(&services[i]))
		}
	}
	slices.Sort(schemas)
	return engine.CatalogOf(ctx, url, slices.Compact(schemas))
}
