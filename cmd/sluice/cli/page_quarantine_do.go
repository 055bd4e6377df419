package cli

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"regexp"
	"strings"
	"time"

	"sluice/cmd/sluice/cli/view"
	"sluice/cmd/sluice/console"
	"sluice/pipeline"
	"sluice/pipeline/engine"
	reasons "sluice/schema/record"
)

const (
	// mostAtOnce is how many entries one click decides about, and longestClick for how long at
	// most: a browser waits for it. The page that follows offers the rest.
	mostAtOnce   = 1000
	longestClick = 15 * time.Second
)

var position = regexp.MustCompile(`\[[0-9]+\]`)

// withoutPositions is the field of a path.
func withoutPositions(path string) string { return position.ReplaceAllString(path, "[]") }

// clicked is what an action on entries came to.
type clicked struct {
	Said string `json:"said"`
	// Done counts those that were loaded or accepted, Failed the others that were tried, Left the
	// open ones that were not tried.
	Done   int   `json:"done"`
	Failed int   `json:"failed"`
	Left   int64 `json:"left"`
}

// decision is what a person decides about entries: its command, and its words for those with which
// it was done and for the others.
type decision struct {
	what, done, other string
	// work decides about entries while more says so. Of each that was tried it says why it was not
	// done; "" if it was.
	work func(ctx context.Context, a *engine.App, ids []int64, note string, more func() bool) ([]string, error)
}

var retryDecision = decision{"quarantine retry", "loaded", "refused again",
	func(ctx context.Context, a *engine.App, ids []int64, _ string, more func() bool) ([]string, error) {
		results, err := retryAll(ctx, a, ids, more)
		whys := make([]string, len(results))
		for i, one := range results {
			if !one.Loaded {
				whys[i] = "it still does not fit: " + one.Why
			}
		}
		return whys, err
	}}

var acceptDecision = decision{"quarantine accept", "accepted", "closed already",
	func(ctx context.Context, a *engine.App, ids []int64, note string, more func() bool) ([]string, error) {
		if note == "" {
			return nil, usage("say why the record is not wanted: later readers need the reason")
		}
		results, err := acceptAll(ctx, a, ids, note, more)
		whys := make([]string, len(results))
		for i, one := range results {
			whys[i] = one.Why
		}
		return whys, err
	}}

// quarantineActions are the decisions about one entry, and about those of a cause.
func (p *pages) quarantineActions() []console.Action {
	var all []console.Action
	for verb, d := range map[string]*decision{"retry": &retryDecision, "accept": &acceptDecision} {
		all = append(all,
			console.Action{Pattern: "/quarantine/{id}/" + verb, Do: func(ctx context.Context, r *console.Request) (console.Deed, error) {
				return p.decideEntry(ctx, r, d)
			}},
			console.Action{Pattern: "/quarantine/" + verb, Do: func(ctx context.Context, r *console.Request) (console.Deed, error) {
				return p.decideCause(ctx, r, d)
			}})
	}
	return all
}

func noteOf(r *console.Request) string { return strings.TrimSpace(r.Query.Get("note")) }

func (p *pages) decideEntry(ctx context.Context, r *console.Request, d *decision) (console.Deed, error) {
	deed := console.Deed{What: d.what, Target: r.Value("id")}
	id, err := numberIn(r, "id", "an entry")
	if err != nil {
		return deed, err
	}
	deed.Back = addressOfEntry(id)
	e, err := entryOf(ctx, p.app, id)
	if err != nil {
		return deed, err
	}
	deed.Organization, deed.Before = e.Organization, map[string]string{"state": e.State, "code": e.Code, "path": e.Path}
	whys, err := d.work(ctx, p.app, []int64{id}, noteOf(r), always)
	if err == nil && whys[0] != "" {
		err = errors.New(whys[0])
	}
	if err == nil {
		deed.After = clicked{Said: "The record is " + d.done + ".", Done: 1}
	}
	return deed, err
}

// decideCause works on the entries of a cause, newest first: on so many as a click may take.
func (p *pages) decideCause(ctx context.Context, r *console.Request, d *decision) (console.Deed, error) {
	filter := quarantinedBy(r.Query)
	deed := console.Deed{
		What: d.what, Target: r.Query.Get(inStream) + " " + causeName(filter.Code, r.Query.Get(inField)), Organization: filter.Organization,
		Back: "/quarantine",
	}
	if !oneCause(filter) {
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
	whys, err := d.work(ctx, p.app, ids, noteOf(r), func() bool { return time.Now().Before(until) })
	result := clicked{Left: before - int64(len(whys))}
	result.Done = howMany(whys, func(why *string) bool { return *why == "" })
	result.Failed = len(whys) - result.Done
	result.Said = fmt.Sprintf("%s %s, %s %s, %s left to try.", view.Count(result.Done), d.done, view.Count(result.Failed), d.other,
		view.Count(result.Left))
	deed.After = result
	if result.Failed > 0 || result.Left > 0 {
		back := url.Values{}
		for _, name := range []string{inOrganization, inStream, inCode, inField} {
			back.Set(name, r.Query.Get(name))
		}
		if result.Left > 0 && len(whys) > 0 {
			back.Set(inBefore, view.ID(ids[len(whys)-1])) // the next click goes on there
		}
		deed.Back = entriesPage + "?" + back.Encode()
	}
	if err != nil && len(whys) > 0 {
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
