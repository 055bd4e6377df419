package cli

import (
	"context"
	"errors"

	"github.com/spf13/cobra"

	"sluice/cmd/sluice/cli/view"
	"sluice/pipeline"
	"sluice/pipeline/engine"
	"sluice/pipeline/warehouse/rebuild"
)

// rebuildOptions are the flags of rebuild.
type rebuildOptions struct {
	organization          organizationFlag
	dry, changed, history bool
}

func (c *cli) rebuildCommand() *cobra.Command {
	var options rebuildOptions
	cmd := &cobra.Command{
		Use:   "rebuild [resource ...]",
		Short: "Write anew what differs from the records kept beside rows, or versions, without a call",
		Long: `Hold the rows of resources and their elements against the records that are kept beside
them, as the declarations are now, and write anew what differs: all resources, or those
that are named. No call is made. What somebody wrote into the tables by hand is gone then,
a column that was declared since has its values; rows that are as they should be are not
touched. Rows keep the calls that brought them, the instants of their first sight and
last change, and their tombstones.

The tables stay readable meanwhile. A resource that is being copied right now is left
out and named. A rebuild that was interrupted or killed goes on where it stopped when the
same command is given again. Records that do not fit the declaration any more go to
quarantine, and their rows stay as they are.

With --history rows are left alone, and the versions of records are made anew, of
resources with history: true: from before it was switched on, as far as raw records are
kept, and with what a column that was declared since would have held.

Exit codes: 0 all rows are what their records make of them, 1 some are not: a resource
was being copied, records did not fit, or rows have no record.`,
		Example: "  sluice rebuild\n  sluice rebuild inventory.bills --org acme\n" +
			"  sluice rebuild --dry-run --changed   # what a new declaration would change\n" +
			"  sluice rebuild --history inventory.bills",
		Args: cobra.ArbitraryArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			if options.history && (options.dry || options.changed) {
				return usage("rebuild: --history goes neither with --dry-run nor with --changed")
			}
			return c.withApp(cmd.Context(), func(ctx context.Context, a *engine.App) error {
				if options.history {
					return c.rebuildHistory(ctx, a, args, options)
				}
				return c.rebuild(ctx, a, args, options)
			})
		},
	}
	options.organization.add(cmd)
	cmd.Flags().BoolVar(&options.dry, "dry-run", false, "say what would be written, and write nothing")
	cmd.Flags().BoolVar(&options.changed, "changed", false, "only rows of which the declaration makes something else by now: edits are not looked for")
	cmd.Flags().BoolVar(&options.history, "history", false, "the versions of records instead of rows")
	return cmd
}

// rebuiltView is what became of one resource of one organization.
type rebuiltView struct {
	Organization string `json:"organization"`
	Resource     string `json:"resource"`
	filledView

	// Error says why it was not rebuilt, or not to its end.
	Error string `json:"error,omitempty"`
}

// rebuild goes through the resources one after the other: one that cannot be rebuilt
// stops no other (promise 9).
func (c *cli) rebuild(ctx context.Context, a *engine.App, names []string, options rebuildOptions) error {
	streams, err := rebuildable(a, names, options)
	if err != nil {
		return err
	}
	scope := rebuild.All
	if options.changed {
		scope = rebuild.Changed
	}
	views := make([]rebuiltView, 0, len(streams))
	failed := false
	progress := view.NewProgress(c.env.Stderr)
	defer progress.Clear()
	for _, stream := range streams {
		shown, err := c.rebuildOne(ctx, a, stream, scope, options.dry, progress)
		if ctx.Err() != nil {
			return errors.Join(errInterrupted, err)
		}
		failed = failed || err != nil || shown.Unfit+shown.Lost > 0
		views = append(views, shown)
	}
	progress.Clear()
	return errors.Join(c.printRebuilt(views, options.dry), exitIf(failed))
}

// rebuildable are the lists that a command line names.
func rebuildable(a *engine.App, names []string, options rebuildOptions) ([]pipeline.Stream, error) {
	key, err := options.organization.key(a)
	if err != nil {
		return nil, err
	}
	return a.Rebuildable(names, key)
}

// errInterrupted says that the rest is left for the next time.
var errInterrupted = errors.New("interrupted: the same command goes on where it stopped")

func (c *cli) rebuildOne(
	ctx context.Context, a *engine.App, stream pipeline.Stream, scope rebuild.Scope, dry bool, progress *view.Progress,
) (rebuiltView, error) {
	shown := rebuiltView{Organization: stream.Organization, Resource: stream.Service.Name + "." + stream.Resource.Name}
	counts, err := a.Rebuild(ctx, stream, scope, dry, func(n int) { progress.Show(shown.Resource + ": " + view.Plural(n, "row")) })
	shown.filledView = filledView(counts)
	if err != nil {
		shown.Error = err.Error()
	}
	return shown, err
}

func (c *cli) printRebuilt(views []rebuiltView, dry bool) error {
	written := "WRITTEN"
	if dry {
		written = "TO WRITE"
	}
	return c.show(views, view.Table(views, headOrganization+"  TABLE  LOOKED AT  "+written+"  UNFIT  LOST  REMARK", func(v *rebuiltView) view.Row {
		if v.Rows == 0 && v.Error == "" {
			return nil
		}
		return view.Row{v.Organization, v.Resource, v.Rows, v.Rewritten, v.Unfit, v.Lost, v.Error}
	}).Or("There are no rows yet."))
}
