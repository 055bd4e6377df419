package cli

import (
	"context"
	"time"

	"github.com/spf13/cobra"

	"sluice/cmd/sluice/cli/explain"
	"sluice/cmd/sluice/cli/view"
	"sluice/pipeline"
	"sluice/pipeline/engine"
	"sluice/pipeline/outside"
	"sluice/pipeline/warehouse/lineage"
)

// explainView is the history of a record, with its meaning.
type explainView struct {
	lineage.History

	// Conclusions say in sentences what the figures of the history mean.
	Conclusions []string `json:"conclusions"`
}

// archivesLooked is how many answers kept as raw records are looked through for versions.
const archivesLooked = 2000

func (c *cli) explainCommand() *cobra.Command {
	var organization organizationFlag
	cmd := &cobra.Command{
		Use:   "explain RESOURCE ID",
		Short: "Show the history of one record: which call brought it when, in which versions, and what it waits for",
		Long: `Show what is known of one record: since when its row is there, which call and which run
brought it, which versions of it raw records are kept of, what its single record waits
for, what of it is in quarantine, and how far its list is read. A record that is not
there is explained, too: whether it was ever seen, and up to when it would have been.

Versions are looked for in the raw records of the resource, newest first: a row is
written, and its raw record kept, only when something of it differs. The newest 2,000
answers are looked through. No call is made.`,
		Example: "  sluice explain inventory.bills 460000000000107\n  sluice explain bills 460000000000107 --json",
		Args:    cobra.ExactArgs(2), //nolint:mnd // resource and identifier
		RunE: c.offlineWork(func(ctx context.Context, a *engine.App, args []string) error {
			chosen, err := a.ChooseOrganization(string(organization))
			if err != nil {
				return err
			}
			shown, _, err := explanationOf(ctx, a, args[0], args[1], chosen.Key, archivesLooked)
			if err != nil {
				return err
			}
			zone := a.Zone(chosen.Key)
			return c.show(shown, view.Text(func(page *view.Page) { shown.text(page, zone) }))
		}),
	}
	organization.add(cmd)
	return cmd
}

// explanationOf returns the history of a record of an organization, and the stream that brings it.
func explanationOf(ctx context.Context, a *engine.App, name, record, organization string, archives int) (explainView, pipeline.Stream, error) {
	history, stream, err := a.Explain(ctx, name, record, organization, archives)
	if err != nil {
		return explainView{}, stream, err
	}
	return explainView{History: history, Conclusions: explain.Conclusions(history, stream.Resource, a.Zone(organization))}, stream, nil
}

func (shown *explainView) text(page *view.Page, zone *time.Location) {
	page.Linef("%s/%s.%s %s\n", shown.Organization, shown.Service, shown.Resource, outside.Visible(shown.Record))
	for _, sentence := range shown.Conclusions {
		page.Linef("- %s", outside.Visible(sentence))
	}
	page.Linef("")
	if len(shown.Versions) == 0 {
		return
	}
	page.Add(view.Table(shown.Versions, "LOADED  OUT OF  MODIFIED  CALL  REQUEST  RUN  BYTES", func(v *lineage.Version) view.Row {
		kind := "list"
		if v.Single {
			kind = "single record"
		}
		return view.Row{view.Second(v.KeptAt, zone), kind, v.Modified, v.Call.ID, explain.Request(v.Call), callOr(v.Call.Run), v.Bytes}
	}))
}
