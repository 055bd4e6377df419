package cli

import (
	"context"
	"errors"
	"time"

	"github.com/spf13/cobra"
)

func (c *cli) demoCommand() *cobra.Command {
	flags := demoFlags{}
	cmd := &cobra.Command{
		Use:   "demo",
		Short: "Show the whole journey on a simulated company and a private Postgres",
		Long: `Start a private Postgres and a simulated upstream, copy everything, change the
company, copy again, let a webhook tell of one more change, and show the result. It
needs no configuration, touches none of your data, and leaves nothing behind. Postgres
binaries have to be on this machine (make demo sees to that).

With --keep it stays up at the end: the company changes three times a minute, sluice
copies what changed, and a browser shows both. Two records that do not fit and many
deletions at once wait for a person. It prints the address of the console, and the
lines, export NAME=VALUE, with which other commands work on it in another shell.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return c.demo(cmd.Context(), flags)
		},
	}
	cmd.Flags().IntVar(&flags.records, "records", 5000, "size of the simulated company, in records")
	cmd.Flags().Int64Var(&flags.seed, "seed", 1, "seed of the simulated company")
	cmd.Flags().BoolVar(&flags.keep, "keep", false, "stay up at the end, to look around, until Ctrl-C")
	return cmd
}

func (c *cli) demo(ctx context.Context, flags demoFlags) (err error) {
	stage := &demoStage{cli: c}
	defer func() { err = errors.Join(err, stage.close(ctx)) }()
	if err := stage.open(ctx, flags); err != nil {
		return err
	}
	first, err := stage.sync(ctx, "First sync: everything", nil)
	if err != nil {
		return err
	}
	due := stage.dueWithin(time.Hour)
	if err := stage.change(flags.seed, due); err != nil {
		return err
	}
	second, err := stage.sync(ctx, "Second sync, an hour later: what is due by then", due)
	if err != nil {
		return err
	}
	if err := stage.told(ctx, flags.seed); err != nil {
		return err
	}
	if err := stage.tour(ctx, first, second); err != nil {
		return err
	}
	if flags.keep {
		return stage.stay(ctx, flags.seed)
	}
	return nil
}
