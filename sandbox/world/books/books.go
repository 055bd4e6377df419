// Package books is the business itself: orders, bills, payments, returns and talks, in amounts,
// names and states, so that the books balance. Every value is computed on demand from the seed, the
// record's number and its edits. A record that refers to another copies names and amounts as of the
// first version of that one, as bookkeeping does: an edit of an item never changes a bill.
//
// It writes no JSON and holds no state: later events are in State and in package journal. Start
// reading with Books and BillAt.
package books

import (
	"strconv"
	"time"

	"sluice/sandbox/world/draw"
	"sluice/sandbox/world/ids"
	"sluice/sandbox/world/journal"
	"sluice/sandbox/world/words"
)

// Settings describe the business.
type Settings struct {
	Zone *time.Location // of the organization; time stamps are written in it
	// ChatEpoch writes the times of chats in epoch milliseconds, not as time stamps.
	ChatEpoch bool
	// Demo fills keys of some records that few businesses ever fill.
	Demo bool
	// Modules are the names of custom modules, Networks those of chat networks.
	Modules, Networks []string
	// Suppliers and Clients are the numbers of vendors and customers; 0 lets them grow with the
	// world.
	Suppliers, Clients int
	// Organization is the owner of the books.
	Organization Organization
	// Initial is the number of records of each kind at the start: references stay among them. New
	// counts the persons itself.
	Initial [ids.Kinds]int
}

// Organization holds what distinguishes a business in GET /organizations (docs/upstream.md U151).
type Organization struct{ ID, Name, TimeZone string }

// State holds the history of record i of a kind: its number of edits, and its creation and
// modification times in epoch seconds.
type State interface {
	Edits(kind ids.Kind, i int) int
	Created(kind ids.Kind, i int) int64
	Modified(kind ids.Kind, i int) int64
}

// Books compute the content of records. They are as safe for concurrent use as State is.
type Books struct {
	draw.Seed
	Settings
	State
	*journal.Journal

	Words    words.Vocabulary
	Calendar *Calendar
	children []int              // sub-accounts per root account
	owners   map[ids.Kind][]int // contact of each person of the start, by number
}

// New returns the books of a seed.
func New(seed draw.Seed, settings Settings, state State, kept *journal.Journal) *Books {
	w := &Books{Seed: seed, Settings: settings, State: state, Journal: kept, Words: words.New(), children: make([]int, RootAccounts)}
	w.Calendar = NewCalendar(settings.Zone)
	w.owners = map[ids.Kind][]int{
		ids.ContactPersons:  w.populate(ids.ContactPersons, w.Vendors()+w.Customers()),
		ids.CustomerPersons: w.populate(ids.CustomerPersons, w.Customers()),
	}
	for kind, owners := range w.owners {
		w.Initial[kind] = len(owners)
	}
	for i := range settings.Initial[ids.Accounts] {
		if parent, ok := w.ParentAccount(i); ok {
			w.children[parent]++
		}
	}
	return w
}

// Stamp formats an instant as the services do: the organization's zone, no colon in the offset,
// whole seconds.
func (w *Books) Stamp(seconds int64) string { return string(w.Calendar.AppendStamp(nil, seconds)) }

// Day formats the date of an instant, some days later, in the organization's zone.
func (w *Books) Day(seconds int64, later int) string {
	return string(w.Calendar.AppendDay(nil, seconds, later))
}

// Number formats the number of a document, such as BILL-00001.
func Number(prefix string, n int) string {
	const zeroes = "-00000"
	digits := strconv.Itoa(n)
	return prefix + zeroes[:max(1, len(zeroes)-len(digits))] + digits
}

// Matches reports whether record i passes the filter_by value of its list, without the prefix
// (docs/upstream.md U165, U175, U180, U208 and U223). Every record passes an unknown filter, which
// is ignored.
func (w *Books) Matches(kind ids.Kind, i int, filter string) bool {
	switch kind {
	case ids.Accounts:
		return filter == "" || w.AccountMatches(i, filter)
	case ids.Payments:
		return w.paymentMatches(i, filter)
	case ids.CreditNotes:
		return filter == "" || filter == "All" || filter == map[string]string{
			"draft": "Draft", "open": "Open", "closed": "Closed", "void": "Void",
		}[w.NoteStatus(i)]
	case ids.Taxes:
		return filter == "" || filter == "All" || TaxActive(i) == (filter == "Active")
	case ids.Currencies:
		return filter != "ExcludeBaseCurrency" || i > 0
	case ids.CompositeItems:
		return w.compositeMatches(i, filter)
	default:
		return true
	}
}

func (w *Books) paymentMatches(p int, filter string) bool {
	return filter == "" || filter == "All" || filter == map[string]string{
		"bank_transfer": "BankTransfer", "check": "Check", "cash": "Cash", "Bank Remittance": "BankRemittance",
	}[w.PaymentMode(p)]
}

func (w *Books) compositeMatches(i int, filter string) bool {
	stock, level := w.CompositeStock(i)
	switch filter {
	case "Active":
		return w.CompositeActive(i)
	case "Inactive":
		return !w.CompositeActive(i)
	case "Lowstock":
		return stock < level
	default:
		return true
	}
}
