package cli

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"time"

	"sluice/cmd/sluice/cli/view"
	"sluice/cmd/sluice/console"
	"sluice/pipeline"
	"sluice/pipeline/warehouse/calls"
	"sluice/pipeline/warehouse/postgres"
	"sluice/pipeline/warehouse/quarantine"
	"sluice/pipeline/warehouse/streams"
)

// runView is a run with what is stored of it.
type runView struct {
	streams.Run

	// CallLog has the calls that the page shows, Quarantine the entries that the run met last.
	CallLog    []calls.Logged     `json:"call_log"`
	Quarantine []quarantine.Entry `json:"quarantine"`
}

// run is the page of one run.
func (p *pages) run(ctx context.Context, r *console.Request) (console.Page, error) {
	id, err := strconv.ParseInt(r.Value("id"), 10, 64)
	if err != nil {
		return console.Page{}, fmt.Errorf("%w: %q is no number of a run", console.ErrNotFound, r.Value("id"))
	}
	shown := runView{}
	if shown.Run, err = p.app.DB.RunProgress(ctx, id); errors.Is(err, postgres.ErrNotFound) {
		return console.Page{}, fmt.Errorf("%w: run %d never was, or was pruned: retention.runs says how long runs are kept", console.ErrNotFound, id)
	} else if err != nil {
		return console.Page{}, fmt.Errorf("read the run: %w", err)
	}
	after, _ := strconv.ParseInt(r.Query.Get("after"), 10, 64) // none: from the first call on
	if shown.CallLog, err = p.app.DB.CallsOfRun(ctx, id, after, pageRows+1); err != nil {
		return console.Page{}, fmt.Errorf("read the calls of the run: %w", err)
	}
	if shown.Quarantine, err = p.app.DB.QuarantineOfRun(ctx, id, pageRows+1); err != nil {
		return console.Page{}, fmt.Errorf("read the quarantine of the run: %w", err)
	}
	p.hideDetails(r, shown.Quarantine)
	run := &shown.Run
	page := console.Page{Title: fmt.Sprintf("Run %d", id), Document: shown}
	page.Sentence, page.Mood = sentenceOfRun(run)
	name := run.Service + "." + run.Resource
	page.Parts = append(page.Parts,
		console.Links{
			{Text: "Stream " + name, Href: streamAddress(run.Organization, name)},
			{Text: "Runs of the stream", Href: runsAddress(run.Organization, name)},
		},
		p.runFields(run), recordTable(run), p.callTable(r, run, shown.CallLog), p.entryTable(run, shown.Quarantine))
	return page, nil
}

// sentenceOfRun says how a run ended and what it did.
func sentenceOfRun(run *streams.Run) (string, console.Mood) {
	did := fmt.Sprintf("%s read, %s new and %s changed, with %s", view.Plural(run.Received, "record"), view.Count(run.Inserted),
		view.Count(run.Updated), view.Plural(run.Calls, "call"))
	name := run.Service + "." + run.Resource
	switch pipeline.Outcome(run.Outcome) {
	case pipeline.OutcomeFailed:
		return fmt.Sprintf("This run of %s failed: %s.", name, did), console.Bad
	case pipeline.OutcomeProvisional:
		return fmt.Sprintf("This run of %s ended, but its watermark did not move: %s.", name, did), console.Warn
	case pipeline.OutcomeDone:
		if run.Quarantined > 0 {
			return fmt.Sprintf("This run of %s is done, and %s did not fit: %s.", name, view.Plural(run.Quarantined, "record"), did), console.Warn
		}
		return fmt.Sprintf("This run of %s is done: %s.", name, did), console.Good
	default:
		return fmt.Sprintf("This run of %s is open: %s so far.", name, did), console.Plain
	}
}

func (p *pages) runFields(run *streams.Run) console.Fields {
	zone := p.app.Zone(run.Organization)
	bound := console.Text("no lower bound")
	if run.Bound != nil {
		bound = console.Moment(run.Bound, zone)
	}
	forecast := console.Word("there was none", console.Muted)
	if run.Forecast != nil {
		forecast = console.Text(fmt.Sprintf("%s (%s)", foreseen(run), run.ForecastBasis))
	}
	took := view.Age(time.Duration(run.Seconds*float64(time.Second))) + " so far"
	if run.EndedAt != nil {
		took = view.Seconds(run.Seconds)
	}
	return console.Fields{
		{Label: "Outcome", Value: outcomeCell(run)},
		{Label: "Note", Value: console.Text(orDash(run.Note))},
		{Label: headOfOrganization, Value: console.Text(run.Organization)},
		{Label: "Class", Value: console.Text(run.Class)},
		{Label: "Began", Value: console.Moment(&run.StartedAt, zone)},
		{Label: "Ended", Value: console.Moment(run.EndedAt, zone)},
		{Label: "Took", Value: console.Text(took)},
		{Label: "Chunks", Value: console.Number(run.Chunks)},
		{Label: "Calls", Value: console.Number(run.Calls)},
		{Label: "Forecast of calls", Value: forecast},
		{Label: "Pages", Value: console.Number(run.Pages)},
		{Label: "Modified since", Value: bound},
		{Label: "Watermark before", Value: console.Moment(run.WatermarkBefore, zone)},
		{Label: "Watermark after", Value: console.Moment(run.WatermarkAfter, zone)},
		{Label: "Proof", Value: console.Text(orDash(run.Proof))},
	}
}

func orDash(text string) string {
	if text == "" {
		return "–"
	}
	return text
}

// recordTable says what became of the records that a run read.
func recordTable(run *streams.Run) console.Table {
	table := console.Table{Caption: "Records", Head: []string{"What became of them", "Records"}}
	for _, line := range []struct {
		text    string
		records int64
	}{
		{"read", run.Received},
		{"new", run.Inserted},
		{"changed", run.Updated},
		{"changed without a new modification time", run.Silent},
		{"changed back: the modification time went back upstream", run.Rollbacks},
		{"equal to their rows", run.Unchanged},
		{"older than their rows", run.Superseded},
		{"dropped: a newer version was in the same answer", run.Duplicates},
		{"did not fit, in quarantine", run.Quarantined},
		{"with keys that are not declared", run.Drifted},
	} {
		if line.records != 0 || line.text == "read" {
			table.Rows = append(table.Rows, []console.Cell{console.Text(line.text), console.Number(line.records)})
		}
	}
	return table
}

// callTable lists calls of a run. There may be one more than the page shows.
func (p *pages) callTable(r *console.Request, run *streams.Run, made []calls.Logged) console.Table {
	table := console.Table{
		Caption: "Calls, in the order in which they left", None: "The call log has no call of this run. It keeps calls for the days of retention.calls.",
		Head: []string{"Call", "At", "Took", "Request", "Page", "Status", "Records", "Bytes", "Trouble"},
	}
	if len(made) > pageRows {
		made = made[:pageRows]
		table.More = &console.Link{Text: "The calls behind these", Href: with(r, "after", strconv.FormatInt(made[pageRows-1].ID, 10))}
	}
	for i := range made {
		call := &made[i]
		at := call.At.In(p.app.Zone(run.Organization))
		moment := console.Moment(&call.At, at.Location())
		moment.Text = at.Format("15:04:05")
		trouble := console.Cell{}
		if text := call.Kind; text != "" {
			trouble = console.Word(text, console.Bad)
			trouble.Title = call.Detail
			if call.Code != "" && call.Code != "0" {
				trouble.Text += " (code " + call.Code + ")"
			}
		}
		took := console.Word("not reported", console.Muted)
		if call.Seconds != nil {
			took = console.Cell{Text: view.Seconds(*call.Seconds), Number: true}
		}
		table.Rows = append(table.Rows, []console.Cell{
			console.ID(call.ID, ""), moment, took, console.Code(call.Method + " " + call.Path), numberOr(call.Page), numberOr(call.Status),
			console.Number(call.Records), console.Number(call.Bytes), trouble,
		})
	}
	return table
}

// numberOr is a number that may be missing.
func numberOr(n *int) console.Cell {
	if n == nil {
		return console.Word("–", console.Muted)
	}
	return console.Cell{Text: strconv.Itoa(*n), Number: true}
}

// entryTable lists what is in quarantine because of a run.
func (p *pages) entryTable(run *streams.Run, entries []quarantine.Entry) console.Table {
	table := console.Table{
		Caption: "Quarantine: what this run met last", None: "No entry of the quarantine was last met by this run.",
		Head: []string{"Entry", "Record", "Reason", "Field", "Detail", "State"},
	}
	if len(entries) > pageRows {
		entries = entries[:pageRows]
		table.More = &console.Link{Text: "All entries of the stream", Href: "/quarantine?stream=" + run.Service + "." + run.Resource}
	}
	for i := range entries {
		e := &entries[i]
		table.Rows = append(table.Rows, []console.Cell{
			console.ID(e.ID, "/quarantine/"+strconv.FormatInt(e.ID, 10)), console.Text(e.Record), console.Text(e.Code), console.Code(e.Path),
			console.Text(e.Detail), console.Text(e.State),
		})
	}
	return table
}
