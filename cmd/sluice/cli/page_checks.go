package cli

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"time"

	"sluice/cmd/sluice/cli/view"
	"sluice/cmd/sluice/console"
	"sluice/pipeline/outside"
	"sluice/pipeline/warehouse/rebuilds"
	"sluice/pipeline/warehouse/verifications"
)

// listedChecks is how many verifications and rebuilds the page of checks has.
const listedChecks = 20

// checks shows the verifications and the rebuilds, and what the last verification found.
func (p *pages) checks(ctx context.Context, _ *console.Request) (console.Page, error) {
	found, err := verificationsOf(ctx, p.app, listedChecks)
	if err != nil {
		return console.Page{}, err
	}
	rebuilt, err := rebuilds.List(ctx, p.app.DB.Pool(), listedChecks)
	if err != nil {
		return console.Page{}, err
	}
	page := console.Page{Title: "Checks", Document: found}
	page.Sentence, page.Mood = checksSentence(found)
	if len(found) > 0 {
		last, err := verificationOf(ctx, p.app, found[0].ID)
		if err != nil {
			return console.Page{}, err
		}
		page.Parts = append(page.Parts, failingViews(last.Findings))
	}
	table := console.Table{
		Caption: "Verifications, newest first",
		None:    "Nothing was verified yet: sluice verify --local holds all rows against their raw records, and makes no call.",
		Head:    []string{"Number", "Started", "Outcome", "Violations", "Notices", "Rows", "Records", "Calls made", "Scope"},
	}
	for i := range found {
		v := &found[i]
		table.Rows = append(table.Rows, []console.Cell{
			console.ID(v.ID, addressOfVerification(v.ID)), console.Moment(&v.StartedAt, time.UTC), verdictCell(v), console.Number(v.Violations),
			console.Number(v.Notices), console.Number(v.Rows), console.Number(v.Records), console.Text(fmt.Sprintf("%d of %d", v.Calls, v.Allowed)),
			console.Text(v.Scope),
		})
	}
	page.Parts = append(page.Parts, console.Heading{ID: "verifications", Text: "Verifications"}, table,
		console.Heading{ID: "rebuilds", Text: "Rebuilds"}, p.rebuilds(rebuilt))
	return page, nil
}

func addressOfVerification(id int64) string { return "/checks/" + strconv.FormatInt(id, 10) }

func checksSentence(found []verifications.Verification) (string, console.Mood) {
	if len(found) == 0 {
		return "Nothing was verified yet.", console.Warn
	}
	v := &found[0]
	when := "The last verification began at " + view.Minute(v.StartedAt, time.UTC)
	switch {
	case v.EndedAt == nil:
		return when + " and has not ended.", console.Plain
	case v.Violations > 0:
		return when + " and found " + view.Plural(v.Violations, "violation") + ".", console.Bad
	case v.Outcome == verifications.OutcomeClean:
		return when + " and found no violation.", console.Good
	default:
		return when + ", found no violation and could not look at everything: " + v.Note, console.Warn
	}
}

func verdictCell(v *verifications.Verification) console.Cell {
	mood := console.Warn
	switch {
	case v.EndedAt == nil:
		mood = console.Plain
	case v.Outcome == verifications.OutcomeClean:
		mood = console.Good
	case v.Outcome == verifications.OutcomeFound:
		mood = console.Bad
	}
	return console.Word(outcomeWord(v), mood)
}

// failingViews are the views that must be empty and had rows in the last verification.
func failingViews(findings []verifications.Finding) console.Table {
	table := console.Table{
		Caption: "Views that must be empty, and had rows in the last verification",
		None:    "All views that must be empty were empty in the last verification.",
		Head:    []string{"View", "Severity", "Rows shown", "First of them"},
	}
	counts, firsts := map[string]int{}, []*verifications.Finding{}
	for i := range findings {
		f := &findings[i]
		if f.Source != verifications.SourceCheck {
			continue
		}
		if counts[f.Code]++; counts[f.Code] == 1 {
			firsts = append(firsts, f)
		}
	}
	for _, f := range firsts {
		table.Rows = append(table.Rows, []console.Cell{
			console.Code(f.Code), severityCell(f), console.Number(counts[f.Code]), console.Text(outside.Visible(f.Detail)),
		})
	}
	return table
}

func severityCell(f *verifications.Finding) console.Cell {
	if f.Severity == verifications.Violation {
		return console.Word(string(f.Severity), console.Bad)
	}
	return console.Word(string(f.Severity), console.Warn)
}

func (p *pages) rebuilds(found []rebuilds.Rebuild) console.Table {
	table := console.Table{
		Caption: "Rebuilds, newest first", None: "No table was rebuilt: rows were written as they came.",
		Head: []string{"Number", "Started", "Organization", "Resource", "Rows looked at", "Written again", "Did not fit", "Without a raw record", "State"},
	}
	for i := range found {
		b := &found[i]
		name := b.Service + "." + b.Resource
		state := console.Text(b.Outcome)
		if b.EndedAt == nil {
			state = console.Word("not ended: the same command goes on", console.Warn)
		}
		table.Rows = append(table.Rows, []console.Cell{
			console.ID(b.ID, ""), console.Moment(&b.StartedAt, p.app.Zone(b.Organization)), console.Text(b.Organization),
			console.To(name, addressOfStream(b.Organization, name)), console.Number(b.Rows), console.Number(b.Rewritten),
			console.Number(b.Rejected), console.Number(b.Lost), state,
		})
	}
	return table
}

// verification shows what one verification found.
func (p *pages) verification(ctx context.Context, r *console.Request) (console.Page, error) {
	id, err := strconv.ParseInt(r.Value("id"), 10, 64)
	if err != nil || id < 1 {
		return console.Page{}, fmt.Errorf("%w: no verification has this number", console.ErrNotFound)
	}
	shown, err := verificationOf(ctx, p.app, id)
	if errors.Is(err, verifications.ErrNone) {
		return console.Page{}, fmt.Errorf("%w: %w", console.ErrNotFound, err)
	}
	if err != nil {
		return console.Page{}, err
	}
	v := &shown.Verification
	page := console.Page{Title: "Verification " + r.Value("id"), Document: shown, Sentence: verdictOn(v) + ".", Mood: verdictCell(v).Mood}
	findings := console.Table{
		Caption: "What it found", None: "It found nothing.", Head: []string{"Severity", "Code", "Resource", "Record", "Field", "What"},
	}
	for i := range shown.Findings {
		f := &shown.Findings[i]
		record := console.Text(outside.Visible(f.Record))
		if f.Record != "" && f.Resource != "" {
			record.Href = addressOfRecord(f.Organization, f.Service+"."+f.Resource, f.Record)
		}
		findings.Rows = append(findings.Rows, []console.Cell{
			severityCell(f), console.Code(f.Code), console.Text(ofOrganization(f.Organization, f.Service, f.Resource)), record,
			console.Code(outside.Visible(f.Path)), console.Text(outside.Visible(f.Detail)),
		})
	}
	lists := console.Table{
		Caption: "What it looked at", None: "It looked at no resource.",
		Head: []string{"Resource", "Rows", "Calls made", "Records", "Not due", "Violations", "Notices", "Note"},
	}
	for i := range shown.Streams {
		s := &shown.Streams[i]
		lists.Rows = append(lists.Rows, []console.Cell{
			console.Text(ofOrganization(s.Organization, s.Service, s.Resource)), console.Number(s.Rows), console.Number(s.Calls), console.Number(s.Records),
			console.Number(s.NotDue), console.Number(s.Violations), console.Number(s.Notices), console.Text(s.Note),
		})
	}
	page.Parts = append(page.Parts, some(r, "findings", findings), some(r, "lists", lists),
		console.Note{Text: "Began " + view.Minute(v.StartedAt, time.UTC) + ". The same on a terminal:", Command: "sluice verify show " + view.ID(v.ID)})
	return page, nil
}
