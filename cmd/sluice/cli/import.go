package cli

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"sluice/cmd/sluice/cli/view"
	"sluice/pipeline/engine"
	"sluice/pipeline/lineage/importer"
)

func (c *cli) importCommand() *cobra.Command {
	var organization organizationFlag
	var dry bool
	cmd := &cobra.Command{
		Use:   "import FILE [RESOURCE]",
		Short: "Import raw records from another tool's export, without API calls",
		Long: `Import the records of one resource that another tool has read upstream. FILE has one
record per line, as JSON with the keys that upstream sends; - reads standard input. The
name of the file is the default of RESOURCE: bills.jsonl, inventory.bills.jsonl.

The records become rows and raw records. A record with the array that only single
records carry, such as line_items, needs no API call for its details. A row is replaced
only by a record that was modified later. A line that does not fit goes to quarantine,
with its file and number.

The next sync reads the list from the beginning and adds what is missing; then the
sweep is due, which finds what was deleted. If an import is stopped or killed, run it
again: rows that are loaded are unchanged.

Exit codes: 0 done, 1 interrupted, or the share of rejected lines exceeds
quarantine.max_share, 2 the file or the resource is wrong.`,
		Example: "  sluice import bills.jsonl --dry-run\n  sluice import export/2026.jsonl inventory.bills --org acme\n" +
			"  psql \"$AIRBYTE_URL\" -qf bills.sql | sluice import - bills",
		Args: cobra.RangeArgs(1, 2),
		RunE: func(cmd *cobra.Command, args []string) error {
			options := engine.ImportOptions{File: args[0], Dry: dry}
			base := filepath.Base(args[0])
			options.Resource = strings.TrimSuffix(base, filepath.Ext(base))
			if len(args) > 1 {
				options.Resource = args[1]
			} else if args[0] == "-" {
				return usage("import: name the resource after -, as in: sluice import - inventory.bills")
			}
			return c.withApp(cmd.Context(), func(ctx context.Context, a *engine.App) error {
				return c.importLines(ctx, a, string(organization), options)
			})
		},
	}
	organization.add(cmd)
	cmd.Flags().BoolVar(&dry, "dry-run", false, "read and check the lines, and write nothing")
	return cmd
}

func (c *cli) importLines(ctx context.Context, a *engine.App, named string, options engine.ImportOptions) error {
	organization, err := a.ChooseOrganization(named)
	if err != nil {
		return err
	}
	options.Organization = organization.Key
	lines, done, err := c.openLines(ctx, &options.File)
	if err != nil {
		return err
	}
	defer done()
	progress := view.NewProgress(c.env.Stderr)
	defer progress.Clear()
	options.Progress = func(n int64) { progress.Show(options.Resource + ": " + view.Plural(n, "line")) }
	result, err := a.Import(ctx, lines, options)
	if ctx.Err() != nil {
		return errors.Join(errors.New("interrupted: run the same command again"), err)
	}
	if err != nil && !errors.Is(err, importer.ErrManyRejected) {
		return err
	}
	return errors.Join(c.printImported(&result), err)
}

// openLines opens the file of an import. Standard input ends when ctx is canceled. Done closes it.
func (c *cli) openLines(ctx context.Context, file *string) (io.Reader, func(), error) {
	if *file != "-" {
		opened, err := os.Open(*file)
		if err != nil {
			return nil, nil, usage("import: %w", err)
		}
		return opened, func() { _ = opened.Close() }, nil // only read
	}
	*file = "standard input"
	if c.env.Stdin == nil {
		return strings.NewReader(""), func() {}, nil
	}
	lines, typed := io.Pipe()
	go func() {
		_, err := io.Copy(typed, c.env.Stdin)
		_ = typed.CloseWithError(err) // always nil
	}()
	stop := context.AfterFunc(ctx, func() { _ = lines.CloseWithError(ctx.Err()) }) // always nil
	return lines, func() { stop(); _ = lines.Close() }, nil                        // always nil
}

func (c *cli) printImported(shown *engine.Imported) error {
	return c.show(shown, view.Text(func(page *view.Page) {
		if shown.DryRun {
			page.Linef("%s: %s, of which %s would be rejected. Nothing was written.",
				shown.Resource, view.Plural(shown.Lines, "line"), view.Count(shown.Rejected))
		} else {
			page.Linef("%s: %s, %s inserted, %s updated, %s unchanged, %s not newer than a row, %s rejected.", shown.Resource,
				view.Plural(shown.Lines, "line"), view.Count(shown.Inserted), view.Count(shown.Updated), view.Count(shown.Unchanged),
				view.Count(shown.Superseded), view.Count(shown.Rejected))
		}
		if shown.CallsSaved > 0 {
			page.Linef("API calls that are not needed, because the records have details: %s.", view.Count(shown.CallsSaved))
		}
		if shown.DryRun {
			return
		}
		if shown.Rejected > 0 {
			page.Linef("Rejected lines: sluice quarantine list %s", shown.Resource)
		}
		page.Linef("Next: sluice sync reads the list and adds what is missing.")
	}))
}
