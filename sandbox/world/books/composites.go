package books

import (
	"fmt"

	"sluice/sandbox/world/draw"
	"sluice/sandbox/world/ids"
	"sluice/sandbox/world/words"
)

const mappedAtMost = 3 // items in one composite item

// Part is an item inside a composite item; quantity in hundredths.
type Part struct {
	Item     int // index
	Quantity int64
}

// Parts returns the items of composite item i, each once.
func (w *Books) Parts(i int) []Part {
	parts := make([]Part, 1+w.Draw(ids.CompositeItems, i, draw.Lines, mappedAtMost))
	first := w.Draw(ids.CompositeItems, i, draw.Item, w.Initial[ids.Items])
	for n := range parts {
		parts[n] = Part{
			Item:     (first + n) % w.Initial[ids.Items],
			Quantity: int64(1+w.Draw(ids.CompositeItems, i*4+n, draw.Quantity, 5)) * words.Cents, // four parts keep them apart.
		}
	}
	return parts
}

// CompositeName returns the name of composite item i after its edits.
func (w *Books) CompositeName(i int) string {
	name := fmt.Sprintf("%s kit %d", w.Words.Nouns[w.Draw(ids.CompositeItems, i, draw.Kind, len(w.Words.Nouns))], i+1)
	if n := w.Edits(ids.CompositeItems, i); n > 0 {
		return fmt.Sprintf("%s v%d", name, n+1)
	}
	return name
}

// CompositeCost returns the cost of the parts, in cents.
func (w *Books) CompositeCost(i int) int64 {
	var cost int64
	for _, part := range w.Parts(i) {
		cost += w.ItemCost(part.Item) * part.Quantity / words.Cents
	}
	return cost
}

// CompositePrice returns the sales price, in cents: the cost plus ten percent, and one more for
// each edit.
func (w *Books) CompositePrice(i int) int64 {
	return w.CompositeCost(i)*110/words.Cents + int64(w.Edits(ids.CompositeItems, i))*words.Cents // ten percent.
}

// CompositeTax returns the tax of composite item i.
func (w *Books) CompositeTax(i int) words.Tax {
	return words.TaxOf(w.Draw(ids.CompositeItems, i, draw.Tax, 3)) // three rates.
}

// CompositeActive reports whether composite item i is sold: nine in ten are.
func (w *Books) CompositeActive(i int) bool { return !w.One(10, ids.CompositeItems, i, draw.Status) }

// CompositeStock returns the stock, and the level below which to reorder.
func (w *Books) CompositeStock(i int) (int, int) {
	stock := w.Draw(ids.CompositeItems, i, draw.Stock, 80) + w.Quiet(ids.CompositeItems, i)
	return stock, 5 + w.Draw(ids.CompositeItems, i, draw.Absent, 30) // few of each.
}

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
