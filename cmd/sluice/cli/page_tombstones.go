package cli

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"sluice/cmd/sluice/cli/view"
	"sluice/cmd/sluice/console"
	"sluice/pipeline"
	"sluice/pipeline/engine"
	"sluice/pipeline/warehouse/tombstones"
)

// tombstones shows what whole lists did not show, and first the scans that need review.
func (p *pages) tombstones(ctx context.Context, r *console.Request) (console.Page, error) {
	filter := tombstones.Filter{State: r.Query.Get("state")}
	if list := r.Query.Get("resource"); list != "" {
		filter.Service, filter.Resource = splitName(list)
	}
	found, err := p.app.DB.Tombstones(ctx, filter)
	if err != nil {
		return console.Page{}, fmt.Errorf("read the tombstones: %w", err)
	}
	held, err := p.app.DB.ScansToReview(ctx)
	if err != nil {
		return console.Page{}, fmt.Errorf("read what needs review: %w", err)
	}
	page := console.Page{Title: "Tombstones", Document: found}
	page.Sentence, page.Mood = sentenceOfReview(held)
	if len(held) > 0 {
		page.Parts = append(page.Parts, some(r, "held", p.heldScans(held)))
	}
	rows := make([][]console.Cell, len(found))
	for i := range found {
		rows[i] = p.tombstoneRow(&found[i])
	}
	page.Parts = append(page.Parts,
		console.Heading{ID: "all", Text: "What whole lists did not show"},
		console.Filters{
			{Name: "resource", Label: "List", Value: r.Query.Get("resource"), Options: append([]string{""}, p.resources()...)},
			{Name: "state", Label: "State", Value: filter.State, Options: []string{"", "suspected", stateOfReview, "deleted", "restored"}},
		},
		some(r, "records", console.Table{
			Caption: "The last 100, newest first", Rows: rows, None: "No whole list missed a row.",
			Head: []string{"Record", "List", "State", "Missed", "Proven", "Proof", "Gone", "Came back"},
		}),
		console.Note{Text: "One scan that misses a record proves nothing. Two clean scans do, or upstream's word that it does not know the single record."})
	return page, nil
}

func sentenceOfReview(held []tombstones.ScanToReview) (string, console.Mood) {
	if len(held) == 0 {
		return "No deletion needs review.", console.Good
	}
	var records int64
	for i := range held {
		records += held[i].NeedsReview
	}
	return fmt.Sprintf("%s of %s need review: too many were missing at once to be believed.", view.Plural(records, "deletion"),
		view.Plural(len(held), "scan")), console.Warn
}

func (p *pages) heldScans(held []tombstones.ScanToReview) console.Table {
	rows := make([][]console.Cell, len(held))
	for i := range held {
		h := &held[i]
		rows[i] = []console.Cell{
			console.To("Look at the evidence", reviewAddress(h.Run)), console.Text(streamName(true, h.Organization, h.Service, h.Resource)),
			console.Number(h.NeedsReview), console.Number(h.Received), runCell(h.FirstRun), runCell(h.Run),
			console.Moment(&h.StartedAt, p.app.Zone(h.Organization)),
		}
	}
	return console.Table{
		Caption: "Scans that need review", Rows: rows,
		Head: []string{"Decide", "List", "Records missing", "Records read", "First scan", "Second scan", "Second scan began"},
	}
}

func reviewAddress(run int64) string { return "/tombstones/review/" + strconv.FormatInt(run, 10) }

func (p *pages) tombstoneRow(t *tombstones.Tombstone) []console.Cell {
	zone := p.app.Zone(t.Organization)
	proof := console.Text("")
	switch t.Proof {
	case "scan":
		proof.Text = "a second scan"
	case "not_found":
		proof.Text = "upstream does not know the single record"
	}
	missed, proven, gone := console.Moment(&t.SuspectedAt, zone), console.Moment(t.ProofAt, zone), console.Moment(t.DeletedAt, zone)
	missed.Href = pageOfRun(t.SuspectedRun)
	if t.ProofRun != nil {
		proven.Href = pageOfRun(*t.ProofRun)
	}
	state := strings.ReplaceAll(t.State, "_", " ")
	if t.DecidedBy != "" {
		state += ", by the " + t.DecidedBy
	}
	if t.State == stateOfReview { // its row has no tombstone yet
		gone = console.Moment(nil, zone)
	}
	return []console.Cell{
		console.To(t.Record, addressOfRecord(t.Organization, t.Service+"."+t.Resource, t.Record)),
		console.Text(streamName(manyOrganizations(p.app), t.Organization, t.Service, t.Resource)), console.Word(state, moodOfTombstone(t.State)),
		missed, proven, proof, gone, console.Moment(t.RestoredAt, zone),
	}
}

// stateOfReview is the state of a record about which the operator has to decide.
const stateOfReview = "needs_review"

func moodOfTombstone(state string) console.Mood {
	if state == stateOfReview {
		return console.Warn
	}
	return console.Plain
}

// review shows the evidence of one scan side by side, for the decision.
func (p *pages) review(ctx context.Context, r *console.Request) (console.Page, error) {
	runs, err := numbers([]string{r.Value("run")}, "number of a run", "tombstones review")
	if err != nil {
		return console.Page{}, fmt.Errorf("%w: %w", console.ErrNotFound, err)
	}
	shown, err := evidenceOf(ctx, p.app, runs[0])
	if codeOf(err) == codeUsage {
		return console.Page{}, fmt.Errorf("%w: %w", console.ErrNotFound, err)
	}
	if err != nil {
		return console.Page{}, err
	}
	name := streamName(manyOrganizations(p.app), shown.Organization, shown.Service, shown.Resource)
	page := console.Page{
		Title: "Review of " + name, Document: shown, Mood: console.Warn,
		Sentence: fmt.Sprintf("%s of %s are in neither of two scans. Are they gone upstream?", view.Plural(shown.NeedsReview, "record"), name),
	}
	page.Parts = append(page.Parts,
		console.Note{Text: "Look upstream for some of the records below. If they are not there, accept: their rows get tombstones. " +
			"If they are, upstream's list was short: reject, and find out why."},
		p.scansBeside(shown), p.looksAt(shown), p.missedRows(shown))
	page.Parts = append(page.Parts,
		console.Note{Text: "A scan that shows a record unchanged does not write its row. A row that an earlier scan did not miss was in its list."},
		console.Heading{Text: "Decide"},
		console.Form{
			Path: reviewAddress(shown.Run) + "/accept", Label: "Accept: they are gone",
			Warning: view.Plural(shown.NeedsReview, "record") +
				" get tombstones. Analysts no longer see their rows. A record that upstream shows again comes back.",
		},
		console.Form{
			Path: reviewAddress(shown.Run) + "/reject", Label: "Reject: they are not gone",
			Warning: fmt.Sprintf("The evidence against %s is forgotten. Two new scans are needed to find it again.", view.Plural(shown.NeedsReview, "record")),
		},
		console.Note{Text: "The same on a terminal:", Command: fmt.Sprintf("sluice tombstones review %d", shown.Run)})
	return page, nil
}

// scansBeside are both scans and those before them, a column each.
func (p *pages) scansBeside(shown *evidenceView) console.Table {
	zone := p.app.Zone(shown.Organization)
	table := console.Table{Caption: "The two scans, beside those before them", Head: []string{""}}
	labels := []string{"Run", "Began", "Ended", "Outcome", "Records read", "Calls", "What it found"}
	for _, label := range labels {
		table.Rows = append(table.Rows, []console.Cell{console.Text(label)})
	}
	for i := range shown.Scans {
		s := &shown.Scans[i]
		head := "Earlier scan"
		switch {
		case s.Run == shown.Run:
			head = "Second scan"
		case s.Run == shown.FirstRun && shown.look(s):
			head = "Look"
		case s.Run == shown.FirstRun:
			head = "First scan"
		case shown.look(s):
			continue
		}
		table.Head = append(table.Head, head)
		for at, cell := range []console.Cell{
			runLink(s.Run), console.Moment(&s.StartedAt, zone), console.Moment(s.EndedAt, zone), console.Text(s.Outcome),
			console.Text(view.Count(s.Received)), console.Text(view.Count(s.Calls)), console.Text(s.Note),
		} {
			table.Rows[at] = append(table.Rows[at], cell)
		}
	}
	return table
}

// look says that a run is a look at the list.
func (v *evidenceView) look(s *tombstones.EvidenceRun) bool {
	return s.Resource == v.Resource+"."+string(pipeline.WorkLook)
}

func (p *pages) looksAt(shown *evidenceView) console.Table {
	zone := p.app.Zone(shown.Organization)
	table := console.Table{
		Caption: "The last looks at the list: each asks whether rows are missing, and which", None: "No look at this list has ended.",
		Head: []string{"Run", "Began", "Outcome", "Records read", "Calls", "What it found"},
	}
	for i := range shown.Scans {
		if s := &shown.Scans[i]; shown.look(s) {
			table.Rows = append(table.Rows, []console.Cell{
				runCell(s.Run), console.Moment(&s.StartedAt, zone), console.Text(s.Outcome), console.Number(s.Received), console.Number(s.Calls),
				console.Text(s.Note),
			})
		}
	}
	return table
}

func (p *pages) missedRows(shown *evidenceView) console.Table {
	zone := p.app.Zone(shown.Organization)
	table := console.Table{
		Caption: "Some of the rows as they are in the warehouse", None: "None of these rows is here, or their resource is no longer configured.",
		Head: []string{"Record", "First seen", "Last written", "By call", "Tombstone"},
	}
	for i := range shown.Rows {
		row := &shown.Rows[i]
		table.Rows = append(table.Rows, []console.Cell{
			console.To(row.Record, addressOfRecord(shown.Organization, shown.Service+"."+shown.Resource, row.Record)),
			console.Moment(&row.FirstSeenAt, zone), console.Moment(&row.ChangedAt, zone), rightward(callOr(row.Call)), console.Moment(row.DeletedAt, zone),
		})
	}
	return table
}

// toReview is what a decision changes.
type toReview struct {
	NeedsReview int64 `json:"needs_review"`
}

// decideTombstones makes an action of a decision about a scan.
func (p *pages) decideTombstones(verb string, decide decide) console.Action {
	return console.Action{
		Pattern: "/tombstones/review/{run}/" + verb, Back: "/tombstones",
		Do: func(ctx context.Context, r *console.Request) (console.Deed, error) {
			deed := console.Deed{What: "tombstones " + verb, Target: r.Value("run")}
			runs, err := numbers([]string{r.Value("run")}, "number of a run", "tombstones review")
			if err != nil {
				return deed, err
			}
			if held, err := heldScan(ctx, p.app, runs[0]); err == nil {
				deed.Organization, deed.Before = held.Organization, toReview{held.NeedsReview}
				deed.Target += " of " + held.Service + "." + held.Resource
			}
			done, err := decideAbout(ctx, p.app, runs[0], decide)
			if err != nil {
				return deed, err
			}
			deed.After = done
			return deed, nil
		},
	}
}

// tombstoneActions are the decisions about scans.
func (p *pages) tombstoneActions() []console.Action {
	return []console.Action{
		p.decideTombstones("accept", (*engine.App).AcceptTombstones), p.decideTombstones("reject", (*engine.App).RejectTombstones),
	}
}
