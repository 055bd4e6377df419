package scan

import (
	"hash/fnv"
	"slices"
	"time"

	"sluice/pipeline"
	"sluice/schema"
)

// view is what a scan needs to know about a page.
type view struct {
	// entries are the records in the order of the answer, duplicates included.
	entries []entry
	// paging is how the list goes on; token is the next token, where the list goes on by token.
	paging  schema.Paging
	more    bool
	token   string
	perPage int
	// sort and direction are the order that upstream reports; sorted says that upstream claims to
	// have sorted as asked.
	sorted          bool
	sort, direction string
}

// entry is one record as the scan sees it.
type entry struct {
	// digest covers the identifier and the order key.
	digest uint64
	// identity covers the bytes of the identifier alone.
	identity uint64
	// modified and created are zero where the record does not carry them.
	modified, created time.Time
	// raw is the record's bytes.
	raw []byte
	// day is the day that the list filters by, in canonical text; "" if there is none.
	day string
	// standIn says that the record is on the page but not among the normalized ones: it has no
	// times. twin says that it repeats another record of the page.
	standIn, twin bool
}

// canonicalTime is how package record writes instants.
const canonicalTime = "2006-01-02 15:04:05.999999-07"

// createdAt is the index, in a row, of the time of creation by which lists are ordered; -1 if there
// is none.
func createdAt(resource *schema.Resource) int {
	wire := resource.Created()
	for i, column := range resource.Columns {
		if wire != "" && column.Wire == wire {
			return i
		}
	}
	return -1
}

// viewOf gives the scan its view of the page. Rejected records count by their bytes: they are part
// of the list.
func viewOf(batch *pipeline.Batch, page pipeline.Page, asked pipeline.Request, mode pipeline.Mode) view {
	seen := view{
		entries: make([]entry, 0, batch.Received),
		paging:  asked.Stream.Resource.Paging,
		more:    page.More,
		token:   page.Token,
		perPage: page.PerPage,
		sorted:  page.Sort == asked.Sort && page.Order == asked.Order,
		sort:    page.Sort, direction: page.Order,
	}
	newest, created := mode == pipeline.ModeNewest, createdAt(asked.Stream.Resource)
	day := dayAt(asked.Stream.Resource)
	for i := range batch.Records {
		record := &batch.Records[i]
		e := entry{identity: digest(record.ID, ""), modified: record.Modified, raw: record.Raw}
		key := ""
		if newest {
			key = record.Modified.UTC().Format(canonicalTime)
		} else if created >= 0 {
			value := record.Tables[0][0].Values[created]
			key = value.Text
			e.created, _ = time.Parse(canonicalTime, value.Text) // zero where there is none
		}
		e.digest = digest(record.ID, key)
		if day >= 0 {
			e.day = record.Tables[0][0].Values[day].Text
		}
		seen.entries = append(seen.entries, e)
	}
	return seen.fill(batch)
}

// fill adds stand-ins for the records that are not in batch.Records, so that the page has the
// length that upstream sent.
func (v view) fill(batch *pipeline.Batch) view {
	for i := range batch.Rejected {
		d := digestOf(batch.Rejected[i].Raw, []byte{0})
		v.entries = append(v.entries, entry{digest: d, identity: d, standIn: true})
	}
	for range batch.Duplicates {
		v.entries = append(v.entries, entry{standIn: true, twin: true})
	}
	return v
}

func digest(id, key string) uint64 { return digestOf([]byte(id), []byte{0}, []byte(key)) }

func digestOf(parts ...[]byte) uint64 {
	h := fnv.New64a()
	for _, part := range parts {
		_, _ = h.Write(part) // a hash never fails
	}
	return h.Sum64()
}

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
	switch {
	case scan.Counting:
		return 0
	case scan.Count != nil && scan.Count.Proves: // the order of the answers does not matter
		return min(most, countedPages(scan))
	case scan.Overlap.Size > 0:
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

// maxTied is how many records may tie over page edges before a pass proves nothing.
const maxTied = 5000

// tie notes a record of a pass with its time in the order of the list. A list can break ties anew
// in each answer. It then shows one record on two pages and another one on none, and two passes can
// see the same of both. So a pass in which a record comes twice among its ties equals no other
// pass.
func (s *progress) tie(e entry, at time.Time) {
	if at.IsZero() {
		return
	}
	if !at.Equal(s.Tied.At) {
		s.Tied = pipeline.Tied{At: at}
	}
	if slices.Contains(s.Tied.Records, e.identity) || len(s.Tied.Records) >= maxTied {
		s.Suspect = true
		return
	}
	s.Tied.Records = append(s.Tied.Records, e.identity)
}
