package scan

import (
	"sluice/pipeline"
	"sluice/schema"
)

// pagesPerGuess is how many pages of a pass have to be there for each one that is asked for ahead
// where the end of the list is not known: what is asked for beyond the end is at most a twentieth
// of the pass.
const pagesPerGuess = 20

// Prefetching says how many pages behind the next one of the scan may be asked for before that one
// is there, at most so many; zero means one page after the other.
//
// Pages that overlap in time can hide a record without a trace: it moves up, by a deletion, from a
// page that is read later to one that was read before. So the first of two equal passes is always
// read one page after the other. What it misses was pulled up by the deletion of a record that it
// saw, which the second pass, read in whatever order, cannot see any more: they differ
// (docs/decisions/0012-prefetching-pages). A scan that moves no watermark proves nothing and need
// not.
func Prefetching(scan *pipeline.Scan, paging schema.Paging, most int) int {
	if paging != schema.PagingNumber || scan.Mode == pipeline.ModeKeyset || !scan.Partial && (scan.LastPages == 0 || scan.LastPrefetched) {
		return 0
	}
	if !scan.Partial && scan.Page == 1 {
		return 0 // the page size is not that of the pass before, and upstream may not heed it
	}
	if scan.LastPages > 0 {
		return min(most, max(scan.LastPages-scan.Page, 0))
	}
	return min(most, (scan.Page-1)/pagesPerGuess)
}

// forget drops what is known of the pass before, where the next one cannot be compared with it.
func (s *progress) forget() {
	s.LastSeen, s.LastDigest, s.LastPages, s.LastPrefetched = 0, 0, 0, false
}

// remember keeps what the next pass is compared with.
func (s *progress) remember() {
	s.LastSeen, s.LastDigest, s.LastPages, s.LastPrefetched = s.Seen, s.Digest, s.Page, s.Prefetched
}
