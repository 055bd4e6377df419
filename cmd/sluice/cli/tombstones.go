package cli

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"sluice/cmd/sluice/cli/view"
	"sluice/pipeline"
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
	cmd.AddCommand(c.tombstonesList(), c.tombstonesReview(),
		c.decision("accept RUN", "Put tombstones on the rows that a run left to decide",
			tombstones.Accept, "%s got tombstones."),
		c.decision("reject RUN", "Forget the evidence that a run left to decide: two new scans are needed",
			tombstones.Reject, "The evidence against %s is forgotten."))
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
				found, err := a.DB.Tombstones(ctx, filter)
				if err != nil {
					return fmt.Errorf("read the tombstones: %w", err)
				}
				const head = "RECORD  OF  STATE  MISSED  PROOF  PROVEN  GONE  CAME BACK"
				return c.show(found, view.Table(found, head, func(t *tombstones.Tombstone) view.Row {
					at := func(at *time.Time) string { return view.Instant(at, a.Zone(t.Organization)) }
					of := streamName(true, t.Organization, t.Service, t.Resource)
					return view.Row{t.Record, of, t.State, at(&t.SuspectedAt), t.Proof, at(t.ProofAt), at(t.DeletedAt), at(t.RestoredAt)}
				}).Or("No whole list missed a row."))
			})
		},
	}
	cmd.Flags().StringVar(&filter.State, "state", "", "only those in this state: suspected, needs_review, deleted, restored")
	cmd.Flags().IntVar(&filter.Limit, "limit", 100, "how many")
	return cmd
}

func (c *cli) tombstonesReview() *cobra.Command {
	return &cobra.Command{
		Use:   "review [RUN]",
		Short: "Show the deletions that the operator has to decide about, or the evidence of one scan",
		Long: `Show the scans whose missing rows the operator has to decide about. With the number of
such a scan, show its evidence: what both scans read beside the scans before them, the
last looks at the list, and some of the rows as they are in the warehouse.`,
		Example: "  sluice tombstones review\n  sluice tombstones review 1204 --json",
		Args:    cobra.MaximumNArgs(1),
		RunE: c.offlineWork(func(ctx context.Context, a *engine.App, args []string) error {
			runs, err := numbers(args, "number of a run", "tombstones review")
			switch {
			case err != nil:
				return err
			case len(runs) == 1:
				return c.reviewScan(ctx, a, runs[0])
			default:
				return c.reviewTombstones(ctx, a)
			}
		}),
	}
}

func (c *cli) reviewTombstones(ctx context.Context, a *engine.App) error {
	held, err := a.DB.ScansToReview(ctx)
	if err != nil {
		return fmt.Errorf("read what needs review: %w", err)
	}
	table := view.Table(held, "RUN  OF  TO REVIEW  RECORDS READ  FIRST RUN  STARTED  SUCH AS", func(h *tombstones.ScanToReview) view.Row {
		return view.Row{
			view.ID(h.Run), streamName(true, h.Organization, h.Service, h.Resource), h.NeedsReview, h.Received, view.ID(h.FirstRun),
			view.Instant(&h.StartedAt, a.Zone(h.Organization)), strings.Join(h.Sample, " "),
		}
	})
	if len(held) == 0 {
		return c.show(held, table.Or("Nothing needs review."))
	}
	return c.show(held, table, view.Line("\nsluice tombstones review RUN shows the evidence. Look upstream for some of them. Then:\n"+
		"sluice tombstones accept RUN (they are gone), or sluice tombstones reject RUN (they are not:\nthe evidence is forgotten)."))
}

// heldScan finds a scan that needs review.
func heldScan(ctx context.Context, a *engine.App, run int64) (*tombstones.ScanToReview, error) {
	held, err := a.DB.ScansToReview(ctx)
	if err != nil {
		return nil, fmt.Errorf("read what needs review: %w", err)
	}
	at := slices.IndexFunc(held, func(h tombstones.ScanToReview) bool { return h.Run == run })
	if at < 0 {
		return nil, usage("no deletion of run %d needs review: sluice tombstones review shows those that do", run)
	}
	return &held[at], nil
}

// evidenceView is a scan that needs review, with what it rests on.
type evidenceView struct {
	tombstones.ScanToReview

	// Scans are both scans, the done ones before them, and the last looks, newest first.
	Scans []tombstones.EvidenceRun `json:"scans"`
	// Rows are those of Sample. It is empty if the resource is no longer configured.
	Rows []tombstones.MissedRow `json:"rows"`
}

func evidenceOf(ctx context.Context, a *engine.App, run int64) (*evidenceView, error) {
	held, err := heldScan(ctx, a, run)
	if err != nil {
		return nil, err
	}
	shown := &evidenceView{ScanToReview: *held, Rows: []tombstones.MissedRow{}}
	if shown.Scans, err = a.DB.EvidenceRuns(ctx, held); err != nil {
		return nil, err
	}
	if stream, known := a.Stream(held.Key()); known {
		if shown.Rows, err = a.DB.MissedRows(ctx, stream, held.Sample); err != nil {
			return nil, err
		}
	}
	return shown, nil
}

func (c *cli) reviewScan(ctx context.Context, a *engine.App, run int64) error {
	shown, err := evidenceOf(ctx, a, run)
	if err != nil {
		return err
	}
	zone := a.Zone(shown.Organization)
	scans := view.Table(shown.Scans, "RUN  STREAM  STARTED  RECORDS READ  CALLS  NOTE", func(s *tombstones.EvidenceRun) view.Row {
		return view.Row{
			view.ID(s.Run), streamName(true, shown.Organization, shown.Service, s.Resource), view.Instant(&s.StartedAt, zone), s.Received, s.Calls, s.Note,
		}
	})
	rows := view.Table(shown.Rows, "RECORD  FIRST SEEN  LAST WRITTEN  BY CALL", func(r *tombstones.MissedRow) view.Row {
		return view.Row{r.Record, view.Instant(&r.FirstSeenAt, zone), view.Instant(&r.ChangedAt, zone), callOr(r.Call)}
	})
	return c.show(shown,
		view.Line("%s of %s: scan %d and scan %d before it did not show them.\n", view.Plural(shown.NeedsReview, "record"),
			streamName(true, shown.Organization, shown.Service, shown.Resource), shown.Run, shown.FirstRun),
		scans, view.Line("\nSome of the rows"), rows.Or("None of these rows is here, or their resource is no longer configured."),
		view.Line("\nLook upstream for some of them. Then: sluice tombstones accept %[1]d (they are gone), or\n"+
			"sluice tombstones reject %[1]d (they are not: the evidence is forgotten).", run))
}

func callOr(call int64) string {
	if call == 0 {
		return nothing
	}
	return view.ID(call)
}

// decided is the result of a person's decision.
type decided struct {
	pipeline.Key

	Run     int64 `json:"run"`
	Records int   `json:"records"`
}

func (c *cli) decision(use, short string, decide tombstones.Decision, said string) *cobra.Command {
	return &cobra.Command{
		Use: use, Short: short, Args: cobra.ExactArgs(1),
		RunE: c.numberedWork("number of a run", "tombstones review", func(ctx context.Context, a *engine.App, runs []int64) error {
			done, err := decideAbout(ctx, a, runs[0], decide)
			if err != nil {
				return err
			}
			return c.show(done, view.Line(said, view.Plural(done.Records, "record")))
		}),
	}
}

func decideAbout(ctx context.Context, a *engine.App, run int64, decide tombstones.Decision) (*decided, error) {
	held, err := heldScan(ctx, a, run)
	if err != nil {
		return nil, err
	}
	n, err := a.DecideTombstones(ctx, held.Key(), run, decide)
	if err != nil {
		return nil, err
	}
	return &decided{Key: held.Key(), Run: run, Records: n}, nil
}
