package cli

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"sluice/cmd/sluice/cli/view"
	"sluice/pipeline/engine"
	"sluice/pipeline/warehouse/closings"
)

// closeFlags are the flags of the close command.
type closeFlags struct{ list, reopen, dryRun, anyway bool }

func (c *cli) closeCommand() *cobra.Command {
	var flags closeFlags
	cmd := &cobra.Command{
		Use:   "close [ORGANIZATION [PERIOD]]",
		Short: "Close a period: keep what belongs to it, and tell every later change in it",
		Long: `Close a period of an organization: keep counts, sums and a digest of what is dated in
it. From then on each record that changes, is deleted, arrives late or changes its day
is listed in analytics.after_close, with before, after and effect; status, metrics and
the log tell it. What moves with later documents, such as the payment of a bill, changes
no period but its own.

PERIOD is 2026-10, 2026-Q3, 2026, or 2026-10-01..2026-10-15. Its last day ends in the
organization's time zone. A period is refused while a table is not complete up to its
end, single records of it are still to be read, or records are in quarantine; --anyway
closes it nevertheless, and notes what is missing.`,
		Example: `  sluice close acme 2026-10 --dry-run
  sluice close acme 2026-10
  sluice close --list
  sluice close acme 2026-10 --reopen`,
		Args: cobra.MaximumNArgs(2),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := flags.check(args); err != nil {
				return err
			}
			return c.withApp(cmd.Context(), func(ctx context.Context, a *engine.App) error { return c.closePeriod(ctx, a, args, flags) })
		},
	}
	cmd.Flags().BoolVar(&flags.list, "list", false, "list closed periods, and how many records changed each since")
	cmd.Flags().BoolVar(&flags.reopen, "reopen", false, "open the period again: its changes are listed no longer")
	cmd.Flags().BoolVar(&flags.dryRun, "dry-run", false, "only show what would be closed, and what is missing")
	cmd.Flags().BoolVar(&flags.anyway, "anyway", false, "close a period of which something is missing")
	return cmd
}

func (f closeFlags) check(args []string) error {
	switch {
	case f.list && (f.reopen || f.dryRun || f.anyway || len(args) > 1):
		return usage("close --list: takes an organization at most, and no other flag")
	case f.reopen && (f.dryRun || f.anyway):
		return usage("close --reopen: takes no other flag")
	case !f.list && len(args) != 2:
		return usage("close: name the organization and the period, such as sluice close acme 2026-10, or --list")
	}
	return nil
}

func (c *cli) closePeriod(ctx context.Context, a *engine.App, args []string, flags closeFlags) error {
	organization := ""
	if len(args) > 0 {
		o, err := a.ChooseOrganization(args[0])
		if err != nil {
			return err
		}
		organization = o.Key
	}
	if flags.list {
		return c.listClosings(ctx, a, organization)
	}
	period, err := closings.Parse(args[1])
	if err != nil {
		return usage("close: %w", err)
	}
	if flags.reopen {
		if err := closings.Reopen(ctx, a.DB.Pool(), organization, period); err != nil {
			return err
		}
		return c.show(map[string]string{"organization": organization, "period": period.Name, "reopened": "true"},
			view.Line("%s of organization %s is open again.", period.Name, organization))
	}
	made, err := a.ClosePeriod(ctx, organization, period, flags.anyway, flags.dryRun)
	if lacking, ok := errors.AsType[*closings.LacksError](err); ok {
		return fmt.Errorf("close %s: it is not complete:\n  %s\nsluice sync brings it up to date; --anyway closes it as it is",
			period.Name, strings.Join(lacking.Lacks, "\n  "))
	}
	if err != nil {
		return err
	}
	return c.show(closingView{Closing: made, DryRun: flags.dryRun}, closingText(a, &made, flags.dryRun))
}

// closingView is what was closed, or would be.
type closingView struct {
	closings.Closing

	DryRun bool `json:"dry_run"`
}

func closingText(a *engine.App, made *closings.Closing, dryRun bool) view.Text {
	return func(page *view.Page) {
		page.Add(view.Table(made.Sums, "TABLE  CURRENCY  RECORDS  COUNTED  SUMS", func(s *closings.Sum) view.Row {
			return view.Row{s.Table, s.Currency, s.Records, s.Counted, string(s.Figures)}
		}).Or("No record is dated in the period."))
		for _, lack := range made.Lacks {
			page.Linef("missing: %s", lack)
		}
		if dryRun {
			page.Linef("%s of organization %s would be closed with %s, digest %s. Nothing was kept.",
				made.Period, made.Organization, view.Plural(int(made.Records), "record"), made.Digest)
			return
		}
		page.Linef("%s of organization %s is closed since %s with %s, digest %s. Changes are in analytics.after_close.",
			made.Period, made.Organization, view.Minute(made.ClosedAt, a.Zone(made.Organization)), view.Plural(int(made.Records), "record"), made.Digest)
	}
}

func (c *cli) listClosings(ctx context.Context, a *engine.App, organization string) error {
	list, err := closings.List(ctx, a.DB.Pool(), organization)
	if err != nil {
		return err
	}
	return c.show(list, view.Table(list, headOrganization+"  PERIOD  CLOSED  RECORDS  CHANGED SINCE  MISSING THEN", func(l *closings.Closing) view.Row {
		return view.Row{l.Organization, l.Period, view.Minute(l.ClosedAt, a.Zone(l.Organization)), l.Records, l.Changes, strings.Join(l.Lacks, "; ")}
	}).Or("No period is closed."))
}
