package main

import (
	"context"
	"errors"

	"github.com/spf13/cobra"

	"sluice/cmd/sluice/app"
)

func (c *cli) migrateCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "migrate",
		Short: "Create or update the tables in the database",
		Long: `Create or update the tables in the database: those of the warehouse, those of the
program (schema sluice) and those of its queue (schema river). Safe to repeat, to
interrupt, and to start in several processes at once.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return c.migrate(cmd.Context())
		},
	}
}

func (c *cli) migrate(ctx context.Context) (err error) {
	a, err := app.Load(c.options())
	if err != nil {
		return err //nolint:wrapcheck // it lists the mistakes
	}
	if err := a.OpenDatabase(ctx); err != nil {
		return err //nolint:wrapcheck // it says what to do
	}
	defer func() { err = errors.Join(err, a.Close(ctx)) }()
	pending, err := a.Pending(ctx)
	if err != nil {
		return err //nolint:wrapcheck // it names the database
	}
	if pending {
		if err := a.Migrate(ctx); err != nil {
			return err //nolint:wrapcheck // it names the migration
		}
	}
	if c.json {
		return c.printer().Document(map[string]bool{"changed": pending})
	}
	if pending {
		return c.printer().Line("The database is up to date now.")
	}
	return c.printer().Line("The database was up to date already.")
}
