package main

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"sluice/connectors"
	"sluice/migrations"
	"sluice/pipeline/warehouse"
	"sluice/pipeline/warehouse/localpg"
	"sluice/pipeline/warehouse/report"
	"sluice/schema"
	"sluice/schema/render"
)

func (c *cli) dictionaryCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "dictionary",
		Short: "Print the data dictionary of all tables, in Markdown",
		Args:  cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			if _, err := io.WriteString(c.env.Stdout, render.Dictionary(connectors.All())); err != nil {
				return fmt.Errorf("print the dictionary: %w", err)
			}
			return nil
		},
	}
}

func (c *cli) draftCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "draft",
		Short: "Print the migration that the declarations ask for (for developers)",
		Long: `Compare the declarations with what the existing migrations arrive at in an empty
database, and print the difference as the next migration, to be read, corrected
and frozen by hand. It never drops a table or a column and never changes a type.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return c.draft(cmd.Context())
		},
	}
}

// draft migrates a temporary database and compares.
func (c *cli) draft(ctx context.Context) (err error) {
	server, err := localpg.Start(ctx, localpg.Options{Log: c.env.Stderr})
	if err != nil {
		return fmt.Errorf("start a temporary Postgres to compare with: %w", err)
	}
	defer func() { err = errors.Join(err, server.Stop(context.WithoutCancel(ctx))) }()
	if err := migrations.Migrate(ctx, server.URL(), migrations.Options{}); err != nil {
		return fmt.Errorf("apply the existing migrations: %w", err)
	}
	existing, err := catalogOf(ctx, server.URL(), connectors.All())
	if err != nil {
		return err
	}
	sql, changed := render.Draft(connectors.All(), existing)
	if sql == "" && !changed {
		sql = "-- The migrations arrive at the declarations: there is nothing to draft.\n"
	}
	if _, err := io.WriteString(c.env.Stdout, sql); err != nil {
		return fmt.Errorf("print the draft: %w", err)
	}
	return nil
}

// catalogOf reads what a database has, in the words of package render.
func catalogOf(ctx context.Context, url string, services []schema.Service) (render.Catalog, error) {
	db, err := warehouse.Open(ctx, url, warehouse.Options{})
	if err != nil {
		return nil, fmt.Errorf("open the database: %w", err)
	}
	defer db.Close()
	catalog := make(render.Catalog, len(services))
	for i := range services {
		name := services[i].Name
		found, err := report.New(db.Pool()).Catalog(ctx, []string{name})
		if err != nil {
			return nil, fmt.Errorf("read the tables of schema %s: %w", name, err)
		}
		if len(found.Columns) == 0 {
			continue // a schema that is not there yet is left to the draft
		}
		tables := make(map[string]render.ExistingTable, len(found.Columns))
		for full, columns := range found.Columns {
			table := render.ExistingTable{Comment: found.Comments[full], Columns: make(map[string]render.ExistingColumn, len(columns))}
			for column, kind := range columns {
				table.Columns[column] = render.ExistingColumn{Type: kind, Comment: found.Comments[full+"."+column]}
			}
			tables[full[len(name)+1:]] = table
		}
		catalog[name] = tables
	}
	return catalog, nil
}
