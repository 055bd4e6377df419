package pipeline

import (
	"fmt"
	"time"

	"sluice/schema"
)

// Notes of runs that did not go as asked. A provisional run moves no mark and the
// next one starts anew, so nonsense upstream costs a few calls and nothing else.
const (
	noteUnsorted = "upstream did not sort by modification time: everything was read"
	noteIgnored  = "upstream ignored the filter by modification time: everything was read"
	noteStuck    = "upstream kept answering empty or repeated pages and said that more follow: the mark waits"
	noteCircle   = "upstream gave the same token twice and so would never end: the mark waits"
	noteEndless  = "the list did not end: the mark waits"
	noteShifting = "the list kept changing through %d passes: rows are loaded, the mark waits for a quiet pass"
)

// look is what a scan needs to know about a page.
type look struct {
	// entries are the records in the order of the answer, duplicates included.
	entries []entry
	// paging is how the list goes on; token is what it goes on with, where it is by
	// token.
	paging  schema.Paging
	more    bool
	token   string
	perPage int
	// sorted says that upstream claims to have sorted as asked.
	sorted bool
}

// entry is one record as the scan sees it.
type entry struct {
	// digest is of the identifier and the order key.
	digest uint64
	// identity is of the bytes of the identifier alone.
	identity uint64
	// modified and created are zero where the record does not carry them.
	modified, created time.Time
	// standIn marks what is on the page but not among the normalized records: it
	// has no times, and twin says that it repeats another record of the page.
	standIn, twin bool
}

// plan begins a scan. Without a mark everything is read; with one, what changed
// since a little below it (promise 8: what came late or fell on the mark's second
// is read again).
func plan(stream Stream, mark time.Time, rules Rules) *Scan {
	scan := &Scan{Mode: ModeFull, Page: 1, PerPage: rules.PerPage, Pass: 1}
	if stream.Work == WorkDetails {
		scan.Partial = true
		return scan
	}
	switch listCursor(stream.Resource).(type) {
	case schema.Since:
		if !mark.IsZero() {
			scan.Mode, scan.Bound = ModeSince, mark.Add(-rules.Overlap)
		}
	case schema.NewestFirst:
		scan.Mode = ModeNewest
		if !mark.IsZero() {
			scan.Bound = mark.Add(-rules.Overlap)
		}
	case schema.Export:
		scan.Mode = ModeExport
	}
	return scan
}

// begin notes the upstream clock at the first answer of the run: the earlier of
// what upstream said and what we have, so that neither clock alone can carry a
// mark too far. An answer without a date leaves it to our clock, less an hour.
func begin(scan *Scan, date, now time.Time) {
	if !scan.Started.IsZero() {
		return
	}
	switch {
	case date.IsZero():
		scan.Started = now.Add(-time.Hour)
	case date.Before(now):
		scan.Started = date
	default:
		scan.Started = now
	}
	scan.Started = scan.Started.UTC().Truncate(time.Second)
}

// advance takes one page into the scan: it holds the page against what was asked,
// falls back where upstream did otherwise, and says whether the run ends.
// A pass is repeated until two passes saw the same records; a list that fits one
// page needs no second pass, for one answer is atomic (docs/decisions/0007).
func (s *Scan) advance(page look, rules Rules) *End {
	if note := s.unbelievable(page); note != "" {
		return &End{Outcome: OutcomeProvisional, Note: note}
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
	s.count(page)
	if !s.passEnds(page) {
		s.Page++
		s.Token = page.token
		return nil
	}
	return s.endPass(rules)
}

// fallBack reads everything from here on. It says whether the pass starts anew:
// a page 1 that the filter did not narrow is page 1 of the whole list, anything
// else is not part of a pass over it.
func (s *Scan) fallBack(note string) bool {
	anew := s.Page > 1 || s.Mode == ModeNewest
	s.Mode, s.Bound, s.Note = ModeFull, time.Time{}, note
	s.LastSeen, s.LastDigest, s.Pass = 0, 0, 1
	if anew {
		s.restart()
	}
	return anew
}

// resize adopts the page size that upstream reports. A page number means nothing
// under another size, so within a pass the pass starts anew, which it says.
func (s *Scan) resize(perPage int) bool {
	s.PerPage = perPage
	if s.Page == 1 {
		return false
	}
	s.LastSeen, s.LastDigest = 0, 0
	s.Pass++
	s.restart()
	return true
}

// giveUp ends the run if it took more passes than allowed.
func (s *Scan) giveUp(rules Rules) *End {
	if s.Pass <= rules.MaxPasses {
		return nil
	}
	return &End{
		Outcome: OutcomeProvisional,
		Note:    fmt.Sprintf(noteShifting, rules.MaxPasses),
	}
}

// count adds the page to what the pass saw. Records that came or moved after the
// run started do not count: they cannot hide others, and the next run reads them.
// Nor do those below the bound that share its last page.
func (s *Scan) count(page look) {
	for _, e := range page.entries {
		if e.twin {
			continue
		}
		key := e.created
		if s.Mode == ModeNewest {
			key = e.modified
		}
		if !key.IsZero() && (!key.Before(s.Started) || s.Mode == ModeNewest && key.Before(s.Bound)) {
			continue
		}
		s.Seen++
		s.Digest += e.digest // a sum: the order within a pass does not matter
	}
}

// passEnds says whether the page was the last one. A last page by number that is
// full proves nothing: the one behind it has to be empty.
func (s *Scan) passEnds(page look) bool {
	if s.Mode == ModeNewest && !s.Bound.IsZero() && s.Edge.Before(s.Bound) && !s.Edge.IsZero() {
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

// endPass decides what follows a pass.
func (s *Scan) endPass(rules Rules) *End {
	onePage := s.Page == 1
	equal := s.Pass > 1 && s.Seen == s.LastSeen && s.Digest == s.LastDigest
	if onePage || equal {
		return &End{Outcome: OutcomeDone, Note: s.Note}
	}
	s.LastSeen, s.LastDigest = s.Seen, s.Digest
	s.Pass++
	s.restart()
	return s.giveUp(rules)
}

func (s *Scan) restart() {
	s.Page, s.Seen, s.Digest, s.PageDigest, s.Stuck, s.Edge = 1, 0, 0, 0, 0, time.Time{}
	s.Token, s.Anchor = "", 0
}
