package cli

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"sluice/pipeline/engine"
	"sluice/pipeline/warehouse"
	"sluice/pipeline/warehouse/streams/backfills"
)

// backfillWishes are the flags of backfill, besides the resources.
type backfillWishes struct {
	organization organizationFlag
	from, to     string
	dry          bool

	work workWishes
}

func (c *cli) backfillCommand() *cobra.Command {
	var wishes backfillWishes
	cmd := &cobra.Command{
		Use:   "backfill resource ...",
		Short: "Read lists again on demand, whole or between two days, beside the schedule",
		Long: `Read the lists of resources again, beside what the schedule does: after a declaration
grew, after rows were repaired, or if old rows are in doubt. Watermarks do not move,
and newer rows are not overwritten. Arguments name resources or services as for sync.

--from and --to name the first and the last day wanted, in the organization's zone.
Where the list filters by the day of its records (accounting.vendor_payments: date),
it is read in windows of months; where it can only be narrowed by modification time,
--from alone is what changed since; where neither is possible they are refused.

Calls are spent as work of the class backfill: at most its ceiling of each day, and
never what is kept for other classes (sluice budget). A backfill that the day stops
ends this command with exit code 4 and goes on with the next sync or serve, or with
'sluice backfill resume'. --wait stays until it is done, over days; --detach leaves
the work to serve or the next sync. --dry-run says what it would cost, without a call,
and ends with exit code 4 if that does not fit into what backfills may still spend today.`,
		Example: "  sluice backfill accounting.vendor_payments --from 2024-01-01 --to 2025-12-31 --dry-run\n" +
			"  sluice backfill inventory.items --from 2026-01-01 --org acme\n  sluice backfill list\n  sluice backfill pause 12",
		Args: cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			days, err := wishes.days()
			if err != nil {
				return err
			}
			return c.withUpstream(cmd.Context(), !wishes.dry && !wishes.work.detach, func(ctx context.Context, a *engine.App) error {
				return c.backfill(ctx, a, args, days, wishes)
			})
		},
	}
	flags := cmd.Flags()
	wishes.organization.add(cmd)
	flags.StringVar(&wishes.from, "from", "", "first day wanted: 2026-01-31")
	flags.StringVar(&wishes.to, "to", "", "last day wanted: 2026-01-31")
	flags.BoolVar(&wishes.dry, "dry-run", false, "only say what it would cost")
	wishes.work.flags(cmd)
	cmd.AddCommand(c.backfillList(), c.backfillShow(), c.backfillPause(), c.backfillResume(),
		c.change("cancel ID ...", "End backfills for good; what they loaded stays", changeable, (*warehouse.DB).Cancel))
	return cmd
}

// days reads --from and --to.
func (w *backfillWishes) days() (engine.Days, error) {
	var days engine.Days
	for _, flag := range []struct {
		name, text string
		into       *time.Time
	}{{"--from", w.from, &days.From}, {"--to", w.to, &days.To}} {
		if flag.text == "" {
			continue
		}
		day, err := time.Parse(time.DateOnly, flag.text)
		if err != nil {
			return days, usage("%s %q is no day: write it as 2026-01-31", flag.name, flag.text)
		}
		*flag.into = day
	}
	if !days.To.IsZero() && days.From.After(days.To) {
		return days, usage("--from %s is behind --to %s: exchange them", w.from, w.to)
	}
	return days, w.work.check()
}

func (c *cli) backfill(ctx context.Context, a *engine.App, names []string, days engine.Days, wishes backfillWishes) error {
	key, err := wishes.organization.key(a)
	if err != nil {
		return err
	}
	found, err := a.Backfills(ctx, names, key, days)
	if err != nil {
		return err
	}
	if wishes.dry {
		return c.foreseeBackfills(ctx, a, found)
	}
	ids, err := requestBackfills(ctx, a, found)
	if err != nil {
		return err
	}
	return c.work(ctx, a, ids, wishes.work)
}

// requestBackfills opens backfills and returns their numbers.
func requestBackfills(ctx context.Context, a *engine.App, wanted []engine.Backfill) ([]int64, error) {
	if err := notOpen(ctx, a, wanted); err != nil {
		return nil, err
	}
	var ids []int64
	for i := range wanted {
		id, err := a.RequestBackfill(ctx, &wanted[i])
		if errors.Is(err, backfills.ErrOpen) {
			return ids, usage("%w: sluice backfill list shows it", err)
		}
		if err != nil {
			return ids, err
		}
		ids = append(ids, id)
	}
	return ids, nil
}

// notOpen refuses the whole command if one of the wanted backfills is open already.
func notOpen(ctx context.Context, a *engine.App, wanted []engine.Backfill) error {
	open, err := a.DB.List(ctx, backfills.Filter{Open: true, Limit: manyBackfills})
	if err != nil {
		return fmt.Errorf("read the backfills: %w", err)
	}
	var taken []string
	for i := range wanted {
		for j := range open {
			if keyOf(&open[j]) == wanted[i].Stream.Key() {
				taken = append(taken, fmt.Sprintf("%s has backfill %d, which is %s", wanted[i].Stream, open[j].ID, open[j].State))
			}
		}
	}
	if len(taken) > 0 {
		return usage("a list has one open backfill at most: %s. Let it end, or sluice backfill cancel it", strings.Join(taken, "; "))
	}
	return nil
}
