package pipeline

import (
	"fmt"
	"time"

	"sluice/schema"
)

// maxStuck is how many pages in a row may bring nothing (a list that grows by
// just one page between two answers shows one twice), and maxPages how far a list
// is followed at all.
const (
	maxStuck = 2
	maxPages = 200_000
)

// Notes of runs that did not go as asked. A provisional run moves no mark and the
// next one starts anew, so nonsense upstream costs a few calls and nothing else.
const (
	noteUnsorted = "upstream did not sort by modification time: everything was read"
	noteIgnored  = "upstream ignored the filter by modification time: everything was read"
	noteStuck    = "upstream kept answering empty or repeated pages and said that more follow: the mark waits"
	noteEndless  = "the list did not end: the mark waits"
	noteShifting = "the list kept changing through %d passes: rows are loaded, the mark waits for a quiet pass"
)

// look is what a scan needs to know about a page.
type look struct {
	// entries are the records in the order of the answer, duplicates included.
	entries []entry
	more    bool
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
func plan(resource *schema.Resource, mark time.Time, rules Rules) *Scan {
	scan := &Scan{Mode: ModeFull, Page: 1, PerPage: rules.PerPage, Pass: 1}
	switch resource.Cursor.(type) {
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
		return nil
	}
	return s.endPass(rules)
}

// unbelievable says why a page cannot be part of a list, "" if it can.
func (s *Scan) unbelievable(page look) string {
	identity := uint64(0)
	for _, e := range page.entries {
		identity = identity*31 + e.identity
	}
	repeated := s.Page > 1 && len(page.entries) > 0 && identity == s.PageDigest
	s.PageDigest = identity
	if repeated || len(page.entries) == 0 && page.more {
		s.Stuck++
	} else {
		s.Stuck = 0
	}
	if s.Stuck > maxStuck {
		return noteStuck
	}
	if s.Page >= maxPages || (s.LastSeen > 0 && int64(s.Page) > 2*s.LastSeen/int64(max(s.PerPage, 1))+50) {
		return noteEndless
	}
	return ""
}

// mismatch says in which way the page is not what was asked for, "" if it is.
func (s *Scan) mismatch(page look) string {
	switch s.Mode {
	case ModeSince:
		for _, e := range page.entries {
			if !e.standIn && !e.modified.IsZero() && e.modified.Before(s.Bound) {
				return noteIgnored
			}
		}
	case ModeNewest:
		// Order alone proves little: where nothing old was edited yet, the order of
		// creation looks the same. Upstream has to say so, too.
		if !page.sorted {
			return noteUnsorted
		}
		last := s.Edge
		for _, e := range page.entries {
			if e.standIn {
				continue
			}
			if e.modified.IsZero() || (!last.IsZero() && e.modified.After(last)) {
				return noteUnsorted
			}
			last = e.modified
		}
		s.Edge = last
	case ModeFull, ModeExport:
		// Everything was asked for.
	}
	return ""
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

// passEnds says whether the page was the last one. A last page that is full
// proves nothing: the one behind it has to be empty.
func (s *Scan) passEnds(page look) bool {
	if s.Mode == ModeNewest && !s.Bound.IsZero() && s.Edge.Before(s.Bound) && !s.Edge.IsZero() {
		return true
	}
	return !page.more && (len(page.entries) < s.PerPage || len(page.entries) == 0)
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
}
