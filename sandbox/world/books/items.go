package books

import (
	"fmt"

	"sluice/sandbox/world/draw"
	"sluice/sandbox/world/ids"
	"sluice/sandbox/world/words"
)

// ItemName returns the name of item i as first written.
func (w *Books) ItemName(i int) string {
	trait, noun := w.ItemWords(i)
	return fmt.Sprintf("%s %s %d", w.Words.Traits[trait], w.Words.Nouns[noun], i+1)
}

// ItemNameNow returns the name of item i after its edits.
func (w *Books) ItemNameNow(i int) string {
	if n := w.Edits(ids.Items, i); n > 0 {
		return fmt.Sprintf("%s v%d", w.ItemName(i), n+1)
	}
	return w.ItemName(i)
}

// ItemWords returns the numbers of the words in the name of item i: trait and noun.
func (w *Books) ItemWords(i int) (int, int) {
	return w.Draw(ids.Items, i, draw.Name, len(w.Words.Traits)), w.Draw(ids.Items, i, draw.Kind, len(w.Words.Nouns))
}

// ItemCost returns the purchase rate as first written, in cents.
func (w *Books) ItemCost(i int) int64 {
	return int64(w.Draw(ids.Items, i, draw.Amount, 500_000)) + words.Cents
}

// ItemPrice returns the sales price as first written, in cents.
func (w *Books) ItemPrice(i int) int64 { return w.ItemCost(i) * 145 / words.Cents } // 45 % on top.

// Vendors returns the number of vendors. They and the customers grow slowly with the world: clients
// request the persons of each one by one.
func (w *Books) Vendors() int {
	if w.Suppliers > 0 {
		return w.Suppliers
	}
	return 11 + w.Initial[ids.Bills]/500 // a vendor sends hundreds of bills.
}

// Customers returns the number of customers.
func (w *Books) Customers() int {
	if w.Clients > 0 {
		return w.Clients
	}
	return 9 + w.Initial[ids.CreditNotes]/250 // a customer returns often.
}
