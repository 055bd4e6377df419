package books

import (
	"sluice/sandbox/world/draw"
	"sluice/sandbox/world/ids"
	"sluice/sandbox/world/words"
)

// NoteSum is the sums of a credit note, in cents.
type NoteSum struct {
	Lines          []BillLine
	Tax            int64
	Total, Applied int64
}

// NoteAt computes a credit note after some edits: each returns one more piece, every other one adds
// a line.
func (w *Books) NoteAt(c int) NoteSum {
	edits := w.Edits(ids.CreditNotes, c)
	sum := NoteSum{Lines: make([]BillLine, 1+w.Draw(ids.CreditNotes, c, draw.Lines, 3)+edits%2)}
	for l := range sum.Lines {
		item := w.Draw(ids.CreditNotes, c*8+l, draw.Item, w.Initial[ids.Items]) // eight lines keep notes apart.
		line := BillLine{
			Item: item, Rate: w.ItemPrice(item), Levy: w.Draw(ids.CreditNotes, c, draw.Tax, 3), // three rates.
			Quantity: int64(1+w.Draw(ids.CreditNotes, c*8+l, draw.Quantity, 5)+edits) * words.Cents, // as above.
		}
		line.Total = line.Quantity * line.Rate / words.Cents
		sum.Lines[l] = line
		sum.Total += line.Total
		sum.Tax += line.Total * words.PercentOf(line.Levy) / words.Cents
	}
	sum.Total += sum.Tax
	switch w.NoteStatus(c) {
	case "closed":
		sum.Applied = sum.Total
	case "open":
		sum.Applied = sum.Total / 3 * int64(c%2) // some are used in part.
	}
	return sum
}

// NoteStatus returns the status. It moves one step with each edit, and to closed when the note is
// used up; void and closed are final.
func (w *Books) NoteStatus(c int) string {
	states := [...]string{"draft", "open", "closed"}
	if w.One(15, ids.CreditNotes, c, draw.Status) { // one in fifteen.
		return "void"
	}
	reached := min(w.Draw(ids.CreditNotes, c, draw.Mode, len(states))+w.Edits(ids.CreditNotes, c), len(states)-1)
	if reached == 1 && w.Used(c) { // an open one, of which all was applied
		reached++
	}
	return states[reached]
}

// NoteCustomer returns the number of the customer of credit note c.
func (w *Books) NoteCustomer(c int) int {
	return w.Draw(ids.CreditNotes, c, draw.Customer, w.Customers())
}
