package cli

import (
	"context"
	"errors"

	"sluice/cmd/sluice/cli/view"
	"sluice/migrations"
	"sluice/pipeline/engine"
)

// outlook prints what migrate would do, and changes nothing.
func (c *cli) outlook(ctx context.Context) (err error) {
	a, err := engine.Load(c.offline())
	if err != nil {
		return err
	}
	if err := a.OpenDatabase(ctx); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, a.Close(ctx)) }()
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

// checkViews warns if migrate would make or drop views: those of another version of the program, or
// of a history that was switched on or off.
func checkViews(ctx context.Context, a *engine.App) []finding {
	const check = "views"
	pending, err := a.Pending(ctx)
	switch {
	case err != nil:
		return []finding{verdict(check, err, "")}
	case pending:
		return []finding{verdict(check, nil, "a warning: those in the database are not those of this version and configuration: run sluice migrate")}
	default:
		return nil
	}
}
