package oracle

import "slices"

// The calls of a clairvoyant: the fewest with which a reader could learn all news of a list, if it
// knew beforehand where they are. No reader needs fewer, so they are the measure of how many calls
// a real reader spends on finding out.

// What one call brings at most (docs/upstream.md U80, U218).
const (
	// Page is the records of one page of a list.
	Page = 200
	// Batch is the identifiers of one call for single records, where upstream takes several.
	Batch = 100
)

// Calls returns the fewest calls that bring a number of records, so many at once. No records cost
// one call, too: without it the reader would not know that there are none.
func Calls(records, atOnce int) int {
	return max(1, (records+atOnce-1)/atOnce)
}

// CallsForGone returns the fewest calls that show the absence of deleted records. Ranks are their
// numbers in the list before, from 0. Either pages of the list show the gaps that they left, or
// their single records are asked for, so many identifiers at once.
func CallsForGone(ranks []int, atOnce int) int {
	return min(pagesOfGaps(ranks), Calls(len(ranks), atOnce))
}

// pagesOfGaps returns the fewest pages that show the gaps. A page may begin at any record, which
// real pages cannot, so it is a lower bound.
func pagesOfGaps(ranks []int) int {
	pages, end := 1, 0
	for n, rank := range slices.Sorted(slices.Values(ranks)) {
		gap := rank - n // records that are left before it
		switch {
		case n == 0:
			end = gap + Page
		case gap >= end:
			pages, end = pages+1, gap+Page
		}
	}
	return pages
}

// Minutes returns the whole minutes that pass at least until the last of some calls can leave.
func Minutes(calls, perMinute int) int {
	return (max(calls, 1) - 1) / perMinute
}
