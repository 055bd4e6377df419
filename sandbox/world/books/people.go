package books

import (
	"fmt"
	"slices"
	"time"

	"sluice/sandbox/world/draw"
	"sluice/sandbox/world/ids"
	"sluice/sandbox/world/words"
)

const personsAtMost = 3 // of one contact

// populate gives contacts 0..contacts-1 none to three persons each, and the first at least one. It
// returns the contact of each person.
func (w *Books) populate(kind ids.Kind, contacts int) []int {
	var owners []int
	for contact := range contacts {
		persons := w.Draw(kind, contact, draw.Lines, personsAtMost+1)
		if contact == 0 {
			persons = max(persons, 1)
		}
		owners = append(owners, slices.Repeat([]int{contact}, persons)...)
	}
	return owners
}

// contactID returns the identifier of a contact: vendors first, then customers. Subscription
// billing has customers only.
func (w *Books) contactID(kind ids.Kind, contact int) string {
	if kind == ids.CustomerPersons {
		return ids.Fixed(ids.GroupCustomer, contact)
	}
	if contact < w.Vendors() {
		return ids.Fixed(ids.GroupVendor, contact)
	}
	return ids.Fixed(ids.GroupCustomer, contact-w.Vendors())
}

// owner returns the number of the contact of person i.
func (w *Books) owner(kind ids.Kind, i int) int {
	if owners := w.owners[kind]; i < len(owners) {
		return owners[i]
	}
	contacts := w.Customers()
	if kind == ids.ContactPersons {
		contacts += w.Vendors()
	}
	return w.Draw(kind, i, draw.Vendor, contacts)
}

// PersonPrimary reports whether person i is the first one of the contact.
func (w *Books) PersonPrimary(kind ids.Kind, i int) bool {
	owners := w.owners[kind]
	return i < len(owners) && (i == 0 || owners[i-1] != owners[i])
}

// PersonAt returns the name of person i.
func (w *Books) PersonAt(kind ids.Kind, i int) words.Person {
	return words.PersonOf(w.Draw(kind, i, draw.Name, 500)) // first and last names in many pairs.
}

// Under returns the parent of record i as in the path of its list: a contact, a customer, a module,
// a network; "" for lists without parents.
func (w *Books) Under(kind ids.Kind, i int) string {
	switch kind {
	case ids.ContactPersons, ids.CustomerPersons:
		return w.contactID(kind, w.owner(kind, i))
	case ids.ModuleRecords:
		return w.Modules[i%len(w.Modules)]
	case ids.NetworkChannels, ids.NetworkChats:
		return w.Networks[i%len(w.Networks)]
	default:
		return ""
	}
}

// Parents returns the parents of a list; nil for lists without parents.
func (w *Books) Parents(kind ids.Kind) []string {
	switch kind {
	case ids.ContactPersons, ids.CustomerPersons:
		contacts := w.Customers()
		if kind == ids.ContactPersons {
			contacts += w.Vendors()
		}
		parents := make([]string, contacts)
		for contact := range contacts {
			parents[contact] = w.contactID(kind, contact)
		}
		return parents
	case ids.ModuleRecords:
		return w.Modules
	case ids.NetworkChannels, ids.NetworkChats:
		return w.Networks
	default:
		return nil
	}
}

// Within returns the number of record i in its network. Each network counts its identifiers from
// the start, so that they repeat.
func (w *Books) Within(i int) int { return i / len(w.Networks) }

// Phone returns a telephone number.
func Phone(n int) string { return fmt.Sprintf("+91 20 555 %04d", n%10_000) } // four digits.

// DisplayTime formats an instant like the _formatted twins of custom modules.
func (w *Books) DisplayTime(seconds int64) string {
	return time.Unix(seconds, 0).In(w.Zone).Format("02 Jan 2006 03:04 PM")
}
