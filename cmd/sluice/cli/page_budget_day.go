package cli

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"time"

	"sluice/cmd/sluice/cli/view"
	"sluice/cmd/sluice/console"
	"sluice/cmd/sluice/console/chart"
	"sluice/pipeline"
	"sluice/pipeline/engine"
	"sluice/pipeline/warehouse/calls"
)

// budgetParts show the day of one service: its course, its minutes, and what it was spent on.
func (p *pages) budgetParts(ctx context.Context, r *console.Request, d *budgetDay) ([]console.Part, error) {
	limits, err := p.app.Limits(d.Organization, d.Service)
	if err != nil {
		return nil, err
	}
	until := d.At
	d.At = d.At.Truncate(time.Minute) // a page that is watched changes once a minute, unless a call was made
	from, to := d.At.AddDate(0, 0, -1), d.At
	if d.Turn != nil {
		from, to = d.Turn.AddDate(0, 0, -1), *d.Turn
	}
	used, err := p.app.DB.Used(ctx, d.Organization, d.Service, from, until)
	if err != nil {
		return nil, fmt.Errorf("read what calls were spent on: %w", err)
	}
	perDay, err := p.perDay(ctx, d.Organization, d.Service)
	if err != nil {
		return nil, err
	}
	zone := p.app.Zone(d.Organization)
	parts := []console.Part{
		console.Heading{ID: "day", Text: "The day of " + d.name(p.app)},
		console.Note{Text: "In force: " + rulesOf(limits, p.app.SharedWith(d.Organization, d.Service)).String() +
			". The schedule takes about " + view.Count(int(perDay)) + " calls a day."},
	}
	week, err := p.app.LastWeek(ctx, d.Organization, d.Service)
	if err != nil {
		return nil, err
	}
	parts = append(parts, console.Note{
		Text: "Calls a day of the last week: " + weekWords(week.Calls) + "; of other programs: " + weekWords(week.Others) + ".",
	})
	parts = append(parts, p.burn(d, used, from, to, zone)...)
	minutes, err := p.minutes(ctx, d, limits, zone)
	if err != nil {
		return nil, err
	}
	spent := p.spentTable(r, d.Organization, d.Service, used)
	return append(append(parts, minutes...), console.Heading{Text: "What the calls were spent on"}, spent), nil
}

// perDay is what the schedule of a service takes of a day, by sluice plan.
func (p *pages) perDay(ctx context.Context, organization, service string) (float64, error) {
	made, err := planOf(ctx, p.app, streamsOf(p.app, organization, service))
	if err != nil {
		return 0, err
	}
	for i := range made.Services {
		if made.Services[i].Service == service {
			return made.Services[i].CallsPerDay, nil
		}
	}
	return 0, nil
}

// streamsOf are the streams of one service of an organization.
func streamsOf(a *engine.App, organization, service string) []pipeline.Stream {
	return slices.DeleteFunc(slices.Clone(a.Streams()), func(s pipeline.Stream) bool {
		return s.Organization != organization || s.Service.Name != service
	})
}

// burn is the course of a day by hours, and what it has left for each class.
func (p *pages) burn(d *budgetDay, used []calls.Used, from, to time.Time, zone *time.Location) []console.Part {
	others := int64(0)
	if d.External != nil {
		others = *d.External
	}
	drawn, hours := burnOf("Calls of "+d.name(p.app), used, from, to, d.At, others, zone)
	drawn.Limit = int(d.Limit)
	if d.RunsOutAt != nil {
		drawn.Exhausted = *d.RunsOutAt
	}
	table := console.Table{
		Caption: "The day by class", None: "No call is counted.",
		Head: []string{"Class", "Spent", "Kept for it", "Lent of that", "Ceiling", "Left for it"},
	}
	for i := range d.Classes {
		of := &d.Classes[i]
		row := []console.Cell{console.Text(string(of.Class)), console.Number(of.Spent), console.Number(of.Reserved), console.Number(of.Lent)}
		if d.Limit > 0 {
			row = append(row, console.Number(of.Ceiling), console.Number(d.ClassLeft(of.Class)))
		} else {
			row = append(row, console.Word("no limit", console.Muted), console.Word("–", console.Muted))
		}
		table.Rows = append(table.Rows, row)
		if of.Reserved > of.Lent {
			drawn.Kept = append(drawn.Kept, chart.Kept{Class: string(of.Class), Calls: int(of.Reserved - of.Lent)})
		}
	}
	caption := "Calls of the last 24 hours"
	if d.Turn != nil {
		caption = "Calls since the day turned"
	}
	return []console.Part{console.Figure{Caption: caption + ": by class and by others", Drawing: chart.Both(drawn), Table: hours}, table}
}

// minutesShown is how far back the strips of minutes go.
const minutesShown = time.Hour

// minutes are the strips of the last hour: calls a minute, and calls at once, of all services that
// share the allowance.
func (p *pages) minutes(ctx context.Context, d *budgetDay, limits pipeline.Limits, zone *time.Location) ([]console.Part, error) {
	shared := append([]string{d.Service}, p.app.SharedWith(d.Organization, d.Service)...)
	from := d.At.Add(-minutesShown).Truncate(time.Minute)
	seen, err := p.app.DB.Minutes(ctx, d.Organization, shared, from)
	if err != nil {
		return nil, fmt.Errorf("read the minutes: %w", err)
	}
	minute := &chart.Bars{ID: "minute", Title: "Calls a minute", Zone: zone, From: from, Each: time.Minute, Limit: limits.PerMinute, Thing: "call"}
	once := &chart.Bars{ID: "once", Title: "Calls at once", Zone: zone, From: from, Each: time.Minute, Limit: limits.Concurrent, Thing: "call"}
	table := console.Table{Caption: "The minutes with calls", Head: []string{"Minute", "Calls", "At once"}, None: "No call left within the last hour."}
	next, goesOn := 0, int64(0)
	for at := from; !at.After(d.At); at = at.Add(time.Minute) {
		var count int64
		most := goesOn
		if next < len(seen) && seen[next].At.Equal(at) {
			count, most, goesOn = seen[next].Calls, max(most, seen[next].AtOnce), seen[next].GoesOn
			next++
			table.Rows = append(table.Rows, []console.Cell{console.Moment(&at, zone), console.Number(count), console.Number(most)})
		}
		minute.Counts, once.Counts = append(minute.Counts, int(count)), append(once.Counts, int(most))
	}
	with := ""
	if len(shared) > 1 {
		with = fmt.Sprintf(", of %s together", view.Plural(len(shared), "service"))
	}
	return []console.Part{
		console.Figure{
			Caption: "Calls in each minute of the last hour, and below calls at once, the most in each minute" + with,
			Drawing: chart.Both(minute) + chart.Both(once), Table: table,
		},
	}, nil
}

// usedFor is what one class spent on one resource.
type usedFor struct {
	Resource string         `json:"resource"`
	Class    pipeline.Class `json:"class"`
	Calls    int64          `json:"calls"`
	Failed   int64          `json:"failed"`
	Records  int64          `json:"records"`
}

// usesOf sums up hours by resource and class, most calls first.
func usesOf(used []calls.Used) []usedFor {
	type key struct {
		resource string
		class    pipeline.Class
	}
	sums := make(map[key]usedFor)
	for i := range used {
		u := &used[i]
		sum := sums[key{u.Resource, u.Class}]
		sums[key{u.Resource, u.Class}] = usedFor{u.Resource, u.Class, sum.Calls + u.Calls, sum.Failed + u.Failed, sum.Records + u.Records}
	}
	return slices.SortedFunc(maps.Values(sums), func(a, b usedFor) int {
		return cmp.Or(cmp.Compare(b.Calls, a.Calls), cmp.Compare(a.Resource, b.Resource), cmp.Compare(a.Class, b.Class))
	})
}

// spentTable shows what calls were spent on.
func (p *pages) spentTable(r *console.Request, organization, service string, used []calls.Used) console.Table {
	uses := usesOf(used)
	var total int64
	for i := range uses {
		total += uses[i].Calls
	}
	var rows [][]console.Cell
	for i := range uses {
		u := &uses[i]
		failed := console.Number(u.Failed)
		if u.Failed > 0 {
			failed.Mood = console.Warn
		}
		rows = append(rows, []console.Cell{
			p.spenderCell(organization, service, u.Resource), console.Text(string(u.Class)), console.Number(u.Calls),
			{Text: fmt.Sprintf("%.0f %%", 100*float64(u.Calls)/float64(total)), Number: true}, failed, console.Number(u.Records), //nolint:mnd // per cent
		})
	}
	return some(r, "uses", console.Table{
		Caption: "Calls by resource and class, most first", None: "The call log has no call of this day.", Rows: rows,
		Head: []string{"Resource", "Class", "Calls", "Share", "Failed", "Records"},
	})
}

// spenderCell leads to the stream that calls were spent on; tokens and organizations have none.
func (p *pages) spenderCell(organization, service, resource string) console.Cell {
	if _, known := p.app.Stream(engine.Key{Organization: organization, Service: service, Resource: resource}); !known {
		return console.Text(resource)
	}
	return console.To(resource, streamAddress(organization, service+"."+resource))
}
