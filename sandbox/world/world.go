// Package world is the business behind the simulated upstream: who buys, what
// is bought, billed, paid, returned and talked about, and when each record
// was made and last touched.
//
// Record i of a kind is computed from (seed, kind, i, number of edits) each
// time it is asked for; only creation time, modification time, edits and a
// deleted mark are held, so that half a million records cost some megabytes.
// A record that refers to another copies names and amounts as they were when
// that one was first written, as bookkeeping does: an edit of an item never
// changes a bill.
//
// The package knows no HTTP, no clock and no fault, and is not safe for
// concurrent writing: the sandbox holds the lock. Start reading with New, then
// AppendRecord.
package world

import (
	"fmt"
	"strconv"
	"time"
)

// Kind is one resource of the world.
type Kind int

// The kinds, in the order in which references may be followed.
const (
	Accounts Kind = iota
	Payments
	Items
	Bills
	CreditNotes
	Chats
	kinds
)

const (
	idBase      = 460_000_000_000_000_000 // first of the 18-digit ids
	idPerKind   = 10_000_000_000_000
	idPerRecord = 1000 // a record's children use the numbers behind its own
	idPerGroup  = 100_000_000
	historyDays = 3 * 365
	secondsADay = 86_400
	tieBlock    = 64 // records that may share a second
	minPerKind  = 3
	minAccounts = 12
	maxAccounts = 400
	percentAll  = 100
)

// Settings say which world to compute.
type Settings struct {
	Seed    int64
	Records int            // over all kinds; each kind has at least a few
	Zone    *time.Location // of the organization; time stamps are written in it
	Anchor  time.Time      // the newest record is older than this instant
}

// World holds the state of every kind.
type World struct {
	settings Settings
	words    vocabulary
	tables   [kinds]table
	initial  [kinds]int // sizes at the start: references stay inside them
	children []int      // sub-accounts per root account
	orders   map[orderKey]cachedOrder
}

type table struct {
	created  []int64 // epoch seconds
	modified []int64
	edits    []uint16
	deleted  []bool
	version  int // moves with each change of the table
}

// New computes the start of a world. The same settings give the same bytes.
func New(settings Settings) *World {
	w := &World{settings: settings, words: newVocabulary(), orders: make(map[orderKey]cachedOrder)}
	total := max(settings.Records, 0)
	share := func(percent int) int { return max(minPerKind, total*percent/percentAll) }
	accounts := min(maxAccounts, max(minAccounts, total*2/percentAll)) // two percent, as Options.Records says.
	w.initial = [kinds]int{accounts, share(12), share(28), share(28), share(10), share(20)}
	for kind := range kinds {
		w.fill(kind, w.initial[kind])
	}
	w.children = make([]int, rootAccounts)
	for i := range accounts {
		if parent, ok := w.parentAccount(i); ok {
			w.children[parent]++
		}
	}
	return w
}

// fill lays creation and modification times: creation rises with the index,
// in groups that share one second (imports, bulk edits).
func (w *World) fill(kind Kind, size int) {
	t := &w.tables[kind]
	t.created = make([]int64, size)
	t.modified = make([]int64, size)
	t.edits = make([]uint16, size)
	t.deleted = make([]bool, size)
	groups := [...]int{1, 1, 2, 5, 16, tieBlock}
	end := w.settings.Anchor.Unix() - 1
	span := int64(historyDays * secondsADay)
	for i := range size {
		block := i / tieBlock
		group := groups[w.draw(kind, block, fieldGroup, len(groups))]
		first := i - (i%tieBlock)%group
		t.created[i] = end - span + span*int64(first)/int64(size)
		touched := t.created[i]
		switch w.draw(kind, first, fieldTouched, 5) { // two in five were never edited.
		case 0, 1:
		case 2: // edited alone
			touched += int64(w.draw(kind, i, fieldTouched, 90*secondsADay))
		default: // edited in bulk, in one second
			touched += int64(w.draw(kind, first, fieldBulk, 90*secondsADay))
		}
		t.modified[i] = min(touched, end)
	}
}

// Len is the number of records a kind ever had; indices run below it.
func (w *World) Len(kind Kind) int { return len(w.tables[kind].created) }

// Live tells whether record i exists now.
func (w *World) Live(kind Kind, i int) bool {
	return i >= 0 && i < w.Len(kind) && !w.tables[kind].deleted[i]
}

// Modified is the modification time of record i, in epoch seconds.
func (w *World) Modified(kind Kind, i int) int64 { return w.tables[kind].modified[i] }

// ID is the identifier of record i: text of 18 digits.
func (w *World) ID(kind Kind, i int) string { return strconv.FormatInt(idOf(kind, i), 10) }

// Index finds the record with an identifier; false if no live one has it.
func (w *World) Index(kind Kind, id string) (int, bool) {
	number, err := strconv.ParseInt(id, 10, 64)
	if err != nil {
		return 0, false
	}
	offset := number - idOf(kind, 0)
	i := int(offset / idPerRecord)
	if offset < 0 || offset%idPerRecord != 0 || !w.Live(kind, i) {
		return 0, false
	}
	return i, true
}

// BaseCurrencyID is the identifier of the organization's own currency.
func (w *World) BaseCurrencyID() string { return currencyOf(false).id }

// stamp writes an instant the way the services do: the organization's zone,
// no colon in the offset, whole seconds.
func (w *World) stamp(seconds int64) string {
	return time.Unix(seconds, 0).In(w.settings.Zone).Format("2006-01-02T15:04:05-0700")
}

// day writes the date of an instant, some days later, in the organization's zone.
func (w *World) day(seconds int64, later int) string {
	return time.Unix(seconds, 0).In(w.settings.Zone).AddDate(0, 0, later).Format(time.DateOnly)
}

func (w *World) created(kind Kind, i int) int64 { return w.tables[kind].created[i] }

func (w *World) edits(kind Kind, i int) int { return int(w.tables[kind].edits[i]) }

func idOf(kind Kind, i int) int64 {
	return idBase + (int64(kind)+1)*idPerKind + int64(i+1)*idPerRecord
}

// childID numbers what belongs to record i: lines, payments of a bill.
func childID(kind Kind, i, child int) string {
	return strconv.FormatInt(idOf(kind, i)+int64(child)+1, 10)
}

// fixedID numbers what is no resource here: currencies, vendors, taxes.
func fixedID(group, n int) string {
	return strconv.FormatInt(idBase+int64(group)*idPerGroup+int64(n), 10)
}

func number(prefix string, n int) string { return fmt.Sprintf("%s-%05d", prefix, n) }
