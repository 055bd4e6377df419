package cli

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"sluice/cmd/sluice/cli/view"
	"sluice/pipeline/engine"
	"sluice/pipeline/warehouse/report"
)

// trustView is how far one resource's modification time can be trusted.
type trustView struct {
	report.Trust

	// Told is the share of changes that came with a new modification time, 0 to 1; nil if
	// nobody can know: nothing changed, or the whole list was never read again.
	Told *float64 `json:"told"`
}

func (c *cli) trustCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "trust [resource]",
		Short: "Show how far modification times can be trusted: which share of changes they told of",
		Long: `Balances, stock and lines can change upstream while the modification time of their
record stays what it was. Runs that ask for what was modified since cannot see such
changes; sweeps, which read the whole list, find them by the content. A resource whose
share is low wants a shorter sweep in the configuration (resources: {…: {sweep: 24h}}).
WENT BACK are changes whose modification time went back: upstream was restored.`,
		Example: "  sluice trust\n  sluice trust inventory.items --json",
		Args:    cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return c.withApp(cmd.Context(), func(ctx context.Context, a *engine.App) error {
				return c.trust(ctx, a, args)
			})
		},
	}
}

func (c *cli) trust(ctx context.Context, a *engine.App, names []string) error {
	found, err := a.Report.Trust(ctx)
	if err != nil {
		return err //nolint:wrapcheck // it says what failed
	}
	timed := make(map[string]bool)
	for _, stream := range a.Streams() {
		timed[stream.Service.Name+"."+stream.Resource.Name] = stream.Resource.Modified() != ""
	}
	views := make([]trustView, 0, len(found))
	for i := range found {
		t := found[i]
		named := len(names) == 0 || namedBy(&report.Drift{Service: t.Service, Resource: t.Resource}, names[0])
		if named && timed[t.Service+"."+t.Resource] {
			views = append(views, trustView{Trust: t, Told: told(t)})
		}
	}
	if c.json {
		return c.printer().Document(views)
	}
	rows := make([][]string, 0, len(views))
	for i := range views {
		v := &views[i]
		share := "nobody knows"
		if v.Told != nil {
			share = fmt.Sprintf("%.0f %%", *v.Told*100) //nolint:mnd // in a hundred
		}
		rows = append(rows, []string{
			v.Organization + "/" + v.Service + "." + v.Resource, view.Count(v.Changes), view.Count(v.Silent), view.Count(v.Rollbacks), share,
			view.Count(v.Whole), instant(v.WholeAt, a.Zone(v.Organization)),
		})
	}
	return c.printer().Table([]string{"OF", "CHANGES", "SILENT", "WENT BACK", "TOLD BY ITS TIME", "WHOLE LISTS", "LAST"}, rows)
}

func told(t report.Trust) *float64 {
	if t.Changes == 0 || t.Whole == 0 {
		return nil
	}
	share := 1 - float64(t.Silent)/float64(t.Changes)
	return &share
}
