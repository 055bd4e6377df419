package cli

import (
	"context"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"sluice/cmd/sluice/cli/view"
	"sluice/pipeline/engine"
	"sluice/pipeline/warehouse/tombstones"
)

func (c *cli) tombstonesCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "tombstones",
		Short: "List rows whose record is gone upstream, with the evidence, and decide about those that need review",
		Long: `Upstream has no list of deleted records: they just stop appearing. A row gets its
tombstone, the instant in _deleted_at, when two clean scans of its whole list did not
show the record, or when one did not and upstream does not know the single record. Its
elements get it, too. If the record comes back, the tombstone is taken off.

If one scan misses too many rows at once (tombstones.max_rows and max_share of the
configuration), no row gets a tombstone: after a second such scan they need review.
review shows them, accept gives these rows tombstones, reject drops the evidence.`,
	}
	cmd.AddCommand(c.tombstonesList(), c.tombstonesShow(), c.tombstonesReview(), c.tombstonesAccept(), c.tombstonesReject())
	return cmd
}

func (c *cli) tombstonesList() *cobra.Command {
	var filter tombstones.Filter
	cmd := &cobra.Command{
		Use:     "list [resource]",
		Short:   "List what whole lists did not show, newest first",
		Example: "  sluice tombstones list\n  sluice tombstones list inventory.bills --state deleted --json",
		Args:    cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			switch filter.State {
			case "", "suspected", "needs_review", "deleted", "restored":
			default:
				return usage("--state %s: there are suspected, needs_review, deleted and restored", filter.State)
			}
			if len(args) == 1 {
				filter.Service, filter.Resource = splitName(args[0])
			}
			return c.withApp(cmd.Context(), func(ctx context.Context, a *engine.App) error {
				return c.listTombstones(ctx, a, filter)
			})
		},
	}
	cmd.Flags().StringVar(&filter.State, "state", "", "only those in this state: suspected, needs_review, deleted, restored")
	cmd.Flags().IntVar(&filter.Limit, "limit", 100, "how many")
	return cmd
}

func (c *cli) listTombstones(ctx context.Context, a *engine.App, filter tombstones.Filter) error {
	found, err := a.DB.Tombstones(ctx, filter)
	if err != nil {
		return fmt.Errorf("read the tombstones: %w", err)
	}
	return c.show(found, view.Table(found, "RECORD  OF  STATE  MISSED  PROOF  PROVEN  GONE  CAME BACK", func(t *tombstones.Tombstone) view.Row {
		at := func(at *time.Time) string { return view.Instant(at, a.Zone(t.Organization)) }
		of := streamName(true, t.Organization, t.Service, t.Resource)
		return view.Row{t.Record, of, t.State, at(&t.SuspectedAt), t.Proof, at(t.ProofAt), at(t.DeletedAt), at(t.RestoredAt)}
	}).Or("No whole list missed a row."))
}

func (c *cli) tombstonesShow() *cobra.Command {
	return &cobra.Command{
		Use:     "show RECORD",
		Short:   "Show all evidence about one record, by its identifier",
		Example: "  sluice tombstones show 460000000040000001000",
		Args:    cobra.ExactArgs(1),
		RunE: c.offlineWork(func(ctx context.Context, a *engine.App, args []string) error {
			found, err := a.DB.Tombstones(ctx, tombstones.Filter{Record: args[0]})
			if err != nil {
				return fmt.Errorf("read the evidence: %w", err)
			}
			if len(found) == 0 && !c.json {
				return usage("nothing is known against record %q: sluice tombstones list shows what is", args[0])
			}
			return c.show(found, view.Text(func(page *view.Page) {
				for i := range found {
					evidence(page, &found[i], a.Zone(found[i].Organization))
				}
			}))
		}),
	}
}

// evidence shows the evidence that one record is gone.
func evidence(page *view.Page, t *tombstones.Tombstone, zone *time.Location) {
	field := page.Fields(9) //nolint:mnd // "came back"
	at := func(at *time.Time) string { return view.Instant(at, zone) }
	field("record", "%s %s", streamName(true, t.Organization, t.Service, t.Resource), t.Record)
	field("state", "%s", t.State)
	field("missed", "%s by run %d, calls %d to %d", at(&t.SuspectedAt), t.SuspectedRun, t.SuspectedFirstCall, t.SuspectedLastCall)
	if t.Shrunken {
		field("", "too many were suspected at once to be believed")
	}
	if t.ProofRun != nil && t.ProofFirstCall != nil && t.ProofLastCall != nil {
		how := "a second scan did not show it"
		if t.Proof == "not_found" {
			how = "upstream does not know the single record"
		}
		field("proof", "%s: %s, run %d, calls %d to %d", at(t.ProofAt), how, *t.ProofRun, *t.ProofFirstCall, *t.ProofLastCall)
		field("gone", "since %s at the latest", at(t.DeletedAt))
	}
	if t.DecidedAt != nil {
		field("decided", "%s by the %s", at(t.DecidedAt), t.DecidedBy)
	}
	if t.RestoredAt != nil && t.RestoredCall != nil {
		field("came back", "%s with call %d; %s in all", at(t.RestoredAt), *t.RestoredCall, view.Plural(t.Restores, "time"))
	}
	if t.PrunedAt != nil {
		field("row", "deleted %s, as its tombstone was older than retention.gone", at(t.PrunedAt))
	}
	page.Linef("")
}
