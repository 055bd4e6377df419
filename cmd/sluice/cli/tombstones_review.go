package cli

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"sluice/cmd/sluice/cli/view"
	"sluice/pipeline"
	"sluice/pipeline/engine"
	"sluice/pipeline/warehouse/tombstones"
)

func (c *cli) tombstonesReview() *cobra.Command {
	return &cobra.Command{
		Use:   "review",
		Short: "Show the deletions that the operator has to decide about",
		Args:  cobra.NoArgs,
		RunE:  c.offlineWork(c.reviewTombstones),
	}
}

func (c *cli) reviewTombstones(ctx context.Context, a *engine.App, _ []string) error {
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
	return c.show(held, table, view.Line("\nLook upstream for some of them. Then: sluice tombstones accept RUN (they are gone), or\n"+
		"sluice tombstones reject RUN (they are not: the evidence is forgotten)."))
}

func (c *cli) tombstonesAccept() *cobra.Command {
	return c.decision("accept RUN", "Put tombstones on the rows that a run left to decide", (*engine.App).AcceptTombstones, "%s got tombstones.")
}

func (c *cli) tombstonesReject() *cobra.Command {
	return c.decision("reject RUN", "Forget the evidence that a run left to decide: two new scans are needed",
		(*engine.App).RejectTombstones, "The evidence against %s is forgotten.")
}

// decided is the result of a person's decision.
type decided struct {
	pipeline.Key

	Run     int64 `json:"run"`
	Records int   `json:"records"`
}

// decide is the App's method for the records that a run left to a person.
type decide func(*engine.App, context.Context, pipeline.Key, int64) (int, error)

func (c *cli) decision(use, short string, decide decide, said string) *cobra.Command {
	return &cobra.Command{
		Use: use, Short: short, Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			runs, err := numbers(args, "number of a run", "tombstones review")
			if err != nil {
				return err
			}
			return c.withApp(cmd.Context(), func(ctx context.Context, a *engine.App) error {
				return c.decide(ctx, a, runs[0], decide, said)
			})
		},
	}
}

func (c *cli) decide(ctx context.Context, a *engine.App, run int64, decide decide, said string) error {
	held, err := a.DB.ScansToReview(ctx)
	if err != nil {
		return fmt.Errorf("read what needs review: %w", err)
	}
	at := slices.IndexFunc(held, func(h tombstones.ScanToReview) bool { return h.Run == run })
	if at < 0 {
		return usage("no deletion of run %d needs review: sluice tombstones review shows those that do", run)
	}
	key := pipeline.Key{Organization: held[at].Organization, Service: held[at].Service, Resource: held[at].Resource}
	n, err := decide(a, ctx, key, run)
	if err != nil {
		return err
	}
	return c.show(decided{Key: key, Run: run, Records: n}, view.Line(said, view.Plural(n, "record")))
}
