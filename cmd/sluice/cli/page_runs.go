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
	"sluice/pipeline"
	"sluice/pipeline/warehouse/calls"
	"sluice/pipeline/warehouse/streams"
)

// The sizes of the page: how many runs and waits it lists, and from which length on a time without a
// call is a wait.
const (
	listedRuns = 40
	shortLimit = 20 * time.Second
)

// openRun is the outcome, in filters, of runs that have not ended.
const openRun = "open"

func (p *pages) runs(ctx context.Context, r *console.Request) (console.Page, error) {
	filter := streams.RunFilter{Organization: r.Query.Get("org"), Limit: listedRuns}
	if name := r.Query.Get("stream"); name != "" {
		filter.Service, filter.Resource = splitName(name)
	}
	if filter.Organization == "" && !manyOrganizations(p.app) {
		filter.Organization = p.app.Config.Organizations[0].Key
	}
	before, _ := strconv.ParseInt(r.Query.Get("before"), 10, 64) // none: the newest
	found, err := p.app.DB.RunPage(ctx, filter, r.Query.Get("outcome"), before)
	if err != nil {
		return console.Page{}, fmt.Errorf("read the runs: %w", err)
	}
	page := console.Page{Title: "Runs", Document: found.Runs}
	page.Sentence, page.Mood = sentenceOfRuns(found.Runs)
	page.Parts = append(page.Parts, console.Filters{
		{Name: "org", Label: headOfOrganization, Value: r.Query.Get("org"), Options: p.organizationOptions()},
		{Name: "stream", Label: "Stream", Value: r.Query.Get("stream")},
		{Name: "outcome", Label: "Outcome", Value: r.Query.Get("outcome"), Options: []string{
			"", string(pipeline.OutcomeDone), string(pipeline.OutcomeProvisional), string(pipeline.OutcomeFailed), openRun,
		}},
	})
	table := p.runTable(found.Runs)
	if found.Before > 0 {
		table.More = &console.Link{Text: "Earlier runs", Href: with(r, "before", strconv.FormatInt(found.Before, 10))}
	}
	page.Parts = append(page.Parts, table)
	if before == 0 && len(found.Runs) > 0 {
		waits, err := p.waits(ctx, found.Runs)
		if err != nil {
			return console.Page{}, err
		}
		page.Parts = append(page.Parts, waits)
	}
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
func sentenceOfRuns(runs []streams.Run) (string, console.Mood) {
	failed := howMany(runs, func(run *streams.Run) bool { return run.Outcome == string(pipeline.OutcomeFailed) })
	open := howMany(runs, func(run *streams.Run) bool { return run.Outcome == "" })
	text := fmt.Sprintf("Of these %s, %s failed and %s under way.", view.Plural(len(runs), "run"), view.Count(failed), view.Count(open))
	switch {
	case len(runs) == 0:
		return "No run matches. sluice serve starts runs when streams are due, sluice sync at once.", console.Plain
	case failed > 0:
		return text, console.Warn
	default:
		return text, console.Good
	}
}

func (p *pages) runTable(runs []streams.Run) console.Table {
	return console.List("Runs, the newest first", "No run matches.",
		"Run  Stream  Began  Took  Outcome  Read  New  Changed  Quarantined  Calls  Forecast  Note", runs, func(run *streams.Run) view.Row {
			took := view.Seconds(run.Seconds)
			if run.Outcome == "" {
				took = view.Age(time.Duration(run.Seconds * float64(time.Second))) // coarse: a page that is watched stays the same
			}
			return view.Row{
				runCell(run.ID), p.streamCell(run.Organization, run.Service, run.Resource),
				console.Moment(&run.StartedAt, p.app.Zone(run.Organization)), rightward(took), outcomeCell(run),
				run.Received, run.Inserted, run.Updated, countOrWarn(run.Quarantined), run.Calls, rightward(foreseen(run)), run.Note,
			}
		})
}

// outcomeCell is how a run ended, in words and with a mood.
func outcomeCell(run *streams.Run) console.Cell {
	text := cmp.Or(run.Outcome, openRun)
	if run.Kind != "" {
		text += ": " + run.Kind
	}
	return console.Word(text, map[pipeline.Outcome]console.Mood{
		pipeline.OutcomeFailed: console.Bad, pipeline.OutcomeProvisional: console.Warn, pipeline.OutcomeDone: console.Good,
	}[pipeline.Outcome(run.Outcome)])
}

// waits lists the times in which runs made no call.
func (p *pages) waits(ctx context.Context, runs []streams.Run) (console.Table, error) {
	ids := make([]int64, len(runs))
	for i := range runs {
		ids[i] = runs[i].ID
	}
	waits, err := p.app.DB.Waits(ctx, ids, shortLimit)
	if err != nil {
		return console.Table{}, fmt.Errorf("read when runs waited: %w", err)
	}
	reasons, err := p.app.DB.WaitReasons(ctx, ids)
	if err != nil {
		return console.Table{}, fmt.Errorf("read why runs wait: %w", err)
	}
	of := make(map[int64][]calls.Wait, len(runs))
	for _, wait := range waits {
		of[wait.Run] = append(of[wait.Run], wait)
	}
	var rows [][]console.Cell
	for i := range runs {
		run := &runs[i]
		kind, _, _ := strings.Cut(reasons[run.ID], ":") // a reason begins with its kind
		stream := p.streamCell(run.Organization, run.Service, run.Resource)
		rows = append(rows, waitRows(run, of[run.ID], stream, kind, p.app.Zone(run.Organization))...)
	}
	return console.Table{
		Caption: "Waits of these runs", Rows: rows[:min(len(rows), listedRuns)], None: "No run waited for long.",
		Head: []string{"Run", "Stream", "From", "To", "Why"},
	}, nil
}

// waitRows are the waits of a run. Reason is why it waits now.
func waitRows(run *streams.Run, waits []calls.Wait, stream console.Cell, reason string, zone *time.Location) [][]console.Cell {
	var rows [][]console.Cell
	for i := range waits {
		until, why := console.Text("now"), cmp.Or(waits[i].Kind, "between calls")
		switch {
		case waits[i].To != nil:
			until = console.Moment(waits[i].To, zone)
		case run.EndedAt != nil:
			continue // it made no further call
		default:
			why = cmp.Or(reason, why)
		}
		rows = append(rows, []console.Cell{runCell(run.ID), stream, console.Moment(&waits[i].From, zone), until, console.Text(why)})
	}
	return rows
}
