package cli

import (
	"cmp"
	"fmt"
	"strings"
	"time"

	"sluice/cmd/sluice/cli/view"
	"sluice/cmd/sluice/cli/why"
	"sluice/pipeline"
	"sluice/pipeline/warehouse/streams"
)

func complete(s *streams.Status, zone *time.Location) string {
	switch {
	case s.Watermark == nil:
		return "never"
	case s.WatermarkAhead:
		return "not known"
	default:
		return view.Second(*s.Watermark, zone)
	}
}

func age(at *time.Time, now time.Time) string {
	if at == nil {
		return "never"
	}
	return view.Age(now.Sub(*at)) + " ago"
}

func next(s *streams.Status, now time.Time) string {
	switch {
	case s.State == string(pipeline.StateDenied):
		return "when asked for"
	case s.Until != nil && s.Until.After(now):
		return "in " + view.Age(s.Until.Sub(now))
	case s.Run != nil:
		return "now"
	case s.NextDueAt.After(now):
		return "in " + view.Age(s.NextDueAt.Sub(now))
	default:
		return "due"
	}
}

// remark is the last column: an alarm, the progress over parents, then why the stream does not go
// on, or the note of its last run.
func remark(s *streams.Status, alarm string, now time.Time) string {
	var parts []string
	if alarm != "" {
		parts = append(parts, alarm)
	}
	if s.WatermarkAhead {
		parts = append(parts, fmt.Sprintf("ERROR: the watermark, %s, is ahead of time: sluice sync %s.%s --reset-watermark",
			view.Second(*s.Watermark, time.UTC), s.Service, s.Resource))
	}
	if text := round(s.Parents, now); text != "" {
		parts = append(parts, text)
	}
	if text := backlog(s.Details); text != "" {
		parts = append(parts, text)
	}
	if text := why.Unmet(s.Plan); text != "" {
		parts = append(parts, text)
	}
	if s.NeedsReview > 0 {
		parts = append(parts, view.Count(s.NeedsReview)+" deletions need review: sluice tombstones review")
	}
	if text := cmp.Or(s.Reason, s.Note); text != "" {
		parts = append(parts, text)
	}
	return strings.Join(parts, "; ")
}

// round is how many parents of its round a stream has read: "20 of 64 parents, oldest 2 d".
func round(parents *streams.ParentRound, now time.Time) string {
	if parents == nil {
		return ""
	}
	text := fmt.Sprintf("%s of %s", view.Count(parents.Read), view.Plural(parents.Parents, "parent"))
	if parents.Oldest != nil {
		text += ", oldest " + view.Age(now.Sub(*parents.Oldest))
	}
	if parents.Failed > 0 {
		text += fmt.Sprintf(", %s failed", view.Count(parents.Failed))
	}
	return text
}

// backlog is how many rows need their single records: "12 details pending, 3 stale".
func backlog(details *streams.DetailBacklog) string {
	if details == nil {
		return ""
	}
	var parts []string
	for _, part := range []struct {
		count int64
		word  string
	}{{details.Pending, "pending"}, {details.Stale, "stale"}, {details.Failed, "failed"}} {
		if part.count > 0 {
			parts = append(parts, view.Count(part.count)+" "+part.word)
		}
	}
	if len(parts) == 0 {
		return ""
	}
	return "details: " + strings.Join(parts, ", ")
}
