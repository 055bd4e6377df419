package cli

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"sluice/cmd/sluice/cli/explain"
	"sluice/cmd/sluice/cli/view"
	"sluice/pipeline/engine"
	"sluice/pipeline/lineage"
	"sluice/pipeline/outside"
)

// explainView is what is known of a record, with what it means.
type explainView struct {
	lineage.History

	// Conclusions say in sentences what the rest says in figures.
	Conclusions []string `json:"conclusions"`
}

func (c *cli) explainCommand() *cobra.Command {
	var organization string
	var archives int
	cmd := &cobra.Command{
		Use:   "explain RESOURCE ID",
		Short: "Tell the history of one record: which call brought it when, in which versions, and what it waits for",
		Long: `Tell what is known of one record: since when its row is there, which call and which run
brought it, which versions of it raw records are kept of, what its single record waits
for, what of it is in quarantine, and how far its list is read. A record that is not
there is explained, too: whether it was ever seen, and up to when it would have been.

Versions are looked for in the raw records of the resource, newest first: a row is
written, and its raw record kept, only when something of it differs. --archives bounds
how many answers are looked through. No call is made.`,
		Example: "  sluice explain inventory.bills 460000000000107\n  sluice explain bills 460000000000107 --json",
		Args:    cobra.ExactArgs(2), //nolint:mnd // resource and identifier
		RunE: func(cmd *cobra.Command, args []string) error {
			if archives < 1 {
				return usage("--archives is a number from 1")
			}
			return c.withApp(cmd.Context(), func(ctx context.Context, a *engine.App) error {
				chosen, err := chooseOrganization(a, organization)
				if err != nil {
					return err
				}
				history, stream, err := a.Explain(ctx, args[0], args[1], chosen.Key, archives)
				if err != nil {
					return err
				}
				zone := a.Zone(chosen.Key)
				view := explainView{History: history, Conclusions: explain.Conclusions(history, stream.Resource, zone)}
				if c.json {
					return c.printer().Document(view)
				}
				return c.printExplanation(&view, zone)
			})
		},
	}
	cmd.Flags().StringVar(&organization, "org", "", "the organization (id or name); needed if there are several")
	cmd.Flags().IntVar(&archives, "archives", 2000, "how many answers kept as raw records are looked through for versions")
	return cmd
}

func (c *cli) printExplanation(shown *explainView, zone *time.Location) error {
	var b strings.Builder
	fmt.Fprintf(&b, "%s/%s.%s %s\n\n", shown.Organization, shown.Service, shown.Resource, outside.Visible(shown.Record))
	for _, sentence := range shown.Conclusions {
		b.WriteString("- " + outside.Visible(sentence) + "\n")
	}
	p := c.printer()
	if err := p.Line("%s", b.String()); err != nil || len(shown.Versions) == 0 {
		return err
	}
	rows := make([][]string, 0, len(shown.Versions))
	for i := range shown.Versions {
		v := &shown.Versions[i]
		kind := "list"
		if v.Single {
			kind = "single record"
		}
		rows = append(rows, []string{
			v.KeptAt.In(zone).Format("2006-01-02 15:04:05 MST"), kind, outside.Visible(v.Modified), view.Count(v.Call.ID), explain.Request(v.Call),
			runWord(v.Call.Run), view.Count(v.Bytes),
		})
	}
	return p.Table([]string{"LOADED", "OUT OF", "MODIFIED", "CALL", "REQUEST", "RUN", "BYTES"}, rows)
}

func runWord(run int64) string {
	if run == 0 {
		return "-"
	}
	return strconv.FormatInt(run, 10)
}
