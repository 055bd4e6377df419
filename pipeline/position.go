package pipeline

import (
	"time"

	"sluice/pipeline/outside"
)

// Claim is the right to write to a stream until another worker claims it.
type Claim struct {
	Stream Stream
	// Fence grows with every claim; a write with an older one is refused.
	Fence int64
	// Timeline is the history of the database in which the claim was given. On another one the
	// database may have forgotten what was written under the claim, which is then void.
	Timeline string
	// Run is the run under way; Opened says that the claim opened it.
	Run    int64
	Opened bool
	// Position is the stream's position when it was claimed.
	Position Position
	// Capabilities are the verdicts on the list. Late is how late writes became visible in it,
	// reduced with the time since.
	Capabilities Capabilities
	Late         time.Duration
	// Failing says that the attempt before failed, in this run or in the last one.
	Failing bool
	// Suspected says that an earlier scan of the whole list missed some of its rows. The next such
	// scan decides about them.
	Suspected bool
	// Reread says that it is time to read rejected records of the list again, and that no sweep
	// does so. This run therefore reads the whole list.
	Reread bool
	// CountEvery is the least time between two counts of the list by runs that do not read it whole;
	// zero if it is not to be counted. CountAge is the time since the last one.
	CountEvery, CountAge time.Duration
	// WholeAge is the time since the last clean run began.
	WholeAge time.Duration
}

// Position is the watermark and, if a scan is half-finished, its progress.
type Position struct {
	// Watermark is the instant up to which the stream is complete; zero if it never was.
	Watermark time.Time
	// ScannedUntil is upstream's clock when the last clean run began; zero if unknown. The
	// watermark stays behind it by the lag.
	ScannedUntil time.Time
	// Scan is the half-finished scan; nil between runs.
	Scan *Scan
}

// clockSlack is how far the clocks may differ where ScannedUntil is unknown.
const clockSlack = 24 * time.Hour

// WatermarkAhead reports whether the watermark is later than any clean run can have left it.
// Something else has then moved it, and the next run would skip changes before it. A clean run
// leaves the watermark at ScannedUntil or earlier, which is upstream's clock. Only where that is
// unknown does now, the clock of this process, decide.
func (p Position) WatermarkAhead(now time.Time) bool {
	if p.ScannedUntil.IsZero() {
		return p.Watermark.After(now.Add(clockSlack))
	}
	return p.Watermark.After(p.ScannedUntil)
}

// Scan is the progress of reading a list. It commits with the rows.
type Scan struct {
	// Mode is how the list is read in this run.
	Mode Mode `json:"mode"`
	// Started is upstream's clock at the first answer of the run.
	Started time.Time `json:"started"`
	// Bound is the lower bound of the modification times that this run reads; zero if it reads
	// everything.
	Bound time.Time `json:"bound,omitzero"`
	// Recent is where a run reads from that begins before Settles and has more than a page to read:
	// the last clean run had just read what is older. Zero if there was none.
	Recent  time.Time `json:"recent,omitzero"`
	Settles time.Time `json:"settles,omitzero"`
	// Page is the page to request next, PerPage the page size of the passes.
	Page    int `json:"page"`
	PerPage int `json:"per_page"`
	// Pass counts from 1.
	Pass int `json:"pass"`
	// Seen and Digest are the count and the digest of the records of this pass so far; LastSeen and
	// LastDigest are those of the whole pass before.
	Seen       int64  `json:"seen"`
	Digest     uint64 `json:"digest"`
	LastSeen   int64  `json:"last_seen"`
	LastDigest uint64 `json:"last_digest"`
	// LastPages is how many pages the pass before had; zero if there is none to compare with.
	// Prefetched says that pages of this pass were requested before the page in front of them had
	// arrived; LastPrefetched says the same of the pass before.
	LastPages      int  `json:"last_pages,omitempty"`
	Prefetched     bool `json:"ahead,omitempty"`
	LastPrefetched bool `json:"last_ahead,omitempty"`
	// ByCreation says that the list is asked for in the order of creation, because its own order is
	// another one.
	ByCreation bool `json:"by_creation,omitempty"`
	// ByModification says that the whole list is asked for in the order of modification, oldest
	// first, because keyset paging may work from there on.
	ByModification bool `json:"by_modification,omitempty"`
	// Order is the order that upstream reported for the first page of the pass.
	Order string `json:"order,omitempty"`
	// Tied are the records of this pass that tie with the last one.
	Tied Tied `json:"tied,omitzero"`
	// Overlap is the progress of a pass of overlapping pages. In ModeKeyset it is where that pass
	// goes on if the list cannot be read by keyset.
	Overlap Overlap `json:"overlap,omitzero"`
	// PageDigest is the digest of the page before, PageMiddle that of the record in its middle. They
	// detect a repeated page, also one that now shows other records among ties at its end.
	PageDigest uint64 `json:"page_digest"`
	PageMiddle uint64 `json:"page_middle,omitempty"`
	// Edge is the order key of the last record of the page before.
	Edge time.Time `json:"edge,omitzero"`
	// Token requests the next page, where lists go on by token. Anchor is the digest of an earlier
	// token of the pass. It detects circles.
	Token  string `json:"token,omitempty"`
	Anchor uint64 `json:"anchor,omitempty"`
	// Keyset is the progress of keyset paging.
	Keyset Keyset `json:"keyset,omitzero"`
	// Look is the progress of a look for deletions.
	Look *Look `json:"look,omitempty"`
	// Counting says that the next request asks how many records the list has; Count is the answer,
	// nil if there is none. Summing says that it asks for the sums of columns, too. Differed says that
	// a reading of this run came to another number.
	Counting bool   `json:"counting,omitempty"`
	Summing  bool   `json:"summing,omitempty"`
	Count    *Count `json:"count,omitempty"`
	Differed bool   `json:"differed,omitempty"`
	// Parent is the parent whose list is being read.
	Parent string `json:"parent,omitempty"`
	// Spent is how many calls the run spent so far. Done counts the details or parents that it has
	// finished, Failed those of them that could not be read. Total is how many details there were
	// to read when it began.
	Spent  int `json:"spent,omitempty"`
	Done   int `json:"done,omitempty"`
	Failed int `json:"failed,omitempty"`
	Total  int `json:"total,omitempty"`
	// Partial says that the run reads only a part of the list, so its end moves no watermark.
	Partial bool `json:"partial,omitempty"`
	// Once says that one pass is enough, because no watermark depends on it. Windows, if set, are
	// the windows of days in which the list is read.
	Once    bool     `json:"once,omitempty"`
	Windows *Windows `json:"windows,omitempty"`
	// Stuck counts pages in a row that brought nothing: empty with more to follow, or equal to the
	// page before. For details it counts identifiers in a row that upstream does not know.
	Stuck int `json:"stuck,omitempty"`
	// Suspect says that a page of this pass brought nothing in that way. Its records may be
	// missing, so the pass proves nothing.
	Suspect bool `json:"suspect,omitempty"`
	// Doubt says why this run can prove no record absent, however it ends.
	Doubt outside.Text `json:"doubt,omitempty"`
	// Note says how upstream differed from what was expected.
	Note outside.Text `json:"note,omitempty"`
}

// Overlap is the progress of a pass in which each page shows a record of the page before
// (docs/decisions/0007-paging-by-number).
type Overlap struct {
	// Size is the size of the largest page; zero if the pages of the pass do not overlap.
	Size int `json:"size"`
	// Unsized is how many records a page holds if no size is asked for; zero if that is not more.
	Unsized int `json:"unsized,omitempty"`
	// Links are records of the page before. The next page has to show one of them.
	Links []Link `json:"links,omitempty"`
	// Covered is how many records, from the first of the list, the linked pages reach over.
	Covered int `json:"covered,omitempty"`
	// Falls says that the times of the records fall from one to the next.
	Falls bool `json:"falls,omitempty"`
	// Retries counts pages in a row that showed no link, Calm pages since one was requested that
	// could not be foreseen.
	Retries int `json:"retries,omitempty"`
	Calm    int `json:"calm,omitempty"`
}

// Count is how many records upstream says that a list has (docs/decisions/0037-totals).
type Count struct {
	// Tally is what it counts; Call is the call that brought it.
	Tally

	Call int64 `json:"call"`
	// From and To are instants by upstream's clock, one before it counted and one after.
	From time.Time `json:"from"`
	To   time.Time `json:"to"`
	// Proves says that the number is the proof of the reading: the pages need not overlap. Read says
	// that the last page is read, so that the records of the reading can be counted; Proof is what
	// else proves it, "" if nothing does.
	Proves bool  `json:"proves,omitempty"`
	Read   bool  `json:"read,omitempty"`
	Proof  Proof `json:"proof,omitempty"`
	// Unsure counts records that do not fit and may have been created after the count.
	Unsure int `json:"unsure,omitempty"`
}

// Seen are the records that are compared with a count of upstream.
type Seen struct {
	// Before are those that were created before the count. Between were created while upstream
	// counted: whether they are in the number is unknown, so nothing follows from it.
	Before, Between int
	// Sums are those of the columns that upstream summed up; empty where one cannot be compared, since
	// a record was edited meanwhile, is in quarantine or has no value.
	Sums Sums
}

// Tied are records with the same time in the order of their list.
type Tied struct {
	At time.Time `json:"at"`
	// Records are digests of their identifiers.
	Records []uint64 `json:"records"`
}

// Link is a record as one answer showed it: digests of its identifier and of its bytes.
type Link struct {
	Record  uint64 `json:"record"`
	Content uint64 `json:"content"`
}

// Keyset is the progress of a scan by keyset paging: each request is for page 1, from the
// modification time of the last record on (docs/decisions/0008-keyset-paging). Instants are whole
// seconds.
type Keyset struct {
	// From is the inclusive lower bound of the next request; zero begins at the first record.
	From time.Time `json:"from,omitzero"`
	// Expect is a second of which the answer has to show a record; zero if there is no such demand.
	Expect time.Time `json:"expect,omitzero"`
	// Tie is a second with more records than fit one page; zero if there is none. The scan reads
	// the records of that second by page number, and its passes are passes over that second.
	Tie time.Time `json:"tie,omitzero"`
	// Answers counts pages. Absent counts pages in a row without the expected record. Beyond counts
	// pages with only records that were written after the run began.
	Answers int `json:"answers,omitempty"`
	Absent  int `json:"absent,omitempty"`
	Beyond  int `json:"beyond,omitempty"`
}

// Mode is a closed set: how a run reads its list.
type Mode string

// The modes.
const (
	// ModeSince: the list is filtered by modification time.
	ModeSince Mode = "since"
	// ModeNewest: the list is sorted by modification time, newest first.
	ModeNewest Mode = "newest"
	// ModeKeyset: the list is filtered by modification time and sorted by it in ascending order.
	// Each request is for page 1, from the last record on.
	ModeKeyset Mode = "keyset"
	// ModeFull: the whole list is read.
	ModeFull Mode = "full"
	// ModeExport: the list is read as one CSV body.
	ModeExport Mode = "export"
	// ModeLook: single pages are read in the order of creation, where rows may be missing.
	ModeLook Mode = "look"
)
