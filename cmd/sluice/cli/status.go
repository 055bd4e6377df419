package cli

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"sluice/cmd/sluice/cli/view"
	"sluice/pipeline"
	"sluice/pipeline/engine"
	"sluice/pipeline/warehouse/report"
)

func (c *cli) statusCommand() *cobra.Command {
	var why bool
	cmd := &cobra.Command{
		Use:   "status [--why [resource ...]]",
		Short: "Show where every stream stands, and what the budget has left",
		Long: `Show where every stream stands, and what the budget has left.

With --why, explain each stream, or those of the resources named: how often it runs
and where that comes from (stated, declared, or learned from what, within which
bounds), when it is due, what delays it now, how its list is read and what that
follows from, how late records come, and what its runs are expected to take.`,
		Example: "  sluice status\n  sluice status --why\n  sluice status --why inventory.bills --json",
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) > 0 && !why {
				return usage("status %s: resources are named behind --why", strings.Join(args, " "))
			}
			return c.withApp(cmd.Context(), func(ctx context.Context, a *engine.App) error {
				if why {
					return c.statusWhy(ctx, a, args)
				}
				return c.status(ctx, a)
			})
		},
	}
	cmd.Flags().BoolVar(&why, "why", false, "explain how often each stream runs, and what delays it")
	return cmd
}

// withApp runs a command that asks upstream nothing on an opened app and closes it. The vendor's secrets need not be there.
func (c *cli) withApp(ctx context.Context, work func(context.Context, *engine.App) error) error {
	return c.withOptions(ctx, c.offline(), work)
}

// withUpstream runs a command as withApp does, one that asks upstream if asks is true: then a missing secret is a mistake.
func (c *cli) withUpstream(ctx context.Context, asks bool, work func(context.Context, *engine.App) error) error {
	if asks {
		return c.withOptions(ctx, c.options(), work)
	}
	return c.withApp(ctx, work)
}

func (c *cli) withOptions(ctx context.Context, options engine.Options, work func(context.Context, *engine.App) error) error {
	a, err := engine.Open(ctx, options)
	if err != nil {
		return err
	}
	return errors.Join(work(ctx, a), a.Close(ctx))
}

// statusView is what the status command shows.
type statusView struct {
	Streams []report.Stream `json:"streams"`
	Budgets []budgetView    `json:"budgets"`
	// Backfills are those that are not over.
	Backfills []backfillView `json:"backfills"`
	// TokensDiedYoung is how many access tokens in a row upstream refused before their time, of the credential with most of them.
	TokensDiedYoung int `json:"tokens_died_young"`
	// TokensFellBack is how many credentials use the configured refresh token because the one that upstream sent in its place was refused.
	TokensFellBack int `json:"tokens_fell_back"`
	// Gates are the allowances that upstream has closed or narrowed for now.
	Gates []report.Gate `json:"gates"`
	// Histories are the resources whose past is kept.
	Histories []report.History `json:"histories"`
}

// budgetView is a service's day.
type budgetView struct {
	report.Budget

	Limit int `json:"limit"`
}

func (c *cli) status(ctx context.Context, a *engine.App) error {
	streams, err := a.Report.Streams(ctx, "")
	if err != nil {
		return fmt.Errorf("read the streams: %w", err)
	}
	view := statusView{Streams: streams}
	if view.Budgets, err = budgets(ctx, a); err != nil {
		return err
	}
	if view.TokensDiedYoung, err = a.Report.TokensDiedYoung(ctx); err != nil {
		return fmt.Errorf("read the tokens: %w", err)
	}
	if view.TokensFellBack, err = a.Report.TokensFellBack(ctx); err != nil {
		return fmt.Errorf("read the tokens: %w", err)
	}
	if view.Gates, err = a.Report.Gates(ctx); err != nil {
		return fmt.Errorf("read the gates: %w", err)
	}
	open, err := a.Report.Backfills(ctx, report.BackfillFilter{Open: true})
	if err != nil {
		return fmt.Errorf("read the backfills: %w", err)
	}
	if view.Backfills, err = c.views(ctx, a, open); err != nil {
		return err
	}
	if view.Histories, err = a.Report.Histories(ctx); err != nil {
		return err
	}
	if c.json {
		return c.printer().Document(view)
	}
	return c.printStatus(a, view)
}

func budgets(ctx context.Context, a *engine.App) ([]budgetView, error) {
	var views []budgetView
	seen := make(map[string]bool)
	for _, stream := range a.Streams() {
		id := stream.Organization + "/" + stream.Service.Name
		if seen[id] {
			continue
		}
		seen[id] = true
		limits, err := a.Limits(stream.Organization, stream.Service.Name)
		if err != nil {
			return nil, err
		}
		budget, err := a.Report.BudgetLeft(ctx, stream.Organization, stream.Service.Name)
		if err != nil {
			return nil, fmt.Errorf("read the budget: %w", err)
		}
		views = append(views, budgetView{Budget: budget, Limit: limits.Daily})
	}
	return views, nil
}

func (c *cli) printStatus(a *engine.App, shown statusView) error {
	now := c.env.Now()
	rows := make([][]string, 0, len(shown.Streams))
	for i := range shown.Streams {
		s := &shown.Streams[i]
		if !s.Enabled || strings.HasSuffix(s.Resource, "."+string(pipeline.WorkBackfill)) {
			continue // backfills have a table of their own
		}
		rows = append(rows, []string{
			s.Organization, s.Service + "." + s.Resource, s.State, complete(s, a.Zone(s.Organization)), age(s.LastDoneAt, now),
			next(s, now), view.Count(s.Quarantined), remark(s, a.Alarm(s), now),
		})
	}
	p := c.printer()
	header := []string{headOrganization, "STREAM", "STATE", "COMPLETE UP TO", "LAST DONE", "NEXT", "QUARANTINED", "REMARK"}
	if err := p.Table(header, rows); err != nil {
		return err
	}
	if len(shown.Backfills) > 0 {
		if err := p.Line(""); err != nil {
			return err
		}
		if err := c.tableOfBackfills(a, shown.Backfills); err != nil {
			return err
		}
	}
	if shown.TokensDiedYoung >= youngAlarm {
		if err := p.Line("ALARM: %d access tokens in a row were refused before their time: "+
			"another program may use the same refresh token, give each its own", shown.TokensDiedYoung); err != nil {
			return err
		}
	}
	if shown.TokensFellBack > 0 {
		if err := p.Line("upstream refuses the refresh token that it sent in place of the configured one (%s): the configured one is in use",
			view.Plural(shown.TokensFellBack, "credential")); err != nil {
			return err
		}
	}
	if len(shown.Histories) > 0 {
		if err := c.tableOfHistories(a, shown.Histories); err != nil {
			return err
		}
	}
	for i := range shown.Budgets {
		b := &shown.Budgets[i]
		text := fmt.Sprintf("%s %s: %s calls in the last 24 h", b.Organization, b.Service, view.Count(b.Day))
		if b.Limit > 0 {
			text += " of " + view.Count(b.Limit)
		}
		if b.RemainingSeen != nil && b.LimitSeen != nil {
			text += fmt.Sprintf("; upstream says %s of %s are left", view.Count(*b.RemainingSeen), view.Count(*b.LimitSeen))
		}
		if b.ExhaustedUntil != nil {
			text += ", spent until " + b.ExhaustedUntil.In(a.Zone(b.Organization)).Format("2006-01-02 15:04 MST") +
				"; at once: sluice budget reopen " + b.Organization + " " + b.Service
		}
		if err := p.Line("%s", text); err != nil {
			return err
		}
	}
	return c.printClosed(a, shown.Gates)
}

// youngAlarm is how many tokens in a row have to die young for a person to hear of it: one may have been revoked by hand.
const youngAlarm = 3
