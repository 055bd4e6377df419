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
	"sluice/pipeline/engine/metrics"
	"sluice/pipeline/planning"
	"sluice/pipeline/warehouse/calls"
)

// budgetDay is the day of a service.
type budgetDay struct {
	metrics.Day

	// shut is until when upstream's word lets no call leave; nil if calls may leave.
	shut *time.Time
}

// tight orders days: what is shut first, then what runs out, then by the share that is left.
func (d *budgetDay) tight() float64 {
	switch {
	case d.shut != nil:
		return -2
	case d.RunsOutAt != nil:
		return -1
	case d.Limit == 0:
		return 2
	default:
		return float64(d.Left) / float64(d.Limit)
	}
}

// budget is the page of what calls are spent on: today, or on an earlier day.
func (p *pages) budget(ctx context.Context, r *console.Request) (console.Page, error) {
	page := console.Page{Title: "Budget"}
	today := r.Query.Get("day") == ""
	if today && r.Query.Get("format") == "json" {
		days, _, err := daysOf(ctx, p.app, p.app.Streams())
		page.Document = days
		return page, err
	}
	all := accounts(p.app.Streams())
	filters := console.Filters{
		choice("org", headOfOrganization, r, all, func(q *engine.QuotaKey) string { return q.Organization }),
		choice("service", "Service", r, all, func(q *engine.QuotaKey) string { return q.Service }),
	}
	page.Parts = []console.Part{filters}
	var err error
	if today {
		err = p.budgetToday(ctx, r, &page)
	} else {
		filters = append(filters, console.Filter{Name: "day", Label: "Day", Value: r.Query.Get("day")})
		page.Parts = []console.Part{filters}
		err = p.budgetOf(ctx, r, &page, slices.DeleteFunc(all, func(q engine.QuotaKey) bool {
			return !matches(r.Query.Get("org"), q.Organization) || !matches(r.Query.Get("service"), q.Service)
		}))
	}
	return page, err
}

// manyDays is how many days the page shows without the course of the tightest one: that of
// thousands of streams says little, and takes its time.
const manyDays = 20

func (p *pages) budgetToday(ctx context.Context, r *console.Request, page *console.Page) error {
	days, err := p.budgetDays(ctx, r.Query.Get("org"))
	if err != nil {
		return err
	}
	page.Sentence, page.Mood = budgetSentence(p.app, days)
	days = slices.DeleteFunc(days, func(d budgetDay) bool {
		return !matches(r.Query.Get("org"), d.Organization) || !matches(r.Query.Get("service"), d.Service)
	})
	zone := zoneOf(p.app, cmp.Or(r.Query.Get("org"), p.app.Config.Organizations[0].Key))
	page.Parts = append(page.Parts, otherDays(r, r.Now.In(zone), "Yesterday"), some(r, "days", console.List(
		"Days, the tightest first", "No service matches.",
		"Service  Organization  Spent  By others  Left  Of  Last hour  Nothing left at  Closed until  ", days, p.budgetRow)))
	switch {
	case len(days) == 0:
	case len(days) > manyDays:
		page.Parts = append(page.Parts, console.Note{Text: chooseAService})
	default:
		parts, err := p.budgetParts(ctx, r, &days[0])
		page.Parts = append(page.Parts, parts...)
		return err
	}
	return nil
}

const chooseAService = "Choose a service to see the course of its day, and what it was spent on."

// budgetDays reads the days of the services of an organization, of all if it is empty, the tightest
// first.
func (p *pages) budgetDays(ctx context.Context, organization string) ([]budgetDay, error) {
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
	lines := make([]budgetDay, len(days))
	for i := range days {
		d := &lines[i]
		d.Day = days[i]
		limits, err := p.app.Limits(d.Organization, d.Service)
		if err != nil {
			return nil, err
		}
		for _, gate := range gates {
			if gate.Organization == d.Organization && gate.Shared == limits.Shared {
				d.shut = gate.ClosedUntil
			}
		}
		for _, spent := range out {
			if spent.Organization == d.Organization && spent.Service == d.Service {
				d.shut = &spent.Until
			}
		}
	}
	slices.SortStableFunc(lines, func(a, b budgetDay) int { return cmp.Compare(a.tight(), b.tight()) })
	return lines, nil
}

// budgetSentence says first what stands still.
func budgetSentence(a *engine.App, days []budgetDay) (string, console.Mood) {
	if len(days) == 0 {
		return "No service is configured yet: sluice init writes a configuration.", console.Plain
	}
	first := &days[0]
	zone, name := a.Zone(first.Organization), streamName(manyOrganizations(a), first.Organization, first.Service, "")
	switch {
	case first.shut != nil:
		closed := howMany(days, func(d *budgetDay) bool { return d.shut != nil })
		return fmt.Sprintf("Upstream lets no call of %s leave; %s is closed until %s.", view.Plural(closed, "service"), name,
			view.Minute(*first.shut, zone)), console.Bad
	case first.RunsOutAt != nil:
		return fmt.Sprintf("At the pace of the last hour nothing is left of %s at %s: code 45 is expected then.", name,
			view.Minute(*first.RunsOutAt, zone)), console.Warn
	case first.Limit == 0:
		return view.Plural(len(days), "service") + ", none with a daily limit.", console.Good
	default:
		return fmt.Sprintf("All calls of the day suffice at this pace. The tightest is %s: %s of %s are left.", name,
			view.Count(first.Left), view.Count(first.Limit)), console.Good
	}
}

func (p *pages) budgetRow(d *budgetDay) view.Row {
	zone := p.app.Zone(d.Organization)
	left, limit, others := console.None(), console.Word("no limit", console.Muted), console.None()
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
	shut, reopen := console.None(), console.Cell{}
	if d.shut != nil {
		shut = console.Moment(d.shut, zone)
		shut.Mood = console.Bad
		reopen = console.Buttons(console.Form{
			Path: "/budget/reopen", Label: "Reopen", Hidden: []console.Hidden{{Name: "org", Value: d.Organization}, {Name: "service", Value: d.Service}},
			Warning: "One call asks upstream at once. If the day is really spent, upstream refuses it and the service is closed again.",
		})
	}
	address := "/budget?" + url.Values{"org": {d.Organization}, "service": {d.Service}}.Encode()
	return view.Row{
		console.To(d.Service, address), d.Organization, d.Spent, others, left, limit, d.LastHour,
		console.Moment(d.RunsOutAt, zone), shut, reopen,
	}
}

// budgetParts show the day of one service: its course, its minutes, and what it was spent on.
func (p *pages) budgetParts(ctx context.Context, r *console.Request, d *budgetDay) ([]console.Part, error) {
	until, zone := d.At, p.app.Zone(d.Organization)
	d.At = d.At.Truncate(time.Minute) // a page that is watched changes once a minute, unless a call was made
	needs, _ := planning.CourseFrom(&d.Day.Day)
	used, err := p.app.DB.Used(ctx, d.Organization, d.Service, needs, until)
	if err != nil {
		return nil, fmt.Errorf("read what calls were spent on: %w", err)
	}
	perDay := 0.0
	made, err := planOf(ctx, p.app, streamsOf(p.app, d.Organization, d.Service))
	if err != nil {
		return nil, err
	}
	for i := range made.Services {
		if made.Services[i].Service == d.Service {
			perDay = made.Services[i].CallsPerDay
		}
	}
	limits, err := p.app.Limits(d.Organization, d.Service)
	if err != nil {
		return nil, err
	}
	shared := p.app.SharedWith(d.Organization, d.Service)
	minutes, err := p.minutes(ctx, d, append(shared, d.Service), zone)
	if err != nil {
		return nil, err
	}
	parts := []console.Part{
		console.Heading{ID: "day", Text: "The day of " + streamName(manyOrganizations(p.app), d.Organization, d.Service, "")},
		console.Note{Text: "In force: " + rulesOf(limits, shared).String() +
			". The schedule takes about " + view.Count(int(perDay)) + " calls a day."},
		burn(d, used, perDay, zone),
		console.List("The day by class", "No call is counted.", "Class  Spent  Kept for it  Lent of that  Ceiling  Left for it", d.Classes,
			func(of *planning.ClassDay) view.Row {
				ceiling, left := console.Word("no limit", console.Muted), console.None()
				if d.Limit > 0 {
					ceiling, left = console.Number(of.Ceiling), console.Number(d.ClassLeft(of.Class))
				}
				return view.Row{of.Class, of.Spent, of.Reserved, of.Lent, ceiling, left}
			}),
		minutes,
	}
	since := d.At.Add(-24 * time.Hour) //nolint:mnd // a rolling day
	if d.Turn != nil {
		since = needs
	}
	used = slices.DeleteFunc(used, func(u calls.Used) bool { return u.At.Before(since) })
	return append(parts, console.Heading{Text: "What the calls were spent on"}, p.spentTable(r, d.Organization, d.Service, usesOf(used))), nil
}

// streamsOf are the streams of one service of an organization.
func streamsOf(a *engine.App, organization, service string) []pipeline.Stream {
	return slices.DeleteFunc(slices.Clone(a.Streams()), func(s pipeline.Stream) bool {
		return s.Organization != organization || s.Service.Name != service
	})
}

// burn is the course of a day by hours.
func burn(d *budgetDay, used []calls.Used, perDay float64, zone *time.Location) console.Figure {
	course := planning.CourseOf(&d.DayLeft, &d.Day.Day, used, perDay)
	caption := "Calls of the last 24 hours, as they count at each hour"
	if d.Turn != nil {
		caption = "Calls since the day turned"
	}
	drawn := chart.Burn{ID: "burn", Title: "Calls of " + d.Service, Course: &course, Limit: d.Limit, Zone: zone}
	return console.Figure{
		Caption: caption + ": by class, by others, and as the schedule goes on", Drawing: drawn.SVG(),
		Table: console.List("Calls that count, by hours", "", "At  Calls  Of them by others  ", slices.Concat(course.Past, course.Ahead),
			func(at *planning.Counted) view.Row {
				how := "counted"
				if at.At.After(d.At) {
					how = "expected"
				}
				return view.Row{console.Moment(&at.At, zone), at.Total(), at.Others, how}
			}),
	}
}

// minutes are the minutes of the last hour, of all services that share the allowance.
func (p *pages) minutes(ctx context.Context, d *budgetDay, shared []string, zone *time.Location) (console.Table, error) {
	seen, err := p.app.DB.Minutes(ctx, d.Organization, shared, d.At.Add(-time.Hour).Truncate(time.Minute))
	if err != nil {
		return console.Table{}, fmt.Errorf("read the minutes: %w", err)
	}
	goesOn := int64(0)
	return console.List("The minutes of the last hour with calls, of "+view.Plural(len(shared), "service")+" together",
		"No call left within the last hour.", "Minute  Calls  At once", seen, func(m *calls.Minute) view.Row {
			most := max(goesOn, m.AtOnce)
			goesOn = m.GoesOn
			return view.Row{console.Moment(&m.At, zone), m.Calls, most}
		}), nil
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
	sums := make(map[[2]string]usedFor)
	for i := range used {
		u := &used[i]
		key := [2]string{u.Resource, string(u.Class)}
		sum := sums[key]
		sums[key] = usedFor{u.Resource, u.Class, sum.Calls + u.Calls, sum.Failed + u.Failed, sum.Records + u.Records}
	}
	return slices.SortedFunc(maps.Values(sums), func(a, b usedFor) int {
		return cmp.Or(cmp.Compare(b.Calls, a.Calls), cmp.Compare(a.Resource, b.Resource), cmp.Compare(a.Class, b.Class))
	})
}

// spentTable shows what calls were spent on. It leads to streams; tokens and organizations have
// none.
func (p *pages) spentTable(r *console.Request, organization, service string, uses []usedFor) console.Table {
	total := sumOf(uses, func(u *usedFor) int64 { return u.Calls })
	return some(r, "uses", console.List("Calls by resource and class, most first", "The call log has no call of this day.",
		"Resource  Class  Calls  Share  Failed  Records", uses, func(u *usedFor) view.Row {
			resource := console.Text(u.Resource)
			if _, known := p.app.Stream(engine.Key{Organization: organization, Service: service, Resource: u.Resource}); known {
				resource.Href = addressOfStream(organization, service+"."+u.Resource)
			}
			share := rightward(fmt.Sprintf("%.0f %%", 100*float64(u.Calls)/float64(total))) //nolint:mnd // per cent
			return view.Row{resource, u.Class, u.Calls, share, countOrWarn(u.Failed), u.Records}
		}))
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
	deed.After = reopenedView{Key: o.Key, Streams: woken, Reopened: opened}
	return deed, nil
}
