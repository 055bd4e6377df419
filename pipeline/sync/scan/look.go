package scan

import (
	"slices"

	"sluice/pipeline"
	"sluice/pipeline/outside"
)

// Notes of looks that ended without a clear result.
const (
	noteTooMany = "%d of %d rows seem to be missing, too many for a look: a sweep follows"
	noteTooLong = "the look took %d pages: a sweep follows"
	noteTied    = "a part of the list could not be looked at: it moved, or its records share one second"
	noteMore    = "the list shows more records than there are rows, %d or more: deletions among them are not seen"
)

// A look that took more than two thirds of the pages of its list becomes a sweep. Fifty deletions
// all over a list of 250 pages take more than half of them, and a sweep takes all at least once.
const (
	lookShare, lookOf = 2, 3
	// fewPages is how many pages a look may take of any list.
	fewPages = 8
)

// BeginLook begins a look at a list with so many rows, of which it may miss most. All of the list
// has to be looked at, from its end on: the last row tells how many are missing before it.
func BeginLook(scan *pipeline.Scan, rows, most int) {
	scan.Look = &pipeline.Look{Rows: rows, Most: most, Spans: []pipeline.Span{{To: pipeline.Edge{Rows: rows}, Open: true}}}
}

// Aim chooses the next page of a look: in the middle of its next span, or at the end of the list. A
// page of another size has other edges, so the size is chosen for which the middle is farthest from
// both edges.
func Aim(scan *pipeline.Scan, rules pipeline.Rules) {
	look := scan.Look
	most := rules.PerPage
	if look.Size > 0 {
		most = min(most, look.Size)
	}
	least := max(most/2, 1)
	if look.Fixed {
		most, least = look.Size, look.Size
	}
	span := look.Spans[len(look.Spans)-1]
	at := (span.From.Listed + span.To.Listed) / 2
	switch {
	case !span.Open:
	case span.To.Listed > 0: // the list is known to end before
		at = max(span.To.Listed-(most+1)/2, span.From.Listed)
	default: // where it ends if nothing is missing
		at = span.From.Listed + span.To.Rows - span.From.Rows
	}
	best := -1
	for size := most; size >= least; size-- {
		into := at % size
		if room := min(into, size-into); room > best {
			best, scan.PerPage, scan.Page = room, size, at/size+1
		}
	}
}

// Compare holds the rows against a page of a look, and gives the end of the look, nil if it goes
// on. Before is how many rows were created before the window, ids are those within it.
//
// Rows within the window that are not on the page are missing. What is left of the span on either
// side is looked at only if rows are missing in it, too.
func Compare(scan *pipeline.Scan, window Window, before int, ids []string, call int64) *pipeline.End {
	look := *scan.Look // a copy: the caller still holds the position before this page
	look.Spans, look.Missing = slices.Clone(look.Spans), slices.Clone(look.Missing)
	scan.Look = &look
	look.Pages++
	if look.First == 0 {
		look.First = call
	}
	if window.Resized {
		look.Fixed = look.Fixed || window.size > scan.PerPage || look.Size > 0 && scan.PerPage <= look.Size
		look.Size = window.size
	}
	span := look.Spans[len(look.Spans)-1]
	look.Spans = look.Spans[:len(look.Spans)-1]
	hits := !window.Empty() && inside(span, window)
	switch {
	case hits:
		divide(scan, span, window, before, ids)
	case window.Beyond && span.Open && (span.To.Listed == 0 || window.offset < span.To.Listed):
		span.To.Listed = window.offset
		look.Spans = append(look.Spans, span)
	case window.Resized: // the page was aimed at with another size
		look.Spans = append(look.Spans, span)
	case window.Last && span.Open: // of its records, only their number says something
		span.To.Listed = window.offset + window.records
		unseen(scan, span)
	case !span.Open, window.Beyond && span.From.Listed == span.To.Listed:
		unseen(scan, span)
	default:
		scan.Note = noteTied
	}
	return endOfLook(scan)
}

// unseen leaves a span of which no page shows the seconds. If rows are missing in it, a sweep has
// to find them.
func unseen(scan *pipeline.Scan, span pipeline.Span) {
	if span.Missing() > 0 {
		scan.Look.Sweep, scan.Note = true, noteTied
	}
}

// inside says that a part of the window is inside the span.
func inside(span pipeline.Span, window Window) bool {
	return (window.Last || window.To.At.After(span.From.At)) && (span.Open || window.From.At.Before(span.To.At))
}

// divide takes the rows within a window and leaves what is beside it.
func divide(scan *pipeline.Scan, span pipeline.Span, window Window, before int, ids []string) {
	look := scan.Look
	for _, id := range ids {
		if !window.shown[id] && !slices.Contains(look.Missing, id) {
			look.Missing = append(look.Missing, id)
		}
	}
	window.From.Rows, window.To.Rows = before, before+len(ids)
	right := pipeline.Span{From: window.To, To: span.To, Open: span.Open}
	switch {
	case window.Last:
	case span.Open && right.To.Rows > right.From.Rows:
		look.Spans = append(look.Spans, right)
	case !span.Open && right.From.At.Before(right.To.At):
		leave(scan, right)
	}
	if left := (pipeline.Span{From: span.From, To: window.From}); left.From.At.Before(left.To.At) {
		leave(scan, left)
	}
}

// leave keeps a span to be looked at, if rows are missing in it.
func leave(scan *pipeline.Scan, span pipeline.Span) {
	switch missing := span.Missing(); {
	case missing > 0:
		scan.Look.Spans = append(scan.Look.Spans, span)
	case missing < 0 && scan.Note == "":
		scan.Note = outside.Plainf(noteMore, -missing)
	}
}

// endOfLook gives the end of a look that has no span left, is too long, or misses all rows or more
// than a look may miss; nil if it goes on.
func endOfLook(scan *pipeline.Scan) *pipeline.End {
	look := scan.Look
	missing := len(look.Missing)
	for _, span := range look.Spans {
		if !span.Open || span.To.Listed > 0 {
			missing += max(span.Missing(), 0)
		}
	}
	end := &pipeline.End{Outcome: pipeline.OutcomeDone, Note: scan.Note, Sweep: look.Sweep}
	pages := (look.Rows + scan.PerPage - 1) / scan.PerPage
	switch {
	case missing > look.Most || missing >= look.Rows:
		end.Sweep, end.Note = true, outside.Plainf(noteTooMany, missing, look.Rows)
		return end
	case len(look.Spans) == 0:
	case look.Pages >= max(fewPages, pages*lookShare/lookOf):
		end.Sweep, end.Note = true, outside.Plainf(noteTooLong, look.Pages)
	default:
		return nil
	}
	if len(look.Missing) > 0 {
		end.Absent = &pipeline.Absent{Started: scan.Started, First: look.First, IDs: look.Missing}
	}
	return end
}
