// Package ids numbers what is in the world: its kinds of records, their
// children, and the things that records only refer to.
//
// It knows nothing of what a record says, nor whether one exists. Start reading
// with Of.
package ids

import "strconv"

// Kind is one resource of the world.
type Kind int

// The kinds, in the order in which references may be followed, and their number.
const (
	Accounts Kind = iota
	Payments
	Items
	Bills
	CreditNotes
	Chats
	Kinds
)

const (
	base      = 460_000_000_000_000_000 // first of the 18-digit ids
	perKind   = 10_000_000_000_000
	perRecord = 1000 // a record's children use the numbers behind its own
	perGroup  = 100_000_000
)

// Groups of Fixed: things that are referred to but are no resource here.
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
)

// Of is the identifier of record i: text of 18 digits.
func Of(kind Kind, i int) string { return strconv.FormatInt(number(kind, i), 10) }

// Index answers which record has an identifier; false for one that none ever has.
func Index(kind Kind, id string) (int, bool) {
	read, err := strconv.ParseInt(id, 10, 64)
	if err != nil {
		return 0, false
	}
	offset := read - number(kind, 0)
	return int(offset / perRecord), offset >= 0 && offset%perRecord == 0
}

// Child numbers what belongs to record i: lines, payments of a bill.
func Child(kind Kind, i, child int) string {
	return strconv.FormatInt(number(kind, i)+int64(child)+1, 10)
}

// Fixed numbers what is no resource here: currencies, vendors, taxes.
func Fixed(group, n int) string {
	return strconv.FormatInt(base+int64(group)*perGroup+int64(n), 10)
}

func number(kind Kind, i int) int64 {
	return base + (int64(kind)+1)*perKind + int64(i+1)*perRecord
}
