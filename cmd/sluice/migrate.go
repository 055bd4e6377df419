package main

import (
	"context"
	"errors"

	"github.com/spf13/cobra"

	"sluice/cmd/sluice/app"
)

func (c *cli) migrateCommand() *cobra.Command {
	var accept string
	cmd := &cobra.Command{
		Use:   "migrate",
		Short: "Create or update the tables in the database",
		Long: `Create or update the tables in the database: those of the warehouse, those of the
program (schema sluice) and those of its queue (schema river). Safe to repeat, to
interrupt, and to start in several processes at once.

For the resources that the configuration declares (custom) it only prints what it
would do, a plan with its id, and ends with exit code 2. Read it, then accept it:
it is executed in one transaction. A plan creates tables and adds columns in schema
custom; it never drops anything and never changes a type.`,
		Example: "  sluice migrate\n  sluice migrate --accept 3f2a9c01d4",
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return c.migrate(cmd.Context(), accept)
		},
	}
	cmd.Flags().StringVar(&accept, "accept", "", "execute the plan with this id")
	return cmd
}

// migrateView is what migrate did, and what it would do if it were accepted.
type migrateView struct {
	// Changed says that the database was changed.
	Changed bool `json:"changed"`
	// Plan is what is left to accept; nil if nothing is.
	Plan *app.Plan `json:"plan,omitempty"`
}

func (c *cli) migrate(ctx context.Context, accept string) (err error) {
	a, err := app.Load(c.options())
	if err != nil {
		return err //nolint:wrapcheck // it lists the mistakes
	}
	if err := a.OpenDatabase(ctx); err != nil {
		return err //nolint:wrapcheck // it says what to do
	}
	defer func() { err = errors.Join(err, a.Close(ctx)) }()
	view := migrateView{}
	if view.Changed, err = a.Pending(ctx); err != nil {
		return err //nolint:wrapcheck // it names the database
	}
	if view.Changed {
		if err := a.Migrate(ctx); err != nil {
			return err //nolint:wrapcheck // it names the migration
		}
	}
	plan, err := a.Plan(ctx)
	if err != nil {
		return err //nolint:wrapcheck // it says what is wrong with the plan
	}
	if plan.SQL != "" && accept != "" {
		if err := a.Accept(ctx, accept); err != nil {
			return err //nolint:wrapcheck // it says what to do
		}
		view.Changed, plan.SQL = true, ""
	}
	return c.printMigrated(view, plan)
}

func (c *cli) printMigrated(view migrateView, plan app.Plan) error {
	var unread error
	if plan.SQL != "" {
		view.Plan = &plan
		unread = usage("this is a plan and nothing of it is done: read it, then: sluice migrate --accept %s", plan.ID)
	}
	if c.json {
		return errors.Join(c.printer().Document(view), unread)
	}
	p := c.printer()
	for _, note := range plan.Notes {
		if err := p.Line("no plan does this, do it by hand if it is wanted: %s", note); err != nil {
			return err //nolint:wrapcheck // it says what failed
		}
	}
	text := "The database was up to date already."
	switch {
	case plan.SQL != "":
		text = plan.SQL
	case view.Changed:
		text = "The database is up to date now."
	}
	return errors.Join(p.Line("%s", text), unread)
}
