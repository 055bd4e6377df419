package cli

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"sluice/cmd/sluice/cli/view"
	"sluice/cmd/sluice/console"
	"sluice/pipeline/engine"
	"sluice/pipeline/engine/metrics"
	"sluice/pipeline/warehouse/calls"
)

// budgetLines are the days of all services, with what upstream has closed.
type budgetLines struct {
	days   []budgetDay
	closed int
}

// budgetDay is the day of a service, and what upstream says about it.
type budgetDay struct {
	metrics.Day

	gate  *calls.Gate
	until *time.Time
}

// name is the name of the service, with its organization if there are several.
func (d *budgetDay) name(a *engine.App) string {
	return streamName(manyOrganizations(a), d.Organization, d.Service, "")
}

// shut says until when upstream's word lets no call leave; nil if calls may leave.
func (d *budgetDay) shut() *time.Time {
	if d.until != nil {
		return d.until
	}
	if d.gate != nil {
		return d.gate.ClosedUntil
	}
	return nil
}

// tight orders days: what is shut first, then what runs out, then by the share that is left.
func (d *budgetDay) tight() float64 {
	switch {
	case d.shut() != nil:
		return -2
	case d.RunsOutAt != nil:
		return -1
	case d.Limit == 0:
		return 2
	default:
		return float64(d.Left) / float64(d.Limit)
	}
}

// budget is the page of what calls are spent on today.
func (p *pages) budget(ctx context.Context, r *console.Request) (console.Page, error) {
	if r.Query.Get("day") != "" {
		return p.budgetOf(ctx, r)
	}
	page := console.Page{Title: "Budget"}
	if r.Query.Get("format") == "json" {
		days, _, err := daysOf(ctx, p.app, p.app.Streams())
		page.Document = days
		return page, err
	}
	lines, err := p.budgetLines(ctx, r.Query.Get("org"))
	if err != nil {
		return console.Page{}, err
	}
	page.Sentence, page.Mood = lines.sentence(p.app)
	all := accounts(p.app.Streams())
	filters := console.Filters{
		choice("org", headOfOrganization, r, all, func(q *engine.QuotaKey) string { return q.Organization }),
		choice("service", "Service", r, all, func(q *engine.QuotaKey) string { return q.Service }),
	}
	shown := slices.DeleteFunc(slices.Clone(lines.days), func(d budgetDay) bool {
		return !matches(r.Query.Get("org"), d.Organization) || !matches(r.Query.Get("service"), d.Service)
	})
	var rows [][]console.Cell
	for i := range shown {
		rows = append(rows, p.budgetRow(r, &shown[i]))
	}
	page.Parts = append(page.Parts, filters, p.otherDays(r, r.Now, "Yesterday"), some(r, "days", console.Table{
		Caption: "Days, the tightest first", None: "No service matches.", Rows: rows,
		Head: []string{"Service", headOfOrganization, "Spent", "By others", "Left", "Of", "Last hour", "Nothing left at", "Closed until", ""},
	}))
	switch {
	case len(shown) == 0:
	case len(shown) > manyDays:
		page.Parts = append(page.Parts, console.Note{Text: "Choose a service to see the course of its day, and what it was spent on."})
	default:
		parts, err := p.budgetParts(ctx, r, &shown[0])
		if err != nil {
			return console.Page{}, err
		}
		page.Parts = append(page.Parts, parts...)
	}
	return page, nil
}

// manyDays is how many days the page shows without the course of the tightest one: that of
// thousands of streams says little, and takes its time.
const manyDays = 20

// budgetLines reads the days of the services of an organization, of all if it is empty.
func (p *pages) budgetLines(ctx context.Context, organization string) (*budgetLines, error) {
	days, err := p.app.Days(ctx, organization)
	if err != nil {
		return nil, fmt.Errorf("read the days: %w", err)
	}
	gates, err := p.app.DB.Gates(ctx)
	if err != nil {
		return nil, fmt.Errorf("read the gates: %w", err)
	}
	out, err := p.app.DB.SpentOut(ctx)
	if err != nil {
		return nil, fmt.Errorf("read the days that are spent: %w", err)
	}
	lines := &budgetLines{}
	for i := range days {
		line := budgetDay{Day: days[i]}
		limits, err := p.app.Limits(line.Organization, line.Service)
		if err != nil {
			return nil, err
		}
		for g := range gates {
			if gates[g].Organization == line.Organization && gates[g].Shared == limits.Shared {
				line.gate = &gates[g]
			}
		}
		for o := range out {
			if out[o].Organization == line.Organization && out[o].Service == line.Service {
				line.until = &out[o].Until
			}
		}
		if line.shut() != nil {
			lines.closed++
		}
		lines.days = append(lines.days, line)
	}
	slices.SortStableFunc(lines.days, func(a, b budgetDay) int { return cmp.Compare(a.tight(), b.tight()) })
	return lines, nil
}

// sentence says first what stands still.
func (l *budgetLines) sentence(a *engine.App) (string, console.Mood) {
	if len(l.days) == 0 {
		return "No service is configured yet: sluice init writes a configuration.", console.Plain
	}
	first := &l.days[0]
	zone := a.Zone(first.Organization)
	switch {
	case l.closed > 0:
		return fmt.Sprintf("Upstream lets no call of %s leave; %s is closed until %s.", view.Plural(l.closed, "service"), first.name(a),
			view.Minute(*first.shut(), zone)), console.Bad
	case first.RunsOutAt != nil:
		return fmt.Sprintf("At the pace of the last hour nothing is left of %s at %s: code 45 is expected then.", first.name(a),
			view.Minute(*first.RunsOutAt, zone)), console.Warn
	case first.Limit == 0:
		return view.Plural(len(l.days), "service") + ", none with a daily limit.", console.Good
	default:
		return fmt.Sprintf("All calls of the day suffice at this pace. The tightest is %s: %s of %s are left.", first.name(a),
			view.Count(first.Left), view.Count(first.Limit)), console.Good
	}
}

func (p *pages) budgetRow(r *console.Request, d *budgetDay) []console.Cell {
	zone := p.app.Zone(d.Organization)
	left, limit, others := console.Word("–", console.Muted), console.Word("no limit", console.Muted), console.Word("–", console.Muted)
	if d.Limit > 0 {
		limit = console.Number(d.Limit)
	}
	if d.Limit > 0 || d.SeenLeft != nil {
		left = console.Number(d.Left)
		if d.RunsOutAt != nil || d.Left == 0 {
			left.Mood = console.Warn
		}
	}
	if d.External != nil {
		others = console.Number(*d.External)
	}
	shut := console.Moment(d.shut(), zone)
	if d.shut() != nil {
		shut.Mood = console.Bad
	}
	return []console.Cell{
		console.To(d.Service, dayAddress(r, d)), console.Text(d.Organization), console.Number(d.Spent), others, left, limit, console.Number(d.LastHour),
		console.Moment(d.RunsOutAt, zone), shut, reopenButton(d),
	}
}

// dayAddress is the address of the page for one service.
func dayAddress(r *console.Request, d *budgetDay) string {
	query := console.Request{Query: map[string][]string{"org": {d.Organization}, "service": {d.Service}}}
	if day := r.Query.Get("day"); day != "" {
		query.Query.Set("day", day)
	}
	return "/budget?" + query.Query.Encode()
}

// reopenButton opens what upstream has closed; there is nothing to open otherwise.
func reopenButton(d *budgetDay) console.Cell {
	if d.shut() == nil {
		return console.Cell{}
	}
	return console.Buttons(console.Form{
		Path: "/budget/reopen", Label: "Reopen",
		Warning: "One call asks upstream at once. If the day is really spent, upstream refuses it and the service is closed again.",
		Hidden:  []console.Hidden{{Name: "org", Value: d.Organization}, {Name: "service", Value: d.Service}},
	})
}

// reopen does what sluice budget reopen does.
func (p *pages) reopen(ctx context.Context, r *console.Request) (console.Deed, error) {
	organization, service := r.Query.Get("org"), r.Query.Get("service")
	deed := console.Deed{What: "budget reopen", Target: strings.TrimSpace(organization + " " + service), Organization: organization}
	o, err := p.app.ChooseOrganization(organization)
	if err != nil {
		return deed, err
	}
	if deed.Before, err = p.app.DB.Gates(ctx); err != nil {
		return deed, fmt.Errorf("read the gates: %w", err)
	}
	opened, woken, err := p.app.Reopen(ctx, o, service)
	if err != nil {
		return deed, err
	}
	deed.After = reopenedView{Key: o.Key, Streams: woken, Gates: opened.Gates, Days: opened.Days}
	return deed, nil
}
