package cli

import (
	"context"
	"errors"
	"io"

	"github.com/spf13/cobra"

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
  sluice-sandbox serve --latency 150ms±50ms --faults faults.json --strict
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
