package cli

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"sluice/cmd/sluice/cli/view"
	"sluice/pipeline/engine"
	"sluice/pipeline/lineage/verify"
	"sluice/pipeline/warehouse/verifications"
)

func (c *cli) verifyCommand() *cobra.Command {
	options := engine.VerifyOptions{Sample: sampled}
	var local, totals, repair bool
	var by string
	var organization organizationFlag
	cmd := &cobra.Command{
		Use:   "verify [resource ...]",
		Short: "Look for errors: broken invariants, edited rows, differences from upstream",
		Long: `Look for errors in three steps. Checks of invariants and sums (children without
a parent, watermarks ahead of time, bills whose lines do not sum up) are views that must be
empty. A sample of rows is held against the raw records that they were made of, value by
value. Neither makes a call. Then, within --calls calls of class probe, pages and single
records of upstream are held against their rows, the resource first that was verified
longest ago.

With --totals it asks upstream how many records each list has, and what their amounts sum
up to, one call a list, reads what changed since, and compares: the lists that cannot say it
are named. With --repair, too, it finds and reads the differences: it halves the list by
what upstream counts and sums up until a page is left, or reads it whole. It takes the calls
for that from the budget of looks and sweeps. --by month shows where a difference is: it asks
for each month of a list that filters by day, a call of class probe each.

What changed upstream since a stream's watermark is no finding: the next run brings it. No row
is changed, but a record in quarantine that upstream answers in a version that fits is
loaded. What was found is kept: sluice verify list, sluice verify show.

Exit codes: 0 clean, 1 something was found or a list differs, 3 upstream did not answer,
4 the budget refused calls.`,
		Example: "  sluice verify\n  sluice verify inventory.bills --calls 50\n  sluice verify --local   # all rows against their raw records, no call\n" +
			"  sluice verify --totals --repair\n" +
			"  sluice verify show --json",
		Args: cobra.ArbitraryArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			options.Names, options.Organization = args, string(organization)
			switch {
			case totals && (local || cmd.Flags().Changed("calls")):
				return usage("--totals asks for the counts of lists alone: leave out --local and --calls")
			case repair && !totals:
				return usage("--repair goes with --totals: it reads what the counts show to be missing")
			case by != "" && (by != byMonth || !totals || repair):
				return usage("--by goes with --totals, without --repair, and takes the word month")
			case by != "":
				return c.withUpstream(cmd.Context(), true, func(ctx context.Context, a *engine.App) error {
					return c.verifyMonths(ctx, a, args, organization)
				})
			case totals:
				return c.withUpstream(cmd.Context(), true, func(ctx context.Context, a *engine.App) error {
					return c.verifyTotals(ctx, a, args, organization, repair)
				})
			case options.Calls < 0:
				return usage("--calls is a number from 0")
			case local && cmd.Flags().Changed("calls"):
				return usage("--local looks at all rows and makes no call: leave out --calls")
			case local:
				options.Calls, options.Sample = 0, 0
			}
			return c.withUpstream(cmd.Context(), options.Calls > 0, func(ctx context.Context, a *engine.App) error {
				return c.verify(ctx, a, options)
			})
		},
	}
	organization.add(cmd)
	cmd.Flags().IntVar(&options.Calls, "calls", 20, "how many calls may be made, of class probe")
	cmd.Flags().BoolVar(&local, "local", false, "hold all rows against their raw records, and make no call")
	cmd.Flags().BoolVar(&totals, "totals", false, "compare the number of records and the sums of amounts with upstream's own, list by list")
	cmd.Flags().StringVar(&by, "by", "", "with --totals: compare month by month where a list filters by day")
	cmd.Flags().BoolVar(&repair, "repair", false, "with --totals: find and read what differs")
	cmd.AddCommand(c.verifyList(), c.verifyShow())
	return cmd
}

// sampled is how many rows of each resource are held against their raw records.
const sampled = 200

func (c *cli) verify(ctx context.Context, a *engine.App, options engine.VerifyOptions) error {
	result, err := a.Verify(ctx, options)
	if err != nil {
		return err
	}
	if err := c.printVerification(result); err != nil {
		return err
	}
	return exit(verifyCode(result.Verification.Outcome))
}

func verifyCode(outcome verifications.Outcome) int {
	switch outcome {
	case verifications.OutcomeClean:
		return codeFine
	case verifications.OutcomeUnreachable:
		return codeEnvironment
	case verifications.OutcomeBudget:
		return codeBudget
	default:
		return codeFailed
	}
}

func (c *cli) verifyList() *cobra.Command {
	var limit int
	cmd := &cobra.Command{
		Use:   "list",
		Short: "List verifications, newest first",
		Args:  cobra.NoArgs,
		RunE: c.offlineWork(func(ctx context.Context, a *engine.App, _ []string) error {
			found, err := verificationsOf(ctx, a, limit)
			if err != nil {
				return err
			}
			const head = "ID  STARTED  OUTCOME  VIOLATIONS  NOTICES  ROWS  RECORDS  CALLS MADE  SCOPE"
			return c.show(found, view.Table(found, head, func(v *verifications.Verification) view.Row {
				started, made := view.Minute(v.StartedAt, time.UTC), fmt.Sprintf("%d of %d", v.Calls, v.Allowed)
				return view.Row{v.ID, started, outcomeWord(v), v.Violations, v.Notices, v.Rows, v.Records, made, v.Scope}
			}).Or("Nothing was verified yet."))
		}),
	}
	cmd.Flags().IntVar(&limit, "limit", 20, "how many verifications")
	return cmd
}

func verificationsOf(ctx context.Context, a *engine.App, limit int) ([]verifications.Verification, error) {
	found, err := verifications.New(a.DB.Pool()).List(ctx, limit)
	if err != nil {
		return nil, fmt.Errorf("read the verifications: %w", err)
	}
	return found, nil
}

func outcomeWord(v *verifications.Verification) string {
	if v.EndedAt == nil {
		return "not ended"
	}
	return string(v.Outcome)
}

func (c *cli) verifyShow() *cobra.Command {
	return &cobra.Command{
		Use:   "show [ID]",
		Short: "Show what a verification found; the last one if none is named",
		Args:  cobra.MaximumNArgs(1),
		RunE: c.numberedWork("number of a verification", "verify list", func(ctx context.Context, a *engine.App, ids []int64) error {
			result, err := verificationOf(ctx, a, append(ids, 0)[0]) // without a number, 0: the last one
			if err != nil {
				return err
			}
			return c.printVerification(result)
		}),
	}
}

// verificationOf reads one verification; 0 means the last one.
func verificationOf(ctx context.Context, a *engine.App, id int64) (verify.Result, error) {
	verification, streams, findings, err := verifications.New(a.DB.Pool()).Read(ctx, id)
	if err != nil {
		return verify.Result{}, fmt.Errorf("read the verification: %w", err)
	}
	return verify.Result{Verification: verification, Streams: streams, Findings: findings}, nil
}

func (c *cli) printVerification(result verify.Result) error {
	v := &result.Verification
	return c.show(result, view.Text(func(page *view.Page) {
		page.Linef("Verification %d of %s: %s\n", v.ID, view.Minute(v.StartedAt, time.UTC), verdictOn(v))
		page.Add(view.Table(result.Streams, "RESOURCE  ROWS  CALLS MADE  RECORDS  NOT DUE  VIOLATIONS  NOTICES  NOTE", verifiedRow))
		if len(result.Findings) == 0 {
			return
		}
		page.Linef("")
		page.Add(view.Table(result.Findings, "SEVERITY  CODE  RESOURCE  RECORD  FIELD  WHAT", func(f *verifications.Finding) view.Row {
			return view.Row{f.Severity, f.Code, ofOrganization(f.Organization, f.Service, f.Resource), f.Record, f.Path, f.Detail}
		}))
		if total := v.Violations + v.Notices; total > int64(len(result.Findings)) {
			page.Linef("\n%s findings in all; the first of each kind are shown.", view.Count(total))
		}
	}))
}

func verifiedRow(s *verifications.Verified) view.Row {
	read := view.Count(s.Records)
	if s.Complete {
		read += ", all"
	}
	of := ofOrganization(s.Organization, s.Service, s.Resource)
	return view.Row{of, s.Rows, view.ID(int64(s.Calls)), read, s.NotDue, s.Violations, s.Notices, s.Note}
}

// ofOrganization names a resource with its organization, or a table without one.
func ofOrganization(organization, service, resource string) string {
	return strings.Trim(organization+"/"+service+"."+resource, "./")
}

func verdictOn(v *verifications.Verification) string {
	text := fmt.Sprintf("%s violations, %s notices; %d checks, %s rows against their raw records, %s records of upstream (%d of %d calls), "+
		"%s of them not due yet",
		view.Count(v.Violations), view.Count(v.Notices), v.Checks, view.Count(v.Rows), view.Count(v.Records), v.Calls, v.Allowed, view.Count(v.NotDue))
	switch v.Outcome {
	case verifications.OutcomeBudget:
		text += "; the budget refused calls"
	case verifications.OutcomeUnreachable:
		text += "; upstream did not answer"
	case verifications.OutcomeFailed:
		text += "; not everything could be looked at"
	case verifications.OutcomeClean, verifications.OutcomeFound:
	}
	return text
}
