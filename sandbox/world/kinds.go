package world

import (
	"sluice/sandbox/world/books"
	"sluice/sandbox/world/ids"
	"sluice/sandbox/world/records"
	"sluice/sandbox/world/words"
)

// Kind is one resource of the world.
type Kind = ids.Kind

// The kinds.
const (
	Accounts        = ids.Accounts
	Payments        = ids.Payments
	Items           = ids.Items
	Bills           = ids.Bills
	CreditNotes     = ids.CreditNotes
	Chats           = ids.Chats
	Locations       = ids.Locations
	Taxes           = ids.Taxes
	Currencies      = ids.Currencies
	CompositeItems  = ids.CompositeItems
	OpeningBalances = ids.OpeningBalances
	Adjustments     = ids.Adjustments
	ModuleRecords   = ids.ModuleRecords
	ContactPersons  = ids.ContactPersons
	CustomerPersons = ids.CustomerPersons
	Expenses        = ids.Expenses
	Channels        = ids.Channels
	NetworkChannels = ids.NetworkChannels
	NetworkChats    = ids.NetworkChats
	Organizations   = ids.Organizations
)

// Form is the shape in which a record is written.
type Form = records.Form

// The forms; package records describes them.
const (
	Full           = records.Full
	Headers        = records.Headers
	Single         = records.Single
	WithoutBalance = records.WithoutBalance
)

// Shares of the kinds: in percent of the requested records where a business has many, a fixed
// number where it has few.
const (
	percentAll  = 100
	perThousand = 1000
	minPerKind  = 3
	minAccounts = 12
	maxAccounts = 400

	locations   = 4
	taxes       = 12
	currencies  = 6
	adjustments = 8
	mostModular = 40 // records of custom modules, over all modules
	mostTalk    = 20 // channels of one network; it has twice as many chats
)

// shares returns the number of records of each kind at the start; package books counts the persons.
func shares(settings Settings) [ids.Kinds]int {
	total := max(settings.Records, 0)
	percent := func(of int) int { return max(minPerKind, total*of/percentAll) }
	talk := max(minPerKind, min(mostTalk, total/500)) // a network is small.
	var initial [ids.Kinds]int
	initial[Accounts] = min(maxAccounts, max(minAccounts, total*2/percentAll)) // two percent, within bounds.
	initial[Payments], initial[CreditNotes], initial[Chats] = percent(12), percent(10), percent(20)
	initial[Items], initial[Bills] = percent(28), percent(28)
	initial[Locations], initial[Taxes], initial[Currencies], initial[Adjustments] = locations, taxes, currencies, adjustments
	initial[OpeningBalances], initial[Organizations] = 1, 1
	initial[CompositeItems], initial[Expenses] = percent(1), percent(2)
	initial[Channels] = max(minPerKind, total*6/perThousand)
	initial[NetworkChannels], initial[NetworkChats] = talk*len(settings.Networks), 2*talk*len(settings.Networks)
	if modules := len(settings.Modules); modules > 0 {
		initial[ModuleRecords] = max(minPerKind*modules, min(mostModular, total*8/perThousand))
	}
	return initial
}

// kept returns the number of records of a kind, the first ones, that are never deleted: others
// refer to them, and upstream refuses to delete records in use.
func kept(kind Kind) int {
	switch kind {
	case Accounts:
		return books.RootAccounts
	case Locations:
		return 2 // of bills and notes.
	case Taxes:
		return 3 // of lines.
	case Currencies:
		return 1 + words.Foreign
	case Organizations:
		return 1
	default:
		return 0
	}
}
