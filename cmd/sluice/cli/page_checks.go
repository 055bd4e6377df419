package cli

import (
	"context"
	"errors"
	"fmt"
	"time"

	"sluice/cmd/sluice/cli/view"
	"sluice/cmd/sluice/console"
	"sluice/pipeline/warehouse/rebuilds"
	"sluice/pipeline/warehouse/verifications"
)

// listedChecks is how many verifications and rebuilds the page of checks has.
const listedChecks = 20

// checks shows the verifications and the rebuilds, and what the last verification found.
func (p *pages) checks(ctx context.Context, _ *console.Request) (console.Page, error) {
	found, err := verificationsOf(ctx, p.app, listedChecks)
	if err != nil {
		return console.Page{}, err
	}
	rebuilt, err := rebuilds.List(ctx, p.app.DB.Pool(), listedChecks)
	if err != nil {
		return console.Page{}, err
	}
	page := console.Page{Title: "Checks", Document: found, Sentence: "Nothing was verified yet.", Mood: console.Warn}
	if len(found) > 0 {
		last, err := verificationOf(ctx, p.app, found[0].ID)
		if err != nil {
			return console.Page{}, err
		}
		page.Sentence, page.Mood = checksSentence(&found[0]), verdictCell(&found[0]).Mood
		page.Parts = append(page.Parts, failingViews(last.Findings))
	}
	page.Parts = append(page.Parts, console.Heading{ID: "verifications", Text: "Verifications"},
		console.List("Verifications, newest first",
			"Nothing was verified yet: sluice verify --local holds all rows against their raw records, and makes no call.",
			"Number  Started  Outcome  Violations  Notices  Rows  Records  Calls made  Scope", found, func(v *verifications.Verification) view.Row {
				return view.Row{
					console.ID(v.ID, "/checks/"+view.ID(v.ID)), console.Moment(&v.StartedAt, time.UTC), verdictCell(v),
					v.Violations, v.Notices, v.Rows, v.Records, fmt.Sprintf("%d of %d", v.Calls, v.Allowed), v.Scope,
				}
			}),
		console.Heading{ID: "rebuilds", Text: "Rebuilds"},
		console.List("Rebuilds, newest first", "No table was rebuilt: rows were written as they came.",
			"Number  Started  Resource  Rows looked at  Written again  Did not fit  Without a raw record  State", rebuilt,
			func(b *rebuilds.Rebuild) view.Row {
				state := console.Text(b.Outcome)
				if b.EndedAt == nil {
					state = console.Word("not ended: the same command goes on", console.Warn)
				}
				return view.Row{
					console.ID(b.ID, ""), console.Moment(&b.StartedAt, p.app.Zone(b.Organization)),
					p.streamCell(b.Organization, b.Service, b.Resource), b.Rows, b.Rewritten, b.Rejected, b.Lost, state,
				}
			}))
	return page, nil
}

func checksSentence(v *verifications.Verification) string {
	when := "The last verification began at " + view.Minute(v.StartedAt, time.UTC)
	switch {
	case v.EndedAt == nil:
		return when + " and has not ended."
	case v.Violations > 0:
		return when + " and found " + view.Plural(v.Violations, "violation") + "."
	case v.Outcome == verifications.OutcomeClean:
		return when + " and found no violation."
	default:
		return when + ", found no violation and could not look at everything: " + v.Note
	}
}

func verdictCell(v *verifications.Verification) console.Cell {
	mood := console.Warn
	switch {
	case v.EndedAt == nil:
		mood = console.Plain
	case v.Outcome == verifications.OutcomeClean:
		mood = console.Good
	case v.Violations > 0:
		mood = console.Bad
	}
	return console.Word(outcomeWord(v), mood)
}

// failingViews are the views that must be empty and had rows in the last verification.
func failingViews(findings []verifications.Finding) console.Table {
	counts := map[string]int{}
	for i := range findings {
		if findings[i].Source == verifications.SourceCheck {
			counts[findings[i].Code]++
		}
	}
	return console.List("Views that must be empty, and had rows in the last verification",
		"All views that must be empty were empty in the last verification.", "View  Severity  Rows shown  First of them", findings,
		func(f *verifications.Finding) view.Row {
			n := counts[f.Code]
			if f.Source != verifications.SourceCheck || n == 0 {
				return nil // it is no view, or not its first row
			}
			delete(counts, f.Code)
			return view.Row{console.Code(f.Code), severityCell(f), n, f.Detail}
		})
}

func severityCell(f *verifications.Finding) console.Cell {
	if f.Severity == verifications.Violation {
		return console.Word(string(f.Severity), console.Bad)
	}
	return console.Word(string(f.Severity), console.Warn)
}

// verification shows what one verification found.
func (p *pages) verification(ctx context.Context, r *console.Request, id int64) (console.Page, error) {
	shown, err := verificationOf(ctx, p.app, id)
	if errors.Is(err, verifications.ErrNone) {
		return console.Page{}, fmt.Errorf("%w: %w", console.ErrNotFound, err)
	}
	if err != nil {
		return console.Page{}, err
	}
	v := &shown.Verification
	page := console.Page{Title: "Verification " + r.Value("id"), Document: shown, Sentence: verdictOn(v) + ".", Mood: verdictCell(v).Mood}
	page.Parts = []console.Part{
		some(r, "findings", console.List("What it found", "It found nothing.", "Severity  Code  Resource  Record  Field  What", shown.Findings,
			func(f *verifications.Finding) view.Row {
				record := console.Text(f.Record)
				if f.Record != "" && f.Resource != "" {
					record.Href = addressOfRecord(f.Organization, f.Service+"."+f.Resource, f.Record)
				}
				of := ofOrganization(f.Organization, f.Service, f.Resource)
				return view.Row{severityCell(f), console.Code(f.Code), of, record, console.Code(f.Path), f.Detail}
			})),
		some(r, "lists", console.List("What it looked at", "It looked at no resource.",
			"Resource  Rows  Calls made  Records  Not due  Violations  Notices  Note", shown.Streams, func(s *verifications.Verified) view.Row {
				of := ofOrganization(s.Organization, s.Service, s.Resource)
				return view.Row{of, s.Rows, s.Calls, s.Records, s.NotDue, s.Violations, s.Notices, s.Note}
			})),
		console.Note{Text: "Began " + view.Minute(v.StartedAt, time.UTC) + ". The same on a terminal:", Command: "sluice verify show " + view.ID(v.ID)},
	}
	return page, nil
}
