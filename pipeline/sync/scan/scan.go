// Package scan decides, page by page, whether a list that changes while it is read was read whole
// (docs/decisions/0007-paging-by-number).
//
// It is pure: all its state is in the scan, which is stored with the rows. Package sync, which
// requests the pages, tests it against lists in motion.
//
// Start reading at Advance.
package scan

import (
	"time"

	"sluice/pipeline"
	"sluice/pipeline/outside"
	"sluice/schema"
)

// Notes of runs that did not go as asked. A provisional run moves no watermark and the next one
// starts anew, so nonsense from upstream costs a few calls.
const (
	noteUnsorted = "upstream did not sort by modification time: everything was read"
	noteIgnored  = "upstream ignored the filter by modification time: everything was read"
	noteStuck    = "upstream kept answering empty or repeated pages and said that more follow: the watermark waits"
	noteCircle   = "upstream gave the same token twice and so would never end: the watermark waits"
	noteEndless  = "the list did not end: the watermark waits"
	noteShifting = "the list kept changing through %d passes: rows are loaded, the watermark waits for a quiet pass"
)

// Plan begins a scan: in overlapping pages, if the list goes on by page number.
func Plan(claim *pipeline.Claim, rules pipeline.Rules) *pipeline.Scan {
	scan := plan(claim, rules)
	if scan.Counting = plansCount(claim, scan); between(claim, scan, rules) {
		scan.Counting, scan.Mode, scan.Partial = true, pipeline.ModeLook, true
		return scan
	}
	switch claim.Stream.Work {
	case pipeline.WorkDetails, pipeline.WorkHinted, pipeline.WorkLook:
		return scan
	case pipeline.WorkList, pipeline.WorkBackfill, pipeline.WorkSweep:
	}
	until := claim.Position.ScannedUntil
	if asLeft(claim, rules) && !until.IsZero() && !scan.Bound.IsZero() && claim.Stream.Work == pipeline.WorkList {
		scan.Recent, scan.Settles = until.Add(-rules.Overlap).Truncate(time.Second), until.Add(rules.LagFor(claim.Late))
	}
	Overlaps(scan, claim.Stream.Resource.Paging)
	if unsized := claim.Stream.Resource.Unsized; scan.Overlap.Size > 0 && unsized > scan.PerPage {
		scan.PerPage, scan.Overlap.Unsized = unsized, unsized
	}
	return scan
}

// asLeft says that the watermark is where a clean run left it: one that was set back is read from.
func asLeft(claim *pipeline.Claim, rules pipeline.Rules) bool {
	p := claim.Position
	return !p.Watermark.IsZero() && !p.Watermark.Before(p.ScannedUntil.Add(-rules.LagFor(claim.Late)))
}

// plan chooses how the list is read. Without a watermark everything is read; with one, what changed
// since a little below it. What became visible late or has the watermark's second is so read again
// (invariant 8). A list that is known to lack what its cursor needs is read whole.
func plan(claim *pipeline.Claim, rules pipeline.Rules) *pipeline.Scan {
	stream, bound := claim.Stream, lowerBound(claim, rules)
	scan := &pipeline.Scan{Mode: pipeline.ModeFull, Page: 1, PerPage: rules.PerPage, Pass: 1}
	if stream.Work == pipeline.WorkDetails || stream.Work == pipeline.WorkHinted {
		scan.Partial = true
		return scan
	}
	if stream.Work == pipeline.WorkLook {
		scan.Mode, scan.Partial = pipeline.ModeLook, true
		return scan
	}
	if stream.Work == pipeline.WorkSweep {
		// A sweep reads the whole list, whatever the watermark: it looks for what no watermark
		// shows.
		if ReadsByKeyset(stream, claim.Capabilities) && !unfiltered(claim) {
			scan.Mode = pipeline.ModeKeyset
		}
		return scan
	}
	if FallsBack(stream, claim.Capabilities) {
		fallBack(scan, claim)
		return scan
	}
	if ReadsByKeyset(stream, claim.Capabilities) {
		scan.Mode, scan.Bound, scan.Keyset.From = pipeline.ModeKeyset, bound, bound
		return scan
	}
	switch stream.Resource.ListCursor().(type) {
	case schema.Since:
		if !bound.IsZero() {
			scan.Mode, scan.Bound = pipeline.ModeSince, bound
		}
		scan.ByModification = bound.IsZero() && mayAnchor(stream, claim.Capabilities)
	case schema.NewestFirst:
		if !bound.IsZero() { // the whole list is read in the order of creation, which edits do not change
			scan.Mode, scan.Bound = pipeline.ModeNewest, bound
		}
	case schema.Export:
		scan.Mode = pipeline.ModeExport
	}
	return scan
}

// lowerBound is the instant from which a run reads; zero without a watermark, and for a run that
// rereads the list. A lag that grew since the watermark was set counts at once: the watermark does
// not move back, but the request reaches further back.
func lowerBound(claim *pipeline.Claim, rules pipeline.Rules) time.Time {
	from := claim.Position.Watermark
	if from.IsZero() || claim.Reread {
		return time.Time{}
	}
	if late := claim.Position.ScannedUntil.Add(-rules.LagFor(claim.Late)); !claim.Position.ScannedUntil.IsZero() && late.Before(from) {
		from = late
	}
	return from.Add(-rules.Overlap).Truncate(time.Second) // requests name whole seconds
}

// shorten makes a run read only what changed since the last clean run began, if that was less than
// the lag ago and what is to be read since the watermark takes more than a page. What became
// visible late is left to the next run behind the lag, which reads from the watermark on and moves
// it (invariant 1). So one pass is enough.
func (s *progress) shorten(page view) bool {
	if !page.more || s.Page > 1 || s.Pass > 1 || s.Recent.IsZero() || !s.Started.Before(s.Settles) || !s.mostlyOld(page) {
		return false
	}
	s.Bound, s.Keyset.From = s.Recent, s.Recent
	s.Partial, s.Once, s.Recent, s.Overlap = true, true, time.Time{}, pipeline.Overlap{}
	return s.Mode != pipeline.ModeNewest // there page 1 is page 1 of what is left, too
}

// mostlyOld says that reading only what is new takes fewer calls than reading on: the page shows
// mostly what the last clean run had read. By keyset, what is new begins where that ends.
func (s *progress) mostlyOld(page view) bool {
	old := 0
	for _, e := range page.entries {
		if !e.standIn && e.modified.Before(s.Recent) {
			old++
		}
	}
	switch s.Mode {
	case pipeline.ModeSince:
		return 2*old >= len(page.entries) //nolint:mnd // half of them
	case pipeline.ModeKeyset:
		return old == len(page.entries)
	default: // newest first, page 1 is page 1 of what is new, too
		return true
	}
}

// Begin notes the upstream clock at the first answer of the run. It takes the earlier of upstream's
// date and the process's clock, so that neither clock alone can carry a watermark too far. The
// process's clock is read before the call leaves: an answer may be read late, if its process was
// suspended meanwhile. For an answer without a date the process's clock counts, less an hour.
func Begin(scan *pipeline.Scan, date, asked time.Time) {
	if !scan.Started.IsZero() {
		return
	}
	switch {
	case date.IsZero():
		scan.Started = asked.Add(-time.Hour)
	case date.Before(asked):
		scan.Started = date
	default:
		scan.Started = asked
	}
	scan.Started = scan.Started.UTC().Truncate(time.Second)
}

// Advance takes one page into the scan: page is the answer to asked, and batch was made of it. It
// compares the page with the request, falls back where upstream did otherwise, and gives the end of
// the run, nil if the run goes on.
//
// One pass is enough if its pages overlap, or if the list fits one page, because one answer is
// atomic. Otherwise a pass is repeated until two passes saw the same records
// (docs/decisions/0007-paging-by-number).
func Advance(scan *pipeline.Scan, asked pipeline.Request, page pipeline.Page, batch *pipeline.Batch, rules pipeline.Rules) *pipeline.End {
	return (*progress)(scan).advance(viewOf(batch, page, asked, scan.Mode), rules)
}

// progress is the stored scan with what moves it.
type progress pipeline.Scan

func (s *progress) advance(page view, rules pipeline.Rules) *pipeline.End {
	if s.shorten(page) {
		s.restart()
		return nil
	}
	if s.Mode == pipeline.ModeKeyset {
		return s.keyset(page, rules)
	}
	if note := s.unbelievable(page); note != "" {
		return &pipeline.End{Outcome: pipeline.OutcomeProvisional, Note: note}
	}
	if page.perPage > 0 && page.perPage != s.PerPage {
		if s.resize(page.perPage) {
			return s.giveUp(rules)
		}
	}
	if note := s.mismatch(page); note != "" {
		if s.fallBack(note) {
			return nil
		}
	}
	switch {
	case s.Page == 1:
		s.Order = page.order()
	case page.order() != s.Order && s.Overlap.Size == 0:
		s.Suspect = true // this page is one of another list
	}
	if s.Overlap.Size == 0 || s.Page == 1 { // a pass can go on without overlaps behind page 1
		s.count(page)
	}
	if s.Overlap.Size > 0 {
		return s.overlap(page, rules)
	}
	if s.Count != nil && s.Count.Proves {
		return s.countedPage(page)
	}
	if !s.passEnds(page) {
		s.Page++
		s.Token = page.token
		return nil
	}
	return s.endPass(rules)
}

// fallBack reads everything from here on. It says whether the pass starts anew. A page 1 that the
// filter did not narrow is page 1 of the whole list; any other page is not part of a pass over it.
func (s *progress) fallBack(note outside.Text) bool {
	anew := s.Page > 1 || s.Mode == pipeline.ModeNewest || s.Mode == pipeline.ModeKeyset
	s.Mode, s.Bound, s.Note = pipeline.ModeFull, time.Time{}, note
	s.forget()
	s.Pass, s.Windows = 1, nil
	if anew {
		s.restart()
	}
	return anew
}

// resize adopts the page size that upstream reports. A page number means nothing under another
// size, so behind page 1 the pass starts anew, and resize returns true.
func (s *progress) resize(perPage int) bool {
	overlaps := s.Overlap
	s.Overlap = pipeline.Overlap{}
	s.PerPage = perPage
	switch {
	case s.Page == 1 && len(overlaps.Links) == 0:
		s.Overlap.Size = min(perPage, overlaps.Size)
		return false
	case s.Page == 2 && !s.ByModification && perPage == overlaps.Size && perPage == overlaps.Covered && overlaps.Retries == 0:
		return false // upstream knows one size only, in which this is page 2
	}
	s.forget()
	s.Pass++
	s.restart()
	return true
}

// giveUp ends the run if it took more passes than allowed.
func (s *progress) giveUp(rules pipeline.Rules) *pipeline.End {
	if s.Pass <= rules.MaxPasses {
		return nil
	}
	return &pipeline.End{
		Outcome: pipeline.OutcomeProvisional,
		Note:    outside.Plainf(noteShifting, rules.MaxPasses),
	}
}

// count adds the page to what the pass saw. Records that were created or moved after the run
// started do not count: they cannot hide others, and the next run reads them. Nor do those below
// the bound that share its last page.
func (s *progress) count(page view) {
	for _, e := range page.entries {
		if e.twin {
			continue
		}
		key := e.created
		if s.Mode == pipeline.ModeNewest {
			key = e.modified
		}
		if !key.IsZero() && (!key.Before(s.Started) || s.Mode == pipeline.ModeNewest && key.Before(s.Bound)) {
			continue
		}
		if !e.standIn {
			s.tie(e, key)
		}
		s.Seen++
		s.Digest += e.digest // a sum: the order within a pass does not matter
	}
}

// passEnds says whether the page was the last one. With paging by number, a full page proves
// nothing: an empty page has to follow it.
func (s *progress) passEnds(page view) bool {
	if s.Mode == pipeline.ModeNewest && !s.Bound.IsZero() && s.Edge.Before(s.Bound) && !s.Edge.IsZero() {
		return true
	}
	switch page.paging {
	case schema.PagingToken:
		return page.token == ""
	case schema.PagingWhole:
		return !page.more
	case schema.PagingNumber:
		return !page.more && (len(page.entries) < s.PerPage || len(page.entries) == 0)
	default:
		return !page.more
	}
}

// endPass decides what follows a pass. A pass with a suspect page equals no other: the same page
// may be missing from the next pass, too.
func (s *progress) endPass(rules pipeline.Rules) *pipeline.End {
	if s.Once {
		return s.nextWindow()
	}
	equal := s.Pass > 1 && !s.Suspect && s.Seen == s.LastSeen && s.Digest == s.LastDigest && (s.Partial || !s.LastPrefetched)
	switch {
	case s.Page == 1:
		return &pipeline.End{Outcome: pipeline.OutcomeDone, Note: s.Note, Proof: pipeline.ProofOnePage}
	case equal:
		return &pipeline.End{Outcome: pipeline.OutcomeDone, Note: s.Note, Proof: pipeline.ProofPasses}
	}
	return s.nextPass(rules)
}

// nextPass begins another pass, which is compared with the one that is over.
func (s *progress) nextPass(rules pipeline.Rules) *pipeline.End {
	s.remember()
	if s.Suspect {
		s.LastSeen = -1
	}
	s.Pass++
	s.restart()
	s.moveEdges(rules)
	return s.giveUp(rules)
}

// moveEdges gives a pass other page edges than the pass before. A deletion hides the record behind
// an edge, and the next pass has no edge at the same record
// (docs/decisions/0007-paging-by-number). A scan that moves no watermark proves nothing and keeps
// its edges.
func (s *progress) moveEdges(rules pipeline.Rules) {
	const every = 2 // every second pass has the smaller pages
	switch {
	case s.Partial:
	case s.Pass%every == 0:
		s.PerPage = max(s.PerPage-1, 1)
	default:
		s.PerPage = min(s.PerPage+1, rules.PerPage)
	}
}

func (s *progress) restart() {
	if o := s.Overlap; o.Size > 0 {
		s.PerPage, s.Overlap = max(o.Size, o.Unsized), pipeline.Overlap{Size: o.Size, Unsized: o.Unsized}
	}
	s.Page, s.Seen, s.Digest, s.PageDigest, s.PageMiddle, s.Stuck, s.Edge = 1, 0, 0, 0, 0, 0, time.Time{}
	s.Token, s.Anchor, s.Suspect, s.Prefetched, s.Tied = "", 0, false, false, pipeline.Tied{}
	s.ByModification = false // edits move records in that order
}
