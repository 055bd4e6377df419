package world

import (
	"fmt"

	"sluice/sandbox/world/books"
	"sluice/sandbox/world/words"
)

// sortKey returns the text or the number by which a column orders record i; the other one is
// constant.
func (w *World) sortKey(kind Kind, i int, column string) (string, int64) {
	switch column {
	case createdTime:
		return "", w.tables.Created(kind, i)
	case ModifiedTime:
		return "", w.tables.Modified(kind, i)
	}
	written := w.writtenOf(kind, i)
	text, isText := w.sortText(kind, i, column)
	switch {
	case isText && written != nil:
		return written.SortText(column), 0
	case isText:
		return text, 0
	case written != nil:
		return "", written.SortNumber(column)
	default:
		return "", w.sortNumber(kind, i, column)
	}
}

// sortText returns the text of a column; false for a column of numbers.
func (w *World) sortText(kind Kind, i int, column string) (string, bool) {
	switch column {
	case "account_name":
		return w.books.AccountNameNow(i), true
	case "account_type":
		return w.books.AccountWord(i).Kind, true
	case "vendor_name":
		return w.books.Words.VendorName(w.books.PaymentVendor(i)), true
	case "customer_name":
		return w.books.Words.CustomerName(w.books.NoteCustomer(i)), true
	case "creditnote_number":
		return books.Number("CN", i+1), true
	case "reference_number":
		return books.PaymentReference(i), true
	case "date", "adjustment_date":
		return w.books.Day(w.tables.Created(kind, i), 0), true
	case "name":
		if kind == Items {
			return w.books.ItemNameNow(i), true
		}
		return w.books.CompositeName(i), true
	case "sku":
		return fmt.Sprintf("KIT-%05d", i+1), true // as the record has it.
	case "tax_name":
		if kind == Taxes {
			return words.TaxAt(i).Name, true
		}
		return w.books.CompositeTax(i).Name, true
	case "currency_code":
		return w.books.AdjustmentAt(i).Money.Code, true
	case "debit_or_credit":
		return w.books.AdjustmentAt(i).Side(), true
	default:
		return "", false
	}
}

func (w *World) sortNumber(kind Kind, i int, column string) int64 {
	switch kind {
	case Payments:
		amount, unused := w.books.PaymentAmounts(i)
		return either(column == "amount", amount, unused)
	case Adjustments:
		adjustment := w.books.AdjustmentAt(i)
		return either(column == "exchange_rate", adjustment.Rate, adjustment.Gain())
	case CompositeItems:
		switch column {
		case "rate":
			return w.books.CompositePrice(i)
		case "purchase_rate":
			return w.books.CompositeCost(i)
		}
		_, level := w.books.CompositeStock(i)
		return int64(level) * words.Cents
	default:
		sum := w.books.NoteAt(i)
		return either(column == "total", sum.Total, sum.Total-sum.Applied)
	}
}

func either(first bool, a, b int64) int64 {
	if first {
		return a
	}
	return b
}
