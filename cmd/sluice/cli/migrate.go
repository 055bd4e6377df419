package cli

import (
	"context"
	"errors"
	"time"

	"github.com/spf13/cobra"

	"sluice/cmd/sluice/cli/view"
	"sluice/migrations"
	"sluice/pipeline/engine"
	"sluice/pipeline/warehouse/roles"
)

func (c *cli) migrateCommand() *cobra.Command {
	var accept, worker string
	var wait time.Duration
	var flags roleFlags
	cmd := &cobra.Command{
		Use:   "migrate",
		Short: "Create or update the tables in the database",
		Long: `Create or update the tables in the database: those of the warehouse, those of the
program (schema sluice) and those of its queue (schema river). Safe to repeat, to
interrupt, and to start in several processes at once.

For the resources that the configuration declares (custom) it only prints what it
would do, a plan with its id, and ends with exit code 2. Read it, then accept it:
it is executed, a transaction for each table. A plan creates tables and adds columns
in schema custom, and makes tables and columns again that something else dropped; it
never drops anything and never changes a type.

For resources with history: true it makes functions in schema history and views in
schema as_of. When the configuration no longer asks for history, it drops them; if
other views or functions depend on them, it names these, drops nothing and ends with
exit code 3, with all else migrated.

Sessions that hold a table are waited for, with pauses in which others read: a query
beside a migration waits for less than a second. Sessions in the way are named with pid,
role and application. After --wait it ends with exit code 3, what is done stays, and
running it again goes on.

With --plan it changes nothing and prints what is pending, in its order: files, versions
of the queue, views. --json has their text.

A program of the version before works on the migrated database, so that processes can be
replaced one by one, and rolled back. A migration that ends this raises the floor of the
database; programs below the floor end with exit code 3 when they next start.

All other commands need no more than rows: --worker lets a role run them that owns
nothing. What later migrations make is granted with them.

--roles makes groups of roles, each with what its processes need and no more:
sluice_owner (if there are no tables yet), sluice_worker, sluice_receiver,
sluice_publisher (of the lake), sluice_console and the groups of sluice readers. It
needs a role that may make roles, prints each statement that it executes, and touches
no role that it did not make.
Grant a group to the roles that log in. Give --roles with each migration: it grants
what is new. With --plan it shows these statements instead, and does nothing else.`,
		Example: "  sluice migrate\n  sluice migrate --plan\n  sluice migrate --accept 3f2a9c01d4\n  sluice migrate --worker sluice_worker\n" +
			"  sluice migrate --roles --plan\n  sluice migrate --roles",
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if flags.plan && (accept != "" || worker != "" || cmd.Flags().Changed("wait")) {
				return usage("--plan changes nothing: leave out --accept, --worker and --wait")
			}
			if cmd.Flags().Changed("role-prefix") && !flags.make {
				return usage("--role-prefix names the roles of --roles: give both, or neither")
			}
			if flags.plan && !flags.make {
				return c.withDatabase(cmd.Context(), func(a *engine.App) error { return c.outlook(cmd.Context(), a) })
			}
			if flags.prefix == "" {
				return usage("--role-prefix is empty: roles of such names may be those of others")
			}
			if wait <= 0 {
				return usage("--wait %s: give a time above zero, such as 5m", wait)
			}
			return c.withDatabase(cmd.Context(), func(a *engine.App) error {
				return c.migrate(cmd.Context(), a, accept, worker, wait, flags)
			})
		},
	}
	cmd.Flags().StringVar(&accept, "accept", "", "execute the plan with this id")
	cmd.Flags().StringVar(&worker, "worker", "", "let this role run all other commands: it gets rows, sequences and functions, and owns nothing")
	cmd.Flags().BoolVar(&flags.make, "roles", false, "make the roles of the program's processes, and grant what they lack")
	cmd.Flags().BoolVar(&flags.plan, "plan", false, "print what is pending, or the statements of --roles, and change nothing")
	cmd.Flags().StringVar(&flags.prefix, "role-prefix", "sluice_", "with --roles: how the names of the roles begin; readers keep theirs")
	cmd.Flags().DurationVar(&wait, "wait", migrations.DefaultPatience, "how long to wait in all for sessions that hold tables")
	return cmd
}

// migrateView is what migrate did, and what it would do after acceptance.
type migrateView struct {
	// Changed says that the database was changed.
	Changed bool `json:"changed"`
	// Plan is what is left to accept; nil if there is none.
	Plan *engine.Plan `json:"plan,omitempty"`
	// Roles is what --roles did.
	Roles rolesView `json:"roles"`
}

func (c *cli) migrate(ctx context.Context, a *engine.App, accept, worker string, wait time.Duration, flags roleFlags) error {
	if flags.plan {
		return c.planRoles(ctx, a, flags)
	}
	shown := migrateView{Roles: rolesView{Statements: []string{}}}
	if err := flags.makeRoles(ctx, a, &shown.Roles); err != nil {
		return err
	}
	var err error
	if shown.Changed, err = a.Pending(ctx); err != nil {
		return err
	}
	// Migrate runs also if no migration is pending: it repairs what an interrupted migrate left
	// undone after the last file.
	if err := a.Migrate(ctx, wait); err != nil {
		return err
	}
	plan, err := a.Plan(ctx)
	if err != nil {
		return err
	}
	if plan.SQL != "" && accept != "" {
		if err := a.Accept(ctx, accept, wait); err != nil {
			return err
		}
		shown.Changed, plan.SQL = true, ""
	}
	declared, err := a.Declare(ctx)
	if err != nil {
		return err
	}
	shown.Changed = shown.Changed || declared
	if worker != "" {
		if err := a.GrantWorker(ctx, worker); err != nil {
			return err
		}
	}
	if err := flags.makeRoles(ctx, a, &shown.Roles); err != nil {
		return err
	}
	return c.printMigrated(shown, plan, flags.make)
}

func (c *cli) printMigrated(shown migrateView, plan engine.Plan, roles bool) error {
	text, unread := "The database was up to date already.", error(nil)
	switch {
	case plan.SQL != "":
		shown.Plan, text = &plan, plan.SQL
		unread = usage("this is a plan and nothing of it is done: read it, then: sluice migrate --accept %s", plan.ID)
	case shown.Changed:
		text = "The database is up to date now."
	}
	return errors.Join(c.show(shown, view.Text(func(page *view.Page) {
		for _, lack := range plan.Lacking {
			page.Linef("something else changed the tables: %s", lack)
		}
		for _, note := range plan.Notes {
			page.Linef("no plan does this, do it by hand if it is wanted: %s", note)
		}
		page.Linef("%s", text)
		if roles {
			shown.Roles.lines(page, "The roles got what they lacked. Executed:")
		}
	})), unread)
}

// roleFlags are the flags of migrate that are about roles.
type roleFlags struct {
	// make makes roles; plan only shows what that would be.
	make, plan bool
	prefix     string
}

// rolesView is what --roles did, or would do with --plan.
type rolesView struct {
	Statements []string `json:"statements"`
	// Owner is the role that owns the tables, or is to own them.
	Owner string `json:"owner"`
}

// makeRoles makes the roles that are missing and grants what they lack.
func (f roleFlags) makeRoles(ctx context.Context, a *engine.App, into *rolesView) error {
	if !f.make {
		return nil
	}
	done, err := a.Roles(ctx, f.prefix, f.plan)
	switch {
	case errors.Is(err, roles.ErrForeign):
		return &exitError{code: codeUsage, err: err}
	case err != nil:
		return ofRights(err)
	}
	into.Statements, into.Owner = append(into.Statements, done.Statements...), done.Owner
	return nil
}

// planRoles shows what --roles would do, and does nothing.
func (c *cli) planRoles(ctx context.Context, a *engine.App, flags roleFlags) error {
	shown := rolesView{Statements: []string{}}
	if err := flags.makeRoles(ctx, a, &shown); err != nil {
		return err
	}
	begun, err := migrations.Begun(ctx, a.URL)
	if err != nil {
		return err
	}
	return c.show(shown, view.Text(func(page *view.Page) {
		shown.lines(page, "-- Nothing of this is done. sluice migrate --roles executes:")
		if !begun {
			page.Linef("-- The rights on tables follow when the tables are there.")
		}
	}))
}

// lines are the statements, below a heading.
func (v *rolesView) lines(page *view.Page, heading string) {
	if len(v.Statements) == 0 {
		page.Linef("The roles have what they need.")
		return
	}
	page.Linef("%s", heading)
	for _, statement := range v.Statements {
		page.Linef("%s;", statement)
	}
}

// withDatabase opens an app with its database as it is, does the work, and closes the app.
func (c *cli) withDatabase(ctx context.Context, do func(*engine.App) error) error {
	a, err := engine.Load(c.offline())
	if err != nil {
		return err
	}
	if err := a.OpenDatabase(ctx); err != nil {
		return err
	}
	return errors.Join(do(a), a.Close(ctx))
}

// outlook prints what migrate would do, and changes nothing.
func (c *cli) outlook(ctx context.Context, a *engine.App) error {
	shown, err := a.Outlook(ctx)
	if err != nil {
		return err
	}
	return c.show(shown, view.Text(func(page *view.Page) { outlookLines(page, &shown) }))
}

// outlookLines writes the steps for people.
func outlookLines(page *view.Page, o *migrations.Outlook) {
	page.Linef("The database is at version %d, its queue at %d; this program is of version %d, its queue of %d.",
		o.Database.Program, o.Database.Queue, o.Program.Program, o.Program.Queue)
	switch {
	case o.Database.Program > o.Program.Program || o.Database.Queue > o.Program.Queue:
		page.Linef("A newer program migrated it, and this one may work on it: nothing is pending.")
		return
	case len(o.Steps) == 0:
		page.Linef("Nothing is pending.")
		return
	}
	page.Linef("Pending are %s. Nothing was changed.\n", view.Plural(len(o.Steps), "transaction"))
	for i := range o.Steps {
		step := &o.Steps[i]
		if step.Contracts {
			step.File += "  (contracts: programs before it are refused afterwards)"
		}
		page.Linef("%s", step.File)
		for _, process := range step.Below {
			page.Linef("  it is refused while this process is at work: %s", process)
		}
	}
}
