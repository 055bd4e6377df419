package cli

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"time"

	"sluice/cmd/sluice/cli/view"
	"sluice/cmd/sluice/console"
	"sluice/pipeline/engine"
	"sluice/pipeline/planning"
	"sluice/pipeline/warehouse"
	"sluice/pipeline/warehouse/streams/backfills"
)

// mostBackfills is how many backfills their page reads.
const mostBackfills = 200

// backfills shows what is read again on demand: how far it is, and when the budget lets it end.
func (p *pages) backfills(ctx context.Context, r *console.Request) (console.Page, error) {
	found, err := p.app.DB.List(ctx, backfills.Filter{Limit: mostBackfills})
	if err != nil {
		return console.Page{}, fmt.Errorf("read the backfills: %w", err)
	}
	views, err := p.cli.views(ctx, p.app, found)
	if err != nil {
		return console.Page{}, err
	}
	page := console.Page{Title: "Backfills", Document: views}
	page.Sentence, page.Mood = sentenceOfBackfills(views)
	table := func(caption, none string, open bool) console.Table {
		const head = "Backfill  List  Range  State  Windows  Records read  Calls  Done, or about when  Remark  "
		return some(r, caption, console.List(caption+", the last asked for first", none, head, views, func(v *backfillView) view.Row {
			if v.open() != open {
				return nil
			}
			return view.Row{
				console.ID(v.ID, addressOfBackfill(v.ID)), p.streamCell(v.Organization, v.Service, v.Resource), v.between(),
				console.Word(v.State, moodOfBackfill(v.State)), v.progress(), v.Received, v.spent(), p.doneAbout(v), p.remarkOf(r, v),
				console.Buttons(backfillForms(v)...),
			}
		}))
	}
	page.Parts = append(page.Parts, console.Links{{Text: "Ask for a backfill", Href: "/backfills/new"}},
		table("Open backfills", "No backfill is open.", true), console.Heading{Text: "Over"},
		table("Backfills that are over", "No backfill is over yet.", false))
	if len(found) == mostBackfills {
		page.Parts = append(page.Parts, console.Note{
			Text: "These are the last " + view.Count(mostBackfills) + ". All are listed by", Command: "sluice backfill list --limit 100000",
		})
	}
	return page, nil
}

// open says that the backfill is not over.
func (v *backfillView) open() bool {
	return v.State == stateQueued || v.State == stateRunning || v.State == statePaused
}

// sentenceOfBackfills says whether the open backfills need a person.
func sentenceOfBackfills(views []backfillView) (string, console.Mood) {
	open := howMany(views, (*backfillView).open)
	paused := howMany(views, func(v *backfillView) bool { return v.State == statePaused })
	switch {
	case open == 0:
		return "No backfill is open. The schedule reads what changes; a backfill reads a list again on demand.", console.Plain
	case paused > 0:
		return fmt.Sprintf("%s open, of which %s paused until resumed by an operator.", view.Plural(open, "backfill"), view.Count(paused)),
			console.Warn
	default:
		return view.Plural(open, "backfill") + " open. Waiting ones go on by themselves.", console.Good
	}
}

// remarkOf is the remark of the list of backfills, without the estimate, which has its own column.
func (p *pages) remarkOf(r *console.Request, v *backfillView) string {
	if v.State == statePaused {
		return "waits for an operator"
	}
	plain := *v
	plain.DoneAt = nil
	return plain.remark(r.Now, p.app.Zone(v.Organization))
}

// doneAbout is when it ended, or the estimate in steps of five minutes: it is made anew with each
// page.
func (p *pages) doneAbout(v *backfillView) console.Cell {
	at := v.EndedAt
	if at == nil && v.DoneAt != nil {
		const step = 5 * time.Minute
		at = new(v.DoneAt.Add(step / 2).Truncate(step))
	}
	return console.Moment(at, p.app.Zone(v.Organization))
}

func addressOfBackfill(id int64) string { return "/backfills/" + view.ID(id) }

// progress is the share of the windows that are done. A list that is read whole is one window, of
// which the calls tell more.
func (v *backfillView) progress() string {
	return fmt.Sprintf("%s of %s", view.Count(v.WindowsDone), view.Count(v.Windows))
}

func moodOfBackfill(state string) console.Mood {
	return map[string]console.Mood{stateFailed: console.Bad, statePaused: console.Warn, stateDone: console.Good}[state]
}

// backfillForms are what can be done about a backfill in its state.
func backfillForms(v *backfillView) []console.Form {
	at := addressOfBackfill(v.ID)
	cancel := console.Form{
		Path: at + "/cancel", Label: "Cancel", Warning: "A cancelled backfill does not go on. What it loaded stays; the calls are spent.",
	}
	switch v.State {
	case stateQueued, stateRunning:
		return []console.Form{{Path: at + "/pause", Label: "Pause"}, cancel}
	case statePaused, stateFailed:
		return []console.Form{{Path: at + "/resume", Label: "Resume"}, cancel}
	default:
		return nil
	}
}

func (p *pages) backfill(ctx context.Context, r *console.Request, id int64) (console.Page, error) {
	v, err := p.cli.backfillOf(ctx, p.app, id)
	if errors.Is(err, warehouse.ErrNotFound) {
		return console.Page{}, fmt.Errorf("there is no backfill %d: %w", id, console.ErrNotFound)
	}
	if err != nil {
		return console.Page{}, err
	}
	page := console.Page{
		Title: fmt.Sprintf("Backfill %d", v.ID), Document: v, Mood: moodOfBackfill(v.State),
		Sentence: fmt.Sprintf("%s.%s is %s after %s.", v.Service, v.Resource, v.State, view.Plural(v.Calls, "call")),
	}
	page.Parts = append(page.Parts, console.Facts(
		"List", p.streamCell(v.Organization, v.Service, v.Resource),
		"Organization", v.Organization,
		"Range", v.between(),
		"Asked for", console.Moment(&v.RequestedAt, p.app.Zone(v.Organization)),
		"By", v.RequestedBy,
		"Windows done", v.progress(),
		"Calls, of those foreseen", v.spent(),
		"Records read", v.Received,
		"New rows", v.Inserted,
		"Changed rows", v.Updated,
		"Unchanged", v.Unchanged,
		"Older than their rows", v.Superseded,
		"In quarantine", v.Quarantined,
		"Calls left", view.Or(v.CallsLeft, ""),
		"Done, or about when", p.doneAbout(v),
		"Remark", p.remarkOf(r, v),
	))
	for _, form := range backfillForms(v) {
		page.Parts = append(page.Parts, form)
	}
	var runs console.Links
	for _, run := range v.Runs {
		runs = append(runs, console.Link{Text: "Run " + view.ID(run), Href: addressOfRun(run)})
	}
	page.Parts = append(page.Parts, console.Heading{Text: "Its runs"}, runs)
	return page, nil
}

// backfillVerb makes an action of a command that changes the state of a backfill.
func (p *pages) backfillVerb(verb, needed string, do changing) console.Action {
	return console.Action{
		Pattern: "/backfills/{id}/" + verb,
		Do: func(ctx context.Context, r *console.Request) (console.Deed, error) {
			deed := console.Deed{What: "backfill " + verb, Target: r.Value("id")}
			id, err := numberIn(r, "id", "a backfill")
			if err != nil {
				return deed, err
			}
			if before, err := p.app.DB.Backfill(ctx, id); err == nil {
				deed.Organization, deed.Before = before.Organization, map[string]string{"state": before.State}
			}
			if err := changeBackfill(ctx, p.app, id, needed, do); err != nil {
				return deed, err
			}
			after, err := p.app.DB.Backfill(ctx, id)
			if err != nil {
				return deed, fmt.Errorf("read the backfill: %w", err)
			}
			deed.After = map[string]string{"state": after.State}
			return deed, nil
		},
	}
}

// resources are the names of the lists that are copied, behind none.
func (p *pages) resources() []string {
	names := []string{""}
	for _, stream := range p.app.Streams() {
		if stream.Work == "" && p.app.Enabled(stream) {
			names = append(names, stream.Service.Name+"."+stream.Resource.Name)
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// wantedWords are the words on a terminal for what the form asks for.
func wantedWords(form url.Values) string {
	words := []string{form.Get("resource")}
	for _, flag := range [][2]string{{"--from", form.Get("first")}, {"--to", form.Get("last")}, {"--org", form.Get("org")}} {
		if flag[1] != "" {
			words = append(words, flag[0], flag[1])
		}
	}
	return strings.Join(words, " ")
}

// find makes backfills of what the form asks for, as the command does.
func (p *pages) find(ctx context.Context, form url.Values) ([]engine.Backfill, error) {
	wishes := backfillWishes{from: form.Get("first"), to: form.Get("last")}
	days, err := wishes.days()
	if err != nil {
		return nil, err
	}
	resource := form.Get("resource")
	if resource == "" || !slices.Contains(p.resources(), resource) {
		return nil, usage("%q is no list that is copied", resource)
	}
	organization := organizationFlag(form.Get("org"))
	key, err := organization.key(p.app)
	if err != nil {
		return nil, err
	}
	return p.app.Backfills(ctx, []string{resource}, key, days)
}

// newBackfill is the form of a backfill, and what it would cost.
func (p *pages) newBackfill(ctx context.Context, r *console.Request) (console.Page, error) {
	resource, organization := r.Query.Get("resource"), r.Query.Get("org")
	first, last := r.Query.Get("first"), r.Query.Get("last")
	page := console.Page{
		Title:    "New backfill",
		Sentence: "Choose a list, and days if only a part of it is wanted. The page then says what that would cost. Nothing is read yet.",
		Parts: []console.Part{console.Filters{
			{Name: "resource", Label: "List", Value: resource, Options: p.resources()},
			{Name: "org", Label: headOfOrganization, Value: organization, Options: p.organizationOptions()},
			{Name: "first", Label: "First day, as 2026-01-31", Value: first},
			{Name: "last", Label: "Last day", Value: last},
		}},
	}
	if resource == "" {
		return page, nil
	}
	found, err := p.find(ctx, r.Query)
	if err == nil {
		var forecast *backfillForecast
		if forecast, err = forecastOf(ctx, p.app, found); err != nil {
			return console.Page{}, err
		}
		page.Document = forecast
		page.Sentence, page.Mood = forecast.sentence()
		page.Parts = append(page.Parts, p.planOf(forecast), p.allowancesOf(r, forecast))
		err = notOpen(ctx, p.app, found)
	}
	if codeOf(err) == codeUsage {
		page.Sentence, page.Mood = string(p.cli.env.scrub.Error(err)), console.Bad
		return page, nil
	}
	page.Parts = append(page.Parts, console.Heading{Text: "Start it"},
		console.Form{Path: "/backfills", Label: "Start", Hidden: []console.Hidden{
			{Name: "resource", Value: resource}, {Name: "org", Value: organization},
			{Name: "first", Value: first}, {Name: "last", Value: last},
		}},
		console.Note{
			Text: "serve or the next sync does the work. The same on a terminal:", Command: "sluice backfill " + wantedWords(r.Query) + " --detach",
		})
	return page, err
}

// sentence says what the backfills cost.
func (f *backfillForecast) sentence() (string, console.Mood) {
	var calls int
	for i := range f.Backfills {
		if f.Backfills[i].Calls == nil {
			return "The cost is unknown: the list was never read whole. A first sync measures it.", console.Warn
		}
		calls += *f.Backfills[i].Calls
	}
	if !f.Fits {
		return "It takes " + view.Plural(calls, "call") + ", more than backfills may still spend today: it would go on over the days.", console.Warn
	}
	return "It takes " + view.Plural(calls, "call") + ", and fits into what backfills may still spend today.", console.Good
}

func (p *pages) planOf(f *backfillForecast) console.Table {
	return console.List("What would be read", "", "List  Range  Windows  Rows  Calls  Rests on", f.Backfills, func(b *foreseenBackfill) view.Row {
		return view.Row{
			p.streamCell(b.Organization, b.Service, b.Resource), between(b.Column, b.From, b.To), max(len(b.Windows), 1),
			rightward(view.Or(b.Rows, notKnown)), rightward(view.Or(b.Calls, notKnown)), b.Basis,
		}
	})
}

func (p *pages) allowancesOf(r *console.Request, f *backfillForecast) console.Table {
	return console.List("The allowances, of which backfills may spend their ceiling a day", "No allowance is configured.",
		"Service  Calls  Takes  Ceiling  Today  Left  All by  Schedule a day  Fits", f.Services, func(s *planning.Quota) view.Row {
			ceiling, left := "no limit", nothing
			if s.Daily > 0 {
				ceiling, left = view.Count(s.Ceiling)+" of "+view.Count(s.Daily), view.Or(s.Remaining, notKnown)
			}
			return view.Row{
				streamName(manyOrganizations(p.app), s.Organization, s.Service, ""), rightward(atLeast(s.Calls, s.Unknown)),
				rightward(took(s.Seconds)), rightward(ceiling), s.Today, rightward(left),
				doneBy(s.DoneSeconds, r.Now, p.app.Zone(s.Organization)), rightward(perDay(&s.PerDay)), s.Fits,
			}
		})
}

// startBackfill asks for what the form says. A process that serves, or the next sync, does the
// work.
func (p *pages) startBackfill(ctx context.Context, r *console.Request) (console.Deed, error) {
	deed := console.Deed{What: "backfill", Target: wantedWords(r.Query), Organization: r.Query.Get("org")}
	found, err := p.find(ctx, r.Query)
	if err != nil {
		return deed, err
	}
	if len(found) == 1 {
		deed.Organization = found[0].Stream.Organization
	}
	ids, err := requestBackfills(ctx, p.app, found)
	if len(ids) > 0 {
		deed.After = map[string][]int64{"backfills": ids}
	}
	return deed, err
}
