package scan

import (
	"slices"
	"time"

	"sluice/pipeline"
	"sluice/schema"
)

const (
	// leastOverlap is by how many records a page overlaps the page before. One of them is the link,
	// the other one has a later place in the order.
	leastOverlap = 2
	// maxLinks is how many records of a page can link the next page to it. An edit or a deletion
	// takes one of them away.
	maxLinks = 4
	// maxRetries is how often in a row a page is requested again, each time from further back,
	// because it did not link. Then the list is read in passes.
	maxRetries = 3
	// further is how many times as far back each of these requests reaches.
	further = 4
)

// Overlaps makes the pages of a scan that begins overlap, if its list goes on by page number and
// something depends on its proof.
func Overlaps(scan *pipeline.Scan, paging schema.Paging) {
	if paging == schema.PagingNumber && !scan.Once && scan.Mode != pipeline.ModeExport && scan.Mode != pipeline.ModeKeyset {
		scan.Overlap.Size = scan.PerPage
	}
}

// overlap takes a page into a pass of overlapping pages (docs/decisions/0007-paging-by-number).
//
// One answer is one state of the list, so it shows each record between two of its records. If an
// answer shows a record of the answer before, the two leave out no record between them. So one pass
// sees each record that exists, and stays in its place, all through the pass. It does not matter
// what was created, deleted or restored meanwhile, or in which order the answers came.
func (s *progress) overlap(page view, rules pipeline.Rules) *pipeline.End {
	o := &s.Overlap
	first := len(o.Links) == 0
	if !first && !s.linked(page) {
		s.linkAgain(rules)
		return nil
	}
	if s.passEnds(page) {
		return s.overlapped(first)
	}
	modified := s.byModified(page)
	seen := page.sequence(modified)
	links, least := page.links(seen)
	covered := min(s.Page*s.PerPage, (s.Page-1)*s.PerPage+len(page.entries)) // a page can come short
	number, perPage := window(covered, least, o.Size, o.Unsized)
	goesOn := len(links) > 0 && number > 0
	switch {
	case first && s.ByModification && modified && (!seen.rises || !goesOn):
		s.readAnew(rules)
	case goesOn:
		second := !first && o.Covered == o.Size
		s.linkOn(seen, links, covered, number, perPage)
		if s.ByModification && modified && second {
			s.measure(seen)
		}
	case first && s.asksByCreation(page, seen):
		s.restart()
		s.ByCreation = true
	case first && s.PerPage <= o.Size: // it is page 1 of a pass like any other
		*o = pipeline.Overlap{}
		s.Page++
	default:
		s.readAnew(rules)
	}
	return nil
}

// linkOn requests the page that overlaps the pages so far, by number and size.
func (s *progress) linkOn(seen sequence, links []pipeline.Link, covered, number, perPage int) {
	o := &s.Overlap
	calm := o.Calm + 1
	if n, size := window(covered, leastOverlap, o.Size, o.Unsized); number != n || perPage != size {
		calm = 0
	}
	*o = pipeline.Overlap{
		Size: o.Size, Unsized: o.Unsized, Calm: calm, Links: links, Covered: covered, Falls: seen.falls,
	}
	s.Page, s.PerPage = number, perPage
}

// asksByCreation says that the list has to be asked for in the order of creation, because page 1
// shows another one.
func (s *progress) asksByCreation(page view, seen sequence) bool {
	return !seen.rises && !seen.falls && !s.ByCreation && page.created() && s.Mode != pipeline.ModeNewest
}

// overlapped ends a run whose last page was linked to the page before, or was its only page.
func (s *progress) overlapped(only bool) *pipeline.End {
	end := &pipeline.End{Outcome: pipeline.OutcomeDone, Note: s.Note, Proof: pipeline.ProofOverlap}
	if only {
		end.Proof = pipeline.ProofOnePage
	}
	return end
}

// linkAgain requests the list again from further back, where the last page showed no record of the
// page before. So many records before the edge were deleted that the overlap did not reach. Only
// the edge is read again, not the list.
func (s *progress) linkAgain(rules pipeline.Rules) {
	o := &s.Overlap
	o.Retries, o.Calm = o.Retries+1, 0
	by := o.Covered - (s.Page-1)*s.PerPage
	number, perPage := window(o.Covered, min(further*by, o.Size-1), o.Size, o.Unsized)
	if o.Retries > maxRetries || number == 0 || number == s.Page && perPage == s.PerPage {
		s.readAnew(rules)
		return
	}
	s.Page, s.PerPage = number, perPage
}

// readAnew reads the list from its beginning: in the order of creation, if it was read in that of
// modification, otherwise in passes until two are equal.
func (s *progress) readAnew(rules pipeline.Rules) {
	byModification := s.ByModification
	s.restart()
	if byModification {
		return
	}
	s.Overlap = pipeline.Overlap{}
	s.PerPage = rules.PerPage
}

// window gives the page, by number and size, that overlaps the first covered records of a list by
// least of them or more, and reaches as far as possible. Page numbers are multiples of the size, so
// sizes of less than most are tried, too, and pages without a size. Number is 0 if no page reaches
// further.
//
// With pages of at most 200, no choice of windows reads a long list in less than 1.095 times the
// calls of pages that do not overlap (docs/decisions/0007-paging-by-number).
func window(covered, least, most, unsized int) (int, int) {
	number, perPage, reach := 0, 0, covered
	try := func(size int) {
		before := (covered - least) / size // pages in front of this one
		if end := (before + 1) * size; covered >= least && end > reach {
			number, perPage, reach = before+1, size, end
		}
	}
	for size := most; size > least; size-- {
		try(size)
	}
	if unsized > most {
		try(unsized)
	}
	return number, perPage
}

// Pages is how many overlapping pages of no more than most records, or of unsized without a size,
// show a list of so many records. It is 0 if pages of that size are too small to overlap.
func Pages(records, most, unsized int) int {
	pages := 1
	for covered := max(most, unsized); covered <= records; pages++ { // the last page has to be short
		number, perPage := window(covered, leastOverlap, most, unsized)
		if number == 0 {
			return 0
		}
		covered = number * perPage
	}
	return pages
}

// Following is the request behind a request of the scan, if nothing unexpected comes between them.
func Following(scan *pipeline.Scan, request pipeline.Request) pipeline.Request {
	if scan.Overlap.Size == 0 {
		request.Page++
		return request
	}
	request.Page, request.PerPage = window(request.Page*request.PerPage, leastOverlap, scan.Overlap.Size, scan.Overlap.Unsized)
	return request
}

// order is the order that upstream reports.
func (v view) order() string { return v.sort + " " + v.direction }

// created says that the records carry the time of their creation, so that a list can be sorted by
// it.
func (v view) created() bool {
	return slices.ContainsFunc(v.entries, func(e entry) bool { return !e.created.IsZero() })
}

// sequence is what a page shows of the order of its list: its records, those that do not fit left
// out, each with its time in that order.
type sequence struct {
	records []entry
	times   []time.Time
	// rises and falls say that no time is earlier, or later, than the one before.
	rises, falls bool
}

// byModified says that the page is sorted by the time of modification. A list that ignores the
// order of a first sync comes in its own.
func (s *progress) byModified(page view) bool {
	return s.Mode == pipeline.ModeNewest || s.ByModification && page.sorted
}

// sequence gives the page's records with their times of modification, or else of creation. Times
// that neither only rise nor only fall, or that are absent, are no order.
func (v view) sequence(modified bool) sequence {
	seen := sequence{rises: true, falls: true}
	var before time.Time
	for _, e := range v.entries {
		if e.standIn {
			continue
		}
		at := e.created
		if modified {
			at = e.modified
		}
		if at.IsZero() {
			return sequence{}
		}
		if len(seen.times) > 0 {
			seen.rises = seen.rises && !at.Before(before)
			seen.falls = seen.falls && !at.After(before)
		}
		before = at
		seen.records, seen.times = append(seen.records, e), append(seen.times, at)
	}
	return seen
}

// linked says that the page shows a record of the page before, with the same bytes, in a list of
// the same order.
func (s *progress) linked(page view) bool {
	o := &s.Overlap
	seen := page.sequence(s.byModified(page))
	if page.order() != s.Order || o.Falls && !seen.falls || !o.Falls && !seen.rises {
		return false
	}
	return slices.ContainsFunc(seen.records, func(e entry) bool {
		return slices.ContainsFunc(o.Links, func(link pipeline.Link) bool {
			return e.identity == link.Record && digestOf(e.raw) == link.Content
		})
	})
}

// links gives the records that link the next page to this one, and by how many records the next
// page has to overlap to show the last of them. There are none if the page shows no order.
//
// Lists break ties as they like, differently in each answer. So a link is a record in front of all
// that tie with the last one: a page that shows it shows these, too.
func (v view) links(seen sequence) ([]pipeline.Link, int) {
	last := len(seen.times) - 1
	at := last
	for at >= 0 && seen.times[at].Equal(seen.times[last]) {
		at--
	}
	if at < 0 || !seen.rises && !seen.falls {
		return nil, 0
	}
	// Where the rejected records of a page stood is unknown: they may be behind the link.
	least := max(len(v.entries)-at, leastOverlap)
	var links []pipeline.Link
	for ; at >= 0 && len(links) < maxLinks; at-- {
		links = append(links, pipeline.Link{Record: seen.records[at].identity, Content: digestOf(seen.records[at].raw)})
	}
	return links, least
}
