// Package world is the business behind the simulated upstream: its buyers, purchases, bills,
// payments, returns and talks, with the creation and modification time of each record.
//
// Record i of a kind is computed from (seed, kind, i, number of edits) on demand. The world holds
// only creation time, modification time, edits and a deleted flag, so that half a million records
// cost some megabytes.
//
// The package knows no HTTP, no clock and no fault, and is not safe for concurrent writing: the
// sandbox holds the lock. Start reading with New, then AppendRecord. Package books computes the
// content of a record, package records writes it.
package world

import (
	"time"

	"sluice/sandbox/world/books"
	"sluice/sandbox/world/draw"
	"sluice/sandbox/world/ids"
	"sluice/sandbox/world/journal"
	"sluice/sandbox/world/ledger/keys"
	"sluice/sandbox/world/live"
	"sluice/sandbox/world/overlay"
	"sluice/sandbox/world/records"
	"sluice/sandbox/world/words"
)

const (
	historyDays = 3 * 365
	secondsADay = 86_400
)

// Settings say which world to compute.
type Settings struct {
	Seed    int64
	Records int            // over all kinds of which a business has many; each kind has at least a few
	Zone    *time.Location // of the organization; time stamps are written in it
	Anchor  time.Time      // the newest record is older than this instant
	// ChatEpoch writes the times of chats in epoch milliseconds, not as time stamps.
	ChatEpoch bool
	// Demo fills keys of some records that few businesses ever fill.
	Demo bool
	// AsLive writes records as live services do: package live.
	AsLive bool
	// Modules are the names of custom modules, Networks those of chat networks.
	Modules, Networks []string
	// Base makes the books close, in this currency: an ISO code of ledger.Bases. "" computes a
	// world of single records.
	Base string
	// Organization is the owner's id; Number chooses its name.
	Organization string
	Number       int
}

// World holds the state of every kind.
type World struct {
	seed   draw.Seed
	tables tables
	books  *books.Books
	author *records.Author
	live   *live.Author // nil for records as the documents show them
	held   map[Query]heldOrder

	closing *closing // nil for a world of single records

	overlay overlay.Overlay // records written through the API
	terms   readTerms
	journal journal.Journal // events that the counts of edits do not tell

	watched  bool
	happened []Happening
	noted    map[[2]int]int // place in happened by kind and index
}

// New computes the initial world. The same settings give the same bytes.
func New(settings Settings) *World {
	w := &World{seed: draw.Seed(settings.Seed)}
	content := books.Settings{
		Zone: settings.Zone, ChatEpoch: settings.ChatEpoch, Demo: settings.Demo, Modules: settings.Modules, Networks: settings.Networks,
		Organization: books.Organization{ID: settings.Organization, Name: words.Company(settings.Number), TimeZone: settings.Zone.String()},
		Initial:      shares(settings),
	}
	if w.closing = closingOf(settings, w.seed); w.closing != nil {
		w.closing.count(&content)
	}
	w.books = books.New(w.seed, content, &w.tables, &w.journal)
	for kind := range ids.Kinds {
		w.tables[kind] = fill(w.seed, kind, w.books.Initial[kind], settings.Anchor.Unix()-1)
	}
	w.author = records.New(w.books)
	if w.closing != nil {
		w.closing.begin(w)
	}
	if settings.AsLive {
		w.live = live.New(w.books)
	}
	return w
}

// Len returns the number of records that a kind ever had; indices are below it.
func (w *World) Len(kind Kind) int { return len(w.tables[kind].created) }

// Live reports whether record i exists now.
func (w *World) Live(kind Kind, i int) bool {
	return i >= 0 && i < w.Len(kind) && !w.tables[kind].deleted[i]
}

// Modified returns the modification time of record i, in epoch seconds.
func (w *World) Modified(kind Kind, i int) int64 { return w.tables.Modified(kind, i) }

// ID returns the identifier of record i, as its list carries it: text of 18 digits, except for
// organizations.
func (w *World) ID(kind Kind, i int) string {
	switch kind {
	case Organizations:
		return w.books.Organization.ID
	case NetworkChannels, NetworkChats:
		return ids.Of(kind, w.books.Within(i))
	default:
		return ids.Of(kind, i)
	}
}

// Name returns a unique name of record i within its kind: its identifier, after that of its network
// where identifiers repeat.
func (w *World) Name(kind Kind, i int) string {
	if kind == NetworkChannels || kind == NetworkChats {
		return w.Under(kind, i) + "/" + w.ID(kind, i)
	}
	return w.ID(kind, i)
}

// Index returns the live record with an identifier; false if there is none. In networks it is that
// of the first network.
func (w *World) Index(kind Kind, id string) (int, bool) {
	i, ok := ids.Index(kind, id)
	if !ok || !w.Live(kind, i) {
		return 0, false
	}
	return i, true
}

// Under returns the parent of record i as in the path of its list; "" for lists without parents.
func (w *World) Under(kind Kind, i int) string {
	if written := w.overlay.Find(kind, i); written != nil {
		return written.Under
	}
	return w.books.Under(kind, i)
}

// Parents returns the parents of a list; nil for lists without parents.
func (w *World) Parents(kind Kind) []string { return w.books.Parents(kind) }

// AppendRecord appends record i as one JSON object. Chats are objects of the CSV columns with text
// values.
func (w *World) AppendRecord(dst []byte, kind Kind, i int, form Form) []byte {
	if w.live == nil || !w.live.Has(kind) {
		return w.appendDocumented(dst, kind, i, form)
	}
	view, whole := live.Merged, Full
	switch form {
	case Headers:
		view = live.List
	case WithoutBalance:
		view, whole = live.List, WithoutBalance
	case Single:
		view = live.Single
	case Full:
	}
	if w.closes(kind, i) && w.overlay.Find(kind, i) == nil {
		laid := w.live.Lay(nil, w.appendDocumented(nil, kind, i, whole), kind, i, view)
		return w.values(kind, i).Correct(dst, laid, keys.Live(kind))
	}
	return w.live.Lay(dst, w.appendDocumented(nil, kind, i, whole), kind, i, view)
}

// Documented returns record i with the keys that the documents name, as writes change it.
func (w *World) Documented(kind Kind, i int) []byte { return w.appendDocumented(nil, kind, i, Full) }

func (w *World) appendDocumented(dst []byte, kind Kind, i int, form Form) []byte {
	if written := w.overlay.Find(kind, i); written != nil {
		return written.Lay(dst, w.appendGenerated(nil, kind, i, form))
	}
	return w.appendGenerated(dst, kind, i, form)
}

// AppendPreview appends the effect of a rate in millionths on the accounts of a currency; false if
// there is no such currency.
func (w *World) AppendPreview(dst []byte, currency, day string, rate int64, notes string) ([]byte, bool) {
	i, found := w.Index(Currencies, currency)
	if !found {
		return dst, false
	}
	return w.author.AppendPreview(dst, words.CurrencyAt(i), day, rate, notes), true
}

// ChatFields returns the columns of the conversation export, in the document's order.
func ChatFields() []string { return books.ChatFields() }

// ChatField returns one column of chat i, of the organization or of its networks, as text; false
// for an unknown column.
func (w *World) ChatField(kind Kind, i int, name string) (string, bool) {
	return w.books.ChatField(kind, i, name)
}

// Channel reports whether channel i was joined, and whether it was pinned.
func (w *World) Channel(kind Kind, i int) (bool, bool) {
	channel := w.books.ChannelAt(kind, i)
	return channel.Joined, channel.Pinned
}

const tieBlock = 64 // records that may share a second

// table is the state of the records of one kind, by index.
type table struct {
	created  []int64 // epoch seconds
	modified []int64
	edits    []uint16
	deleted  []bool
	version  int // moves with each change of the table
}

// tables are the state behind the books.
type tables [ids.Kinds]table

// Edits returns how often record i was edited.
func (t *tables) Edits(kind Kind, i int) int { return int(t[kind].edits[i]) }

// Created returns the creation time of record i, in epoch seconds.
func (t *tables) Created(kind Kind, i int) int64 { return t[kind].created[i] }

// Modified returns the modification time of record i, in epoch seconds.
func (t *tables) Modified(kind Kind, i int) int64 { return t[kind].modified[i] }

// fill sets creation and modification times. Creation rises with the index, in groups that share
// one second (imports, bulk edits), none after end.
func fill(seed draw.Seed, kind Kind, size int, end int64) table {
	t := table{created: make([]int64, size), modified: make([]int64, size), edits: make([]uint16, size), deleted: make([]bool, size)}
	groups := [...]int{1, 1, 2, 5, 16, tieBlock}
	span := int64(historyDays * secondsADay)
	for i := range size {
		block := i / tieBlock
		group := groups[seed.Draw(kind, block, draw.Group, len(groups))]
		first := i - (i%tieBlock)%group
		t.created[i] = end - span + span*int64(first)/int64(size)
		touched := t.created[i]
		switch seed.Draw(kind, first, draw.Touched, 5) { // two in five were never edited.
		case 0, 1:
		case 2: // edited alone
			touched += int64(seed.Draw(kind, i, draw.Touched, 90*secondsADay))
		default: // edited in bulk, in one second
			touched += int64(seed.Draw(kind, first, draw.Bulk, 90*secondsADay))
		}
		if touched > end {
			touched = t.created[i] // that edit is still to come
		}
		t.modified[i] = touched
	}
	return t
}
