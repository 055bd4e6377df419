package scan

import (
	"bytes"
	"time"

	"sluice/pipeline"
	"sluice/pipeline/outside"
)

// Notes of looks that end at a page.
const (
	noteNotByCreation = "upstream did not sort by creation, ascending: only sweeps find deletions"
	noteOddPage       = "upstream gave a page that contradicts itself: nothing is concluded from it"
	noteInDoubt       = "nothing is concluded from what was not seen: "
)

// Window is the part of a list that one page shows whole. One answer is one state of the list, so a
// row that was created within the window and is not on the page was not in the list.
type Window struct {
	// From and To are where the window begins and ends, without the numbers of rows. Seconds that
	// the page shows only in part are outside: their other records may be on the page beside it.
	From, To pipeline.Edge
	// Last says that the window has the end of the list; Beyond that the page is behind the end.
	// Resized says that upstream gave another page size than was asked for.
	Last, Beyond, Resized bool
	// offset is the number of records before the page, records that of those on it, size the page
	// size.
	offset, records, size int
	// shown are the identifiers on the page.
	shown map[string]bool
}

// Empty says that the page shows no second whole.
func (w *Window) Empty() bool { return w.shown == nil }

// WindowOf gives the window of a page that was asked for in the order of creation, or the end of a
// look that can conclude nothing from the page.
func WindowOf(scan *pipeline.Scan, asked pipeline.Request, page pipeline.Page, batch *pipeline.Batch) (Window, *pipeline.End) {
	w := Window{size: asked.PerPage}
	if page.PerPage > 0 && page.PerPage != asked.PerPage {
		w.size, w.Resized = page.PerPage, true
	}
	w.offset = (asked.Page - 1) * w.size
	times, sorted := createdOf(page, batch, createdAt(asked.Stream.Resource))
	n := len(page.Records)
	w.records = n
	switch {
	case scan.Doubt != "":
		return w, lookEnds(noteInDoubt + scan.Doubt)
	case page.Sort != asked.Sort || page.Order != asked.Order || !sorted:
		return w, lookEnds(noteNotByCreation)
	case n > w.size || batch.Duplicates > 0 || n < w.size && page.More: // a page in front of others is full
		return w, lookEnds(noteOddPage)
	}
	w.Last = !page.More && n < w.size
	w.Beyond = n == 0 && asked.Page > 1
	if w.Beyond {
		return w, nil
	}
	w.show(times, asked.Page == 1, batch)
	return w, nil
}

// show sets what the page shows whole, if it shows a second whole. Begins says that the page is the
// first of the list.
func (w *Window) show(times []time.Time, begins bool, batch *pipeline.Batch) {
	first, last := -1, -1
	for i := 0; i <= len(times); i++ {
		if edge(times, i, begins, w.Last) {
			if last = i; first < 0 {
				first = i
			}
		}
	}
	if first < 0 || first == last && len(times) > 0 {
		return
	}
	w.From, w.To = pipeline.Edge{Listed: w.offset + first}, pipeline.Edge{Listed: w.offset + last}
	if first > 0 {
		w.From.At = times[first]
	}
	if last < len(times) {
		w.To.At = times[last]
	}
	w.shown = make(map[string]bool, len(times))
	for i := range batch.Records {
		w.shown[batch.Records[i].ID] = true
	}
	for i := range batch.Rejected {
		w.shown[batch.Rejected[i].ID] = true
	}
}

// edge says that a second begins in front of record i of a page: the record before it was created
// in an earlier second. The list also begins with its first page, and ends with its last.
func edge(times []time.Time, i int, begins, ends bool) bool {
	switch i {
	case 0:
		return begins
	case len(times):
		return ends
	default:
		return !times[i-1].IsZero() && times[i-1].Before(times[i])
	}
}

// createdOf gives when the records of a page were created, in the order of the answer, and whether
// that order is ascending. Rejected records, and records without a time of creation, have the zero
// time: where seconds begin is then unknown around them.
func createdOf(page pipeline.Page, batch *pipeline.Batch, created int) ([]time.Time, bool) {
	times, sorted := make([]time.Time, len(page.Records)), created >= 0
	next, latest := 0, time.Time{}
	for i, raw := range page.Records {
		if next == len(batch.Records) || created < 0 || !bytes.Equal(batch.Records[next].Raw, raw) {
			continue
		}
		times[i], _ = time.Parse(canonicalTime, batch.Records[next].Tables[0][0].Values[created].Text) // zero where there is none
		next++
		if !times[i].IsZero() {
			sorted = sorted && !times[i].Before(latest)
			latest = times[i]
		}
	}
	return times, sorted
}

func lookEnds(note outside.Text) *pipeline.End {
	return &pipeline.End{Outcome: pipeline.OutcomeDone, Note: note}
}
