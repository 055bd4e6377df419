package cli

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"sluice/cmd/sluice/cli/view"
	"sluice/pipeline"
	"sluice/pipeline/engine"
	"sluice/pipeline/outside"
)

func (c *cli) tombstonesReview() *cobra.Command {
	return &cobra.Command{
		Use:   "review",
		Short: "Show what is held for a person to decide",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return c.withApp(cmd.Context(), c.reviewTombstones)
		},
	}
}

func (c *cli) reviewTombstones(ctx context.Context, a *engine.App) error {
	held, err := a.Report.HeldScans(ctx)
	if err != nil {
		return fmt.Errorf("read what is held: %w", err)
	}
	if c.json {
		return c.printer().Document(held)
	}
	if len(held) == 0 {
		return c.printer().Line("Nothing is held.")
	}
	rows := make([][]string, 0, len(held))
	for i := range held {
		h := &held[i]
		rows = append(rows, []string{
			strconv.FormatInt(h.Run, 10), h.Organization + "/" + h.Service + "." + h.Resource, view.Count(h.Held), view.Count(h.Received),
			strconv.FormatInt(h.FirstRun, 10), instant(&h.StartedAt, a.Zone(h.Organization)), outside.Visible(strings.Join(h.Sample, " ")),
		})
	}
	if err := c.printer().Table([]string{"RUN", "OF", "HELD", "RECORDS READ", "FIRST RUN", "STARTED", "SUCH AS"}, rows); err != nil {
		return err
	}
	return c.printer().Line("\nLook upstream for some of them. Then: sluice tombstones accept RUN (they are gone), or\n" +
		"sluice tombstones reject RUN (they are not: the evidence is forgotten).")
}

func (c *cli) tombstonesAccept() *cobra.Command {
	return c.decision("accept RUN", "Mark as gone what a run left to decide", (*engine.App).AcceptTombstones, "%s marked as gone.")
}

func (c *cli) tombstonesReject() *cobra.Command {
	return c.decision("reject RUN", "Forget the evidence that a run left to decide: two new scans are needed",
		(*engine.App).RejectTombstones, "The evidence against %s is forgotten.")
}

// decided is what a decision came to.
type decided struct {
	pipeline.Key

	Run     int64 `json:"run"`
	Records int   `json:"records"`
}

func (c *cli) decision(use, short string, decide func(*engine.App, context.Context, pipeline.Key, int64) (int, error), said string) *cobra.Command {
	return &cobra.Command{
		Use: use, Short: short, Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			run, err := strconv.ParseInt(args[0], 10, 64)
			if err != nil {
				return usage("%q is no number of a run: sluice tombstones review shows them", args[0])
			}
			return c.withApp(cmd.Context(), func(ctx context.Context, a *engine.App) error {
				return c.decide(ctx, a, run, decide, said)
			})
		},
	}
}

func (c *cli) decide(
	ctx context.Context, a *engine.App, run int64, decide func(*engine.App, context.Context, pipeline.Key, int64) (int, error), said string,
) error {
	held, err := a.Report.HeldScans(ctx)
	if err != nil {
		return fmt.Errorf("read what is held: %w", err)
	}
	for i := range held {
		if held[i].Run != run {
			continue
		}
		key := pipeline.Key{Organization: held[i].Organization, Service: held[i].Service, Resource: held[i].Resource}
		n, err := decide(a, ctx, key, run)
		if err != nil {
			return err
		}
		if c.json {
			return c.printer().Document(decided{Key: key, Run: run, Records: n})
		}
		return c.printer().Line(said, view.Plural(n, "record"))
	}
	return usage("run %d holds nothing: sluice tombstones review shows what is held", run)
}

// withHeld adds to the results of a sync what is held of their resources.
func withHeld(ctx context.Context, a *engine.App, result *syncResult) error {
	scans, err := a.Report.HeldScans(ctx)
	if err != nil {
		return fmt.Errorf("look for what is held: %w", err)
	}
	held := make(map[pipeline.Key]int64, len(scans))
	for i := range scans {
		held[pipeline.Key{Organization: scans[i].Organization, Service: scans[i].Service, Resource: scans[i].Resource}] += scans[i].Held
	}
	for i := range result.Streams {
		key := result.Streams[i].Key
		key.Resource = strings.TrimSuffix(key.Resource, "."+string(pipeline.WorkSweep))
		result.Streams[i].Held = held[key]
		delete(held, key) // a list and its sweep are one finding
	}
	return nil
}
