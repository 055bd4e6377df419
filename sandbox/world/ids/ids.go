// Package ids numbers the things of the world: its kinds of records, their children, and the things
// that records only refer to.
//
// It knows neither the content of a record nor its existence. Start reading with Of.
package ids

import "strconv"

// Kind is one resource of the world.
type Kind int

// The kinds and their number. Draws depend on a kind's number: new ones go to the end, or every
// world changes.
const (
	Accounts Kind = iota
	Payments
	Items
	Bills
	CreditNotes
	Chats
	Locations
	Taxes
	Currencies
	CompositeItems
	OpeningBalances
	Adjustments
	ModuleRecords
	ContactPersons  // of vendors and customers, in accounting and invoicing
	CustomerPersons // of customers, in subscription billing
	Expenses
	Channels
	NetworkChannels
	NetworkChats
	Organizations
	Kinds
)

const (
	base      = 460_000_000_000_000_000 // first of the 18-digit ids
	perKind   = 10_000_000_000_000
	perRecord = 1000 // a record's children use the numbers after its own
	perGroup  = 100_000_000
)

// Groups of Fixed: things with references but no kind, and the small kinds that had references
// before they became kinds.
const (
	GroupCurrency = iota + 1
	GroupTax
	GroupVendor
	GroupCustomer
	GroupUser
	GroupCustomField
	GroupItemGroup
	GroupAttribute
	GroupPurchase
	GroupCredit
	GroupLocation
	GroupInvoice
	GroupTemplate
	GroupNetwork
	GroupSeries
	GroupAuthority
	GroupExemption
	GroupProject
	GroupTrip
	GroupImage
	// Groups of live records.
	GroupTag
	GroupDocument
	GroupCategory
	GroupUnit
	GroupReport
	GroupMerchant
	GroupRecurring
	GroupPriceList
	GroupDeal // of the CRM.
	GroupReturn
)

// Of returns the identifier of record i: text of 18 digits.
func Of(kind Kind, i int) string { return strconv.FormatInt(Number(kind, i), 10) }

// Index returns the record of an identifier; false if no record can have it.
func Index(kind Kind, id string) (int, bool) {
	read, err := strconv.ParseInt(id, 10, 64)
	if err != nil {
		return 0, false
	}
	offset, step := read-Number(kind, 0), int64(perRecord)
	if small(kind) != 0 {
		step = 1
	}
	return int(offset / step), offset >= 0 && offset%step == 0
}

// Child returns the identifier of a part of record i: a line, a payment of a bill.
func Child(kind Kind, i, child int) string {
	return strconv.FormatInt(ChildNumber(kind, i, child), 10)
}

// ChildNumber is Child as a number.
func ChildNumber(kind Kind, i, child int) int64 { return Number(kind, i) + int64(child) + 1 }

// Fixed returns the identifier of a thing without a kind: a currency, a vendor, a tax.
func Fixed(group, n int) string { return strconv.FormatInt(FixedNumber(group, n), 10) }

// FixedNumber is Fixed as a number.
func FixedNumber(group, n int) int64 { return base + int64(group)*perGroup + int64(n) }

// FixedIndex returns the number behind an identifier of a group.
func FixedIndex(group int, id string) (int, bool) {
	read, err := strconv.ParseInt(id, 10, 64)
	offset := read - base - int64(group)*perGroup
	return int(offset), err == nil && offset >= 0 && offset < perGroup
}

// Number is Of as a number.
func Number(kind Kind, i int) int64 {
	if group := small(kind); group != 0 {
		return FixedNumber(group, i)
	}
	return base + (int64(kind)+1)*perKind + int64(i+1)*perRecord
}

// small returns the group of a kind that is numbered like things without a kind; 0 for the others.
func small(kind Kind) int {
	switch kind {
	case Locations:
		return GroupLocation
	case Taxes:
		return GroupTax
	case Currencies:
		return GroupCurrency
	default:
		return 0
	}
}
