package cli

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"sluice/cmd/sluice/cli/view"
	"sluice/pipeline/engine"
	"sluice/pipeline/files"
)

// standardOutput is the folder that stands for standard output.
const standardOutput = "-"

func (c *cli) exportCommand() *cobra.Command {
	var organization organizationFlag
	var options engine.ExportOptions
	var format string
	cmd := &cobra.Command{
		Use:   "export [TABLE …]",
		Short: "Write tables and views to files (Parquet, CSV or JSON lines), all from one snapshot",
		Long: `Write tables and views to files: one for each in a folder, beside export.json, which
has rows, bytes and SHA-256 of each file, the instant, and how far each list was
complete. What the columns mean is in sluice dictionary. All files are of one snapshot, so
they fit together. Without a folder, the rows of one table go to standard output.
Without a name, the command lists what can be exported.

These can be exported: the copied tables (inventory.bills), their arrays
(inventory.bills_line_items) and former values, custom lists, the views of analytics
(analytics.ap_ageing), and versions (history.versions). With --as-of DAY: the tables and
views of schema as_of (as_of.bills, as_of.inventory_bills), where history: true is set. In
a name, * stands for any characters: 'inventory.bills*' is bills with all arrays. Notes of
sluice, raw records and tables of others are never exported.

Equal rows give equal files: rows are in the order of their key, and no file but
export.json has an instant. A file gets its name when all are whole, and export.json gets
it last; names that end with .partial are what a killed command left. The files are
readable for their owner only.

The command makes no call and changes nothing. It reads as the role of database.url, which
may be a reader: masked columns and rows of other organizations are as that role sees
them, and what is left out or hashed is so here, too. A file is a copy that no later
erase reaches: note where it is.`,
		Example: "  sluice export 'inventory.bills*' analytics.ap_ageing --to bills\n" +
			"  sluice export analytics.bills --format csv --org acme >bills.csv\n" +
			"  sluice export 'as_of.*' --as-of 2026-10-31 --format jsonl --to october --json",
		RunE: func(cmd *cobra.Command, args []string) error {
			options.Names = args
			switch options.Format = files.Format(format); {
			case options.Folder == standardOutput:
				options.Folder = ""
			case options.Folder == "" && cmd.Flags().Changed("to"):
				return usage("--to is empty: name a folder, or - for standard output")
			}
			if options.Day != "" {
				if _, err := time.Parse(time.DateOnly, options.Day); err != nil {
					return usage("--as-of takes a day, such as 2026-10-31")
				}
			}
			if err := c.formatOf(&options); err != nil {
				return err
			}
			options.Organization = string(organization)
			if len(args) == 0 && (organization != "" || format != "" || options.Day != "" || options.Replace || cmd.Flags().Changed("to")) {
				return usage("name the tables and views to export: without a flag, the command lists them")
			}
			a, err := engine.OpenReading(cmd.Context(), c.offline())
			if err != nil {
				return err
			}
			if len(args) == 0 {
				err = c.exportable(cmd.Context(), a)
			} else {
				err = c.export(cmd.Context(), a, options)
			}
			return errors.Join(err, a.Close(cmd.Context()))
		},
	}
	organization.add(cmd)
	cmd.Flags().StringVar(&format, "format", "", "parquet, csv or jsonl (default: parquet, and csv on standard output)")
	cmd.Flags().StringVar(&options.Folder, "to", "", "the folder of the files, which is made if there is none (default, or -: standard output)")
	cmd.Flags().StringVar(&options.Day, "as-of", "", "export schema as_of, with the rows of the end of this day")
	cmd.Flags().BoolVar(&options.Replace, "replace", false, "replace files of an earlier export")
	return cmd
}

// formatOf fills the format in, and refuses one that does not fit its destination.
func (c *cli) formatOf(o *engine.ExportOptions) error {
	switch o.Format {
	case "":
		if o.Format = files.Parquet; o.Folder == "" {
			o.Format = files.CSV
		}
	case files.Parquet, files.CSV, files.JSONL:
	default:
		return usage("--format: %q is unknown: use parquet, csv or jsonl", o.Format)
	}
	if o.Folder == "" && len(o.Names) > 0 {
		switch {
		case o.Format == files.Parquet:
			return usage("parquet is not for standard output: name a folder with --to")
		case c.json:
			return usage("standard output has the rows, and --json prints the manifest there: name a folder with --to")
		case o.Replace:
			return usage("--replace is for files: name a folder with --to")
		}
	}
	return nil
}

func (c *cli) export(ctx context.Context, a *engine.App, options engine.ExportOptions) error {
	progress := view.NewProgress(c.env.Stderr)
	options.Progress = func(done, all int, table string, rows int64) {
		progress.Show(fmt.Sprintf("%d of %d: %s, %s", done+1, all, table, view.Plural(rows, "row")))
	}
	output := bufio.NewWriter(c.rawOutput())
	options.To = output
	made, err := a.Export(ctx, options)
	progress.Clear()
	if err != nil {
		return err
	}
	if options.Folder == "" {
		if err := output.Flush(); err != nil {
			return fmt.Errorf("export: %w", err)
		}
		return nil
	}
	return c.show(made, view.Table(made.Tables, "TABLE  ROWS  BYTES  FILE", func(t *engine.ExportedTable) view.Row {
		return view.Row{t.Name, t.Rows, t.Bytes, t.File}
	}), view.Text(func(page *view.Page) {
		page.Linef("")
		page.Linef("%s in %s, as of %s.", view.Plural(len(made.Tables), "table"), options.Folder, made.Snapshot.Format(time.RFC3339))
		for _, cut := range made.Cuts {
			upTo := "the first copy is under way"
			if cut.Cut != nil {
				upTo = "complete up to " + cut.Cut.UTC().Format(time.RFC3339)
			}
			page.Linef("%s: %s.", cut.Organization, upTo)
		}
	}))
}

// rawOutput is standard output as it is: rows keep each byte. On a terminal they are cleaned as all
// other output.
func (c *cli) rawOutput() io.Writer {
	if view.IsTerminal(c.env.Stdout) {
		return c.env.Stdout
	}
	return view.Beneath(c.env.Stdout)
}

// exportableView is one table or view that can be exported.
type exportableView struct {
	Name    string `json:"name"`
	IsView  bool   `json:"is_view"`
	Meaning string `json:"meaning"`
}

func (c *cli) exportable(ctx context.Context, a *engine.App) error {
	found, err := a.Exportable(ctx)
	if err != nil {
		return err
	}
	shown := make([]exportableView, 0, len(found))
	for i := range found {
		shown = append(shown, exportableView{Name: found[i].Full(), IsView: found[i].View, Meaning: found[i].Doc})
	}
	return c.show(shown, view.Table(shown, "NAME  ONE ROW", func(e *exportableView) view.Row {
		meaning, _, _ := strings.Cut(e.Meaning, "; key:")
		return view.Row{e.Name, meaning}
	}).Or("This role may read nothing that can be exported: sluice readers"))
}
