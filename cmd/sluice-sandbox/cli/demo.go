package cli

import (
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"sluice/cmd/sluice-sandbox/demo"
	"sluice/cmd/sluice-sandbox/server"
)

func demoCommand(stdout, stderr io.Writer) *cobra.Command {
	options := demo.Options{Stdout: stdout, Stderr: stderr}
	var named string
	cmd := &cobra.Command{
		Use:   "demo",
		Short: "Show sluice on a simulated company and a private Postgres",
		Long: `Start a private Postgres and a simulated upstream, copy everything with sluice, change
the company, copy again, let a webhook tell of one more change, and ask the database
questions. It needs no configuration, touches none of your data, and leaves nothing
behind. Postgres binaries have to be on this machine (make demo sees to that).

It runs the program sluice beside this one, else the one in PATH.

With --keep it stays up at the end: the company changes three times a minute, sluice
copies what changed, and a browser shows both. Two records that do not fit and many
deletions at once wait for a person. It prints the address of the console, and the
lines, export NAME=VALUE, with which other commands work on it in another shell.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if options.Records < 1 {
				return fmt.Errorf("%w: --records %d: give a number above zero", server.ErrUsage, options.Records)
			}
			var err error
			if options.Sluice, err = demo.Find(named); err != nil {
				return err
			}
			return demo.Run(cmd.Context(), options)
		},
	}
	cmd.Flags().IntVar(&options.Records, "records", 5000, "size of the simulated company, in records")
	cmd.Flags().Int64Var(&options.Seed, "seed", 1, "seed of the simulated company")
	cmd.Flags().BoolVar(&options.Keep, "keep", false, "stay up at the end, to look around, until Ctrl-C")
	cmd.Flags().StringVar(&named, "sluice", "", "the program to show")
	return cmd
}
