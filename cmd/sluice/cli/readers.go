package cli

import (
	"cmp"
	"context"
	"errors"
	"strings"

	"github.com/spf13/cobra"

	"sluice/cmd/sluice/cli/view"
	"sluice/pipeline/engine"
	"sluice/pipeline/warehouse/readers"
)

func (c *cli) readersCommand() *cobra.Command {
	var apply bool
	cmd := &cobra.Command{
		Use:   "readers",
		Short: "Show the roles that query the warehouse, and the SQL that makes their groups",
		Long: `Show the roles that query the warehouse: the three groups, their members, the
organizations whose rows each sees in the views, what each has too much or too little
of, and the SQL that the groups lack. With --apply execute that SQL.

A member of sluice_reader reads the views of schema analytics without what tells of
persons, a member of sluice_reader_personal with it, and a member of sluice_reader_raw
also the copied tables, history and raw records, of all organizations. The groups
cannot log in. Make the roles that do, and grant each of them one group.

It makes no role that can log in, drops no role, revokes nothing and changes no
setting: for that it shows the statements.`,
		Example: "  sluice readers\n  sluice readers --apply\n  sluice readers allow jane acme\n" +
			"  sluice readers allow analysts '*'\n  sluice readers deny jane acme",
		Args: cobra.NoArgs,
		RunE: c.offlineWork(func(ctx context.Context, a *engine.App, _ []string) error {
			return c.readers(ctx, a, apply)
		}),
	}
	cmd.Flags().BoolVar(&apply, "apply", false, "execute the SQL that the groups lack")
	cmd.AddCommand(c.allowReaderCommand(), c.denyReaderCommand())
	return cmd
}

func (c *cli) allowReaderCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "allow ROLE ORGANIZATION ...",
		Short: "Let a role and its members see the rows of organizations in the views",
		Long: `Let a role and its members see the rows of organizations in the views. ORGANIZATION is
a name, key or id, or '*' for all, those of later days included. A role that no
organization is allowed for sees no row. Members of sluice_reader_raw see all rows.`,
		Example: "  sluice readers allow jane acme\n  sluice readers allow analysts '*'",
		Args:    cobra.MinimumNArgs(2), //nolint:mnd // the role and an organization
		RunE:    c.offlineWork(c.allowReader),
	}
}

func (c *cli) denyReaderCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "deny ROLE ORGANIZATION ...",
		Short: "Let a role no longer see the rows of organizations",
		Long: `Let a role no longer see the rows of organizations in the views; '*' takes all that was
allowed for it. It fails if the role sees one of them still: because all are allowed
for it, or by a role that it is a member of.`,
		Example: "  sluice readers deny jane acme\n  sluice readers deny jane '*'",
		Args:    cobra.MinimumNArgs(2), //nolint:mnd // the role and an organization
		RunE:    c.offlineWork(c.denyReader),
	}
}

// readersView is what readers shows.
type readersView struct {
	// Applied are the statements that --apply executed.
	Applied []string `json:"applied"`
	readers.State

	// SQL has the statements that the groups lack; "" if they lack nothing.
	SQL string `json:"sql"`
	// Recommended are settings for each role that logs in, which READER stands for.
	Recommended []string `json:"recommended"`
}

func (c *cli) readers(ctx context.Context, a *engine.App, apply bool) error {
	shown := readersView{Applied: []string{}, Recommended: readers.Recommended()}
	if apply {
		done, err := readers.Apply(ctx, a.DB.Pool(), readers.Standard())
		if err != nil {
			return ofRights(err)
		}
		for _, lack := range done {
			shown.Applied = append(shown.Applied, lack.SQL)
		}
	}
	var err error
	if shown.State, err = readers.Look(ctx, a.DB.Pool(), readers.Standard()); err != nil {
		return err
	}
	shown.SQL = shown.State.SQL()
	return c.show(shown, view.Text(shown.text))
}

func (v *readersView) text(page *view.Page) {
	for _, statement := range v.Applied {
		page.Linef("executed: %s;", statement)
	}
	if len(v.Applied) > 0 {
		page.Linef("")
	}
	reads := []string{"schema analytics, persons masked", "schema analytics with persons", "also tables, history and raw records, of all organizations"}
	rows := make([]view.Row, 0, len(v.Groups))
	for i, g := range v.Groups {
		members := strings.Join(g.Members, ", ")
		if !g.Exists {
			members = "not made yet"
		}
		rows = append(rows, view.Row{g.Name, reads[i], members})
	}
	page.Add(view.TableOf("GROUP  READS  MEMBERS", rows))
	page.Linef("")
	page.Add(view.Table(v.Readers, "READER  LOGS IN  GROUP  SEES", func(r *readers.Reader) view.Row {
		return view.Row{r.Role, r.Login, cmp.Or(r.Group, "none"), strings.Join(r.Organizations, ", ")}
	}).Or("No role is a reader."))
	page.Linef("")
	for _, f := range v.Findings {
		page.Linef("a warning: %s; to end that: %s;", f.What, f.Remedy)
	}
	if len(v.Findings) > 0 {
		page.Linef("")
	}
	if v.SQL != "" {
		page.Linef("The groups lack this. sluice readers --apply executes it:\n")
		page.Linef("%s", v.SQL)
	}
	page.Linef("Settings for each role that logs in, for instance; the last one for tools that only show reports:\n")
	for _, statement := range v.Recommended {
		page.Linef("%s;", statement)
	}
}

// allowedView is what a role sees after a change.
type allowedView struct {
	Role          string   `json:"role"`
	Organizations []string `json:"organizations"`
}

func (v allowedView) line() view.Part {
	if len(v.Organizations) == 0 {
		return view.Line("Role %s sees no row in the views.", v.Role)
	}
	return view.Line("Role %s sees in the views: %s", v.Role, strings.Join(v.Organizations, ", "))
}

func (c *cli) allowReader(ctx context.Context, a *engine.App, args []string) error {
	seen, err := a.AllowReader(ctx, args[0], args[1:])
	if err != nil {
		return ofRights(err)
	}
	shown := allowedView{Role: args[0], Organizations: seen}
	return c.show(shown, shown.line())
}

func (c *cli) denyReader(ctx context.Context, a *engine.App, args []string) error {
	denied, err := a.DenyReader(ctx, args[0], args[1:])
	if err != nil {
		return ofRights(err)
	}
	shown := allowedView{Role: args[0], Organizations: denied.Seen}
	return errors.Join(c.show(shown, shown.line()), exitIf(denied.InVain()))
}

// ofRights gives an error the exit code of the environment if the role of the session may not do
// what was asked for.
func ofRights(err error) error {
	if errors.Is(err, readers.ErrRights) {
		return &exitError{code: codeEnvironment, err: err}
	}
	return err
}
