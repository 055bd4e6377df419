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

func (p *pages) run(ctx context.Context, r *console.Request, id int64) (console.Page, error) {
	var shown runView
	var err error
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
			{Text: "Stream " + name, Href: addressOfStream(run.Organization, name)},
			{Text: "Runs of the stream", Href: runsAddress(run.Organization, name)},
		},
		p.runFields(run), p.callTable(r, run, shown.CallLog), p.entryTable(run, shown.Quarantine))
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
	forecast := ""
	if run.Forecast != nil {
		forecast = fmt.Sprintf("%s (%s)", foreseen(run), run.ForecastBasis)
	}
	took := view.Age(time.Duration(run.Seconds*float64(time.Second))) + " so far"
	if run.EndedAt != nil {
		took = view.Seconds(run.Seconds)
	}
	return console.Facts(
		"Outcome", outcomeCell(run),
		"Note", run.Note,
		headOfOrganization, run.Organization,
		"Class", run.Class,
		"Began", console.Moment(&run.StartedAt, zone),
		"Ended", console.Moment(run.EndedAt, zone),
		"Took", took,
		"Chunks", run.Chunks,
		"Calls", run.Calls,
		"Forecast of calls", forecast,
		"Pages", run.Pages,
		"Modified since", console.Moment(run.Bound, zone),
		"Watermark before", console.Moment(run.WatermarkBefore, zone),
		"Watermark after", console.Moment(run.WatermarkAfter, zone),
		"Proof", run.Proof,
		"Records read", run.Received,
		"New", run.Inserted,
		"Changed", run.Updated,
		"Changed without a new modification time", run.Silent,
		"Whose modification time went back upstream", run.Rollbacks,
		"Equal to their rows", run.Unchanged,
		"Older than their rows", run.Superseded,
		"Dropped: a newer version was in the same answer", run.Duplicates,
		"In quarantine", countOrWarn(run.Quarantined),
		"With keys that are not declared", run.Drifted,
	)
}

// callTable lists calls of a run. There may be one more than the page shows.
func (p *pages) callTable(r *console.Request, run *streams.Run, made []calls.Logged) console.Table {
	table := console.List("Calls, in the order in which they left",
		"The call log has no call of this run. It keeps calls for the days of retention.calls.",
		"Call  At  Took  Request  Page  Status  Records  Bytes  Trouble", made[:min(len(made), pageRows)],
		func(call *calls.Logged) view.Row {
			zone := p.app.Zone(run.Organization)
			moment := console.Moment(&call.At, zone)
			moment.Text = call.At.In(zone).Format("15:04:05")
			trouble := console.Word(call.Kind, console.Bad)
			if call.Kind == "" {
				trouble = console.None()
			} else if call.Code != "" && call.Code != "0" {
				trouble.Text += " (code " + call.Code + ")"
			}
			trouble.Title = call.Detail
			took := "not reported"
			if call.Seconds != nil {
				took = view.Seconds(*call.Seconds)
			}
			return view.Row{
				console.ID(call.ID, ""), moment, rightward(took), console.Code(call.Method + " " + call.Path),
				rightward(view.Or(call.Page, nothing)), rightward(view.Or(call.Status, nothing)), call.Records, call.Bytes, trouble,
			}
		})
	if len(made) > pageRows {
		table.More = &console.Link{Text: "The calls behind these", Href: with(r, "after", view.ID(made[pageRows-1].ID))}
	}
	return table
}

// entryTable lists what is in quarantine because of a run.
func (p *pages) entryTable(run *streams.Run, entries []quarantine.Entry) console.Table {
	table := console.List("Quarantine: what this run met last", "No entry of the quarantine was last met by this run.",
		"Entry  Record  Reason  Field  Detail  State", entries[:min(len(entries), pageRows)],
		func(e *quarantine.Entry) view.Row {
			return view.Row{console.ID(e.ID, addressOfEntry(e.ID)), e.Record, e.Code, console.Code(e.Path), e.Detail, e.State}
		})
	if len(entries) > pageRows {
		table.More = &console.Link{Text: "All entries of the stream", Href: "/quarantine?stream=" + run.Service + "." + run.Resource}
	}
	return table
}
