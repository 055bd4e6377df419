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
	// Run is the run under way; Opened says that the claim opened it.
	Run    int64
	Opened bool
	// Position is where the stream stands.
	Position Position
	// Capabilities are what is known of the list, and Late is how late writes became visible in it,
	// as far as that has not faded.
	Capabilities Capabilities
	Late         time.Duration
	// Suspected says that an earlier scan of the whole list did not see some of its rows, and that
	// the next one decides about them.
	Suspected bool
	// Reread says that records of the list are in quarantine which it is time to ask for again, and
	// that no sweep does: this run reads the list whole.
	Reread bool
}

// Position is the watermark and, if a scan is half-finished, where it stands.
type Position struct {
	// Watermark is the instant up to which the stream is complete; zero if never.
	Watermark time.Time
	// ScannedUntil is upstream's clock when the last clean run began, which the watermark lags
	// behind; zero if it is not known.
	ScannedUntil time.Time
	// Scan is the half-finished scan; nil between runs.
	Scan *Scan
}

// clockSlack is how far clocks may differ where it is not known when a list was read.
const clockSlack = 24 * time.Hour

// WatermarkAhead says that the watermark is later than any clean run left it: something else moved
// it, and what changed until then would be passed over. A clean run leaves the watermark before the
// instant at which upstream's clock stood when it began, so the clocks of the database and of this
// process decide nothing; now does where that instant is unknown.
func (p Position) WatermarkAhead(now time.Time) bool {
	if p.ScannedUntil.IsZero() {
		return p.Watermark.After(now.Add(clockSlack))
	}
	return p.Watermark.After(p.ScannedUntil)
}

// Scan is the progress of a list being read. It is stored with the rows.
type Scan struct {
	// Mode is how the list is read in this run.
	Mode Mode `json:"mode"`
	// Started is upstream's clock at the first answer of the run.
	Started time.Time `json:"started"`
	// Bound is the lower bound of this run; zero if everything is read.
	Bound time.Time `json:"bound,omitzero"`
	// Page is the page to ask next, PerPage the size the passes are read with.
	Page    int `json:"page"`
	PerPage int `json:"per_page"`
	// Pass counts from 1.
	Pass int `json:"pass"`
	// Seen and Digest are what this pass saw so far; LastSeen and LastDigest what the pass before
	// saw in all.
	Seen       int64  `json:"seen"`
	Digest     uint64 `json:"digest"`
	LastSeen   int64  `json:"last_seen"`
	LastDigest uint64 `json:"last_digest"`
	// LastPages is how many pages the pass before had; zero if there is none to compare with. Ahead
	// says that pages of this pass were asked for before the one in front of them was there,
	// LastPrefetched the same of the pass before.
	LastPages      int  `json:"last_pages,omitempty"`
	Prefetched     bool `json:"ahead,omitempty"`
	LastPrefetched bool `json:"last_ahead,omitempty"`
	// PageDigest is the digest of the page before, against repeated pages.
	PageDigest uint64 `json:"page_digest"`
	// Edge is the order key of the last record of the page before.
	Edge time.Time `json:"edge,omitzero"`
	// Token is what the next page is asked for with, where lists go on by token, and Anchor the
	// digest of an earlier one of the pass, against circles.
	Token  string `json:"token,omitempty"`
	Anchor uint64 `json:"anchor,omitempty"`
	// Keyset is where a list that is re-anchored stands.
	Keyset Keyset `json:"keyset,omitzero"`
	// Parent is the parent whose list is being read.
	Parent string `json:"parent,omitempty"`
	// Spent is how many calls the run spent so far. Done counts the details or parents that it is
	// through with, Failed those of them that could not be read; Total is how many details there
	// were to read when it began.
	Spent  int `json:"spent,omitempty"`
	Done   int `json:"done,omitempty"`
	Failed int `json:"failed,omitempty"`
	Total  int `json:"total,omitempty"`
	// Partial says that what the run reads is not all there is: its end moves no watermark.
	Partial bool `json:"partial,omitempty"`
	// Once says that one pass is enough, as no watermark depends on it, and Windows that the list
	// is read in windows by day.
	Once    bool     `json:"once,omitempty"`
	Windows *Windows `json:"windows,omitempty"`
	// Stuck counts pages in a row that brought nothing: empty with more to follow, or equal to the
	// page before; for details, identifiers that upstream does not know.
	Stuck int `json:"stuck,omitempty"`
	// Suspect says that a page of this pass brought nothing in that way: what it should have
	// brought may be missing, so the pass proves nothing.
	Suspect bool `json:"suspect,omitempty"`
	// Doubt says why what the run does not see proves nothing, however it ends.
	Doubt outside.Text `json:"doubt,omitempty"`
	// Note says in which way upstream differed from what was expected.
	Note outside.Text `json:"note,omitempty"`
}

// Keyset is the anchor of a scan that asks for page 1 again and again, each time from the
// modification time of the last record on (docs/decisions/0017-keyset-paging). Instants are whole
// seconds.
type Keyset struct {
	// From is what is asked for next, inclusively; zero asks from the beginning.
	From time.Time `json:"from,omitzero"`
	// Expect is a second of which the answer has to show a record; zero if none has to be.
	Expect time.Time `json:"expect,omitzero"`
	// Tie is a second of more records than a page, which is walked by page number; zero if none is.
	// The passes of the scan are then walks over it.
	Tie time.Time `json:"tie,omitzero"`
	// Answers counts pages; Absent those in a row that did not show what was expected; Beyond those
	// that brought only what was written after the run began.
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
	// ModeKeyset: the list is filtered by modification time, in ascending order of it, and page 1
	// is asked for again from the last record on.
	ModeKeyset Mode = "keyset"
	// ModeFull: everything is read.
	ModeFull Mode = "full"
	// ModeExport: one CSV body.
	ModeExport Mode = "export"
)
