package cli

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"time"

	"sluice/cmd/sluice/cli/view"
	"sluice/cmd/sluice/console"
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
	var open, over [][]console.Cell
	for i := range views {
		if v := &views[i]; v.open() {
			open = append(open, p.openBackfill(r, v))
		} else {
			over = append(over, p.overBackfill(v))
		}
	}
	page.Parts = append(page.Parts,
		console.Links{{Text: "Ask for a backfill", Href: "/backfills/new"}},
		some(r, "open", console.Table{
			Caption: "Open backfills, the last asked for first", None: "No backfill is open.", Rows: open,
			Head: []string{"Backfill", "List", "Range", "State", "Windows", "Calls", "Done about", "Remark", ""},
		}),
		console.Heading{Text: "Over"},
		some(r, "over", console.Table{
			Caption: "Backfills that are over, the last asked for first", None: "No backfill is over yet.", Rows: over,
			Head: []string{"Backfill", "List", "Range", "State", "Ended", "Records read", "Changed", "Calls", "Remark"},
		}))
	if len(found) == mostBackfills {
		page.Parts = append(page.Parts, console.Note{
			Text: "These are the last " + strconv.Itoa(mostBackfills) + ". All are listed by", Command: "sluice backfill list --limit 100000",
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
	var open, paused, waiting int
	for i := range views {
		switch v := &views[i]; {
		case !v.open():
		case v.State == statePaused:
			open, paused = open+1, paused+1
		case v.Until != nil || v.Note != "":
			open, waiting = open+1, waiting+1
		default:
			open++
		}
	}
	switch {
	case open == 0:
		return "No backfill is open. The schedule reads what changes; a backfill reads a list again on demand.", console.Plain
	case paused > 0:
		return fmt.Sprintf("%s open, of which %s paused until resumed by an operator.", view.Plural(open, "backfill"), view.Count(paused)), console.Warn
	case waiting > 0:
		return fmt.Sprintf("%s open, of which %s waiting. Waiting ones go on by themselves.", view.Plural(open, "backfill"), view.Count(waiting)),
			console.Plain
	default:
		return view.Plural(open, "backfill") + " open, at work or queued.", console.Good
	}
}

func (p *pages) openBackfill(r *console.Request, v *backfillView) []console.Cell {
	return []console.Cell{
		console.ID(v.ID, backfillAddress(v.ID)), p.listCell(v), console.Text(v.between()), console.Word(v.State, moodOfBackfill(v.State)),
		console.Text(v.progress()), console.Text(v.spent()), p.doneAbout(v), console.Text(p.remarkOf(r, v)),
		console.Buttons(backfillForms(v, "/backfills")...),
	}
}

func (p *pages) overBackfill(v *backfillView) []console.Cell {
	return []console.Cell{
		console.ID(v.ID, backfillAddress(v.ID)), p.listCell(v), console.Text(v.between()), console.Word(v.State, moodOfBackfill(v.State)),
		console.Moment(v.EndedAt, p.app.Zone(v.Organization)), console.Number(v.Received), console.Number(v.Inserted + v.Updated), console.Text(v.spent()),
		console.Text(v.Note),
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

// doneAbout is the estimate in steps of five minutes: it is made anew with each page.
func (p *pages) doneAbout(v *backfillView) console.Cell {
	if v.DoneAt == nil {
		return console.Moment(nil, nil)
	}
	const step = 5 * time.Minute
	return console.Moment(new(v.DoneAt.Add(step/2).Truncate(step)), p.app.Zone(v.Organization))
}

func (p *pages) listCell(v *backfillView) console.Cell {
	list := v.Service + "." + v.Resource
	return console.To(streamName(manyOrganizations(p.app), v.Organization, v.Service, v.Resource), "/streams/"+v.Organization+"/"+list)
}

func backfillAddress(id int64) string { return "/backfills/" + strconv.FormatInt(id, 10) }

// progress is the share of the windows that are done. A list that is read whole is one window, of
// which the calls tell more.
func (v *backfillView) progress() string {
	return fmt.Sprintf("%s of %s", view.Count(v.WindowsDone), view.Count(v.Windows))
}

func moodOfBackfill(state string) console.Mood {
	switch state {
	case stateFailed:
		return console.Bad
	case statePaused:
		return console.Warn
	case stateDone:
		return console.Good
	default:
		return console.Plain
	}
}

// backfillForms are what can be done about a backfill in its state.
func backfillForms(v *backfillView, from string) []console.Form {
	form := func(verb, label string) console.Form {
		return console.Form{Path: backfillAddress(v.ID) + "/" + verb, Label: label, Hidden: []console.Hidden{{Name: "from", Value: from}}}
	}
	cancel := form("cancel", "Cancel")
	cancel.Warning = "A cancelled backfill does not go on. What it loaded stays; the calls are spent."
	switch v.State {
	case stateQueued, stateRunning:
		return []console.Form{form("pause", "Pause"), cancel}
	case statePaused, stateFailed:
		return []console.Form{form("resume", "Resume"), cancel}
	default:
		return nil
	}
}

// backfill shows one backfill.
func (p *pages) backfill(ctx context.Context, r *console.Request) (console.Page, error) {
	id, err := strconv.ParseInt(r.Value("id"), 10, 64)
	if err != nil {
		return console.Page{}, fmt.Errorf("there is no backfill %q: %w", r.Value("id"), console.ErrNotFound)
	}
	v, err := p.cli.backfillOf(ctx, p.app, id)
	if errors.Is(err, warehouse.ErrNotFound) {
		return console.Page{}, fmt.Errorf("there is no backfill %d: %w", id, console.ErrNotFound)
	}
	if err != nil {
		return console.Page{}, err
	}
	zone := p.app.Zone(v.Organization)
	page := console.Page{Title: fmt.Sprintf("Backfill %d", v.ID), Document: v}
	page.Sentence, page.Mood = v.sentence(), moodOfBackfill(v.State)
	fields := console.Fields{
		{Label: "List", Value: p.listCell(v)},
		{Label: "Organization", Value: console.Text(v.Organization)},
		{Label: "Range", Value: console.Text(v.between())},
		{Label: "Asked for", Value: console.Moment(&v.RequestedAt, zone)},
		{Label: "By", Value: console.Text(v.RequestedBy)},
		{Label: "State", Value: console.Word(v.State, moodOfBackfill(v.State))},
		{Label: "Windows done", Value: console.Text(v.progress())},
		{Label: "Calls, of those foreseen", Value: console.Text(v.spent())},
		{Label: "Records read", Value: console.Number(v.Received)},
		{Label: "New rows", Value: console.Number(v.Inserted)},
		{Label: "Changed rows", Value: console.Number(v.Updated)},
		{Label: "Unchanged", Value: console.Number(v.Unchanged)},
		{Label: "Older than their rows", Value: console.Number(v.Superseded)},
		{Label: "In quarantine", Value: console.Number(v.Quarantined)},
	}
	if v.CallsLeft != nil {
		fields = append(fields, console.Field{Label: "Calls left", Value: console.Number(*v.CallsLeft)})
	}
	if v.DoneAt != nil {
		fields = append(fields, console.Field{Label: "Done about", Value: p.doneAbout(v)})
	}
	if v.EndedAt != nil {
		fields = append(fields, console.Field{Label: "Ended", Value: console.Moment(v.EndedAt, zone)})
	}
	if remark := p.remarkOf(r, v); remark != "" {
		fields = append(fields, console.Field{Label: "Remark", Value: console.Text(remark)})
	}
	page.Parts = append(page.Parts, fields)
	for _, form := range backfillForms(v, backfillAddress(v.ID)) {
		page.Parts = append(page.Parts, form)
	}
	if len(v.Runs) == 0 {
		page.Parts = append(page.Parts, console.Note{Text: "No run has begun yet: serve or the next sync does the work."})
		return page, nil
	}
	var runs console.Links
	for _, run := range v.Runs {
		runs = append(runs, console.Link{Text: "Run " + view.ID(run), Href: pageOfRun(run)})
	}
	page.Parts = append(page.Parts, console.Heading{Text: "Its runs"}, runs)
	return page, nil
}

// sentence says how far the backfill is.
func (v *backfillView) sentence() string {
	name := v.Service + "." + v.Resource
	switch {
	case v.State == stateDone:
		return fmt.Sprintf("All of %s is read: %s, %s new, %s changed.", name, view.Plural(v.Received, "record"), view.Count(v.Inserted),
			view.Count(v.Updated))
	case v.State == statePaused:
		return fmt.Sprintf("%s is paused after %s, until an operator resumes it.", name, view.Plural(v.Calls, "call"))
	case v.State == stateFailed:
		return fmt.Sprintf("%s failed after %s. Resume goes on where it stopped.", name, view.Plural(v.Calls, "call"))
	case v.State == stateCancelled:
		return fmt.Sprintf("%s was cancelled after %s. What it loaded stays.", name, view.Plural(v.Calls, "call"))
	case v.Until != nil:
		return fmt.Sprintf("%s waits for the daily allowance after %s, and goes on by itself.", name, view.Plural(v.Calls, "call"))
	case v.State == stateQueued:
		return name + " is queued: serve or the next sync does the work."
	default:
		return fmt.Sprintf("%s is being read: %s of %s, %s so far.", name, view.Count(v.WindowsDone), view.Plural(v.Windows, "window"),
			view.Plural(v.Calls, "call"))
	}
}

// stateOfBackfill is what an action changes.
type stateOfBackfill struct {
	State string `json:"state"`
}

// backfillVerb makes an action of a command that changes the state of a backfill.
func (p *pages) backfillVerb(verb, needed string, do changing) console.Action {
	return console.Action{
		Pattern: "/backfills/{id}/" + verb,
		Do: func(ctx context.Context, r *console.Request) (console.Deed, error) {
			deed := console.Deed{What: "backfill " + verb, Target: r.Value("id")}
			ids, err := numbers([]string{r.Value("id")}, "number of a backfill", "backfill list")
			if err != nil {
				return deed, err
			}
			before, err := p.app.DB.Backfill(ctx, ids[0])
			if err == nil {
				deed.Organization, deed.Before = before.Organization, stateOfBackfill{before.State}
			}
			if err := changeBackfill(ctx, p.app, ids[0], needed, do); err != nil {
				return deed, err
			}
			after, err := p.app.DB.Backfill(ctx, ids[0])
			if err != nil {
				return deed, fmt.Errorf("read the backfill: %w", err)
			}
			deed.After = stateOfBackfill{after.State}
			return deed, nil
		},
	}
}

// resources are the names of the lists that are copied.
func (p *pages) resources() []string {
	var names []string
	for _, stream := range p.app.Streams() {
		if name := stream.Service.Name + "." + stream.Resource.Name; stream.Work == "" && p.app.Enabled(stream) && !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}
