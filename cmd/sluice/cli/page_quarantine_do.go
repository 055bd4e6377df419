package cli

import (
	"context"
	"fmt"
	"net/url"
	"regexp"
	"strconv"
	"strings"
	"time"

	"sluice/cmd/sluice/cli/view"
	"sluice/cmd/sluice/console"
	"sluice/pipeline"
	"sluice/pipeline/warehouse/quarantine"
	reasons "sluice/schema/record"
)

const (
	// mostAtOnce is how many entries one click decides about, and longestClick for how long at
	// most: a browser waits for it. The page that follows offers the rest.
	mostAtOnce   = 1000
	longestClick = 15 * time.Second
)

// entryID is the number in the address.
func entryID(r *console.Request) (int64, error) {
	id, err := strconv.ParseInt(r.Value("id"), 10, 64)
	if err != nil || id <= 0 {
		return 0, fmt.Errorf("%w: %q is no number of an entry", console.ErrNotFound, r.Value("id"))
	}
	return id, nil
}

var position = regexp.MustCompile(`\[[0-9]+\]`)

// withoutPositions is the field of a path.
func withoutPositions(path string) string { return position.ReplaceAllString(path, "[]") }

// entryForms are what a person can do about one entry.
func entryForms(id int64) []console.Part {
	return []console.Part{
		console.Form{Path: entryPage(id) + "/retry", Label: "Retry"},
		console.Form{
			Path: entryPage(id) + "/accept", Label: "Accept", Inputs: []console.Input{{Name: "note", Label: "Why", Required: true}},
			Warning: "The entry is closed for good, and the same bytes do not open it again. The record stays out of the warehouse.",
		},
	}
}

// clicked is what an action on entries came to.
type clicked struct {
	Said string `json:"said"`
	// Done counts those that were loaded or accepted, Failed the others that were tried, Left the
	// open ones that were not tried.
	Done   int   `json:"done"`
	Failed int   `json:"failed"`
	Left   int64 `json:"left"`
}

func (p *pages) retryEntry(ctx context.Context, r *console.Request) (console.Deed, error) {
	deed, e, err := p.entryDeed(ctx, r, "quarantine retry")
	if err != nil {
		return deed, err
	}
	results, err := retryAll(ctx, p.app, []int64{e.ID}, always)
	if err != nil {
		return deed, err
	}
	if !results[0].Loaded {
		return deed, fmt.Errorf("it still does not fit: %s", results[0].Why)
	}
	deed.After = clicked{Said: "The record is loaded.", Done: 1}
	return deed, nil
}

func (p *pages) acceptEntry(ctx context.Context, r *console.Request) (console.Deed, error) {
	deed, e, err := p.entryDeed(ctx, r, "quarantine accept")
	if err != nil {
		return deed, err
	}
	note, err := noteOf(r)
	if err != nil {
		return deed, err
	}
	results, err := acceptAll(ctx, p.app, []int64{e.ID}, note, always)
	if err != nil {
		return deed, err
	}
	if !results[0].Accepted {
		return deed, usage("%s", results[0].Why)
	}
	deed.After = clicked{Said: "The record stays out: " + note, Done: 1}
	return deed, nil
}

// entryDeed begins what is done to one entry.
func (p *pages) entryDeed(ctx context.Context, r *console.Request, what string) (console.Deed, quarantine.Entry, error) {
	deed := console.Deed{What: what, Target: r.Value("id")}
	id, err := entryID(r)
	if err != nil {
		return deed, quarantine.Entry{}, err
	}
	deed.Back = entryPage(id)
	e, err := entryOf(ctx, p.app, id)
	if err != nil {
		return deed, e, err
	}
	deed.Organization, deed.Before = e.Organization, map[string]string{"state": e.State, "code": e.Code, "path": e.Path}
	return deed, e, nil
}

func noteOf(r *console.Request) (string, error) {
	note := strings.TrimSpace(r.Query.Get("note"))
	if note == "" {
		return "", usage("say why the record is not wanted: later readers need the reason")
	}
	return note, nil
}

func (p *pages) retryCause(ctx context.Context, r *console.Request) (console.Deed, error) {
	return p.decide(ctx, r, "quarantine retry", "loaded", "refused again", func(ids []int64, more func() bool) (int, int, error) {
		results, err := retryAll(ctx, p.app, ids, more)
		done := 0
		for _, one := range results {
			if one.Loaded {
				done++
			}
		}
		return done, len(results), err
	})
}

func (p *pages) acceptCause(ctx context.Context, r *console.Request) (console.Deed, error) {
	note, missing := noteOf(r)
	return p.decide(ctx, r, "quarantine accept", "accepted", "closed already", func(ids []int64, more func() bool) (int, int, error) {
		if missing != nil {
			return 0, 0, missing
		}
		results, err := acceptAll(ctx, p.app, ids, note, more)
		done := 0
		for _, one := range results {
			if one.Accepted {
				done++
			}
		}
		return done, len(results), err
	})
}

// decide works on the entries of a cause, newest first: on so many as a click may take. Work gives
// how many of the first ones were done, and how many were tried.
func (p *pages) decide(ctx context.Context, r *console.Request, what, done, other string,
	work func(ids []int64, more func() bool) (int, int, error),
) (console.Deed, error) {
	filter := quarantinedBy(r.Query)
	deed := console.Deed{
		What: what, Target: r.Query.Get(inStream) + " " + causeName(filter.Code, r.Query.Get(inField)), Organization: filter.Organization,
		Back: "/quarantine",
	}
	if filter.Organization == "" || filter.Service == "" || filter.Code == "" || filter.Field == nil {
		return deed, usage("name one cause: its organization, stream, code and field")
	}
	before, err := p.waiting(ctx, filter)
	if err != nil {
		return deed, err
	}
	deed.Before = map[string]int64{"open": before}
	filter.Limit = mostAtOnce
	entries, err := entriesOf(ctx, p.app, filter)
	if err != nil {
		return deed, err
	}
	ids := make([]int64, len(entries))
	for i := range entries {
		ids[i] = entries[i].ID
	}
	until := time.Now().Add(longestClick)
	good, tried, err := work(ids, func() bool { return time.Now().Before(until) })
	result := clicked{Done: good, Failed: tried - good, Left: before - int64(tried)}
	result.Said = fmt.Sprintf("%s %s, %s %s, %s left to try.", view.Count(good), done, view.Count(result.Failed), other, view.Count(result.Left))
	deed.After = result
	if result.Failed > 0 || result.Left > 0 || err != nil {
		back := url.Values{}
		for _, name := range []string{inOrganization, inStream, inCode, inField} {
			back.Set(name, r.Query.Get(name))
		}
		if result.Left > 0 && tried > 0 {
			back.Set(inBefore, strconv.FormatInt(ids[tried-1], 10)) // the next click goes on there
		}
		deed.Back = entriesPage + "?" + back.Encode()
	}
	if err != nil && tried > 0 {
		return deed, fmt.Errorf("%s Then: %w", result.Said, err)
	}
	return deed, err
}

// whatToDoAbout says what a person does about a code.
func whatToDoAbout(code string) string {
	switch reasons.Code(code) {
	case reasons.CodeBadTime, reasons.CodeBadNumber, reasons.CodeWrongType, reasons.CodeOutOfRange:
		return "In one record upstream has a wrong value: correct it there, and the next reading closes the entry. " +
			"In many, upstream changed the type: install a version whose declaration fits, or correct the declaration, then retry."
	case reasons.CodeNoID:
		return "Without its identifier no row can be its own. Correct the record upstream; if it is none that you want, accept it with the reason."
	case reasons.CodeBadJSON, reasons.CodeNotAnObject, reasons.CodeDuplicateKey:
		return "Mostly one answer was bad. Wait: sluice asks for the record again within an hour, and closes the entry when it fits."
	case reasons.CodeTooLarge:
		return "The record is larger or nests deeper than sluice takes. Make it smaller upstream, or accept that it stays out."
	case pipeline.CodeClash:
		return "Several records came with one identifier in one answer, and which one counts is unknown. " +
			"Wait for the next reading; if it stays, tell upstream's support."
	default:
		return "The database refused the value. Correct it upstream, or the declaration; then retry."
	}
}
