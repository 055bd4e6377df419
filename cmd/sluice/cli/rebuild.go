package cli

import (
	"context"
	"errors"
	"slices"

	"github.com/spf13/cobra"

	"sluice/cmd/sluice/cli/view"
	"sluice/pipeline"
	"sluice/pipeline/engine"
	"sluice/pipeline/lineage/rebuild"
)

// rebuildOptions are the flags of rebuild.
type rebuildOptions struct {
	organization organizationFlag
	dry, changed bool
}

func (c *cli) rebuildCommand() *cobra.Command {
	var options rebuildOptions
	cmd := &cobra.Command{
		Use:   "rebuild [resource ...]",
		Short: "Write anew what differs from the records kept beside rows, without a call",
		Long: `Hold the rows of resources and their elements against the records that are kept beside
them, as the declarations are now, and write anew what differs: all resources, or those
that are named. No call is made. What was written into the tables by hand is gone then,
a column that was declared since has its values; rows that are as they should be are not
touched. Rows keep the calls that brought them, the instants of their first sight and
last change, and their tombstones.

The tables stay readable meanwhile. A resource that is being copied right now is left
out and named. A rebuild that was interrupted or killed goes on where it stopped when the
same command is given again. Records that do not fit the declaration any more go to
quarantine, and their rows stay as they are.

Exit codes: 0 all rows are what their records make of them, 1 some are not: a resource
was being copied, records did not fit, or rows have no record.`,
		Example: "  sluice rebuild\n  sluice rebuild inventory.bills --org acme\n" +
			"  sluice rebuild --dry-run --changed   # what a new declaration would change",
		Args: cobra.ArbitraryArgs,
		RunE: c.offlineWork(func(ctx context.Context, a *engine.App, args []string) error {
			return c.rebuild(ctx, a, args, options)
		}),
	}
	options.organization.add(cmd)
	cmd.Flags().BoolVar(&options.dry, "dry-run", false, "say what would be written, and write nothing")
	cmd.Flags().BoolVar(&options.changed, "changed", false, "only rows of which the declaration makes something else by now: edits are not looked for")
	return cmd
}

// rebuiltView is the result for one resource of one organization.
type rebuiltView struct {
	Organization string `json:"organization"`
	Resource     string `json:"resource"`
	rebuild.Counts

	// Error says why it was not rebuilt, or only in part.
	Error string `json:"error,omitempty"`
}

func (c *cli) rebuild(ctx context.Context, a *engine.App, names []string, options rebuildOptions) error {
	key, err := options.organization.key(a)
	if err != nil {
		return err
	}
	streams, err := a.Rebuildable(names, key)
	if err != nil {
		return err
	}
	scope := rebuild.All
	if options.changed {
		scope = rebuild.Changed
	}
	views, err := inTurn(ctx, c, streams, "row", "goes on where it stopped", func(stream pipeline.Stream, progress func(int)) (rebuiltView, error) {
		counts, err := a.Rebuild(ctx, stream, scope, options.dry, progress)
		return rebuiltView{
			Organization: stream.Organization, Resource: stream.Service.Name + "." + stream.Resource.Name, Counts: counts, Error: said(err),
		}, err
	})
	if err != nil {
		return err
	}
	failed := slices.ContainsFunc(views, func(v rebuiltView) bool { return v.Error != "" || v.Rejected+v.Lost > 0 })
	written := "WRITTEN"
	if options.dry {
		written = "TO WRITE"
	}
	head := headOrganization + "  TABLE  LOOKED AT  " + written + "  REJECTED  LOST  REMARK"
	return errors.Join(c.show(views, view.Table(views, head, func(v *rebuiltView) view.Row {
		if v.Rows == 0 && v.Error == "" {
			return nil
		}
		return view.Row{v.Organization, v.Resource, v.Rows, v.Rewritten, v.Rejected, v.Lost, v.Error}
	}).Or("There are no rows yet.")), exitIf(failed))
}

// inTurn works on lists one after the other, and shows how many rows were checked. A list that
// cannot be rebuilt stops no other (invariant 9). An interrupt stops it, with a message about what
// the same command does next time.
func inTurn[V any](
	ctx context.Context, c *cli, streams []pipeline.Stream, noun, again string, do func(pipeline.Stream, func(int)) (V, error),
) ([]V, error) {
	views := make([]V, 0, len(streams))
	progress := view.NewProgress(c.env.Stderr)
	defer progress.Clear()
	for _, stream := range streams {
		shown, err := do(stream, func(n int) {
			progress.Show(stream.Service.Name + "." + stream.Resource.Name + ": " + view.Plural(n, noun))
		})
		if ctx.Err() != nil {
			return nil, errors.Join(errors.New("interrupted: the same command "+again), err)
		}
		views = append(views, shown)
	}
	return views, nil
}

// said is the text of an error, "" if there is none.
func said(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}
