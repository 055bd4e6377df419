package scan

import (
	"slices"
	"time"

	"sluice/pipeline"
	"sluice/pipeline/outside"
	"sluice/schema"
)

// maxStuck is how many pages in a row may bring nothing. A list that grows by just one page between
// two answers shows one page twice. The constant maxPages is the number of pages after which a pass
// ends in any case.
const (
	maxStuck = 2
	maxPages = 200_000
)

// unbelievable says why a page cannot be part of a list, "" if it can.
func (s *progress) unbelievable(page view) outside.Text {
	identity := uint64(0)
	for _, e := range page.entries {
		if !e.twin { // a page that shows a record twice may be repeated without that
			identity = identity*31 + e.identity
		}
	}
	repeated := s.Page > 1 && len(page.entries) > 0 && identity == s.PageDigest
	s.Suspect = s.Suspect || s.goesBack(page)
	s.PageDigest, s.PageMiddle = identity, page.middle()
	if repeated || len(page.entries) == 0 && page.more {
		s.Stuck++
		s.Suspect = page.paging != schema.PagingToken // pages by token may be empty and still hide no record
	} else {
		s.Stuck = 0
	}
	if s.Stuck > maxStuck {
		return noteStuck
	}
	if page.paging == schema.PagingToken {
		// Pages by token have no fixed size, so the estimate below does not apply to them.
		if s.circles(page.token) {
			return noteCircle
		}
		if s.Page < maxPages {
			return ""
		}
	}
	if s.Page >= maxPages || (s.LastSeen > 0 && int64(s.Page) > 2*s.LastSeen/int64(max(s.PerPage, 1))+50) {
		return noteEndless
	}
	return ""
}

// goesBack says that a page shows the middle of the page before. It is that page again, although ties at
// its end may come in another order.
func (s *progress) goesBack(page view) bool {
	return s.Page > 1 && s.Overlap.Size == 0 && page.paging == schema.PagingNumber &&
		slices.ContainsFunc(page.entries, func(e entry) bool { return e.identity == s.PageMiddle })
}

// middle is the record in the middle of the page, 0 if there is none.
func (v view) middle() uint64 {
	if len(v.entries) == 0 {
		return 0
	}
	return v.entries[len(v.entries)/2].identity //nolint:mnd // the middle
}

// circles says that a token repeats within this pass. Only two tokens are kept: the one before, and
// that of the last page whose number is a power of two. A circle of n pages is found before 3n more
// are read.
func (s *progress) circles(token string) bool {
	if token == "" {
		return false
	}
	sum := digest(token, "")
	circle := token == s.Token || sum == s.Anchor
	if s.Page&(s.Page-1) == 0 {
		s.Anchor = sum
	}
	return circle
}

// mismatch says in which way the page is not what was asked for, "" if it is.
func (s *progress) mismatch(page view) outside.Text {
	if s.Windows != nil && s.outside(page) {
		return noteOutside
	}
	switch s.Mode {
	case pipeline.ModeSince:
		for _, e := range page.entries {
			if !e.standIn && !e.modified.IsZero() && e.modified.Before(s.Bound) {
				return noteIgnored
			}
		}
	case pipeline.ModeNewest:
		// Order alone proves little: where no old record was edited yet, the order of creation
		// looks the same. Upstream has to confirm the sort, too.
		if !page.sorted {
			return noteUnsorted
		}
		last := s.Edge
		if s.Overlap.Size > 0 {
			last = time.Time{} // the page begins in front of that edge, and its link shows the order
		}
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
	case pipeline.ModeFull, pipeline.ModeExport, pipeline.ModeKeyset, pipeline.ModeLook:
		// Everything was asked for; a keyset scan and a look have their own checks.
	}
	return ""
}
