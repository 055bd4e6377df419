package scan

import (
	"slices"
	"time"

	"sluice/pipeline"
	"sluice/pipeline/outside"
)

// Notes of runs over a list that is read by keyset.
const (
	noteKeyset       = "keyset paging: one pass"
	noteNotAscending = "upstream did not sort by modification time, ascending: the list was read in passes"
	noteTimeless     = "a record without a modification time has no place in an ascending order: the list was read in passes"
	noteExclusive    = "upstream's filter left out what was modified at the instant asked for: the list was read in passes"
	doubtHot         = "the list was written to faster than it was read"
)

const (
	// maxAbsent is how many answers in a row may lack the record that they were asked from. One may
	// lack it because it was edited or deleted between two requests; more mean that the filter
	// leaves it out.
	maxAbsent = 3
	// maxBeyond is how many answers may bring only what was written after the run began.
	maxBeyond = 50
	// measuredBehind is how many pages a first sync has read when keyset paging begins.
	measuredBehind = 2
)

// keyset takes a page into a scan by keyset (docs/decisions/0008-keyset-paging).
//
// One answer is one state of the list: all that was modified from the anchor on, up to the last
// record of the page. No page number links two answers, so no record moves over a page edge unseen.
// An edited or created record moves behind the last record, and a deletion moves nothing below the
// next anchor. So one pass sees each record that exists all through it.
func (s *progress) keyset(page view, rules pipeline.Rules) *pipeline.End {
	if note := s.unbelievable(page); note != "" || s.Keyset.Answers >= maxPages {
		if note == "" {
			note = noteEndless
		}
		return &pipeline.End{Outcome: pipeline.OutcomeProvisional, Note: note}
	}
	if measuring((*pipeline.Scan)(s)) && !s.measured(page) {
		return nil
	}
	if page.perPage > 0 && page.perPage != s.PerPage && s.resize(page.perPage) {
		return s.giveUp(rules)
	}
	first, last, note := s.span(page)
	if note != "" {
		s.leave(note)
		return nil
	}
	s.Keyset.Answers++
	over := !page.more && len(page.entries) < s.PerPage
	switch {
	case !s.Keyset.Tie.IsZero():
		return s.walk(page, last, over, rules)
	case !s.shown(page, last, over):
		return s.stepBack()
	case over:
		return s.arrive()
	case len(page.entries) == 0:
		return nil // upstream says that more follows: asked for again
	case last.IsZero():
		s.leave(noteTimeless)
		return nil
	case first.Equal(last):
		s.Keyset.Tie, s.Pass = last, 1
		s.forget()
		s.Seen, s.Digest, s.Suspect, s.Tied = 0, 0, false, pipeline.Tied{}
		return s.walk(page, last, over, rules)
	default:
		return s.anchor(last, last, first)
	}
}

// Retreat gives up what the next request of the scan tries, after upstream refused it: the order of
// modification before the first page, keyset paging behind the second one. It says whether there
// was anything to give up.
func Retreat(scan *pipeline.Scan) bool {
	switch {
	case measuring(scan):
		(*progress)(scan).goOnByNumber()
	case scan.ByModification && scan.Started.IsZero():
		scan.ByModification = false
	default:
		return false
	}
	return true
}

// goOnByNumber goes on with the pass of overlapping pages, because keyset paging does not work.
func (s *progress) goOnByNumber() { s.Mode, s.Keyset = pipeline.ModeFull, pipeline.Keyset{} }

// measure asks whether the list can be read by keyset: by keyset, from a record of the page on that
// links the next page to it. Two pages by number showed by now that the list is in the order of
// modification as a whole. seen is the page's sequence.
func (s *progress) measure(seen sequence) {
	last := seen.times[len(seen.times)-1]
	link := slices.IndexFunc(seen.records, func(e entry) bool { return e.identity == s.Overlap.Links[0].Record })
	s.Mode = pipeline.ModeKeyset
	s.Keyset = pipeline.Keyset{From: seen.times[link].Truncate(time.Second), Expect: last.Truncate(time.Second)}
}

// measuring says that the answer to the next request of the scan shows whether the list can be read
// by keyset.
func measuring(scan *pipeline.Scan) bool {
	return scan.Mode == pipeline.ModeKeyset && scan.Overlap.Size > 0
}

// measured says whether the answer shows that the list filters, at or after, and sorts. It is in
// order, has nothing below the instant asked for, and shows both a record of that instant and one
// of a later second that the page before showed. Otherwise the pass of overlapping pages goes on.
func (s *progress) measured(page view) bool {
	_, last, note := s.span(page)
	over := !page.more && len(page.entries) < s.Overlap.Size
	if note == "" && s.linked(page) && s.shown(page, last, over) && (page.perPage == 0 || page.perPage == s.Overlap.Size) {
		s.Page, s.PerPage, s.Keyset.Answers = 1, s.Overlap.Size, measuredBehind
		s.Overlap, s.ByModification = pipeline.Overlap{}, false
		return true
	}
	s.goOnByNumber()
	return false
}

// span gives the seconds of the first and the last record with a time, zero if none has one. It
// also says in which way the page is not what was asked for. Order is checked within the page only:
// behind it the list goes on changing.
func (s *progress) span(page view) (time.Time, time.Time, outside.Text) {
	var first, last, before time.Time
	if !page.sorted {
		return first, last, noteNotAscending
	}
	for _, e := range page.entries {
		switch {
		case e.standIn:
			continue // it does not fit, and is in quarantine
		case e.modified.IsZero():
			return first, last, noteTimeless
		case e.modified.Before(s.Keyset.From):
			return first, last, noteIgnored
		case e.modified.Before(before):
			return first, last, noteNotAscending
		}
		before = e.modified
		last = before.Truncate(time.Second)
		if first.IsZero() {
			first = last
		}
	}
	return first, last, ""
}

// anchor sets the next request: it asks from an instant on. expect is a second that the answer has
// to show, first the second of this answer's first record.
func (s *progress) anchor(from, expect, first time.Time) *pipeline.End {
	k := &s.Keyset
	k.From, k.Expect = from, expect
	if !first.Before(s.Started) {
		k.Beyond++
	}
	if k.Beyond > maxBeyond { // the run saw all that the watermark depends on
		s.Doubt = doubtHot
		return s.arrive()
	}
	return nil
}

// shown says whether the answer shows the second that it has to show, if it reaches as far.
func (s *progress) shown(page view, last time.Time, over bool) bool {
	k := &s.Keyset
	if k.Expect.IsZero() || !over && last.Before(k.Expect) {
		return true
	}
	for _, e := range page.entries {
		if !e.standIn && e.modified.Truncate(time.Second).Equal(k.Expect) {
			k.Absent = 0
			return true
		}
	}
	return false
}

// stepBack asks again from one second earlier, and expects nothing of that second. A filter that
// leaves out its own instant then shows what the last answer may have lacked.
func (s *progress) stepBack() *pipeline.End {
	k := &s.Keyset
	if k.Absent++; k.Absent > maxAbsent {
		s.leave(noteExclusive)
		return nil
	}
	k.From, k.Expect = k.From.Add(-time.Second), time.Time{}
	return nil
}

// walk takes a page of a second that has more records than a page. The second is read by page
// number until two walks in a row saw the same records of it. Page edges differ between walks, as
// between passes (docs/decisions/0007-paging-by-number). Then the anchor steps one second on.
func (s *progress) walk(page view, last time.Time, over bool, rules pipeline.Rules) *pipeline.End {
	tie := s.Keyset.Tie
	next := time.Time{} // the first second shown behind the tie
	for _, e := range page.entries {
		switch second := e.modified.Truncate(time.Second); {
		case e.standIn:
		case second.Equal(tie):
			s.tie(e, second)
			s.Seen++
			s.Digest += e.digest
		case second.After(tie) && next.IsZero():
			next = second
		}
	}
	if !over && !last.After(tie) {
		s.Page++
		return nil
	}
	if s.Pass > 1 && !s.Suspect && s.Seen == s.LastSeen && s.Digest == s.LastDigest {
		s.Keyset.Tie, s.Pass, s.PerPage = time.Time{}, 1, rules.PerPage
		s.forget()
		s.restart()
		return s.anchor(tie.Add(time.Second), next, tie)
	}
	return s.nextPass(rules)
}

// arrive ends the run: the last answer showed all records behind its anchor.
func (s *progress) arrive() *pipeline.End {
	end := &pipeline.End{Outcome: pipeline.OutcomeDone, Proof: pipeline.ProofOnePage}
	if s.Keyset.Answers > 1 {
		end.Proof = pipeline.ProofKeyset
		end.Note = noteKeyset
	}
	return end
}

// leave reads the list in passes from here on: what was modified since the bound of the run, or the
// whole list if that filter failed.
func (s *progress) leave(note outside.Text) {
	bound := s.Bound
	s.fallBack(note)
	s.Keyset, s.Overlap.Size = pipeline.Keyset{}, s.PerPage
	if note != noteIgnored && !bound.IsZero() {
		s.Mode, s.Bound = pipeline.ModeSince, bound
	}
}
