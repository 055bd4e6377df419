package cli

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"sluice/cmd/sluice/cli/view"
	"sluice/pipeline"
	"sluice/pipeline/engine"
)

func (c *cli) syncCommand() *cobra.Command {
	var organization organizationFlag
	var reset bool
	var ids []string
	cmd := &cobra.Command{
		Use:   "sync [resource ...]",
		Short: "Copy what changed, once, and say what it did",
		Long: `Copy what changed since the last run, and everything on the first one. Without
arguments all enabled resources of all organizations are copied; arguments name
resources (bills), services (inventory), both (inventory.bills), or only the
details of a resource (inventory.bills.details).

Lists come first, then what depends on them: single records whose list entry was a
header, and lists under parents. These two are bounded in each run, so that they
leave calls of the day for other runs; the next sync goes on with the rest.

Looks, which find deletions by a few pages, and sweeps, which read whole lists to find
deletions and silent edits, run when they are due; inventory.bills.look and
inventory.bills.sweep ask for one now. If deletions need review (sluice tombstones
review), the exit code is 1.

A watermark that is later than a run left it, because something else wrote into
sluice.streams, is refused: the stream is denied, the others go on.
--reset-watermark sets it back to the last one that a clean run left (sluice runs),
or reads the whole list where no such run is known any more.

--id reads single records of one resource at once, with one call of class details
each, and says what became of each: new, changed, unchanged, or absent if upstream
does not know it. The schedule stays as it is. The exit code is 1 if a record could
not be read or does not fit its table.

Any number of sync and serve processes may run at once on one database: they
share the work and the budget. A run that was killed goes on where it stopped.`,
		Example: "  sluice sync\n  sluice sync inventory.bills accounting\n  sluice sync --org acme --json\n" +
			"  sluice sync inventory.bills --id 460000000038049",
		RunE: func(cmd *cobra.Command, args []string) error {
			if cmd.Flags().Changed("id") {
				if len(args) != 1 || reset || slices.Contains(ids, "") {
					return usage("--id takes the identifier of a record, and goes with the name of one resource: sluice sync inventory.bills --id ID")
				}
				return c.withUpstream(cmd.Context(), true, func(ctx context.Context, a *engine.App) error {
					return c.syncRecords(ctx, a, args[0], organization, ids)
				})
			}
			a, err := engine.Open(cmd.Context(), c.options())
			if err != nil {
				return err
			}
			a.WarnExposed(cmd.Context())
			result, err := c.syncNamed(cmd.Context(), a, args, organization, reset)
			if closeErr := a.Close(cmd.Context()); err == nil {
				err = closeErr
			}
			if err != nil {
				return err
			}
			return exit(result.code(a.Config.Quarantine.MaxShare))
		},
	}
	organization.add(cmd)
	cmd.Flags().StringArrayVar(&ids, "id", nil, "read this record of the named resource and nothing else; may be repeated")
	cmd.Flags().BoolVar(&reset, "reset-watermark", false, "set watermarks ahead of time back to the last proven ones first")
	return cmd
}

// syncNamed syncs the streams that a command line names, and shows the result.
func (c *cli) syncNamed(ctx context.Context, a *engine.App, names []string, organization organizationFlag, reset bool) (*syncResult, error) {
	key, err := organization.key(a)
	if err == nil && reset {
		err = c.resetWatermarks(ctx, a, names, key)
	}
	if err != nil {
		return nil, err
	}
	result, err := c.syncOnce(ctx, a, names, key)
	if err == nil {
		err = c.show(result, result.table(), view.Line("%s", result.text()))
	}
	return result, err
}

// syncOnce requests runs of streams and works the queue until all of them have ended or wait for
// the next day, or the context ends.
func (c *cli) syncOnce(ctx context.Context, a *engine.App, names []string, organization string) (*syncResult, error) {
	streams, err := a.Select(names, organization)
	if err != nil {
		return nil, err
	}
	sweeps, err := a.DueSweeps(ctx, streams)
	if err != nil {
		return nil, err
	}
	return c.syncStreams(ctx, a, append(streams, sweeps...))
}

// syncStreams does so for these streams.
func (c *cli) syncStreams(ctx context.Context, a *engine.App, streams []pipeline.Stream) (*syncResult, error) {
	queue, err := a.StartQueue(context.WithoutCancel(ctx), false)
	if err != nil {
		return nil, err
	}
	result, err := c.await(ctx, a, queue, streams)
	if err == nil {
		err = errors.Join(withNeedsReview(ctx, a, result), withWithheld(ctx, a, result), a.Rezone(ctx),
			a.NoticeAfterClose(ctx), queue.FinishEvents(ctx))
	}
	stop, cancel := context.WithTimeout(context.WithoutCancel(ctx), queueStopLimit)
	defer cancel()
	return result, errors.Join(err, queue.Stop(stop))
}

// How often a sync looks at its streams, and how long it waits for the queue to stop.
const (
	pollEvery      = 250 * time.Millisecond
	queueStopLimit = 40 * time.Second
)

// await requests runs of the streams, phase by phase, and follows them until they end.
func (c *cli) await(ctx context.Context, a *engine.App, queue *engine.Queue, streams []pipeline.Stream) (*syncResult, error) {
	watch := newWatch(a, len(streams), c.env.Now)
	progress := view.NewProgress(c.env.Stderr)
	defer progress.Clear()
	if err := a.WakeBackfills(ctx, queue); err != nil {
		return nil, err
	}
	for _, phase := range engine.Phases(streams) {
		if len(phase) == 0 {
			continue
		}
		keys := make([]pipeline.Key, 0, len(phase))
		for _, stream := range phase {
			keys = append(keys, stream.Key())
		}
		if err := a.DB.Request(ctx, keys); err != nil {
			return watch.result(), fmt.Errorf("ask for the streams: %w", err)
		}
		if err := follow(ctx, queue, watch, keys, progress); err != nil {
			return watch.result(), err
		}
	}
	return watch.result(), nil
}

// follow queues the requested streams and polls them until their runs have ended or wait.
func follow(ctx context.Context, queue *engine.Queue, watch *watch, keys []pipeline.Key, progress *view.Progress) error {
	if err := watch.add(ctx, keys); err != nil {
		return err
	}
	if err := queue.Insert(ctx, keys); err != nil {
		return err
	}
	ticker := time.NewTicker(pollEvery)
	defer ticker.Stop()
	for {
		over, err := watch.look(ctx, progress)
		if err != nil || over {
			return err
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("interrupted: what was loaded stays, the next sync goes on from there: %w", context.Cause(ctx))
		case <-ticker.C:
		}
	}
}

// syncRecords reads single records of one resource and shows the result of each.
func (c *cli) syncRecords(ctx context.Context, a *engine.App, name string, organization organizationFlag, ids []string) error {
	chosen, err := a.ChooseOrganization(string(organization))
	if err != nil {
		return err
	}
	read, err := a.ReadRecords(ctx, name, chosen.Key, ids)
	if err == nil || len(read) > 0 {
		shown := c.show(read, view.Table(read, headOrganization+"  TABLE  RECORD  RESULT  CALL", func(r *engine.SingleRecord) view.Row {
			return view.Row{r.Organization, r.Resource, r.Record, resultOf(r.Result), r.Call}
		}))
		err = errors.Join(err, shown)
	}
	switch pipeline.KindOf(err) { //nolint:exhaustive // the others are failures
	case pipeline.Exhausted, pipeline.Throttled, pipeline.Crowded:
		return &exitError{code: codeBudget, err: err}
	}
	return errors.Join(err, exitIf(err == nil && slices.ContainsFunc(read, func(r engine.SingleRecord) bool { return r.Result.Failed() })))
}

// resultOf is a result with what follows from it.
func resultOf(result engine.Reread) string {
	switch result {
	case engine.RereadOlder:
		return "older than the row, which stays"
	case engine.RereadAbsent:
		return "absent: upstream does not know it"
	case engine.RereadNone:
		return "no record in upstream's answer"
	case engine.RereadRejected:
		return "rejected: sluice quarantine list"
	case engine.RereadErased:
		return "erased: sluice erase --list"
	default:
		return string(result)
	}
}

// resetWatermarks sets the watermarks of the named streams that are ahead of time back to the last
// proven ones, and says so.
func (c *cli) resetWatermarks(ctx context.Context, a *engine.App, names []string, organization string) error {
	if len(names) == 0 {
		return usage("--reset-watermark: name the resources whose watermark is ahead of time (sluice status)")
	}
	streams, err := a.Select(names, organization)
	if err != nil {
		return err
	}
	none := true
	for _, stream := range streams {
		before, after, reset, err := a.DB.ResetWatermark(ctx, stream.Key())
		if err != nil {
			return err
		}
		if !reset {
			continue
		}
		none = false
		to := "none: the whole list is read"
		if !after.IsZero() {
			to = after.UTC().Format(time.RFC3339)
		}
		if _, err := fmt.Fprintf(c.env.Stderr, "%s: the watermark goes back from %s to %s\n", stream, before.UTC().Format(time.RFC3339), to); err != nil {
			return fmt.Errorf("say what is reset: %w", err)
		}
	}
	if none {
		if _, err := fmt.Fprintln(c.env.Stderr, "no watermark of these is ahead of time: nothing is reset"); err != nil {
			return fmt.Errorf("say that nothing is reset: %w", err)
		}
	}
	return nil
}
