package cli

import (
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"sluice/cmd/sluice/cli/view"
	"sluice/pipeline"
	"sluice/pipeline/engine"
	"sluice/pipeline/warehouse/streams/backfills"
)

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
	if err = watch.add(ctx, keys); err == nil {
		err = follow(ctx, queue, watch, keys, progress)
	}
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
