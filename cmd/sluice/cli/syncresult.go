package cli

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"sluice/cmd/sluice/cli/view"
	"sluice/pipeline"
	"sluice/pipeline/engine"
	"sluice/pipeline/warehouse/streams"
)

// streamResult is what a sync did to one stream.
type streamResult struct {
	pipeline.Key

	State       string  `json:"state"`
	Outcome     string  `json:"outcome"`
	Kind        string  `json:"kind,omitempty"`
	Run         int64   `json:"run"`
	Received    int64   `json:"received"`
	Inserted    int64   `json:"inserted"`
	Updated     int64   `json:"updated"`
	Unchanged   int64   `json:"unchanged"`
	Quarantined int64   `json:"quarantined"`
	Calls       int64   `json:"calls"`
	Seconds     float64 `json:"seconds"`
	// Silent are the rows of Updated whose modification time did not change. NeedsReview are rows
	// that may be gone upstream, left to the operator's decision.
	Silent      int64 `json:"silent,omitempty"`
	NeedsReview int64 `json:"needs_review,omitempty"`
	// Withheld are records in quarantine that keep the watermark from moving, of this run or an
	// earlier one.
	Withheld int64  `json:"withheld,omitempty"`
	Reason   string `json:"reason,omitempty"`
	Note     string `json:"note,omitempty"`
	// Until is when a waiting stream goes on; nil if it does not wait, or if the instant is
	// unknown.
	Until *time.Time `json:"until,omitempty"`
}

func (r *streamResult) fill(run streams.Run) {
	r.Outcome, r.Kind, r.Run, r.Note = run.Outcome, run.Kind, run.ID, run.Note
	r.Received, r.Inserted, r.Updated, r.Unchanged = run.Received, run.Inserted, run.Updated, run.Unchanged
	r.Quarantined, r.Calls, r.Seconds = run.Quarantined, run.Calls, run.Seconds
	r.Silent = run.Silent
}

// name is the stream's name, with its organization where there are several.
func (r *streamResult) name(several bool) string {
	return streamName(several, r.Organization, r.Service, r.Resource)
}

// line is the line that stays on the screen when a stream ends.
func (r *streamResult) line(several bool) string {
	text := fmt.Sprintf("%s: %s, %s new, %s changed, %s", r.name(several), r.Outcome,
		view.Count(r.Inserted), view.Count(r.Updated), view.Plural(r.Calls, "call"))
	if r.Quarantined > 0 {
		text += fmt.Sprintf(", %s in quarantine (sluice quarantine list)", view.Count(r.Quarantined))
	}
	return text
}

// syncResult is what a sync did.
type syncResult struct {
	Streams []streamResult `json:"streams"`
	Seconds float64        `json:"seconds"`

	several bool
}

func (r *syncResult) sum() streamResult {
	var all streamResult
	for i := range r.Streams {
		s := &r.Streams[i]
		all.Received += s.Received
		all.Inserted += s.Inserted
		all.Updated += s.Updated
		all.Unchanged += s.Unchanged
		all.Quarantined += s.Quarantined
		all.Calls += s.Calls
		all.NeedsReview += s.NeedsReview
		all.Withheld += s.Withheld
	}
	return all
}

func (r *syncResult) table() view.Rows {
	return view.Table(r.Streams, "STREAM  OUTCOME  NEW  CHANGED  UNCHANGED  QUARANTINED  CALLS  TIME  NOTE", func(s *streamResult) view.Row {
		return view.Row{
			s.name(r.several), s.Outcome, s.Inserted, s.Updated, s.Unchanged, s.Quarantined, s.Calls, view.Seconds(s.Seconds), s.Note,
		}
	})
}

func (r *syncResult) text() string {
	all := r.sum()
	text := fmt.Sprintf("%s read with %s in %s: %s new, %s changed, %s unchanged.",
		view.Plural(all.Received, "record"), view.Plural(all.Calls, "call"), view.Age(time.Duration(r.Seconds*float64(time.Second))),
		view.Count(all.Inserted), view.Count(all.Updated), view.Count(all.Unchanged))
	if all.Quarantined > 0 {
		text += fmt.Sprintf("\n%s did not fit, now in quarantine: sluice quarantine list.", view.Plural(all.Quarantined, "record"))
	}
	if all.Withheld > 0 {
		text += fmt.Sprintf("\n%s in quarantine made a watermark wait, and are asked for again: sluice status.", view.Plural(all.Withheld, "record"))
	}
	if all.NeedsReview > 0 {
		text += fmt.Sprintf("\n%s may be gone upstream, too many at once to be believed: sluice tombstones review.", view.Plural(all.NeedsReview, "row"))
	}
	return text + r.longWaits()
}

// longWaits says which streams wait longer than a sync does, until when and why, and which command
// asks at once.
func (r *syncResult) longWaits() string {
	var text strings.Builder
	var organizations []string // for which a command is named
	for i := range r.Streams {
		s := &r.Streams[i]
		if s.Outcome != string(pipeline.StateWaiting) || s.State != string(pipeline.StateRetrying) || s.Until == nil {
			continue
		}
		fmt.Fprintf(&text, "\n%s waits until %s: %s", s.name(r.several), view.Minute(*s.Until, time.UTC), s.Reason)
		if !strings.Contains(s.Reason, ": sluice organizations retry ") && !slices.Contains(organizations, s.Organization) {
			organizations = append(organizations, s.Organization)
		}
	}
	for _, organization := range organizations {
		fmt.Fprintf(&text, "\nThe next sync goes on; to have upstream asked at once: sluice budget reopen %s", organization)
	}
	return text.String()
}

// code is the exit code of a sync. It is 1 if a stream failed, if too many of its records went to
// quarantine, in this run or before, or if deletions need review. It is 3 if upstream could not be
// reached at all, and 4 if only the budget or a long wait stopped it.
func (r *syncResult) code(maxShare float64) int {
	failed, unreachable, waiting, answered := 0, 0, 0, 0
	for i := range r.Streams {
		s := &r.Streams[i]
		if s.Outcome != string(pipeline.OutcomeFailed) && s.Calls > 0 {
			answered++
		}
		switch {
		case s.Outcome == string(pipeline.OutcomeFailed):
			failed++
			if s.Kind == pipeline.Unavailable.String() {
				unreachable++
			}
		case s.Outcome == string(pipeline.StateWaiting):
			waiting++
			if s.Withheld > 0 {
				failed++
			}
		case s.Received > 0 && float64(s.Quarantined) > maxShare*float64(s.Received):
			failed++
		case s.NeedsReview > 0, s.Withheld > 0:
			failed++
		}
	}
	switch {
	case failed > 0 && unreachable == failed && answered == 0:
		return codeEnvironment
	case failed > 0:
		return codeFailed
	case waiting > 0:
		return codeBudget
	default:
		return codeFine
	}
}

// withWithheld adds to the results of a sync the records of its resources that keep a watermark
// from moving and are still in quarantine.
func withWithheld(ctx context.Context, a *engine.App, result *syncResult) error {
	streams, err := standing(ctx, a, "look for what made a watermark wait")
	if err != nil {
		return err
	}
	for i := range result.Streams {
		key := result.Streams[i].Key
		key.Resource, _, _ = strings.Cut(key.Resource, ".") // entries have the list's name
		result.Streams[i].Withheld = streams[key].Withheld
		delete(streams, key) // count them once for a list and its sweep
	}
	return nil
}

// withNeedsReview adds to the results of a sync the rows of its resources that need review.
func withNeedsReview(ctx context.Context, a *engine.App, result *syncResult) error {
	scans, err := a.DB.ScansToReview(ctx)
	if err != nil {
		return fmt.Errorf("look for what needs review: %w", err)
	}
	held := make(map[pipeline.Key]int64, len(scans))
	for i := range scans {
		held[scans[i].Key()] += scans[i].NeedsReview
	}
	for i := range result.Streams {
		key := result.Streams[i].Key
		key.Resource = strings.TrimSuffix(key.Resource, "."+string(pipeline.WorkSweep))
		result.Streams[i].NeedsReview = held[key]
		delete(held, key) // count them once for a list and its sweep
	}
	return nil
}
