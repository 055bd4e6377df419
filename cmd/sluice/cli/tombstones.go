package cli

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"sluice/cmd/sluice/cli/view"
	"sluice/pipeline/engine"
	"sluice/pipeline/outside"
	"sluice/pipeline/warehouse/report"
)

func (c *cli) tombstonesCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "tombstones",
		Short: "List rows whose record is gone upstream, with the evidence, and decide about held ones",
		Long: `Upstream has no list of deleted records: they just stop appearing. A row gets its
tombstone, the instant in _deleted_at, when two clean scans of its whole list did not
show the record, or when one did not and upstream does not know the single record. Its
elements get it, too. A record that comes back revives its row.

If one scan misses too many rows at once (tombstones.max_rows and max_share of the
configuration), nothing is marked: a second such scan holds them for a person. review
shows what is held, accept marks it as gone, reject forgets the evidence.`,
	}
	cmd.AddCommand(c.tombstonesList(), c.tombstonesShow(), c.tombstonesReview(), c.tombstonesAccept(), c.tombstonesReject())
	return cmd
}

func (c *cli) tombstonesList() *cobra.Command {
	var filter report.TombstoneFilter
	cmd := &cobra.Command{
		Use:     "list [resource]",
		Short:   "List what whole lists did not show, newest first",
		Example: "  sluice tombstones list\n  sluice tombstones list inventory.bills --state gone --json",
		Args:    cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			switch filter.State {
			case "", "missed", "held", "gone", "revived":
			default:
				return usage("--state %s: there are missed, held, gone and revived", filter.State)
			}
			if len(args) == 1 {
				filter.Service, filter.Resource = splitName(args[0])
			}
			return c.withApp(cmd.Context(), func(ctx context.Context, a *engine.App) error {
				return c.listTombstones(ctx, a, filter)
			})
		},
	}
	cmd.Flags().StringVar(&filter.State, "state", "", "only those in this state: missed, held, gone, revived")
	cmd.Flags().IntVar(&filter.Limit, "limit", 100, "how many")
	return cmd
}

func (c *cli) listTombstones(ctx context.Context, a *engine.App, filter report.TombstoneFilter) error {
	found, err := a.Report.Tombstones(ctx, filter)
	if err != nil {
		return fmt.Errorf("read the tombstones: %w", err)
	}
	if c.json {
		return c.printer().Document(found)
	}
	if len(found) == 0 {
		return c.printer().Line("No whole list missed a row.")
	}
	rows := make([][]string, 0, len(found))
	for i := range found {
		t := &found[i]
		zone := a.Zone(t.Organization)
		rows = append(rows, []string{
			outside.Visible(t.Record), t.Organization + "/" + t.Service + "." + t.Resource, t.State, instant(&t.MissedAt, zone),
			t.Proof, instant(t.ProofAt, zone), instant(t.GoneAt, zone), instant(t.RevivedAt, zone),
		})
	}
	return c.printer().Table([]string{"RECORD", "OF", "STATE", "MISSED", "PROOF", "PROVEN", "GONE", "CAME BACK"}, rows)
}

func instant(at *time.Time, zone *time.Location) string {
	if at == nil {
		return "-"
	}
	return at.In(zone).Format("2006-01-02 15:04:05")
}

func (c *cli) tombstonesShow() *cobra.Command {
	return &cobra.Command{
		Use:     "show RECORD",
		Short:   "Show all evidence about one record, by its identifier",
		Example: "  sluice tombstones show 460000000040000001000",
		Args:    cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return c.withApp(cmd.Context(), func(ctx context.Context, a *engine.App) error {
				return c.showTombstones(ctx, a, args[0])
			})
		},
	}
}

func (c *cli) showTombstones(ctx context.Context, a *engine.App, record string) error {
	found, err := a.Report.Tombstones(ctx, report.TombstoneFilter{Record: record})
	if err != nil {
		return fmt.Errorf("read the evidence: %w", err)
	}
	if c.json {
		return c.printer().Document(found)
	}
	if len(found) == 0 {
		return usage("nothing is known against record %q: sluice tombstones list shows what is", record)
	}
	for i := range found {
		if err := c.printer().Line("%s", evidence(&found[i], a.Zone(found[i].Organization))); err != nil {
			return err
		}
	}
	return nil
}

// evidence tells in lines what is known of a record.
func evidence(t *report.Tombstone, zone *time.Location) string {
	var b strings.Builder
	line := func(label, format string, args ...any) {
		fmt.Fprintf(&b, "%-9s "+format+"\n", append([]any{label}, args...)...)
	}
	line("record", "%s/%s.%s %s", t.Organization, t.Service, t.Resource, outside.Visible(t.Record))
	line("state", "%s", t.State)
	line("missed", "%s by run %d, calls %d to %d", instant(&t.MissedAt, zone), t.MissedRun, t.MissedFirstCall, t.MissedLastCall)
	if t.Shrunken {
		line("", "too many were missed at once to be believed")
	}
	if t.ProofRun != nil && t.ProofFirstCall != nil && t.ProofLastCall != nil {
		how := "a second scan did not show it"
		if t.Proof == "not_found" {
			how = "upstream does not know the single record"
		}
		line("proof", "%s: %s, run %d, calls %d to %d", instant(t.ProofAt, zone), how, *t.ProofRun, *t.ProofFirstCall, *t.ProofLastCall)
		line("gone", "since %s at the latest", instant(t.GoneAt, zone))
	}
	if t.DecidedAt != nil {
		line("decided", "%s by the %s", instant(t.DecidedAt, zone), t.DecidedBy)
	}
	if t.RevivedAt != nil && t.RevivedCall != nil {
		line("came back", "%s with call %d; %s in all", instant(t.RevivedAt, zone), *t.RevivedCall, view.Plural(t.Revivals, "time"))
	}
	return b.String()
}
