package cli

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strings"
	"time"

	"sluice/cmd/sluice/cli/view"
	"sluice/cmd/sluice/console"
	"sluice/cmd/sluice/console/chart"
	"sluice/pipeline"
	"sluice/pipeline/engine"
	"sluice/pipeline/planning"
	"sluice/pipeline/warehouse/calls"
)

// pastDay is a day of a service, as the call log has it.
type pastDay struct {
	Organization string    `json:"organization"`
	Service      string    `json:"service"`
	From         time.Time `json:"from"`
	To           time.Time `json:"to"`
	Calls        int64     `json:"calls"`
	Limit        int       `json:"limit"`
	Uses         []usedFor `json:"uses"`
	// Others are upstream's days that have their middle in this one, and what was spent in them
	// outside of sluice.
	Others []calls.ExternalDay `json:"others"`

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
	found := len(of)
	if of, err = p.mostSpent(ctx, of, date); err != nil {
		return console.Page{}, err
	}
	days := []pastDay{}
	for _, account := range of {
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
	}, p.otherDays(r, date.AddDate(0, 0, 1), "The day before"))
	if found > len(of) {
		most := fmt.Sprintf("These are the %d of %s that made the most calls.", len(of), view.Plural(found, "service"))
		page.Parts = append(page.Parts, console.Note{Text: most})
	}
	if len(days) > 1 {
		page.Parts = append(page.Parts, p.pastTable(r, days))
	}
	for i := range days {
		page.Parts = append(page.Parts, p.pastParts(r, &days[i], i == 0)...)
	}
	return page, nil
}

// otherDays lead from a day to the one before it and to today.
func (p *pages) otherDays(r *console.Request, of time.Time, before string) console.Links {
	if day := r.Query.Get("day"); day == "" {
		if all := accounts(p.app.Streams()); len(all) > 0 {
			of = of.In(p.app.Zone(cmp.Or(r.Query.Get("org"), all[0].Organization)))
		}
	}
	at := func(day string) string {
		query := url.Values{}
		maps.Copy(query, r.Query)
		query.Del("done")
		query.Del("day")
		if day != "" {
			query.Set("day", day)
		}
		return "/budget?" + query.Encode()
	}
	links := console.Links{{Text: before, Href: at(of.AddDate(0, 0, -1).Format(time.DateOnly))}}
	if r.Query.Get("day") != "" {
		links = append(links, console.Link{Text: "Today", Href: at("")})
	}
	return links
}

// mostSpent are the services that made the most calls on a date, so many as a page reads.
func (p *pages) mostSpent(ctx context.Context, of []engine.QuotaKey, date time.Time) ([]engine.QuotaKey, error) {
	if len(of) <= mostPastDays {
		return of, nil
	}
	// A date begins somewhere on earth half a day before it does in UTC, and ends half a day later.
	const half = 12 * time.Hour
	spent, err := p.app.DB.SpentBetween(ctx, date.Add(-half), date.Add(3*half)) //nolint:mnd // the day, and half a day more
	if err != nil {
		return nil, fmt.Errorf("read which services made calls: %w", err)
	}
	most := make(map[engine.QuotaKey]int64, len(spent))
	for i := range spent {
		most[engine.QuotaKey{Organization: spent[i].Organization, Service: spent[i].Service}] = spent[i].Calls
	}
	slices.SortStableFunc(of, func(a, b engine.QuotaKey) int { return cmp.Compare(most[b], most[a]) })
	return of[:mostPastDays], nil
}

// pastTable compares the services of a day.
func (p *pages) pastTable(r *console.Request, days []pastDay) console.Table {
	table := console.Table{
		Caption: "Services, most calls first",
		Head:    []string{"Service", headOfOrganization, "Calls", "By others", "Of", "Most for"},
	}
	for i := range days {
		d := &days[i]
		others, limit, most := console.Word("–", console.Muted), console.Word("no limit", console.Muted), console.Word("–", console.Muted)
		if n, known := d.others(); known {
			others = console.Number(n)
		}
		if d.Limit > 0 {
			limit = console.Number(d.Limit)
		}
		if len(d.Uses) > 0 {
			most = console.Text(fmt.Sprintf("%s of %s: %s", d.Uses[0].Class, d.Uses[0].Resource, view.Count(d.Uses[0].Calls)))
		}
		query := url.Values{"org": {d.Organization}, "service": {d.Service}, "day": {r.Query.Get("day")}}
		table.Rows = append(table.Rows, []console.Cell{
			console.To(d.Service, "/budget?"+query.Encode()), console.Text(d.Organization), console.Number(d.Calls), others, limit, most,
		})
	}
	return table
}

// others are the calls that were made outside of sluice, as far as upstream said so.
func (d *pastDay) others() (int64, bool) {
	var n int64
	for i := range d.Others {
		n += d.Others[i].Calls
	}
	return n, len(d.Others) > 0
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
	if day.Others, err = p.app.DB.OthersIn(ctx, of.Organization, of.Service, from, to); err != nil {
		return pastDay{}, fmt.Errorf("read what others spent: %w", err)
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
	var text strings.Builder
	fmt.Fprintf(&text, "%s spent %s, the largest part (%s) on %s of %s.", first.Service, view.Plural(first.Calls, "call"), view.Count(most.Calls),
		most.Class, most.Resource)
	for i := range days {
		if n, _ := days[i].others(); n > 0 {
			fmt.Fprintf(&text, " Other programs spent %s of %s.", view.Plural(n, "call"), days[i].Service)
		}
	}
	return text.String()
}

// pastParts show a day; only the first has room for a chart.
func (p *pages) pastParts(r *console.Request, d *pastDay, drawn bool) []console.Part {
	zone := p.app.Zone(d.Organization)
	parts := []console.Part{
		console.Heading{Text: streamName(manyOrganizations(p.app), d.Organization, d.Service, "")},
		console.Note{Text: fmt.Sprintf("%s from %s to %s.", view.Plural(d.Calls, "call"), view.Minute(d.From, zone), view.Minute(d.To, zone))},
	}
	for _, other := range d.Others {
		parts = append(parts, console.Note{Text: fmt.Sprintf("Others: %s of %s, in upstream's day that ended %s.",
			view.Plural(other.Calls, "call"), view.Count(other.Limit), view.Minute(other.EndedAt, zone))})
	}
	table := p.spentTable(r, d.Organization, d.Service, d.used)
	if !drawn || d.Calls == 0 {
		return append(parts, table)
	}
	others, _ := d.others()
	burn, hours := burnOf("Calls of "+d.Service, d.used, d.From, d.To, r.Now, others, zone)
	burn.Limit = d.Limit
	return append(parts, console.Figure{Caption: "Calls since the day began, by class", Drawing: chart.Both(burn), Table: hours}, table)
}

// burnOf draws the calls of a day up to now by hours, and lists them. Nothing says when others made
// theirs: they are spread over the day.
func burnOf(title string, used []calls.Used, from, to, now time.Time, others int64, zone *time.Location) (*chart.Burn, console.Table) {
	classes := pipeline.Classes()
	burn := &chart.Burn{ID: "burn", Title: title, Zone: zone, Start: from, End: to, Now: now}
	hours := console.Table{Caption: "Calls since the day began, by hours", Head: []string{"At", "Calls", "Of them by others"}}
	sums := make([]int, len(classes))
	for _, class := range classes {
		burn.Classes = append(burn.Classes, string(class))
	}
	until := to
	if now.Before(to) {
		until = now
	}
	for at, i := from, 0; !at.After(to) && at.Before(now.Add(time.Hour)); at = at.Add(time.Hour) {
		for ; i < len(used) && used[i].At.Before(at); i++ {
			if class := slices.Index(classes, used[i].Class); class >= 0 {
				sums[class] += int(used[i].Calls)
			}
		}
		if at.After(now) {
			at = now // the hour that is not over
		}
		beside := int(float64(others) * float64(at.Sub(from)) / float64(until.Sub(from)))
		burn.Spent = append(burn.Spent, chart.Spent{At: at, ByClass: slices.Clone(sums), Others: beside})
		total := beside
		for _, n := range sums {
			total += n
		}
		hours.Rows = append(hours.Rows, []console.Cell{console.Moment(&at, zone), console.Number(total), console.Number(beside)})
	}
	return burn, hours
}
