package cli

import (
	"context"
	"errors"

	"sluice/cmd/sluice/cli/view"
	"sluice/migrations"
	"sluice/pipeline/engine"
	"sluice/pipeline/warehouse/roles"
)

// roleFlags are the flags of migrate that are about roles.
type roleFlags struct {
	// make makes roles; plan only shows what that would be.
	make, plan bool
	prefix     string
}

// check refuses names that could be those of others.
func (f roleFlags) check() error {
	if f.prefix == "" {
		return usage("--role-prefix is empty: roles of such names may be those of others")
	}
	return nil
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
