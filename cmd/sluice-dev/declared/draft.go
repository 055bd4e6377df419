package declared

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"slices"

	"sluice/cmd/sluice-sandbox/local"
	"sluice/connectors"
	"sluice/migrations"
	"sluice/pipeline/engine"
	"sluice/schema"
	"sluice/schema/ddl"
)

// Draft compares the declarations with what the existing migrations arrive at in an empty database,
// and prints the difference as the next migration, to be read, corrected and frozen by hand. It
// never drops a table or a column and never changes a type.
func Draft(ctx context.Context, args []string, stdout, stderr io.Writer) (err error) {
	if err := noArguments(flag.NewFlagSet("sluice-dev draft", flag.ContinueOnError), args, stderr); err != nil {
		return err
	}
	server, err := local.Start(ctx, local.Options{Log: stderr})
	if err != nil {
		return fmt.Errorf("compare with a temporary server: %w", err)
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
	_, err = io.WriteString(stdout, sql)
	return err
}

// catalogOf reads the tables of the services' schemas from a database.
func catalogOf(ctx context.Context, url string, services []schema.Service) (ddl.Catalog, error) {
	var schemas []string
	for service, resource := range schema.Each(services) {
		schemas = append(schemas, resource.SchemaName(service))
	}
	slices.Sort(schemas)
	return engine.CatalogOf(ctx, url, slices.Compact(schemas))
}
