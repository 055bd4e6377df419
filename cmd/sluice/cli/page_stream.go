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
	"sluice/cmd/sluice/cli/why"
	"sluice/cmd/sluice/console"
	"sluice/cmd/sluice/console/chart"
	"sluice/pipeline"
	"sluice/pipeline/engine"
	"sluice/pipeline/warehouse/postgres"
	"sluice/pipeline/warehouse/streams"
)

// stripDays is how many days the strip of a stream shows.
const stripDays = 30

func runsAddress(organization, name string) string {
	return "/runs?" + url.Values{"org": {organization}, "stream": {name}}.Encode()
}

// streamOf finds the stream that an address names.
func (p *pages) streamOf(organization, name string) (pipeline.Stream, error) {
	service, resource, _ := strings.Cut(name, ".")
	stream, known := p.app.Stream(engine.Key{Organization: organization, Service: service, Resource: resource})
	if !known {
		return pipeline.Stream{}, fmt.Errorf("%w: the configuration has no stream %s of organization %s", console.ErrNotFound, name, organization)
	}
	return stream, nil
}

// stream is the page of one stream: sluice status --why.
func (p *pages) stream(ctx context.Context, r *console.Request) (console.Page, error) {
	organization, name := r.Value("org"), r.Value("name")
	stream, err := p.streamOf(organization, name)
	if err != nil {
		return console.Page{}, err
	}
	page := console.Page{Title: streamName(manyOrganizations(p.app), organization, name, "")}
	selected, err := p.app.Select([]string{name}, organization)
	if err != nil {
		page.Sentence = "The configuration has this stream disabled: it is not read at all."
		return page, nil //nolint:nilerr // the name is known: only what is enabled can be selected
	}
	stands, err := p.standsOf(ctx, selected)
	if err != nil {
		return console.Page{}, err
	}
	explained, err := p.cli.explained(ctx, p.app, selected, stands, streamsOf(p.app, organization, stream.Service.Name))
	if err != nil {
		return console.Page{}, err
	}
	page.Document = explained
	key := stream.Key()
	at := slices.IndexFunc(explained, func(e why.Explanation) bool { return e.Resource == key.Resource })
	here := slices.IndexFunc(stands, func(s streams.Status) bool { return s.Resource == key.Resource })
	if at < 0 || here < 0 {
		page.Sentence = "This stream is not registered yet: sluice serve or sluice sync registers it."
		return page, nil
	}
	s, e := &stands[here], &explained[at]
	bound, err := p.app.Bounds(ctx)
	if err != nil {
		return console.Page{}, err
	}
	line := streamLine{streamView: streamView{Status: *s}, bound: bound(key, time.Duration(s.EverySeconds*float64(time.Second)))}
	if s.Watermark != nil {
		line.age = r.Now.Sub(*s.Watermark)
	}
	page.Sentence, page.Mood = sentenceOfStream(&line, e, r.Now)
	days, err := p.days(ctx, key, r.Now)
	if err != nil {
		return console.Page{}, err
	}
	last, err := p.app.DB.RunPage(ctx, streams.RunFilter{
		Organization: organization, Service: key.Service, Resource: key.Resource, Limit: lastRuns,
	}, "", 0)
	if err != nil {
		return console.Page{}, fmt.Errorf("read the runs: %w", err)
	}
	runs := p.runTable(last.Runs)
	if last.Before > 0 {
		runs.More = &console.Link{Text: "All runs of the stream", Href: runsAddress(organization, name)}
	}
	page.Parts = append(page.Parts, console.Links{
		{Text: "Runs", Href: runsAddress(organization, name)},
		{Text: "Quarantine", Href: "/quarantine?stream=" + url.QueryEscape(name)},
		{Text: "Budget", Href: "/budget?" + url.Values{"org": {organization}, "service": {key.Service}}.Encode()},
	}, console.Form{Path: addressOfStream(organization, name) + "/run", Label: "Run now"}, p.streamFields(&line, e, r.Now))
	if line.list() {
		page.Parts = append(page.Parts, console.Search{
			Path: "/r/" + url.PathEscape(name) + "/", Name: "id", Label: "Identifier or number", Button: "Explain this record",
			Hidden: []console.Hidden{{Name: "org", Value: organization}},
		})
	}
	page.Parts = append(page.Parts, days, runs)
	works, err := p.works(ctx, stream, r.Now)
	page.Parts = append(page.Parts, works...)
	return page, err
}

// dueCell is when a stream is due, in words and as an instant when the pointer rests on it.
func dueCell(s *streams.Status, now time.Time, zone *time.Location) console.Cell {
	cell := console.Text(next(s, now))
	cell.Title = view.Minute(s.NextDueAt, zone)
	return cell
}

// lastRuns is how many runs the page of a stream shows.
const lastRuns = 10

// standsOf reads how streams stand; one that is not registered is left out.
func (p *pages) standsOf(ctx context.Context, of []pipeline.Stream) ([]streams.Status, error) {
	var stands []streams.Status
	for _, stream := range of {
		status, err := p.app.DB.Stream(ctx, stream.Key())
		switch {
		case errors.Is(err, postgres.ErrNotFound):
		case err != nil:
			return nil, fmt.Errorf("read the stream: %w", err)
		default:
			stands = append(stands, status)
		}
	}
	return stands, nil
}

// sentenceOfStream says whether the stream is late, and what delays it.
func sentenceOfStream(l *streamLine, e *why.Explanation, now time.Time) (string, console.Mood) {
	because := ""
	if len(e.Delays) > 0 {
		because = " Now: " + strings.TrimSuffix(e.Delays[0], ".") + "."
	}
	again := because + " Next run: " + next(&l.Status, now) + "."
	switch late := l.lateness(); {
	case l.denied():
		return "Upstream denies this stream." + because, console.Bad
	case l.list() && l.Watermark == nil:
		return "This stream was never complete." + again, console.Warn
	case late > 1:
		return fmt.Sprintf("Late: complete up to %s ago, the bound is %s.", view.Age(l.age), view.Age(l.bound)) + again, console.Bad
	case l.State == string(pipeline.StateFailed):
		return "The last run failed." + again, console.Bad
	case late < 0:
		return fmt.Sprintf("It runs every %s; next: %s.", why.Span(e.EverySeconds), next(&l.Status, now)) + because, console.Good
	default:
		return fmt.Sprintf("Within its bound: complete up to %s ago, the bound is %s.", view.Age(l.age), view.Age(l.bound)) + because, console.Good
	}
}

// streamFields are what status --why says in words.
func (p *pages) streamFields(l *streamLine, e *why.Explanation, now time.Time) console.Fields {
	zone := p.app.Zone(l.Organization)
	facts := []any{"State", console.Word(l.State, moodOf(l.State))}
	for _, delay := range e.Delays {
		facts = append(facts, "Delayed now", delay)
	}
	if l.list() {
		facts = append(facts, "Freshness", ageAgainstBound(l), "Complete up to", console.Moment(l.Watermark, zone))
	}
	facts = append(facts, "Runs every", why.Span(e.EverySeconds)+", "+e.Why, "Due", dueCell(&l.Status, now, zone))
	for _, line := range e.Reading.Lines() {
		label, text, _ := strings.Cut(line, ": ")
		facts = append(facts, strings.ToUpper(label[:1])+label[1:], text)
	}
	return console.Facts(append(facts,
		"Last done", console.Moment(l.LastDoneAt, zone),
		"Expected", expected(&e.Forecast),
		"Quarantined", quarantined(l),
		"Remark", remark(&l.Status, p.app.Alarm(&l.Status), now),
		"Notifications", e.Told,
		"Proof of the last run", e.Proof,
		"Counted", countedText(e.Counted, zone),
	)...)
}

// days are the last days of a stream as a strip.
func (p *pages) days(ctx context.Context, key pipeline.Key, now time.Time) (console.Figure, error) {
	zone := p.app.Zone(key.Organization)
	today := now.In(zone)
	first := time.Date(today.Year(), today.Month(), today.Day()-stripDays+1, 0, 0, 0, 0, zone)
	seen, err := p.app.DB.RunDays(ctx, key, zone, first)
	if err != nil {
		return console.Figure{}, fmt.Errorf("read the days of the stream: %w", err)
	}
	strip := &chart.Strip{ID: "days", Title: "Runs of the last 30 days"}
	for i := range stripDays {
		date := first.AddDate(0, 0, i).Format(time.DateOnly)
		day := streams.RunDay{}
		if at := slices.IndexFunc(seen, func(d streams.RunDay) bool { return d.Day == date }); at >= 0 {
			day = seen[at]
		}
		strip.Cells = append(strip.Cells, markOf(date, day))
	}
	return console.Figure{
		Caption: strip.Title, Drawing: strip.SVG(),
		Table: console.List("The days with runs", "No run began in these days.", "Day  Done  Provisional  Failed", seen, func(d *streams.RunDay) view.Row {
			return view.Row{d.Day, d.Done, d.Provisional, d.Failed}
		}),
	}, nil
}

// markOf judges a day: one failure among others is a warning.
func markOf(date string, day streams.RunDay) chart.Cell {
	good := day.Done + day.Provisional
	mark := chart.Cell{Text: date + ": " + view.Plural(good+day.Failed, "run"), State: chart.Good}
	switch {
	case good+day.Failed == 0:
		mark.State = chart.None
	case day.Failed == 0:
	case good == 0:
		mark.State = chart.Bad
	default:
		mark.State = chart.Warning
	}
	if day.Failed > 0 {
		mark.Text += ", " + view.Count(day.Failed) + " failed"
	}
	return mark
}

// works leads to the other streams of the resource.
func (p *pages) works(ctx context.Context, stream pipeline.Stream, now time.Time) ([]console.Part, error) {
	others := slices.DeleteFunc(streamsOf(p.app, stream.Organization, stream.Service.Name), func(other pipeline.Stream) bool {
		return other.Resource.Name != stream.Resource.Name || other.Key() == stream.Key() || !p.app.Enabled(other)
	})
	stands, err := p.standsOf(ctx, others)
	if err != nil || len(stands) == 0 {
		return nil, err
	}
	return []console.Part{
		console.List("Other streams of the resource", "", "Stream  State  Next run  Last done", stands, func(s *streams.Status) view.Row {
			zone := p.app.Zone(s.Organization)
			return view.Row{
				p.streamCell(s.Organization, s.Service, s.Resource), console.Word(s.State, moodOf(s.State)), dueCell(s, now, zone),
				console.Moment(s.LastDoneAt, zone),
			}
		}),
	}, nil
}

// requested is what a request for a run changed.
type requested struct {
	State     string    `json:"state"`
	Requested int64     `json:"requested"`
	NextDueAt time.Time `json:"next_due_at"`
}

// request asks for a run of a stream, as sluice sync does. It inserts no job: a process that serves
// does at its next tick, or the next sync.
func (p *pages) request(ctx context.Context, r *console.Request) (console.Deed, error) {
	organization, name := r.Value("org"), r.Value("name")
	deed := console.Deed{What: "sync", Target: name, Organization: organization}
	stream, err := p.streamOf(organization, name)
	if err != nil {
		return deed, err
	}
	if deed.Before, err = p.requestedOf(ctx, stream); err != nil {
		return deed, err
	}
	if err := p.app.DB.Request(ctx, []pipeline.Key{stream.Key()}); err != nil {
		return deed, fmt.Errorf("ask for a run: %w", err)
	}
	deed.After, err = p.requestedOf(ctx, stream)
	return deed, err
}

func (p *pages) requestedOf(ctx context.Context, stream pipeline.Stream) (requested, error) {
	status, err := p.app.DB.Stream(ctx, stream.Key())
	if err != nil {
		return requested{}, fmt.Errorf("read the stream: %w", err)
	}
	return requested{State: status.State, Requested: status.Requested, NextDueAt: status.NextDueAt}, nil
}
