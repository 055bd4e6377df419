package cli

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/spf13/cobra"

	"sluice/cmd/sluice/cli/view"
	"sluice/pipeline"
	"sluice/pipeline/engine"
	"sluice/pipeline/warehouse"
	"sluice/pipeline/warehouse/streams/backfills"
)

func (c *cli) backfillList() *cobra.Command {
	filter := backfills.Filter{}
	cmd := &cobra.Command{
		Use:   "list",
		Short: "List backfills, the last asked for first",
		Args:  cobra.NoArgs,
		RunE: c.offlineWork(func(ctx context.Context, a *engine.App, _ []string) error {
			found, err := a.DB.List(ctx, filter)
			if err != nil {
				return fmt.Errorf("read the backfills: %w", err)
			}
			return c.printBackfills(ctx, a, found)
		}),
	}
	cmd.Flags().BoolVar(&filter.Open, "open", false, "only those that are not over")
	cmd.Flags().IntVar(&filter.Limit, "limit", 20, "how many")
	return cmd
}

func (c *cli) backfillShow() *cobra.Command {
	return &cobra.Command{
		Use:   "show ID",
		Short: "Show one backfill: what was asked for, how far it is, when it will be done",
		Args:  cobra.ExactArgs(1),
		RunE:  c.numberedWork(backfillNumber, backfillLists, c.showBackfill),
	}
}

func (c *cli) backfillPause() *cobra.Command {
	cmd := c.change("pause ID ...", "Let backfills rest until they are resumed; the pages under way are still loaded", pausable, (*warehouse.DB).Pause)
	cmd.Long = `Let backfills rest until they are resumed. The chunk under way is read to its end, so
that no call is wasted: within a minute or so.`
	return cmd
}

const (
	// backfillNumber names the number of a backfill in errors, backfillLists the command that lists it.
	backfillNumber = "number of a backfill"
	backfillLists  = "backfill list"
	// changeable are the states of a backfill that can still change.
	changeable = "queued, running, paused or failed"
	// pausable are those in which it can be paused.
	pausable = "queued or running"
)

// changing changes the state of a backfill.
type changing func(*warehouse.DB, context.Context, int64) error

// changeBackfill changes the state of a backfill, which has to be in one of the needed states.
func changeBackfill(ctx context.Context, a *engine.App, id int64, needed string, do changing) error {
	switch err := do(a.DB, ctx, id); {
	case errors.Is(err, backfills.ErrOpen):
		return usage("%w: sluice backfill list --open shows it", err)
	case !errors.Is(err, backfills.ErrState):
		return err
	}
	found, err := a.DB.Backfill(ctx, id)
	switch {
	case errors.Is(err, warehouse.ErrNotFound):
		return usage("there is no backfill %d: sluice backfill list shows them", id)
	case err != nil:
		return fmt.Errorf("read backfill %d: %w", id, err)
	default:
		return usage("backfill %d is %s; it would have to be %s", id, found.State, needed)
	}
}

// resumed lets a backfill go on.
func resumed(db *warehouse.DB, ctx context.Context, id int64) error { //nolint:revive // it stands beside methods of the warehouse
	_, err := db.Resume(ctx, id)
	return err
}

// change makes a command that changes the state of backfills and shows them; needed are the states
// in which they have to be.
func (c *cli) change(use, short, needed string, do changing) *cobra.Command {
	return &cobra.Command{
		Use: use, Short: short, Args: cobra.MinimumNArgs(1),
		RunE: c.numberedWork(backfillNumber, backfillLists, func(ctx context.Context, a *engine.App, ids []int64) error {
			for _, id := range ids {
				if err := changeBackfill(ctx, a, id, needed, do); err != nil {
					return err
				}
			}
			return c.showBackfills(ctx, a, ids)
		}),
	}
}

func (c *cli) backfillResume() *cobra.Command {
	var wishes workWishes
	cmd := &cobra.Command{
		Use:   "resume [ID ...]",
		Short: "Go on with backfills where they stopped: paused, failed or waiting ones",
		Long: `Go on with backfills where they stopped, and work them as the command that asked for
them does. Without arguments all open ones go on that are not paused: a scheduler that
starts this now and then brings backfills to their ends over the days.`,
		Example: "  sluice backfill resume 12\n  sluice backfill resume 12 --detach\n  sluice backfill resume",
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := wishes.check(); err != nil {
				return err
			}
			ids, err := numbers(args, backfillNumber, backfillLists)
			if err != nil {
				return err
			}
			return c.withUpstream(cmd.Context(), !wishes.detach, func(ctx context.Context, a *engine.App) error {
				return c.resume(ctx, a, ids, wishes)
			})
		},
	}
	wishes.flags(cmd)
	return cmd
}

func (c *cli) resume(ctx context.Context, a *engine.App, ids []int64, wishes workWishes) error {
	if len(ids) == 0 {
		open, err := a.DB.List(ctx, backfills.Filter{Open: true, Limit: manyBackfills})
		if err != nil {
			return fmt.Errorf("read the backfills: %w", err)
		}
		for i := range open {
			_, known := a.Stream(keyOf(&open[i]))
			if known && open[i].State != statePaused {
				ids = append(ids, open[i].ID)
			}
		}
		slices.Sort(ids)
	}
	if len(ids) == 0 {
		return c.showBackfills(ctx, a, nil)
	}
	for _, id := range ids {
		if err := changeBackfill(ctx, a, id, changeable, resumed); err != nil {
			return err
		}
	}
	return c.work(ctx, a, ids, wishes)
}

// workWishes are the flags --wait and --detach: whether this process works the backfills, and until
// when.
type workWishes struct{ wait, detach bool }

func (w *workWishes) flags(cmd *cobra.Command) {
	cmd.Flags().BoolVar(&w.wait, "wait", false, "stay until it is done, also while it waits for the day to turn")
	cmd.Flags().BoolVar(&w.detach, "detach", false, "only ask for it: serve or the next sync does the work")
}

// check refuses contradicting flags.
func (w *workWishes) check() error {
	if w.wait && w.detach {
		return usage("--wait stays until all is done and --detach does not stay at all: choose one")
	}
	return nil
}

// manyBackfills is more than can be open at once.
const manyBackfills = 100_000

// keyOf names the stream of a backfill.
func keyOf(b *backfills.Backfill) pipeline.Key {
	return pipeline.Key{
		Organization: b.Organization, Service: b.Service, Resource: b.Resource + "." + string(pipeline.WorkBackfill),
	}
}

// work works backfills until they end or wait, and shows their results.
func (c *cli) work(ctx context.Context, a *engine.App, ids []int64, wishes workWishes) error {
	if wishes.detach {
		return c.showBackfills(ctx, a, ids)
	}
	keys := make([]pipeline.Key, 0, len(ids))
	for _, id := range ids {
		asked, err := a.DB.Backfill(ctx, id)
		if err != nil {
			return fmt.Errorf("read what was asked for: %w", err)
		}
		keys = append(keys, keyOf(&asked))
	}
	queue, err := a.StartQueue(context.WithoutCancel(ctx), false)
	if err != nil {
		return err
	}
	watch, progress := newWatch(a, len(keys), c.env.Now), view.NewProgress(c.env.Stderr)
	watch.patient = wishes.wait
	err = follow(ctx, queue, watch, keys, progress)
	progress.Clear()
	stop, cancel := context.WithTimeout(context.WithoutCancel(ctx), queueStopLimit)
	defer cancel()
	if err := errors.Join(err, queue.Stop(stop)); err != nil {
		return err
	}
	if err := c.showBackfills(ctx, a, ids); err != nil {
		return err
	}
	result := watch.result()
	if err := withWithheld(ctx, a, result); err != nil {
		return err
	}
	code := result.code(a.Config.Quarantine.MaxShare)
	if code == codeBudget && !c.json {
		err = c.printer().Line("The budget stopped it with work left: it goes on with the next sync, with serve, or with sluice backfill resume.")
	}
	return errors.Join(err, exit(code))
}
