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
	"sluice/pipeline/planning"
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
	needs, _ := planning.CourseFrom(&d.Day.Day)
	used, err := p.app.DB.Used(ctx, d.Organization, d.Service, needs, until)
	if err != nil {
		return nil, fmt.Errorf("read what calls were spent on: %w", err)
	}
	perDay, err := p.perDay(ctx, d.Organization, d.Service)
	if err != nil {
		return nil, err
	}
	course := planning.CourseOf(&d.DayLeft, &d.Day.Day, used, perDay)
	zone := p.app.Zone(d.Organization)
	yesterday := d.At.In(zone).AddDate(0, 0, -1).Format(time.DateOnly)
	parts := []console.Part{
		console.Heading{ID: "day", Text: "The day of " + d.name(p.app)},
		console.Note{Text: "In force: " + rulesOf(limits, p.app.SharedWith(d.Organization, d.Service)).String() +
			". The schedule takes about " + view.Count(int(perDay)) + " calls a day."},
		console.Links{{Text: "Yesterday", Href: dayAddress(&console.Request{Query: map[string][]string{"day": {yesterday}}}, d)}},
	}
	parts = append(parts, p.burn(d, &course, zone)...)
	minutes, err := p.minutes(ctx, d, limits, zone)
	if err != nil {
		return nil, err
	}
	since := d.At.Add(-24 * time.Hour) //nolint:mnd // a rolling day
	if d.Turn != nil {
		since = needs
	}
	used = slices.DeleteFunc(used, func(u calls.Used) bool { return u.At.Before(since) })
	return append(append(parts, minutes...), console.Heading{Text: "What the calls were spent on"}, spentTable(r, used)), nil
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
func (p *pages) burn(d *budgetDay, course *planning.Course, zone *time.Location) []console.Part {
	classes := pipeline.Classes()
	drawn := &chart.Burn{
		ID: "burn", Title: "Calls of " + d.name(p.app), Zone: zone, Start: course.From, End: course.To, Now: d.At, Limit: int(d.Limit),
	}
	for _, class := range classes {
		drawn.Classes = append(drawn.Classes, string(class))
	}
	for i := range course.Past {
		past := &course.Past[i]
		spent := chart.Spent{At: past.At, Others: int(past.Others)}
		for _, class := range classes {
			spent.ByClass = append(spent.ByClass, int(past.ByClass[class]))
		}
		drawn.Spent = append(drawn.Spent, spent)
	}
	for i := range course.Ahead {
		drawn.Forecast = append(drawn.Forecast, chart.Expected{At: course.Ahead[i].At, Calls: int(course.Ahead[i].Total())})
	}
	if course.RunsOutAt != nil {
		drawn.Exhausted = *course.RunsOutAt
	}
	table := console.Table{
		Caption: "The day by class", None: "No call is counted.",
		Head: []string{"Class", "Spent", "Kept for it", "Lent of that", "Ceiling", "Left for it"},
	}
	hours := console.Table{Caption: "Calls that count, by hours", Head: []string{"At", "Calls", "Of them by others", ""}}
	for i := range course.Past {
		hours.Rows = append(hours.Rows, hourRow(&course.Past[i], zone, "counted"))
	}
	for i := range course.Ahead {
		hours.Rows = append(hours.Rows, hourRow(&course.Ahead[i], zone, "expected"))
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
	caption := "Calls of the last 24 hours, as they count at each hour"
	if d.Turn != nil {
		caption = "Calls since the day turned"
	}
	return []console.Part{
		console.Figure{Caption: caption + ": by class, by others, and as the schedule goes on", Drawing: chart.Both(drawn), Table: hours}, table,
	}
}

func hourRow(at *planning.Counted, zone *time.Location, how string) []console.Cell {
	return []console.Cell{console.Moment(&at.At, zone), console.Number(at.Total()), console.Number(at.Others), console.Text(how)}
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
func spentTable(r *console.Request, used []calls.Used) console.Table {
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
			console.Text(u.Resource), console.Text(string(u.Class)), console.Number(u.Calls),
			{Text: fmt.Sprintf("%.0f %%", 100*float64(u.Calls)/float64(total)), Number: true}, failed, console.Number(u.Records), //nolint:mnd // per cent
		})
	}
	return some(r, "uses", console.Table{
		Caption: "Calls by resource and class, most first", None: "The call log has no call of this day.", Rows: rows,
		Head: []string{"Resource", "Class", "Calls", "Share", "Failed", "Records"},
	})
}

// pastDay is a day of a service, as the call log has it.
type pastDay struct {
	Organization string    `json:"organization"`
	Service      string    `json:"service"`
	From         time.Time `json:"from"`
	To           time.Time `json:"to"`
	Calls        int64     `json:"calls"`
	Limit        int       `json:"limit"`
	Uses         []usedFor `json:"uses"`

	used []calls.Used
}

// budgetOf is the page of a day by its date: who spent its calls.
func (p *pages) budgetOf(ctx context.Context, r *console.Request) (console.Page, error) {
	date, err := time.Parse(time.DateOnly, r.Query.Get("day"))
	if err != nil {
		return console.Page{}, fmt.Errorf("%w: day is a date such as 2026-03-01", console.ErrNotFound)
	}
	page := console.Page{Title: "Budget of " + date.Format(time.DateOnly)}
	all := accounts(p.app.Streams())
	of := slices.DeleteFunc(slices.Clone(all), func(q engine.QuotaKey) bool {
		return !matches(r.Query.Get("org"), q.Organization) || !matches(r.Query.Get("service"), q.Service)
	})
	days := []pastDay{}
	for _, account := range of[:min(len(of), mostPastDays)] {
		day, err := p.pastDay(ctx, account, date)
		if err != nil {
			return console.Page{}, err
		}
		days = append(days, day)
	}
	slices.SortStableFunc(days, func(a, b pastDay) int { return cmp.Compare(b.Calls, a.Calls) })
	page.Document = days
	page.Sentence = pastSentence(days, date)
	page.Parts = append(page.Parts, console.Filters{
		{Name: "day", Label: "Day", Value: r.Query.Get("day")},
		choice("org", headOfOrganization, r, all, func(q *engine.QuotaKey) string { return q.Organization }),
		choice("service", "Service", r, all, func(q *engine.QuotaKey) string { return q.Service }),
	}, console.Links{{Text: "Today", Href: "/budget"}})
	if len(of) > mostPastDays {
		page.Parts = append(page.Parts, console.Note{Text: fmt.Sprintf("These are %d of %s: choose an organization or a service.", mostPastDays,
			view.Plural(len(of), "service"))})
	}
	for i := range days {
		page.Parts = append(page.Parts, p.pastParts(r, &days[i], i == 0)...)
	}
	return page, nil
}

// mostPastDays is how many services the page of an earlier day reads.
const mostPastDays = 6

func (p *pages) pastDay(ctx context.Context, of engine.QuotaKey, date time.Time) (pastDay, error) {
	limits, err := p.app.Limits(of.Organization, of.Service)
	if err != nil {
		return pastDay{}, err
	}
	from, to, err := planning.DayAt(limits, date, p.app.Zone(of.Organization))
	if err != nil {
		return pastDay{}, err
	}
	day := pastDay{Organization: of.Organization, Service: of.Service, From: from, To: to, Limit: limits.Daily}
	if day.used, err = p.app.DB.Used(ctx, of.Organization, of.Service, from, to); err != nil {
		return pastDay{}, fmt.Errorf("read what calls were spent on: %w", err)
	}
	day.Uses = usesOf(day.used)
	for i := range day.Uses {
		day.Calls += day.Uses[i].Calls
	}
	return day, nil
}

func pastSentence(days []pastDay, date time.Time) string {
	if len(days) == 0 || days[0].Calls == 0 {
		return "The call log has no calls of " + date.Format(time.DateOnly) + ". It keeps calls for the days of retention.calls."
	}
	first := &days[0]
	most := &first.Uses[0]
	return fmt.Sprintf("%s spent %s, the largest part (%s) on %s of %s.", first.Service, view.Plural(first.Calls, "call"), view.Count(most.Calls),
		most.Class, most.Resource)
}

// pastParts show a day; only the first has room for a chart.
func (p *pages) pastParts(r *console.Request, d *pastDay, drawn bool) []console.Part {
	zone := p.app.Zone(d.Organization)
	parts := []console.Part{
		console.Heading{Text: streamName(manyOrganizations(p.app), d.Organization, d.Service, "")},
		console.Note{Text: fmt.Sprintf("%s from %s to %s.", view.Plural(d.Calls, "call"), view.Minute(d.From, zone), view.Minute(d.To, zone))},
	}
	table := spentTable(r, d.used)
	if !drawn || d.Calls == 0 {
		return append(parts, table)
	}
	classes := pipeline.Classes()
	burn := &chart.Burn{ID: "burn", Title: "Calls of " + d.Service, Zone: zone, Start: d.From, End: d.To, Now: r.Now, Limit: d.Limit}
	hours := console.Table{Caption: "Calls since the day began, by hours", Head: []string{"At", "Calls"}}
	sums := make([]int, len(classes))
	for _, class := range classes {
		burn.Classes = append(burn.Classes, string(class))
	}
	for at, i := d.From, 0; !at.After(d.To) && at.Before(r.Now.Add(time.Hour)); at = at.Add(time.Hour) {
		for ; i < len(d.used) && d.used[i].At.Before(at); i++ {
			if class := slices.Index(classes, d.used[i].Class); class >= 0 {
				sums[class] += int(d.used[i].Calls)
			}
		}
		if at.After(r.Now) {
			at = r.Now // the hour that is not over
		}
		burn.Spent = append(burn.Spent, chart.Spent{At: at, ByClass: slices.Clone(sums)})
		total := 0
		for _, n := range sums {
			total += n
		}
		hours.Rows = append(hours.Rows, []console.Cell{console.Moment(&at, zone), console.Number(total)})
	}
	return append(parts, console.Figure{Caption: "Calls since the day began, by class", Drawing: chart.Both(burn), Table: hours}, table)
}
