package cli

import (
	"cmp"
	"context"
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"sluice/cmd/sluice/cli/view"
	"sluice/cmd/sluice/console"
	"sluice/pipeline"
	"sluice/pipeline/engine"
	"sluice/pipeline/lineage/promote"
	"sluice/pipeline/warehouse/quarantine"
)

// sampledPages is how many of the newest pages of a list are looked at for shares and examples.
const sampledPages = 3

// driftAsked reads the drift that an address asks for.
func (p *pages) driftAsked(ctx context.Context, r *console.Request, stream string) (*driftReport, error) {
	var names []string
	if stream != "" {
		names = []string{stream}
	}
	return driftOf(ctx, p.app, names, r.Query.Get(inOrganization))
}

// drift sums up what came and is not declared, and what is gone.
func (p *pages) drift(ctx context.Context, r *console.Request) (console.Page, error) {
	report, err := p.driftAsked(ctx, r, r.Query.Get(inStream))
	if err != nil {
		return console.Page{}, err
	}
	page := console.Page{Title: "Drift", Document: report}
	page.Sentence, page.Mood = driftSentence(report.Resources)
	rows := make([][]console.Cell, len(report.Resources))
	for i := range report.Resources {
		s := &report.Resources[i]
		zone := p.app.Zone(s.Organization)
		keys, gone := console.Number(s.Keys), console.Number(s.Missing)
		if s.Crowded {
			keys.Text = "over " + keys.Text
		}
		if s.Missing > 0 {
			gone.Mood = console.Warn
		}
		rows[i] = []console.Cell{
			console.To(s.name(), driftPage(s.Organization, s.name())), console.Text(s.Organization), keys, console.Number(s.Values), gone,
			console.Number(s.Records), console.Moment(&s.FirstSeenAt, zone), console.Moment(&s.LastSeenAt, zone), console.Text(s.Hint),
		}
	}
	page.Parts = append(page.Parts,
		console.Filters{
			choice(inOrganization, headOfOrganization, r, report.Resources, func(s *driftSummary) string { return s.Organization }),
			choice(inStream, "Resource", r, report.Resources, (*driftSummary).name),
		},
		some(r, "resources", console.Table{
			Caption: "Resources that drift", Rows: rows, None: noDrift,
			Head: []string{"Resource", headOfOrganization, "Keys", "Values", "Gone", "Records", headFirst, headLast, "What to do"},
		}),
		console.Note{Text: "Nothing is lost: unknown keys are in the column _extra of their rows, unknown values in their columns. " +
			"Records counts those with the most frequent key. The same on a terminal:", Command: "sluice drift"})
	return page, nil
}

func driftPage(organization, name string) string {
	return "/drift/" + url.PathEscape(name) + "?" + inOrganization + "=" + url.QueryEscape(organization)
}

func driftSentence(sums []driftSummary) (string, console.Mood) {
	var keys, values, gone int
	for i := range sums {
		keys, values, gone = keys+sums[i].Keys, values+sums[i].Values, gone+sums[i].Missing
	}
	if len(sums) == 0 {
		return "Everything that came is declared.", console.Good
	}
	var parts []string
	if gone > 0 {
		parts = append(parts, view.Plural(gone, "declared key")+" gone")
	}
	if keys > 0 {
		parts = append(parts, view.Plural(keys, "unknown key"))
	}
	if values > 0 {
		parts = append(parts, view.Plural(values, "unknown value"))
	}
	if len(parts) == 0 {
		parts = append(parts, "more unknown keys than are kept apart")
	}
	text := strings.Join(parts, ", ") + " in " + view.Plural(len(sums), "resource") + "."
	if gone > 0 {
		return text + " The columns of gone keys keep what came last.", console.Warn
	}
	return text + " Nothing is lost.", console.Plain
}

// driftOfStream shows each key of a list: how many of the newest records have it, an example, and
// the column that could be declared for it.
func (p *pages) driftOfStream(ctx context.Context, r *console.Request) (console.Page, error) {
	name := r.Value(inStream)
	report, err := p.driftAsked(ctx, r, name)
	if err != nil {
		return console.Page{}, err
	}
	page := console.Page{Title: "Drift of " + name, Document: report}
	page.Sentence, page.Mood = driftSentence(report.Resources)
	if len(report.Resources) == 0 {
		if _, err := p.app.Declared(name); err != nil {
			return console.Page{}, fmt.Errorf("%w: %w", console.ErrNotFound, err)
		}
	}
	for i := range report.Resources {
		s := &report.Resources[i]
		if len(report.Resources) > 1 {
			page.Parts = append(page.Parts, console.Heading{Text: s.Organization + ", " + s.name()})
		}
		parts, err := p.driftOfResource(ctx, r, report, s)
		if err != nil {
			return console.Page{}, err
		}
		page.Parts = append(page.Parts, parts...)
		if i+1 == mostLists && len(report.Resources) > mostLists {
			page.Parts = append(page.Parts, console.Note{Text: "There are more organizations and resources: open each from the page of drift."})
			break
		}
	}
	page.Parts = append(page.Parts, console.Note{Text: "The same on a terminal:", Command: "sluice drift " + name})
	return page, nil
}

// mostLists bounds how many lists one page looks into.
const mostLists = 3

func (p *pages) driftOfResource(ctx context.Context, r *console.Request, report *driftReport, s *driftSummary) ([]console.Part, error) {
	var unknown, gone []*driftView
	for i := range report.Keys {
		d := &report.Keys[i]
		switch {
		case d.Organization != s.Organization || d.Service != s.Service || strings.TrimSuffix(d.Resource, "."+string(pipeline.WorkSweep)) != s.Resource:
		case d.Kind == quarantine.KindMissing:
			gone = append(gone, d)
		default:
			unknown = append(unknown, d)
		}
	}
	slices.SortStableFunc(unknown, func(a, b *driftView) int { return cmp.Compare(b.Seen, a.Seen) })
	sample, err := p.sampled(ctx, s, unknown)
	if err != nil {
		return nil, err
	}
	zone := p.app.Zone(s.Organization)
	var rows, goneRows [][]console.Cell
	for _, d := range unknown {
		share, example, proposed := sample.of(d, func(value string) string { return p.masked(r, value) })
		rows = append(rows, []console.Cell{
			console.Code(d.Path), console.Text(d.Kind), console.Number(d.Seen), share, example, proposed,
			console.Moment(&d.FirstSeenAt, zone), console.Moment(&d.LastSeenAt, zone), console.Text(d.Hint),
		})
	}
	for _, d := range gone {
		goneRows = append(goneRows, []console.Cell{
			console.Code(d.Path), console.Number(d.Seen), console.Moment(&d.FirstSeenAt, zone), console.Moment(&d.LastSeenAt, zone), console.Text(d.Hint),
		})
	}
	keys := "keys-" + s.Organization + "-" + s.Resource
	parts := []console.Part{some(r, keys, console.Table{
		Caption: "Keys and values that no declaration knows, the most frequent first", Rows: rows, None: "Every key that came is declared.",
		Head: []string{"Key", "Came as", "Records", "Share now", "Example", "Proposed column", headFirst, headLast, "What to do"},
	})}
	if len(unknown) > 0 && sample.proposal.Records > 0 {
		parts = append(parts, console.Note{Text: "Share, example and proposal are of the newest " + view.Plural(sample.proposal.Records, "record") +
			" that are kept. A kind is proposed only if all of these fit it."})
	}
	if len(goneRows) > 0 {
		parts = append(parts, some(r, "gone-"+keys, console.Table{
			Caption: "Declared keys that are gone", Rows: goneRows, Head: []string{"Key", "Records without it", "Since", headLast, "What to do"},
		}))
	}
	return append(parts, sample.lines()...), nil
}

// sample is what the newest records of a list hold under keys that are not declared.
type sample struct {
	proposal promote.Proposal
	// custom says that the configuration declares the list, stream that the list is still
	// configured.
	custom, stream bool
	name           string
	// proposed are the columns of unknown keys of the records themselves.
	proposed []promote.Column
}

// sampled looks at the newest records of a list.
func (p *pages) sampled(ctx context.Context, s *driftSummary, unknown []*driftView) (*sample, error) {
	found := &sample{name: s.name()}
	stream, ok := p.app.Stream(engine.Key{Organization: s.Organization, Service: s.Service, Resource: s.Resource})
	if !ok || len(unknown) == 0 {
		return found, nil
	}
	var arrays []string
	for _, d := range unknown {
		if array, _, inArray := strings.Cut(d.Path, "[]"); inArray && !slices.Contains(arrays, array) {
			arrays = append(arrays, array)
		}
	}
	var err error
	found.stream, found.custom = true, engine.UserDeclared(stream)
	if found.proposal, err = p.app.Sample(ctx, stream, sampledPages, arrays); err != nil {
		return nil, err
	}
	for _, d := range unknown {
		if c, _ := found.column(d.Path); c != nil && !strings.HasPrefix(d.Kind, driftValue) && !strings.Contains(d.Path, "[]") &&
			!slices.ContainsFunc(found.proposed, func(other promote.Column) bool { return other.Wire == c.Wire }) {
			found.proposed = append(found.proposed, *c)
		}
	}
	return found, nil
}

// column finds a key among what was examined, and of how many records or elements.
func (s *sample) column(path string) (*promote.Column, int) {
	columns, of := s.proposal.Columns, s.proposal.Records
	if array, key, inArray := strings.Cut(path, "[]."); inArray {
		i := slices.IndexFunc(s.proposal.Children, func(c promote.Child) bool { return c.Name == array })
		if i < 0 {
			return nil, 0
		}
		columns, of, path = s.proposal.Children[i].Columns, s.proposal.Children[i].Elements, key
	}
	if plain, err := strconv.Unquote(path); err == nil {
		path = plain
	}
	i := slices.IndexFunc(columns, func(c promote.Column) bool { return c.Wire == path })
	if i < 0 {
		return nil, of
	}
	return &columns[i], of
}

// of gives the share of the records that have a key, an example and the proposed kind.
func (s *sample) of(d *driftView, masked func(string) string) (console.Cell, console.Cell, console.Cell) {
	none := console.Word("–", console.Muted)
	if strings.HasPrefix(d.Kind, driftValue) {
		return none, none, none
	}
	c, of := s.column(d.Path)
	switch {
	case c == nil && of > 0 && !strings.ContainsAny(strings.Replace(d.Path, "[].", "", 1), ".["):
		return console.Cell{Text: "0 of " + view.Count(of), Number: true}, none, none
	case c == nil:
		return none, none, none
	}
	share := console.Cell{Text: fmt.Sprintf("%s of %s", view.Count(c.Records), view.Count(of)), Number: true}
	example := console.Code(masked(c.Example))
	if c.Example == "" {
		example = console.Word("always empty", console.Muted)
	}
	return share, example, console.Code(c.Kind)
}

// lines are what a person would paste into the declaration.
func (s *sample) lines() []console.Part {
	if len(s.proposed) == 0 {
		return nil
	}
	if s.custom {
		proposal := promote.Proposal{Records: s.proposal.Records, Columns: s.proposed}
		return []console.Part{
			console.Source{Caption: "Lines for its entry in the configuration", Lines: strings.Split(strings.TrimSuffix(proposal.YAML(), "\n"), "\n")},
			console.Note{Text: "Out of all records that are kept, not only the newest:", Command: "sluice drift promote " + s.name},
		}
	}
	kinds := map[string]string{
		"id": "ID", "text": "Text", "bool": "Bool", "int": "Int", "decimal": "Decimal", "date": "Date", "time": "Time", "json": "JSON",
	}
	lines := make([]string, len(s.proposed))
	for i, c := range s.proposed {
		lines[i] = fmt.Sprintf("schema.%s(%q, %q),", kinds[c.Kind], c.Wire, "To be described.")
	}
	return []console.Part{
		console.Source{Caption: "Lines for its declaration, to be read and described (docs/contributing.md, task 1)", Lines: lines},
	}
}
