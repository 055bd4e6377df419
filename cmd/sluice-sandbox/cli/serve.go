package cli

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"sluice/cmd/sluice-sandbox/demo"
	"sluice/cmd/sluice-sandbox/server"
)

func serveCommand(stdout io.Writer) *cobra.Command {
	var flags server.Flags
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "serve",
		Short: "Serve a simulated upstream to try things against",
		Long: `Serve a simulated upstream over HTTP. It is not the real service: it holds no person's
data, calls no other machine, keeps nothing when it stops, serves no HTTPS and sends no
mail; of what the three API documents leave out it plays a few calls, each marked as
assumed in the header X-Sandbox-Assumed.

It plays the accounting, invoicing, subscription-billing, inventory and chat services
of made-up companies: lists, single records, exports and writes, the consent page and
tokens, change notifications, webhooks of workflow rules, limits and, on demand, faults.
The page at / says what it can do. Paths under /_sandbox/ change the company, move its
clock, count calls and set faults; they answer on this machine only.`,
		Example: `  sluice-sandbox serve --records 20000 --seed 7 --plan premium
  sluice-sandbox serve --latency 150ms --strict
  sluice-sandbox serve --world books --plant difference --headers-only
  sluice-sandbox serve --organizations 60099999999,60012345678@eu --networks partners --modules cm_visits`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return serve(cmd.Context(), &flags, stdout, asJSON)
		},
	}
	flags.Add(cmd.Flags())
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON instead of text")
	return cmd
}

// serve serves until the context ends.
func serve(ctx context.Context, flags *server.Flags, stdout io.Writer, asJSON bool) error {
	options, err := flags.Options()
	if err != nil {
		return err
	}
	running, err := server.Start(ctx, flags.Listen, options)
	if err != nil {
		return err
	}
	if err = show(stdout, asJSON, running, running.Text()); err == nil {
		running.Wait(ctx)
	}
	return errors.Join(err, running.Stop(ctx))
}

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
