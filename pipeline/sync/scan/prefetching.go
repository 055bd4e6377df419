package scan

import (
	"sluice/pipeline"
	"sluice/schema"
)

// pagesPerGuess is how many pages of a pass have to be read for each page prefetched while the end
// of the list is unknown, or the place of the next overlap. So the pages requested in vain are at
// most a twentieth of the pass.
const pagesPerGuess = 20

// Prefetching says how many pages behind the next one of the scan may be requested early, but no
// more than most. Zero means one page after the other.
//
// Where each page shows a record of the page before, the order of the answers does not matter.
// Other pages that overlap in time can hide a record without a trace. A deletion moves it up, from a page that is read later to a page that was read
// before. So the first of two equal passes is always read one page after the other. A record that
// it misses was pulled up by the deletion of a record that it saw. The second pass, in whatever
// order it is read, cannot see the deleted record any more, so the passes differ
// (docs/decisions/0007-paging-by-number). A scan that moves no watermark proves nothing, so its
// first pass may prefetch.
func Prefetching(scan *pipeline.Scan, paging schema.Paging, most int) int {
	if scan.Overlap.Size > 0 {
		return min(most, scan.Overlap.Calm/pagesPerGuess)
	}
	if paging != schema.PagingNumber || scan.Mode == pipeline.ModeKeyset || !scan.Partial && (scan.LastPages == 0 || scan.LastPrefetched) {
		return 0
	}
	if !scan.Partial && scan.Page == 1 {
		return 0 // this pass asks for another page size, which upstream may ignore
	}
	if scan.LastPages > 0 {
		return min(most, max(scan.LastPages-scan.Page, 0))
	}
	return min(most, (scan.Page-1)/pagesPerGuess)
}

// forget drops the figures of the pass before, where the next pass cannot be compared with it.
func (s *progress) forget() {
	s.LastSeen, s.LastDigest, s.LastPages, s.LastPrefetched = 0, 0, 0, false
}

// remember keeps the figures with which the next pass is compared.
func (s *progress) remember() {
	s.LastSeen, s.LastDigest, s.LastPages, s.LastPrefetched = s.Seen, s.Digest, s.Page, s.Prefetched
}
