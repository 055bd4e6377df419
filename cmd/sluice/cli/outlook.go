package cli

import (
	"context"
	"errors"
	"fmt"
	"strings"

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
	page.Linef("Pending are %s. Nothing was changed.", view.Plural(len(o.Steps), "transaction"))
	behind := 0
	for i := range o.Steps {
		step := &o.Steps[i]
		title := step.File
		if step.Step != "" {
			title += ", step " + step.Step
		}
		if step.Contracts {
			title += "  (contracts: programs before it are refused afterwards)"
		}
		page.Linef("\n%s", title)
		for _, process := range step.Below {
			page.Linef("  it is refused while this process is at work: %s", process)
		}
		for n := range step.Statements {
			behind += statementLines(page, &step.Statements[n])
		}
	}
	if behind == 0 {
		page.Linef("\nAt this moment no session is in the way.")
		return
	}
	page.Linef("\nAt this moment %s would wait, a quarter of a second each time, with pauses in which others read.", view.Plural(behind, "lock"))
}

// shownLine is how much of a statement is shown.
const shownLine = 140

// statementLines writes a statement and its locks, and counts the locks that would wait.
func statementLines(page *view.Page, s *migrations.Statement) int {
	first, rest, _ := strings.Cut(s.SQL, "\n")
	if len(first) > shownLine {
		first = strings.ToValidUTF8(first[:shownLine], "") + " …"
	}
	if rest != "" {
		first += fmt.Sprintf(" … (%s more)", view.Plural(strings.Count(rest, "\n")+1, "line"))
	}
	page.Linef("  %s", first)
	if s.Unknown {
		page.Linef("    locks: whatever it calls takes; it is not known before")
	}
	waiting := 0
	for i := range s.Locks {
		lock := &s.Locks[i]
		if lock.Missing {
			page.Linef("    %s on %s, which is not there yet", lock.Level, lock.Table)
			continue
		}
		page.Linef("    %s on %s: %s", lock.Level, lock.Table, workOf(lock))
		if len(lock.Behind) > 0 {
			waiting++
		}
		for _, session := range lock.Behind {
			page.Linef("      would wait for %s", session)
		}
	}
	return waiting
}

// workOf says in words what happens to the rows.
func workOf(lock *migrations.TableLock) string {
	size := fmt.Sprintf("%.1f MB", float64(lock.Bytes)/1e6)
	if lock.Rows != nil {
		size = fmt.Sprintf("about %s, %s", view.Plural(*lock.Rows, "row"), size)
	}
	switch lock.Work {
	case migrations.WorkScan:
		return "reads all of it (" + size + ")"
	case migrations.WorkRewrite:
		return "writes all of it anew (" + size + ")"
	case migrations.WorkRows:
		return "up to all rows (" + size + ")"
	default:
		return "changes the catalog only (" + size + ")"
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
