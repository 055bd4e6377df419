// Package world is the business behind the simulated upstream: who buys, what
// is bought, billed, paid, returned and talked about, and when each record
// was made and last touched.
//
// Record i of a kind is computed from (seed, kind, i, number of edits) each
// time it is asked for; only creation time, modification time, edits and a
// deleted mark are held, so that half a million records cost some megabytes.
//
// The package knows no HTTP, no clock and no fault, and is not safe for
// concurrent writing: the sandbox holds the lock. Start reading with New, then
// AppendRecord; books says what a record says, records how it is written.
package world

import (
	"time"

	"sluice/sandbox/world/books"
	"sluice/sandbox/world/draw"
	"sluice/sandbox/world/ids"
	"sluice/sandbox/world/records"
	"sluice/sandbox/world/words"
)

// Kind is one resource of the world.
type Kind = ids.Kind

// The kinds.
const (
	Accounts    = ids.Accounts
	Payments    = ids.Payments
	Items       = ids.Items
	Bills       = ids.Bills
	CreditNotes = ids.CreditNotes
	Chats       = ids.Chats
)

// Form is the shape in which a record is written.
type Form = records.Form

// The forms; package records says what each leaves out.
const (
	Full           = records.Full
	Headers        = records.Headers
	Single         = records.Single
	WithoutBalance = records.WithoutBalance
)

const (
	historyDays = 3 * 365
	secondsADay = 86_400
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
	// ChatEpoch writes the times of chats in epoch milliseconds, not as time stamps.
	ChatEpoch bool
}

// World holds the state of every kind.
type World struct {
	seed   draw.Seed
	tables tables
	books  *books.Books
	author *records.Author
	orders map[orderKey]cachedOrder
}

// New computes the start of a world. The same settings give the same bytes.
func New(settings Settings) *World {
	total := max(settings.Records, 0)
	share := func(percent int) int { return max(minPerKind, total*percent/percentAll) }
	accounts := min(maxAccounts, max(minAccounts, total*2/percentAll)) // two percent, as Options.Records says.
	initial := [ids.Kinds]int{accounts, share(12), share(28), share(28), share(10), share(20)}
	w := &World{seed: draw.Seed(settings.Seed), orders: make(map[orderKey]cachedOrder)}
	for kind := range ids.Kinds {
		w.tables[kind] = fill(w.seed, kind, initial[kind], settings.Anchor.Unix()-1)
	}
	w.books = books.New(w.seed, books.Settings{Zone: settings.Zone, ChatEpoch: settings.ChatEpoch, Initial: initial}, &w.tables)
	w.author = records.New(w.books)
	return w
}

// Len is the number of records a kind ever had; indices run below it.
func (w *World) Len(kind Kind) int { return len(w.tables[kind].created) }

// Live tells whether record i exists now.
func (w *World) Live(kind Kind, i int) bool {
	return i >= 0 && i < w.Len(kind) && !w.tables[kind].deleted[i]
}

// Modified is the modification time of record i, in epoch seconds.
func (w *World) Modified(kind Kind, i int) int64 { return w.tables.Modified(kind, i) }

// ID is the identifier of record i: text of 18 digits.
func (w *World) ID(kind Kind, i int) string { return ids.Of(kind, i) }

// Index finds the record with an identifier; false if no live one has it.
func (w *World) Index(kind Kind, id string) (int, bool) {
	i, ok := ids.Index(kind, id)
	if !ok || !w.Live(kind, i) {
		return 0, false
	}
	return i, true
}

// AppendRecord appends record i as one JSON object. Chats are written as an
// object of the CSV columns with text values.
func (w *World) AppendRecord(dst []byte, kind Kind, i int, form Form) []byte {
	return w.author.Append(dst, kind, i, form)
}

// ChatFields lists the columns of the conversation export, in the document's order.
func ChatFields() []string { return books.ChatFields() }

// ChatField answers one column of chat i as text; false for an unknown column.
func (w *World) ChatField(i int, name string) (string, bool) { return w.books.ChatField(i, name) }

// BaseCurrencyID is the identifier of the organization's own currency.
func (w *World) BaseCurrencyID() string { return words.CurrencyOf(false).ID }
