package cli

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"sluice/cmd/sluice/cli/view"
	"sluice/cmd/sluice/console"
	"sluice/pipeline/engine"
	"sluice/pipeline/planning"
)

// wantedBackfill is what the form asks for. Its days are not named from and to: an action's from is
// the page that it was on.
type wantedBackfill struct{ resource, organization, first, last string }

func wantedOf(r *console.Request) wantedBackfill {
	return wantedBackfill{
		resource: r.Query.Get("resource"), organization: r.Query.Get("org"), first: r.Query.Get("first"), last: r.Query.Get("last"),
	}
}

// command is what does the same on a terminal.
func (w *wantedBackfill) command() string {
	words := []string{"sluice backfill", w.resource}
	for _, flag := range [][2]string{{"--from", w.first}, {"--to", w.last}, {"--org", w.organization}} {
		if flag[1] != "" {
			words = append(words, flag[0], flag[1])
		}
	}
	return strings.Join(append(words, "--detach"), " ")
}

// find makes backfills of what is wanted, as the command does.
func (p *pages) find(ctx context.Context, wanted wantedBackfill) ([]engine.Backfill, error) {
	wishes := backfillWishes{from: wanted.first, to: wanted.last}
	days, err := wishes.days()
	if err != nil {
		return nil, err
	}
	if !slices.Contains(p.resources(), wanted.resource) {
		return nil, usage("%q is no list that is copied", wanted.resource)
	}
	organization := organizationFlag(wanted.organization)
	key, err := organization.key(p.app)
	if err != nil {
		return nil, err
	}
	return p.app.Backfills(ctx, []string{wanted.resource}, key, days, func([]planning.Stream) error { return nil })
}

// newBackfill is the form of a backfill, and what it would cost.
func (p *pages) newBackfill(ctx context.Context, r *console.Request) (console.Page, error) {
	wanted := wantedOf(r)
	page := console.Page{
		Title:    "New backfill",
		Sentence: "Choose a list, and days if only a part of it is wanted. The page then says what that would cost. Nothing is read yet.",
	}
	form := console.Filters{{Name: "resource", Label: "List", Value: wanted.resource, Options: append([]string{""}, p.resources()...)}}
	if manyOrganizations(p.app) {
		keys := []string{""}
		for i := range p.app.Config.Organizations {
			keys = append(keys, p.app.Config.Organizations[i].Key)
		}
		form = append(form, console.Filter{Name: "org", Label: "Organization", Value: wanted.organization, Options: keys})
	}
	form = append(form,
		console.Filter{Name: "first", Label: "First day, as 2026-01-31", Value: wanted.first},
		console.Filter{Name: "last", Label: "Last day", Value: wanted.last})
	page.Parts = append(page.Parts, form)
	if wanted.resource == "" {
		return page, nil
	}
	found, err := p.find(ctx, wanted)
	if codeOf(err) == codeUsage {
		page.Sentence, page.Mood = string(p.cli.env.scrub.Error(err)), console.Bad
		return page, nil
	}
	if err != nil {
		return console.Page{}, err
	}
	forecast, err := forecastOf(ctx, p.app, found)
	if err != nil {
		return console.Page{}, err
	}
	page.Document = forecast
	page.Sentence, page.Mood = forecast.sentence()
	page.Parts = append(page.Parts, p.planOf(forecast), windowsOf(r, forecast), p.allowancesOf(r, forecast))
	err = notOpen(ctx, p.app, found)
	switch {
	case codeOf(err) == codeUsage:
		page.Sentence, page.Mood = string(p.cli.env.scrub.Error(err)), console.Bad
		return page, nil
	case err != nil:
		return console.Page{}, err
	}
	start := console.Form{Path: "/backfills", Label: "Start", Hidden: []console.Hidden{
		{Name: "resource", Value: wanted.resource}, {Name: "org", Value: wanted.organization},
		{Name: "first", Value: wanted.first}, {Name: "last", Value: wanted.last},
	}}
	if !forecast.Fits {
		start.Warning = "It does not fit into today: it goes on as the day gives calls back."
	}
	page.Parts = append(page.Parts, console.Heading{Text: "Start it"}, start,
		console.Note{Text: "serve or the next sync does the work. The same on a terminal:", Command: wanted.command()})
	return page, nil
}

// sentence says what the backfills cost.
func (f *backfillForecast) sentence() (string, console.Mood) {
	var calls, unknown int
	for i := range f.Backfills {
		if b := &f.Backfills[i]; b.Calls == nil {
			unknown++
		} else {
			calls += *b.Calls
		}
	}
	switch {
	case unknown > 0:
		return "The cost is unknown: the list was never read whole. A first sync measures it.", console.Warn
	case !f.Fits:
		return fmt.Sprintf("It takes %s, more than backfills may still spend today: it would go on over the days.", view.Plural(calls, "call")),
			console.Warn
	default:
		return fmt.Sprintf("It takes %s, and fits into what backfills may still spend today.", view.Plural(calls, "call")), console.Good
	}
}

func (p *pages) planOf(f *backfillForecast) console.Table {
	rows := make([][]console.Cell, len(f.Backfills))
	for i := range f.Backfills {
		b := &f.Backfills[i]
		rows[i] = []console.Cell{
			console.Text(streamName(manyOrganizations(p.app), b.Organization, b.Service, b.Resource)), console.Text(between(b.Column, b.From, b.To)),
			console.Number(max(len(b.Windows), 1)),
			rightward(view.Or(b.Rows, notKnown)), rightward(view.Or(b.Calls, notKnown)), console.Text(b.Basis.String()),
		}
	}
	return console.Table{Caption: "What would be read", Head: []string{"List", "Range", "Windows", "Rows", "Calls", "Rests on"}, Rows: rows}
}

// rightward is a number that may be unknown.
func rightward(text string) console.Cell { return console.Cell{Text: text, Number: true} }

// windowsOf are the ranges in which one list would be read.
func windowsOf(r *console.Request, f *backfillForecast) console.Part {
	var rows [][]console.Cell
	for i := range f.Backfills {
		for at, w := range f.Backfills[i].Windows {
			rows = append(rows, []console.Cell{console.ID(int64(at+1), ""), console.Text(w.From), console.Text(w.To)})
		}
	}
	return some(r, "windows", console.Table{
		Caption: "The windows, one after the other", Head: []string{"Window", "From", "To"}, Rows: rows, None: "The list is read whole, in one window.",
	})
}

func (p *pages) allowancesOf(r *console.Request, f *backfillForecast) console.Part {
	rows := make([][]console.Cell, len(f.Services))
	for i := range f.Services {
		s := &f.Services[i]
		ceiling, left := "no limit", nothing
		if s.Daily > 0 {
			ceiling, left = view.Count(s.Ceiling)+" of "+view.Count(s.Daily), view.Or(s.Remaining, notKnown)
		}
		fits := console.Word("yes", console.Good)
		if !s.Fits {
			fits = console.Word("no", console.Warn)
		}
		rows[i] = []console.Cell{
			console.Text(streamName(manyOrganizations(p.app), s.Organization, s.Service, "")),
			rightward(atLeast(s.Calls, s.Unknown)), rightward(took(s.Seconds)),
			rightward(ceiling), console.Number(s.Today), rightward(left), console.Text(doneBy(s.DoneSeconds, r.Now, p.app.Zone(s.Organization))),
			rightward(perDay(&s.PerDay)), fits,
		}
	}
	return console.Table{
		Caption: "The allowances, of which backfills may spend their ceiling a day",
		Head:    []string{"Service", "Calls", "Takes", "Ceiling", "Today", "Left", "All by", "Schedule a day", "Fits"}, Rows: rows,
		None: "No allowance is configured.",
	}
}

// startBackfill asks for what the form says. A process that serves, or the next sync, does the
// work.
func (p *pages) startBackfill(ctx context.Context, r *console.Request) (console.Deed, error) {
	wanted := wantedOf(r)
	deed := console.Deed{What: "backfill", Target: wanted.resource, Organization: wanted.organization}
	if wanted.first != "" {
		deed.Target += " from " + wanted.first
	}
	if wanted.last != "" {
		deed.Target += " to " + wanted.last
	}
	found, err := p.find(ctx, wanted)
	if err != nil {
		return deed, err
	}
	if len(found) == 1 {
		deed.Organization = found[0].Stream.Organization
	}
	ids, err := requestBackfills(ctx, p.app, found)
	if len(ids) > 0 {
		deed.After = startedBackfills{Backfills: ids}
	}
	return deed, err
}

// startedBackfills are the backfills that an action opened.
type startedBackfills struct {
	Backfills []int64 `json:"backfills"`
}

// pageOfRun is the page of a run.
func pageOfRun(run int64) string { return "/runs/" + view.ID(run) }

// runCell names a run and leads to it.
func runCell(run int64) console.Cell { return console.ID(run, pageOfRun(run)) }

// runLink is a runCell among texts.
func runLink(run int64) console.Cell { return console.To(view.ID(run), pageOfRun(run)) }
