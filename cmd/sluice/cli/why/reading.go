package why

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"sluice/cmd/sluice/cli/view"
	"sluice/pipeline"
	"sluice/pipeline/sync/scan"
	"sluice/pipeline/warehouse/capabilities"
	"sluice/schema"
)

// Reading is how a list is read, and why so.
type Reading struct {
	// Mode is the way of reading in words; "" for work that is no list.
	Mode string `json:"mode,omitempty"`
	// FallsBack says that the list lacks what its declaration relies on, so that it is read whole.
	FallsBack bool `json:"demoted,omitempty"`
	// Capabilities are what is known of the list, sorted by name. Lacks are those that the
	// declaration relies on and the list lacks.
	Capabilities []pipeline.Verdict `json:"capabilities,omitempty"`
	Lacks        []pipeline.Verdict `json:"lacks,omitempty"`
	// Late is how late records became visible, nil if none was seen late; LagSeconds is how far the
	// watermark lags behind, 0 where there is no watermark.
	Late       *capabilities.Lateness `json:"late,omitempty"`
	LagSeconds float64                `json:"lag_seconds,omitempty"`
}

// Read says how a list is read. late is nil if no record was seen late.
func Read(stream pipeline.Stream, known pipeline.Capabilities, late *capabilities.Lateness, rules pipeline.Rules) Reading {
	if stream.Work == pipeline.WorkSweep {
		return sweep(stream, known)
	}
	if stream.Work == pipeline.WorkLook {
		return Reading{Mode: "in the order of creation, the pages that show whether rows are missing, and where"}
	}
	if stream.Work != pipeline.WorkList {
		return Reading{}
	}
	reading := Reading{FallsBack: scan.FallsBack(stream, known), Late: late}
	for _, v := range known {
		reading.Capabilities = append(reading.Capabilities, v)
	}
	slices.SortFunc(reading.Capabilities, func(a, b pipeline.Verdict) int {
		return strings.Compare(string(a.Capability), string(b.Capability))
	})
	for _, declared := range capabilities.Declared(stream.Resource) {
		if v := known[declared.Capability]; declared.Answer == pipeline.AnswerYes && v.Answer == pipeline.AnswerNo {
			reading.Lacks = append(reading.Lacks, v)
		}
	}
	verdict := known[scan.Needed(stream.Resource.ListCursor())]
	switch {
	case reading.FallsBack:
		reading.Mode = "the whole list, out of the calls of full scans, for " + words(verdict)
	case scan.CountStands(stream, known):
		reading.Mode = "the whole list once a day; between that its count and sums, and what differs from them"
	case scan.ReadsByKeyset(stream, known):
		reading.Mode = "what was modified since the watermark, keyset paging: one pass; " + words(known[pipeline.CapabilityAscending])
	default:
		reading.Mode = mode(stream.Resource.ListCursor(), verdict)
	}
	if stream.Resource.Swept() {
		left := 0.0
		if late != nil {
			left = late.LeftSeconds
		}
		reading.LagSeconds = rules.LagFor(time.Duration(left * float64(time.Second))).Seconds()
	}
	return reading
}

// sweep says how a sweep reads, if it does not read as any full scan does.
func sweep(stream pipeline.Stream, known pipeline.Capabilities) Reading {
	if !scan.ReadsByKeyset(stream, known) {
		return Reading{}
	}
	return Reading{Mode: "the whole list, keyset paging: one pass; one sweep in four, and any that decides about rows that were missed, " +
		"without the filter; " + words(known[pipeline.CapabilityAscending])}
}

func mode(cursor schema.Cursor, v pipeline.Verdict) string {
	switch cursor.(type) {
	case schema.Since:
		return "what was modified since the watermark; " + words(v)
	case schema.NewestFirst:
		return "newest first, down to the watermark; " + words(v)
	case schema.Export:
		return "one CSV body"
	case schema.Snapshot:
		return "one object"
	default:
		return "the whole list"
	}
}

// words write a verdict: filter yes (assumed), sort_descending no (observed 2026-11-21: it was not
// sorted).
func words(v pipeline.Verdict) string {
	if v.Capability == "" {
		return "nothing is known of it yet"
	}
	text := string(v.Capability) + " " + string(v.Answer)
	if v.Value != "" {
		text += " " + v.Value
	}
	text += " (" + string(v.Source)
	if v.Source == pipeline.SourceProbed || v.Source == pipeline.SourceObserved {
		text += " " + v.SeenAt.UTC().Format(time.DateOnly) + ": " + v.Evidence
	}
	return text + ")"
}

// Lines are the text for people: how the list is read, what else it was seen to lack, and how late
// records become visible.
func (r Reading) Lines() []string {
	if r.Mode == "" {
		return nil
	}
	lines := []string{"reads: " + r.Mode}
	for _, v := range r.Lacks {
		if !strings.HasSuffix(r.Mode, words(v)) { // said already
			lines = append(lines, "lacks: "+words(v))
		}
	}
	for _, v := range r.Capabilities {
		if v.Capability == pipeline.CapabilityTotal && v.Source == pipeline.SourceObserved && v.Answer == pipeline.AnswerNo {
			lines = append(lines, "uncounted: "+v.Evidence)
		}
	}
	if l := r.Late; l != nil && l.Records > 0 {
		lines = append(lines, fmt.Sprintf("late: %s seen up to %s after the time they carry; the watermark lags %s behind",
			view.Plural(l.Records, "record"), Span(l.PeakSeconds), Span(r.LagSeconds)))
	}
	if l := r.Late; l != nil && l.Beyond > 0 {
		lines = append(lines, fmt.Sprintf("late: %s seen more than %s after the time they carry, which no lag waits for: scans of the whole list find such",
			view.Plural(l.Beyond, "record"), Span(pipeline.MaxLag.Seconds())))
	}
	return lines
}
