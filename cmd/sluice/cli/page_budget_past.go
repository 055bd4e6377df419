package cli

import (
	"cmp"
	"context"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"time"

	"sluice/cmd/sluice/cli/view"
	"sluice/cmd/sluice/console"
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
}

// mostPastDays is how many services the page of an earlier day reads.
const mostPastDays = 6

// budgetOf is the page of a day by its date: who spent its calls.
func (p *pages) budgetOf(ctx context.Context, r *console.Request, page *console.Page, of []engine.QuotaKey) error {
	date, err := time.Parse(time.DateOnly, r.Query.Get("day"))
	if err != nil {
		return fmt.Errorf("%w: day is a date such as 2026-03-01", console.ErrNotFound)
	}
	page.Title += " of " + date.Format(time.DateOnly)
	page.Parts = append(page.Parts, otherDays(r, date, "The day before"))
	if len(of) > mostPastDays {
		page.Sentence = chooseAService
		return nil
	}
	days := make([]pastDay, len(of))
	for i := range of {
		if days[i], err = p.pastDay(ctx, of[i], date); err != nil {
			return err
		}
	}
	slices.SortStableFunc(days, func(a, b pastDay) int { return cmp.Compare(b.Calls, a.Calls) })
	page.Document, page.Sentence = days, pastSentence(days, date)
	for i := range days {
		d := &days[i]
		zone := p.app.Zone(d.Organization)
		page.Parts = append(page.Parts, console.Heading{Text: streamName(manyOrganizations(p.app), d.Organization, d.Service, "")},
			console.Note{Text: fmt.Sprintf("%s from %s to %s.", view.Plural(d.Calls, "call"), view.Minute(d.From, zone), view.Minute(d.To, zone))})
		for _, other := range d.Others {
			page.Parts = append(page.Parts, console.Note{Text: fmt.Sprintf("Others: %s of %s, in upstream's day that ended %s.",
				view.Plural(other.Calls, "call"), view.Count(other.Limit), view.Minute(other.EndedAt, zone))})
		}
		page.Parts = append(page.Parts, p.spentTable(r, d.Organization, d.Service, d.Uses))
	}
	return nil
}

// otherDays lead from a day to the one before it and to today.
func otherDays(r *console.Request, of time.Time, before string) console.Links {
	at := func(day string) string {
		query := url.Values{"day": {day}}
		for _, name := range []string{"org", "service"} {
			if r.Query.Has(name) {
				query[name] = r.Query[name]
			}
		}
		return "/budget?" + query.Encode()
	}
	links := console.Links{{Text: before, Href: at(of.AddDate(0, 0, -1).Format(time.DateOnly))}}
	if r.Query.Get("day") != "" {
		links = append(links, console.Link{Text: "Today", Href: at("")})
	}
	return links
}

func (p *pages) pastDay(ctx context.Context, of engine.QuotaKey, date time.Time) (pastDay, error) {
	limits, err := p.app.Limits(of.Organization, of.Service)
	if err != nil {
		return pastDay{}, err
	}
	day := pastDay{Organization: of.Organization, Service: of.Service, Limit: limits.Daily}
	if day.From, day.To, err = planning.DayAt(limits, date, p.app.Zone(of.Organization)); err != nil {
		return pastDay{}, err
	}
	used, err := p.app.DB.Used(ctx, of.Organization, of.Service, day.From, day.To)
	if err != nil {
		return pastDay{}, fmt.Errorf("read what calls were spent on: %w", err)
	}
	if day.Others, err = p.app.DB.OthersIn(ctx, of.Organization, of.Service, day.From, day.To); err != nil {
		return pastDay{}, fmt.Errorf("read what others spent: %w", err)
	}
	day.Uses = usesOf(used)
	day.Calls = sumOf(day.Uses, func(u *usedFor) int64 { return u.Calls })
	return day, nil
}

func pastSentence(days []pastDay, date time.Time) string {
	if len(days) == 0 || days[0].Calls == 0 {
		return "The call log has no calls of " + date.Format(time.DateOnly) + ". It keeps calls for the days of retention.calls."
	}
	most := &days[0].Uses[0]
	sentences := []string{fmt.Sprintf("%s spent %s, the largest part (%s) on %s of %s.", days[0].Service, view.Plural(days[0].Calls, "call"),
		view.Count(most.Calls), most.Class, most.Resource)}
	for i := range days {
		for _, other := range days[i].Others {
			sentences = append(sentences, fmt.Sprintf("Other programs spent %s of %s.", view.Plural(other.Calls, "call"), days[i].Service))
		}
	}
	return strings.Join(sentences, " ")
}
