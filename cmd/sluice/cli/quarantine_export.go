package cli

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/spf13/cobra"

	"sluice/cmd/sluice/cli/view"
	"sluice/pipeline/engine"
	"sluice/pipeline/warehouse/quarantine"
)

// exportMode is the mode of the file: records hold personal data.
const exportMode = 0o600

func (c *cli) quarantineExport() *cobra.Command {
	var flags quarantineFlags
	var all bool
	var output string
	cmd := &cobra.Command{
		Use:   "export [resource]",
		Short: "Write records in quarantine, whole, one JSON object a line, oldest first",
		Long: `Write records in quarantine, whole, with the reason, the field, the call and the run: one
JSON object a line (NDJSON), oldest first. The record is under raw, byte for byte; where
it is no valid UTF-8, raw_base64 has the bytes. The records hold what upstream sent,
personal data included: the file is readable for its owner only.`,
		Example: "  sluice quarantine export > quarantine.ndjson\n  sluice quarantine export inventory.bills --all --output bills.ndjson",
		Args:    cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 1 {
				flags.resource = args[0]
			}
			return c.withApp(cmd.Context(), func(ctx context.Context, a *engine.App) error {
				filter, err := flags.filter(c, a, all)
				if err != nil {
					return err
				}
				return c.exportEntries(ctx, a, filter, output)
			})
		},
	}
	flags.add(cmd)
	cmd.Flags().BoolVar(&all, "all", false, "closed entries, too")
	cmd.Flags().StringVar(&output, "output", "", "the file to write (default: standard output)")
	return cmd
}

func (c *cli) exportEntries(ctx context.Context, a *engine.App, filter quarantine.Filter, output string) error {
	if output == "" {
		_, err := writeEntries(ctx, a, filter, c.env.Stdout)
		return err
	}
	file, err := openExport(output)
	if err != nil {
		return fmt.Errorf("export the quarantine: %w", err)
	}
	n, err := writeEntries(ctx, a, filter, file)
	if err := errors.Join(err, file.Close()); err != nil {
		return fmt.Errorf("export the quarantine to %s, which is not whole now: %w", output, err)
	}
	_, err = fmt.Fprintf(c.env.Stderr, "%s entries written to %s\n", view.Count(n), output)
	if err != nil {
		return fmt.Errorf("print: %w", err)
	}
	return nil
}

// openExport opens a file, and empties it and restricts it to its owner before the first record is
// written. A pipe or device is used as it is.
func openExport(output string) (*os.File, error) {
	file, err := os.OpenFile(output, os.O_CREATE|os.O_WRONLY, exportMode)
	if err != nil {
		return nil, err
	}
	info, err := file.Stat()
	if err == nil && info.Mode().IsRegular() {
		if err = file.Chmod(exportMode); err == nil { // fails for a file of another account
			err = file.Truncate(0)
		}
	}
	if err != nil {
		return nil, errors.Join(err, file.Close())
	}
	return file, nil
}

// writeEntries writes one entry a line and returns how many it wrote.
func writeEntries(ctx context.Context, a *engine.App, filter quarantine.Filter, to io.Writer) (int, error) {
	buffered, n := bufio.NewWriter(to), 0
	err := a.DB.QuarantineEach(ctx, filter, func(e quarantine.Entry) error {
		n++
		return view.Object(buffered, wholeOf(e))
	})
	if err == nil {
		err = buffered.Flush()
	}
	if err != nil {
		return n, fmt.Errorf("export the quarantine: %w", err)
	}
	return n, nil
}
