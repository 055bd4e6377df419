package cli

import (
	"cmp"
	"context"
	"fmt"
	"strconv"
	"strings"
	"time"

	"sluice/cmd/sluice/cli/view"
	"sluice/cmd/sluice/console"
	"sluice/cmd/sluice/console/chart"
	"sluice/pipeline"
	"sluice/pipeline/warehouse/calls"
	"sluice/pipeline/warehouse/streams"
)

// The sizes of the page: how many runs it lists, how many of the newest ones the timeline draws,
// how far back that goes, and from which length on a time without a call is drawn as a wait.
const (
	listedRuns = 40
	drawnRuns  = 60
	drawnSpan  = 6 * time.Hour
	shortLimit = 20 * time.Second
)

// openRun is the outcome, in filters, of runs that have not ended.
const openRun = "open"

// runsPage is the page of the last runs.
func (p *pages) runs(ctx context.Context, r *console.Request) (console.Page, error) {
	filter := streams.RunFilter{Organization: r.Query.Get("org"), Limit: drawnRuns}
	if name := r.Query.Get("stream"); name != "" {
		filter.Service, filter.Resource = splitName(name)
	}
	if filter.Organization == "" && !manyOrganizations(p.app) {
		filter.Organization = p.app.Config.Organizations[0].Key
	}
	before, _ := strconv.ParseInt(r.Query.Get("before"), 10, 64) // none: the newest
	if before > 0 {
		filter.Limit = listedRuns
	}
	found, err := p.app.DB.RunPage(ctx, filter, r.Query.Get("outcome"), before)
	if err != nil {
		return console.Page{}, fmt.Errorf("read the runs: %w", err)
	}
	runs := found.Runs
	if len(runs) > listedRuns {
		found.Before = runs[listedRuns-1].ID
	}
	listed := runs[:min(len(runs), listedRuns)]
	page := console.Page{Title: "Runs", Document: listed}
	page.Sentence, page.Mood = sentenceOfRuns(listed, before > 0)
	page.Parts = append(page.Parts, console.Filters{
		{Name: "org", Label: headOfOrganization, Value: r.Query.Get("org"), Options: p.organizationOptions()},
		{Name: "stream", Label: "Stream", Value: r.Query.Get("stream")},
		{Name: "outcome", Label: "Outcome", Value: r.Query.Get("outcome"), Options: []string{
			"", string(pipeline.OutcomeDone), string(pipeline.OutcomeProvisional), string(pipeline.OutcomeFailed), openRun,
		}},
	})
	table := p.runTable(listed, true)
	if found.Before > 0 {
		table.More = &console.Link{Text: "Earlier runs", Href: with(r, "before", strconv.FormatInt(found.Before, 10))}
	}
	if before == 0 && len(runs) > 0 {
		figure, err := p.timeline(ctx, r, runs)
		if err != nil {
			return console.Page{}, err
		}
		page.Parts = append(page.Parts, figure)
	}
	page.Parts = append(page.Parts, table)
	return page, nil
}

// organizationOptions are the keys of all organizations, behind none.
func (p *pages) organizationOptions() []string {
	options := []string{""}
	for i := range p.app.Config.Organizations {
		options = append(options, p.app.Config.Organizations[i].Key)
	}
	return options
}

// sentenceOfRuns says first what failed.
func sentenceOfRuns(runs []streams.Run, earlier bool) (string, console.Mood) {
	counts := make(map[string]int)
	for i := range runs {
		counts[cmp.Or(runs[i].Outcome, openRun)]++
	}
	failed := counts[string(pipeline.OutcomeFailed)]
	last := "last " + view.Plural(len(runs), "run")
	if earlier {
		last = view.Plural(len(runs), "earlier run")
	}
	switch {
	case len(runs) == 0:
		return "No run matches. sluice serve starts runs when streams are due, sluice sync at once.", console.Plain
	case failed > 0:
		return fmt.Sprintf("Of the %s, %s failed and %s under way.", last, view.Count(failed), areOpen(counts[openRun])), console.Warn
	default:
		return fmt.Sprintf("Of the %s, none failed and %s under way.", last, areOpen(counts[openRun])), console.Good
	}
}

func areOpen(n int) string {
	switch n {
	case 0:
		return "none is"
	case 1:
		return "1 is"
	}
	return view.Count(n) + " are"
}

// runTable lists runs, named by their streams unless all are of one.
func (p *pages) runTable(runs []streams.Run, named bool) console.Table {
	rows := make([][]console.Cell, 0, len(runs))
	for i := range runs {
		run := &runs[i]
		took := console.Cell{Text: view.Seconds(run.Seconds), Number: true}
		if run.Outcome == "" {
			took.Text = view.Age(time.Duration(run.Seconds * float64(time.Second))) // coarse: a page that is watched stays the same
		}
		quarantined := console.Number(run.Quarantined)
		if run.Quarantined > 0 {
			quarantined.Mood = console.Warn
		}
		row := []console.Cell{console.ID(run.ID, runAddress(run.ID))}
		if named {
			row = append(row, streamCell(run.Organization, run.Service+"."+run.Resource), console.Text(run.Organization))
		}
		rows = append(rows, append(row,
			console.Moment(&run.StartedAt, p.app.Zone(run.Organization)), took, outcomeCell(run), console.Number(run.Received), console.Number(run.Inserted),
			console.Number(run.Updated), quarantined, console.Number(run.Calls), console.Cell{Text: foreseen(run), Number: true}, console.Text(run.Note)))
	}
	head := []string{"Run"}
	if named {
		head = append(head, "Stream", headOfOrganization)
	}
	return console.Table{
		Caption: "Runs, the newest first", Rows: rows, None: "No run matches.",
		Head: append(head, "Began", "Took", "Outcome", "Read", "New", "Changed", "Quarantined", "Calls", "Forecast", "Note"),
	}
}

func runAddress(id int64) string { return "/runs/" + strconv.FormatInt(id, 10) }

// streamCell leads to the page of a stream.
func streamCell(organization, name string) console.Cell {
	return console.To(name, streamAddress(organization, name))
}

// outcomeCell is how a run ended, in words and with a mood.
func outcomeCell(run *streams.Run) console.Cell {
	text := cmp.Or(run.Outcome, openRun)
	if run.Kind != "" {
		text += ": " + run.Kind
	}
	switch pipeline.Outcome(run.Outcome) {
	case pipeline.OutcomeFailed:
		return console.Word(text, console.Bad)
	case pipeline.OutcomeProvisional:
		return console.Word(text, console.Warn)
	case pipeline.OutcomeDone:
		return console.Word(text, console.Good)
	default:
		return console.Text(text)
	}
}

// timeline draws runs and the times in which they made no call.
func (p *pages) timeline(ctx context.Context, r *console.Request, runs []streams.Run) (console.Figure, error) {
	ids := make([]int64, len(runs))
	for i := range runs {
		ids[i] = runs[i].ID
	}
	waits, err := p.app.DB.Waits(ctx, ids, shortLimit)
	if err != nil {
		return console.Figure{}, fmt.Errorf("read when runs waited: %w", err)
	}
	reasons, err := p.app.DB.WaitReasons(ctx, ids)
	if err != nil {
		return console.Figure{}, fmt.Errorf("read why runs wait: %w", err)
	}
	of := make(map[int64][]calls.Wait, len(runs))
	for _, wait := range waits {
		of[wait.Run] = append(of[wait.Run], wait)
	}
	now := r.Now.Truncate(time.Minute) // a page that is watched changes once a minute
	from := now.Add(-drawnSpan)
	first, last := runs[0].StartedAt, runs[0].StartedAt
	for i := range runs {
		run := &runs[i]
		if run.StartedAt.Before(first) {
			first = run.StartedAt
		}
		if end := run.StartedAt.Add(time.Duration(run.Seconds * float64(time.Second))); end.After(last) {
			last = end
		}
	}
	switch {
	case first.After(from):
		from = first.Add(-time.Minute)
	case last.Before(from): // nothing ran lately
		from, now = first, last
	}
	zone := time.UTC
	if !manyOrganizations(p.app) {
		zone = p.app.Zone(runs[0].Organization)
	}
	drawn := &chart.Gantt{ID: "timeline", Title: "Runs", Zone: zone, From: from, To: now.Add(time.Minute), Now: now.Add(time.Minute)}
	var rows [][]console.Cell
	for i := range runs {
		run := &runs[i]
		kind, _, _ := strings.Cut(reasons[run.ID], ":") // a reason begins with its kind
		bars := barsOf(run, of[run.ID], streamName(manyOrganizations(p.app), run.Organization, run.Service, run.Resource), kind)
		drawn.Bars = append(drawn.Bars, bars...)
		for b := range bars {
			if bars[b].Kind == chart.Waiting {
				until := console.Text("now")
				if !bars[b].To.IsZero() {
					until = console.Moment(&bars[b].To, p.app.Zone(run.Organization))
				}
				rows = append(rows, []console.Cell{
					console.ID(run.ID, runAddress(run.ID)), console.Text(bars[b].Lane), console.Moment(&bars[b].From, p.app.Zone(run.Organization)), until,
					console.Text(bars[b].Text),
				})
			}
		}
	}
	return console.Figure{
		Caption: "The newest runs, and the times in which they waited", Drawing: chart.Both(drawn),
		Table: console.Table{
			Caption: "Waits of these runs", Rows: rows[:min(len(rows), listedRuns)], None: "No run waited for long.",
			Head: []string{"Run", "Stream", "From", "To", "Why"},
		},
	}, nil
}

// barsOf cuts a run where it waited. Reason is why it waits now.
func barsOf(run *streams.Run, waits []calls.Wait, lane, reason string) []chart.Bar {
	kind := map[pipeline.Outcome]chart.Kind{pipeline.OutcomeFailed: chart.Failed, "": chart.Running}[pipeline.Outcome(run.Outcome)]
	bar := chart.Bar{Lane: lane, From: run.StartedAt, Kind: kind, Text: cmp.Or(run.Note, run.Kind), Address: runAddress(run.ID)}
	var bars []chart.Bar
	for _, wait := range waits {
		if wait.To == nil && run.EndedAt != nil {
			continue
		}
		read, waited := bar, bar
		read.To, waited.From, waited.Kind = wait.From, wait.From, chart.Waiting
		waited.Text = cmp.Or(wait.Kind, "between calls")
		bars = append(bars, read)
		if wait.To == nil {
			waited.Text = cmp.Or(reason, waited.Text)
			return append(bars, waited)
		}
		waited.To, bar.From = *wait.To, *wait.To
		bars = append(bars, waited)
	}
	if run.EndedAt != nil {
		bar.To = *run.EndedAt
	}
	return append(bars, bar)
}
