package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"sluice/cmd/sluice/cli/view"
	"sluice/migrations"
	"sluice/pipeline/engine"
	"sluice/pipeline/warehouse/cells"
)

// fleetPath is --fleet: the file of the fleet.
type fleetPath string

func (c *cli) fleetCommand() *cobra.Command {
	path := fleetPath("fleet.yaml")
	cmd := &cobra.Command{
		Use:   "fleet",
		Short: "Work on the databases of a fleet: show, check and migrate them, and move organizations",
		Long: `Work on several databases as one fleet. Each is a cell: an ordinary installation with
its own configuration, database and processes. The file of the fleet names them:

  cells:
    - name: north
      config: north.yaml
    - name: south
      config: south.yaml

An organization is at home in one cell. The database of each cell says which are, and
refuses calls and rows of others. docs/operations/cells.md has the steps.

These commands read the configurations of all cells, without upstream's secrets, and
make no call upstream. --config has no meaning for them.`,
	}
	cmd.PersistentFlags().StringVar((*string)(&path), "fleet", string(path), "file that names the cells")
	cmd.AddCommand(c.fleetStatusCommand(&path), c.fleetCheckCommand(&path), c.fleetMigrateCommand(&path), c.fleetMoveCommand(&path))
	return cmd
}

// withFleet opens the fleet, does the work, and closes it.
func (c *cli) withFleet(ctx context.Context, path *fleetPath, do func(context.Context, *engine.Fleet) error) error {
	f, err := engine.OpenFleet(ctx, c.offline(), string(*path))
	if err != nil {
		return err
	}
	return errors.Join(do(ctx, f), f.Close(ctx))
}

func (c *cli) fleetStatusCommand(path *fleetPath) *cobra.Command {
	return &cobra.Command{
		Use:   "status",
		Short: "Show all cells, their sums, and the organizations that move",
		Long: `Show each cell with the organizations that are at home in it, their streams, the lists
that are late, the calls of their days and the open quarantine, and the sums over all
cells. Below are the organizations that are between two cells. A cell that is out of
reach is named with the reason, and the exit code is 3.`,
		Example: "  sluice fleet status\n  sluice fleet status --fleet /etc/sluice/fleet.yaml --json",
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return c.withFleet(cmd.Context(), path, func(ctx context.Context, f *engine.Fleet) error {
				shown := f.Status(ctx)
				code := codeFine
				if shown.Out > 0 {
					code = codeEnvironment
				}
				return errors.Join(c.show(shown, textOfFleet(shown, c.env.Now())), exit(code))
			})
		},
	}
}

func textOfFleet(shown *engine.FleetStatus, now time.Time) view.Text {
	figures := func(name string, f *engine.CellFigures, rest string) view.Row {
		return view.Row{name, f.Organizations, f.Streams, f.Late, callsOf(f), f.Quarantined, rest}
	}
	return func(page *view.Page) {
		var rows []view.Row
		for i := range shown.Cells {
			s := &shown.Cells[i]
			if s.Error != "" {
				rows = append(rows, view.Row{s.Name, "?", "?", "?", "?", "?", cmp.Or(s.Database, s.Config) + ": " + s.Error})
				continue
			}
			rows = append(rows, figures(s.Name, &s.CellFigures, s.Database))
		}
		rows = append(rows, figures("all", &shown.Sum, ""))
		page.Add(view.TableOf("CELL  ORGANIZATIONS  STREAMS  LATE  CALLS OF THE DAY  QUARANTINED  DATABASE", rows))
		if shown.Out > 0 {
			page.Linef("The sums leave out %s: out of reach, or not ready.", view.Plural(shown.Out, "cell"))
		}
		for i := range shown.Moves {
			m := &shown.Moves[i]
			text := fmt.Sprintf("%s moves from cell %s to cell %s: %s, for %s", m.Organization, m.From, m.To, m, view.Age(now.Sub(m.Since)))
			if m.Rows != nil {
				text += ", " + view.Count(*m.Rows) + " rows copied"
			}
			page.Linef("%s", text)
		}
	}
}

// callsOf are the calls of the day, and what the plans allow.
func callsOf(f *engine.CellFigures) string {
	if f.Limit == 0 {
		return view.Count(f.Calls)
	}
	return view.Count(f.Calls) + " of " + view.Count(f.Limit)
}

func (c *cli) fleetCheckCommand(path *fleetPath) *cobra.Command {
	return &cobra.Command{
		Use:   "check",
		Short: "Check that each organization is at home once, and that the cells fit together",
		Long: `Check that each organization is at home in exactly one cell and configured there, that
tables, numbers, salts and hashes of the cells fit together, and that no move stands
still. Each finding says what to do. The exit code is 1 if there are findings, and 3 if
a database is out of reach.`,
		Example: "  sluice fleet check\n  sluice fleet check --json",
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return c.withFleet(cmd.Context(), path, func(ctx context.Context, f *engine.Fleet) error {
				findings, err := f.Check(ctx)
				if err != nil {
					return err
				}
				return errors.Join(c.show(findings, textOfFleetFindings(findings, len(f.Cells))), exit(codeOfFleet(findings)))
			})
		},
	}
}

func codeOfFleet(findings []engine.FleetFinding) int {
	code := codeFine
	for i := range findings {
		code = max(code, codeFailed)
		if findings[i].Finding == engine.RuleReach {
			code = codeEnvironment
		}
	}
	return code
}

func textOfFleetFindings(findings []engine.FleetFinding, of int) view.Text {
	return func(page *view.Page) {
		for i := range findings {
			found := &findings[i]
			about := "cell " + strings.Join(found.Cells, ", ")
			if found.Organization != "" {
				about = "organization " + found.Organization
			}
			page.Linef("%s, %s: %s\n  %s", about, found.Finding, found.Text, found.Next)
		}
		if len(findings) == 0 {
			page.Linef("%s: each organization is at home in one, and they fit together.", view.Plural(of, "cell"))
		}
	}
}

func (c *cli) fleetMigrateCommand(path *fleetPath) *cobra.Command {
	var wait time.Duration
	var plan bool
	cmd := &cobra.Command{
		Use:   "migrate",
		Short: "Migrate all databases, let new ones join, and settle organizations",
		Long: `Bring the databases of all cells up to date, as sluice migrate does; let those that are
no cell yet join the fleet; and settle each organization of which no cell says anything:
in the cell whose database has its streams, else in the one whose configuration has it.
Safe to repeat. It does nothing unless all databases are in reach.

Organizations of which that is not certain are named and left alone, and the exit code
is 1: nothing of them is copied before they are settled. If resources that a
configuration declares have to be accepted, it says so and ends with 2.

With --plan it changes nothing and prints what it would do. It needs the rights of
sluice migrate in each database.`,
		Example: "  sluice fleet migrate --plan\n  sluice fleet migrate",
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if wait <= 0 {
				return usage("--wait %s: give a time above zero, such as 5m", wait)
			}
			return c.withFleet(cmd.Context(), path, func(ctx context.Context, f *engine.Fleet) error {
				done, err := f.Migrate(ctx, wait, plan)
				if err != nil {
					return err
				}
				return errors.Join(c.show(done, textOfFleetMigration(&done)), exit(codeOfFleetMigration(&done)))
			})
		},
	}
	cmd.Flags().DurationVar(&wait, "wait", migrations.DefaultPatience, "how long to wait in each database for sessions that hold tables")
	cmd.Flags().BoolVar(&plan, "plan", false, "print what would be done, and change nothing")
	return cmd
}

func codeOfFleetMigration(done *engine.FleetMigration) int {
	for i := range done.Cells {
		if done.Cells[i].Accept != "" {
			return codeUsage
		}
	}
	if len(done.Unsettled) > 0 {
		return codeFailed
	}
	return codeFine
}

func textOfFleetMigration(done *engine.FleetMigration) view.Text {
	return func(page *view.Page) {
		for i := range done.Cells {
			m := &done.Cells[i]
			said := "was up to date"
			switch {
			case m.Migrated && done.Planned:
				said = "has migrations pending: sluice migrate --plan --config " + ofShell(m.Config)
			case m.Migrated:
				said = "is migrated"
			}
			if m.Joined > 0 {
				said += fmt.Sprintf("; joins the fleet as number %d", m.Joined)
			}
			if m.Salted {
				said += "; takes the salt of erasures of the others"
			}
			page.Linef("cell %s %s", m.Cell, said)
			if m.Accept != "" {
				page.Linef("  a plan is left to accept: sluice migrate --config %s, then --accept %s", ofShell(m.Config), m.Accept)
			}
		}
		for _, s := range done.Settled {
			page.Linef("organization %s is at home in cell %s", s.Organization, s.Cell)
		}
		for _, u := range done.Unsettled {
			page.Linef("organization %s is not settled: %s", u.Organization, u.Reason)
		}
		if done.Planned {
			page.Linef("This is a plan, nothing of it is done: sluice fleet migrate")
		}
	}
}

func (c *cli) fleetMoveCommand(path *fleetPath) *cobra.Command {
	var order engine.MoveOrder
	cmd := &cobra.Command{
		Use:   "move ORG... --to CELL",
		Short: "Move organizations to another cell, with all their rows",
		Long: `Move organizations to another cell, one after the other: let no call of it leave, wait
for work under way, copy its rows, compare them, switch, and drop them in the cell that
it left. ORG is a name, key or id. The configuration of the new cell has to have it
first. Organizations of one credential move together: name all of them.

It can be ended at any instant, and loses nothing: the same command goes on where it
stood. Until the switch, --cancel gives the move up. If a database is lost for good in
the middle, --lost names its cell: then the other one decides, if it can. If a database
was restored from a backup of before the move, both cells say that the organization is
at home there: --restored names the one that lets go, and drops its old rows.

The exit code is 1 if what the cells say does not allow the move, or if the copy was not
equal; 3 if a database is out of reach, another process is at it, or work did not end
within --patience.`,
		Example: "  sluice fleet move acme --to south\n  sluice fleet move acme birch --to south --patience 20m\n" +
			"  sluice fleet move acme --to south --cancel\n  sluice fleet move acme --to south --lost north",
		Args: cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			switch {
			case order.To == "":
				return usage("name the cell with --to")
			case order.Patience <= 0:
				return usage("--patience %s: give a time above zero, such as 20m", order.Patience)
			}
			order.Organizations = args
			return c.withFleet(cmd.Context(), path, func(ctx context.Context, f *engine.Fleet) error { return c.fleetMove(ctx, f, &order) })
		},
	}
	cmd.Flags().StringVar(&order.To, "to", "", "the cell that they come to")
	cmd.Flags().DurationVar(&order.Patience, "patience", cells.DefaultPatience, "how long to wait for calls and jobs under way")
	cmd.Flags().BoolVar(&order.Cancel, "cancel", false, "give the move up: they stay where they are")
	cmd.Flags().StringVar(&order.Lost, "lost", "", "the cell whose database is lost for good")
	cmd.Flags().StringVar(&order.Restored, "restored", "", "the cell whose database was restored from a backup of before the move: it lets go")
	cmd.MarkFlagsMutuallyExclusive("cancel", "lost", "restored")
	return cmd
}

func (c *cli) fleetMove(ctx context.Context, f *engine.Fleet, order *engine.MoveOrder) error {
	progress := view.NewProgress(c.env.Stderr)
	defer progress.Clear()
	var at string
	order.Progress = func(organization string, step cells.Step, table string, rows int64) {
		if now := organization + ": " + string(step); now != at {
			at = now
			progress.Keep(now)
		}
		if table != "" {
			progress.Show(fmt.Sprintf("%s: %s %s, %s rows so far", organization, step, table, view.Count(rows)))
		}
	}
	moved, err := f.Move(ctx, order)
	progress.Clear()
	return errors.Join(err, c.show(moved, textOfMoved(moved, order)))
}

func textOfMoved(moved []engine.Moved, order *engine.MoveOrder) view.Text {
	return func(page *view.Page) {
		for i := range moved {
			m := &moved[i]
			switch {
			case m.Already:
				page.Linef("Organization %s was at home in cell %s already.", m.Organization, m.Home)
			case order.Restored != "":
				page.Linef("Organization %s is at home in cell %s only: cell %s has let go.", m.Organization, m.Home, m.From)
			case m.Home != m.To:
				page.Linef("Organization %s stays at home in cell %s.", m.Organization, m.Home)
			default:
				page.Linef("Organization %s is at home in cell %s now: %s rows in %.1f s.", m.Organization, m.Home, view.Count(m.Rows), m.Seconds)
			}
			for _, cell := range m.Configured {
				page.Linef("  Take it out of the configuration of cell %s.", cell)
			}
		}
	}
}
