package cli

import (
	"cmp"
	"context"
	"fmt"
	"net/url"
	"slices"
	"strings"

	"sluice/cmd/sluice/cli/view"
	"sluice/cmd/sluice/console"
	"sluice/pipeline/warehouse/quarantine"
)

// drift sums up what came and is not declared, and what is gone.
func (p *pages) drift(ctx context.Context, r *console.Request) (console.Page, error) {
	var names []string
	if name := r.Query.Get(inStream); name != "" {
		names = []string{name}
	}
	report, err := driftOf(ctx, p.app, names, r.Query.Get(inOrganization))
	if err != nil {
		return console.Page{}, err
	}
	page := console.Page{Title: "Drift", Document: report}
	page.Sentence, page.Mood = driftSentence(report.Resources)
	page.Parts = []console.Part{
		console.Filters{
			choice(inOrganization, headOfOrganization, r, report.Resources, func(s *driftSummary) string { return s.Organization }),
			choice(inStream, "Resource", r, report.Resources, (*driftSummary).name),
		},
		some(r, "resources", console.List("Resources that drift", noDrift,
			"Resource  Organization  Keys  Values  Gone  Records  First seen  Last seen  What to do", report.Resources, p.driftRow)),
		console.Note{Text: "Nothing is lost: unknown keys are in the column _extra of their rows, unknown values in their columns. " +
			"Records counts those with the most frequent key. The same on a terminal:", Command: "sluice drift"},
	}
	return page, nil
}

func (p *pages) driftRow(s *driftSummary) view.Row {
	zone := p.app.Zone(s.Organization)
	keys := console.Number(s.Keys)
	if s.Crowded {
		keys.Text = "over " + keys.Text
	}
	address := "/drift/" + url.PathEscape(s.name()) + "?" + inOrganization + "=" + url.QueryEscape(s.Organization)
	return view.Row{
		console.To(s.name(), address), s.Organization, keys, s.Values, countOrWarn(s.Missing), s.Records,
		console.Moment(&s.FirstSeenAt, zone), console.Moment(&s.LastSeenAt, zone), s.Hint,
	}
}

func driftSentence(sums []driftSummary) (string, console.Mood) {
	var keys, values, gone int
	for i := range sums {
		keys, values, gone = keys+sums[i].Keys, values+sums[i].Values, gone+sums[i].Missing
	}
	text := fmt.Sprintf("%s gone, %s, %s in %s.", view.Plural(gone, "declared key"), view.Plural(keys, "unknown key"),
		view.Plural(values, "unknown value"), view.Plural(len(sums), "resource"))
	switch {
	case len(sums) == 0:
		return "Everything that came is declared.", console.Good
	case gone > 0:
		return text + " The columns of gone keys keep what came last.", console.Warn
	default:
		return text + " Nothing is lost.", console.Plain
	}
}

// driftOfStream shows each key of a list.
func (p *pages) driftOfStream(ctx context.Context, r *console.Request) (console.Page, error) {
	name := r.Value(inStream)
	report, err := driftOf(ctx, p.app, []string{name}, r.Query.Get(inOrganization))
	if err != nil {
		return console.Page{}, err
	}
	if len(report.Resources) == 0 {
		if _, err := p.app.Declared(name); err != nil {
			return console.Page{}, fmt.Errorf("%w: %w", console.ErrNotFound, err)
		}
	}
	page := console.Page{Title: "Drift of " + name, Document: report}
	page.Sentence, page.Mood = driftSentence(report.Resources)
	keys := slices.SortedStableFunc(slices.Values(report.Keys), func(a, b driftView) int { return cmp.Compare(b.Seen, a.Seen) })
	table := func(caption, none, records string, gone bool) console.Table {
		return some(r, caption, console.List(caption, none, "Key  Came as  "+records+"  Of  First seen  Last seen  What to do", keys,
			func(d *driftView) view.Row {
				if gone != (d.Kind == quarantine.KindMissing) {
					return nil
				}
				zone := p.app.Zone(d.Organization)
				return view.Row{
					console.Code(d.Path), d.Kind, d.Seen, streamName(manyOrganizations(p.app), d.Organization, d.Service, d.Resource),
					console.Moment(&d.FirstSeenAt, zone), console.Moment(&d.LastSeenAt, zone), d.Hint,
				}
			}))
	}
	page.Parts = []console.Part{
		table("Keys and values that no declaration knows, the most frequent first", "Every key that came is declared.", "Records", false),
		table("Declared keys that are gone", "No declared key is gone.", "Records without it", true),
		console.Note{Text: "The same on a terminal:", Command: strings.TrimSpace("sluice drift " + name)},
	}
	return page, nil
}
