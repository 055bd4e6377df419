package world

import (
	"fmt"

	"sluice/sandbox/world/ids"
	"sluice/sandbox/world/ledger"
	"sluice/sandbox/world/words"
)

// pay pays a bill of the ledger, in full or in part, and returns the payment.
func (w *World) pay(b int, part bool, at int64) int {
	payment := w.insert(Payments, at)
	w.about(Bills, b, Edited)
	w.closing.Pay(payment, b, part, at)
	w.moved(Bills, b, at)
	w.touched(Payments)
	return payment
}

// use uses up a credit note of the ledger; false if it is not open.
func (w *World) use(note int, at int64) bool {
	if !w.Live(CreditNotes, note) || w.overlay.Find(CreditNotes, note) != nil || !w.closing.Usable(note) {
		return false
	}
	w.about(CreditNotes, note, Edited)
	w.closing.Use(note)
	w.moved(CreditNotes, note, at)
	return true
}

// restored notes that a bill came back.
func (c *closing) restored(bill int) {
	if bill < len(c.Bills) {
		c.Bills[bill].Restored = true
	}
}

// contact returns the name of a vendor or customer of the ledger.
func (c *closing) contact(id string) (string, bool) {
	if n, ok := ids.FixedIndex(ids.GroupVendor, id); ok && n < len(c.Vendors) {
		return c.Vendors[n].Name, true
	}
	if n, ok := ids.FixedIndex(ids.GroupCustomer, id); ok && n < len(c.Customers) {
		return c.Customers[n].Name, true
	}
	return "", false
}

// The changes of Plant.
const (
	PlantDifference = "difference"  // the payables account shows 1.00 too much, once for each call
	PlantDeletions  = "deletions"   // three bills that nothing refers to are deleted
	PlantRestore    = "restore"     // a deleted bill comes back
	PlantPriceRises = "price_rises" // the prices of five items rise by eight percent
)

// Plants returns the names of the changes of Plant.
func Plants() []string {
	return []string{PlantDifference, PlantDeletions, PlantRestore, PlantPriceRises}
}

const (
	plantedBills = 3
	plantedItems = 5
)

// Plant changes books that close in a way that an analyst has to see, at an instant (epoch
// seconds). It returns the identifiers of the changed records. It fails for an unknown change, and
// in a world whose books do not close.
func (w *World) Plant(what string, at int64) ([]string, error) {
	if w.closing == nil {
		return nil, fmt.Errorf("sandbox: plant %q: the books do not close: start the sandbox with the world books", what)
	}
	changed := []string{}
	switch what {
	case PlantDifference:
		w.about(Accounts, ledger.Payable, Quieted)
		w.closing.Difference += ledger.FromCents(words.Cents)
		w.touched(Accounts)
		changed = append(changed, w.ID(Accounts, ledger.Payable))
	case PlantDeletions:
		for b := w.Len(Bills) - 1; b >= 0 && len(changed) < plantedBills; b-- {
			if w.Live(Bills, b) && w.closing.Open(b) > 0 && w.Free(Bills, b) {
				w.Remove(Bills, b)
				changed = append(changed, w.ID(Bills, b))
			}
		}
	case PlantRestore:
		for b := w.Len(Bills) - 1; b >= 0 && len(changed) == 0; b-- {
			if w.Restore(Bills, b, at) {
				changed = append(changed, w.ID(Bills, b))
			}
		}
	case PlantPriceRises:
		for i := 0; i < w.Len(Items) && len(changed) < plantedItems; i += 7 { // some of all sorts.
			if !w.Live(Items, i) {
				continue
			}
			w.about(Items, i, Edited)
			w.closing.Raise(i, at)
			w.moved(Items, i, at)
			changed = append(changed, w.ID(Items, i))
		}
	default:
		return nil, fmt.Errorf("sandbox: plant %q is unknown: use one of %v", what, Plants())
	}
	return changed, nil
}
