package cli

import (
	"context"
	"fmt"
	"strings"

	"sluice/cmd/sluice/cli/view"
	"sluice/cmd/sluice/console"
	"sluice/pipeline"
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
	page.Parts = []console.Part{
		some(r, "held", console.List("Scans that need review", "No scan needs review.",
			"Decide  List  Records missing  Records read  First scan  Second scan  Second scan began", held, p.heldRow)),
		console.Heading{ID: "all", Text: "What whole lists did not show"},
		console.Filters{
			{Name: "resource", Label: "List", Value: r.Query.Get("resource"), Options: p.resources()},
			{Name: "state", Label: "State", Value: filter.State, Options: []string{"", "suspected", stateOfReview, "deleted", "restored"}},
		},
		some(r, "records", console.List("The last 100, newest first", "No whole list missed a row.",
			"Record  List  State  Missed  Proven  Proof  Gone  Came back", found, p.tombstoneRow)),
		console.Note{Text: "One scan that misses a record proves nothing. Two clean scans do, or upstream's word that it does not know the single record."},
	}
	return page, nil
}

func sentenceOfReview(held []tombstones.ScanToReview) (string, console.Mood) {
	if len(held) == 0 {
		return "No deletion needs review.", console.Good
	}
	records := sumOf(held, func(h *tombstones.ScanToReview) int64 { return h.NeedsReview })
	return fmt.Sprintf("%s of %s need review: too many were missing at once to be believed.", view.Plural(records, "deletion"),
		view.Plural(len(held), "scan")), console.Warn
}

func (p *pages) heldRow(h *tombstones.ScanToReview) view.Row {
	return view.Row{
		console.To("Look at the evidence", reviewAddress(h.Run)), streamName(true, h.Organization, h.Service, h.Resource),
		h.NeedsReview, h.Received, runCell(h.FirstRun), runCell(h.Run), console.Moment(&h.StartedAt, p.app.Zone(h.Organization)),
	}
}

func reviewAddress(run int64) string { return "/tombstones/review/" + view.ID(run) }

func (p *pages) tombstoneRow(t *tombstones.Tombstone) view.Row {
	zone := p.app.Zone(t.Organization)
	proof := map[string]string{"scan": "a second scan", "not_found": "upstream does not know the single record"}[t.Proof]
	missed, proven, gone := console.Moment(&t.SuspectedAt, zone), console.Moment(t.ProofAt, zone), console.Moment(t.DeletedAt, zone)
	missed.Href = addressOfRun(t.SuspectedRun)
	if t.ProofRun != nil {
		proven.Href = addressOfRun(*t.ProofRun)
	}
	state := console.Text(strings.ReplaceAll(t.State, "_", " "))
	if t.DecidedBy != "" {
		state.Text += ", by the " + t.DecidedBy
	}
	if t.State == stateOfReview {
		state.Mood, gone = console.Warn, console.None() // its row has no tombstone yet
	}
	return view.Row{
		console.To(t.Record, addressOfRecord(t.Organization, t.Service+"."+t.Resource, t.Record)),
		streamName(manyOrganizations(p.app), t.Organization, t.Service, t.Resource), state,
		missed, proven, proof, gone, console.Moment(t.RestoredAt, zone),
	}
}

// stateOfReview is the state of a record about which the operator has to decide.
const stateOfReview = "needs_review"

// review shows the evidence of one scan side by side, for the decision.
func (p *pages) review(ctx context.Context, _ *console.Request, run int64) (console.Page, error) {
	shown, err := evidenceOf(ctx, p.app, run)
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
		p.scans(shown), p.missedRows(shown),
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

// scans are both scans, those before them, and the last looks at the list, newest first.
func (p *pages) scans(shown *evidenceView) console.Table {
	zone := p.app.Zone(shown.Organization)
	return console.List("The two scans, beside those before them and the looks, which ask whether rows are missing", "",
		"Scan  Run  Began  Ended  Outcome  Records read  Calls  What it found", shown.Scans, func(s *tombstones.EvidenceRun) view.Row {
			kind := "Earlier scan"
			switch {
			case s.Resource == shown.Resource+"."+string(pipeline.WorkLook):
				kind = "Look"
			case s.Run == shown.Run:
				kind = "Second scan"
			case s.Run == shown.FirstRun:
				kind = "First scan"
			}
			return view.Row{
				kind, runCell(s.Run), console.Moment(&s.StartedAt, zone), console.Moment(s.EndedAt, zone), s.Outcome, s.Received, s.Calls, s.Note,
			}
		})
}

func (p *pages) missedRows(shown *evidenceView) console.Table {
	zone := p.app.Zone(shown.Organization)
	return console.List("Some of the rows as they are in the warehouse", "None of these rows is here, or their resource is no longer configured.",
		"Record  First seen  Last written  By call  Tombstone", shown.Rows, func(row *tombstones.MissedRow) view.Row {
			return view.Row{
				console.To(row.Record, addressOfRecord(shown.Organization, shown.Service+"."+shown.Resource, row.Record)),
				console.Moment(&row.FirstSeenAt, zone), console.Moment(&row.ChangedAt, zone), rightward(callOr(row.Call)),
				console.Moment(row.DeletedAt, zone),
			}
		})
}

// decideTombstones makes an action of a decision about a scan.
func (p *pages) decideTombstones(verb string, decide tombstones.Decision) console.Action {
	return console.Action{
		Pattern: "/tombstones/review/{run}/" + verb, Back: "/tombstones",
		Do: func(ctx context.Context, r *console.Request) (console.Deed, error) {
			deed := console.Deed{What: "tombstones " + verb, Target: r.Value("run")}
			run, err := numberIn(r, "run", "a run")
			if err != nil {
				return deed, err
			}
			if held, err := heldScan(ctx, p.app, run); err == nil {
				deed.Organization, deed.Before = held.Organization, map[string]int64{"needs_review": held.NeedsReview}
				deed.Target += " of " + held.Service + "." + held.Resource
			}
			done, err := decideAbout(ctx, p.app, run, decide)
			if err != nil {
				return deed, err
			}
			deed.After = done
			return deed, nil
		},
	}
}
