package cli

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"sluice/cmd/sluice/cli/view"
	"sluice/pipeline"
	"sluice/pipeline/engine"
	"sluice/pipeline/warehouse"
	"sluice/schema/redact"
)

func (c *cli) redactCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "redact",
		Short: "Show which columns are left out or hashed",
		Long: `Show which columns the configuration leaves out of records or hashes, since when, and how
many rows still have values of before (scrub removes these).`,
		Args: cobra.NoArgs,
		RunE: c.showLeftOut,
	}
	cmd.AddCommand(c.scrubCommand())
	return cmd
}

// showLeftOut shows which columns are left out of records or hashed, since when, and how many rows
// have values of before. Where the configuration leaves nothing out, it shows the help.
func (c *cli) showLeftOut(cmd *cobra.Command, _ []string) error {
	if a, err := engine.Load(c.offline()); err != nil || !a.LeavesOut() {
		return cmd.Help()
	}
	return c.withApp(cmd.Context(), func(ctx context.Context, a *engine.App) error {
		columns, err := a.LeftOut(ctx, true)
		if err != nil {
			return err
		}
		lines := view.Text(func(page *view.Page) {
			for _, sentence := range leftOutSentences(columns) {
				page.Linef("%s", sentence)
			}
		})
		return c.show(columns, view.Table(columns, "RESOURCE  COLUMN  IS  SINCE  VALUES OF BEFORE", func(l *engine.LeftOut) view.Row {
			since, before := "the next sync", view.Count(l.Plain)
			switch {
			case l.Ended != nil:
				since, before = "no longer", "-"
			case l.Since != nil:
				since = l.Since.UTC().Format(time.RFC3339)
			}
			return view.Row{l.Resource, l.Column, string(l.How), since, before}
		}), lines)
	})
}

// leftOutSentences say what differs between what is left out and what is stored.
func leftOutSentences(columns []engine.LeftOut) []string {
	var fresh, ended, stored []string
	for i := range columns {
		l := &columns[i]
		name := l.Resource + "." + l.Column
		switch {
		case l.Ended != nil:
			ended = append(ended, name)
			continue
		case l.Since == nil:
			fresh = append(fresh, name)
		}
		if (l.ScrubbedAt == nil && l.Since != nil || l.Plain > 0) && !slices.Contains(stored, l.Resource) {
			stored = append(stored, l.Resource)
		}
	}
	var all []string
	if len(fresh) > 0 {
		all = append(all, "left out or hashed from the next sync on, by the configuration or by a class that is new: "+strings.Join(fresh, ", "))
	}
	if len(ended) > 0 {
		all = append(all, "not left out or hashed any more: "+strings.Join(ended, ", "))
	}
	if len(stored) > 0 {
		all = append(all, "what was stored before columns were left out or hashed is still there: sluice redact scrub "+strings.Join(stored, " "))
	}
	return all
}

// checkLeftOut gives the finding about what is left out; none if nothing is.
func checkLeftOut(ctx context.Context, a *engine.App) []finding {
	if !a.LeavesOut() {
		return nil
	}
	const check = "columns left out"
	columns, err := a.LeftOut(ctx, true)
	if err != nil {
		return []finding{verdict(check, err, "")}
	}
	omitted, hashed := 0, 0
	for i := range columns {
		switch {
		case columns[i].Ended != nil:
		case columns[i].How == redact.Omitted:
			omitted++
		default:
			hashed++
		}
	}
	text := fmt.Sprintf("%s left out of records and %s hashed", view.Plural(omitted, "column"), view.Count(hashed))
	return []finding{{Check: check, OK: true, Text: strings.Join(append([]string{text}, leftOutSentences(columns)...), "; ")}}
}

// scrubbedView is what became of one resource of one organization.
type scrubbedView struct {
	Organization string `json:"organization"`
	Resource     string `json:"resource"`
	warehouse.Scrubbed

	// Error says why it was not scrubbed, or only in part.
	Error string `json:"error,omitempty"`
}

func (c *cli) scrubCommand() *cobra.Command {
	dry := false
	cmd := &cobra.Command{
		Use:   "scrub [resource ...]",
		Short: "Leave columns out of what was stored before the configuration left them out",
		Long: `Leave columns out of what was stored before the configuration left them out or hashed
them (omit and hash of resources, and privacy), as if they had never come: in rows and
their arrays, versions and values by day, raw records, quarantine and drift. Of all
resources with such columns, or of those that are named. No call is made. Omitted
columns become null, hashed ones have the hash, and rows get new content hashes.

Runs go on meanwhile. First start every process with the configuration that leaves the
columns out: what an older one copies has them. A scrub that was interrupted or killed
is made again by the same command. The space of what was replaced is free after the next
VACUUM FULL or when Postgres uses it again; backups from before still have the values.

Exit codes: 0 nothing of before is left, 1 something is, and it is said what.`,
		Example: "  sluice redact scrub --dry-run\n  sluice redact scrub accounting.contact_persons",
		RunE: c.offlineWork(func(ctx context.Context, a *engine.App, args []string) error {
			return c.scrub(ctx, a, args, dry)
		}),
	}
	cmd.Flags().BoolVar(&dry, "dry-run", false, "say what would be changed, and change nothing")
	return cmd
}

func (c *cli) scrub(ctx context.Context, a *engine.App, names []string, dry bool) error {
	lists, err := a.LeavingOut(names)
	if err != nil {
		return err
	}
	const again = "begins anew where nothing is left to change"
	views, err := inTurn(ctx, c, lists, "record", again, func(stream pipeline.Stream, progress func(int)) (scrubbedView, error) {
		counts, err := a.Scrub(ctx, stream, dry, func(s warehouse.Scrubbed) { progress(s.Rows) })
		return scrubbedView{
			Organization: stream.Organization, Resource: stream.Service.Name + "." + stream.Resource.Name,
			Scrubbed: counts, Error: said(err),
		}, err
	})
	if err != nil {
		return err
	}
	failed := slices.ContainsFunc(views, func(v scrubbedView) bool { return v.Error != "" })
	var left []string
	if !dry {
		left, err = c.endScrubs(ctx, a, lists, views)
	}
	if err != nil {
		return err
	}
	return errors.Join(c.show(views, view.Table(views, headOrganization+"  TABLE  ROWS  ANSWERS  QUARANTINED  REMARK", func(v *scrubbedView) view.Row {
		rows := view.Count(v.Rows)
		if dry {
			rows = "-"
		}
		return view.Row{v.Organization, v.Resource, rows, v.Archives, v.Entries, v.Error}
	}).Or("The configuration leaves nothing out of these resources."), view.Text(func(page *view.Page) {
		for _, sentence := range left {
			page.Linef("%s", sentence)
		}
		if dry {
			page.Linef("How many rows have values of before: sluice redact")
		}
	})), exitIf(failed || len(left) > 0))
}

// endScrubs notes which resources are scrubbed in all organizations, and says of the others why
// not.
func (c *cli) endScrubs(ctx context.Context, a *engine.App, lists []pipeline.Stream, views []scrubbedView) ([]string, error) {
	var sentences []string
	seen := make(map[string]bool)
	for _, list := range lists {
		name := list.Service.Name + "." + list.Resource.Name
		if seen[name] || slices.ContainsFunc(views, func(v scrubbedView) bool { return v.Resource == name && v.Error != "" }) {
			continue
		}
		seen[name] = true
		left, err := a.EndScrub(ctx, list)
		if err != nil {
			return nil, err
		}
		if left > 0 {
			sentences = append(sentences, fmt.Sprintf("%s: %s of organizations that the configuration does not name still have values of before: "+
				"name these organizations and scrub again", name, view.Plural(left, "row")))
		}
	}
	return sentences, nil
}
