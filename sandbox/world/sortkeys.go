package world

import (
	"fmt"

	"sluice/sandbox/world/books"
	"sluice/sandbox/world/words"
)

// sortKeys answers either texts or numbers, by record index.
func (w *World) sortKeys(query Query, indices []int32) ([]string, []int64) {
	kind := query.Kind
	switch query.Sort {
	case createdTime:
		return nil, w.tables[kind].created
	case "last_modified_time":
		return nil, w.tables[kind].modified
	}
	texts, numbers := make([]string, w.Len(kind)), make([]int64, w.Len(kind))
	isText := true
	for _, index := range indices {
		i := int(index)
		if texts[i], isText = w.sortText(kind, i, query.Sort); !isText {
			numbers[i] = w.sortNumber(kind, i, query.Sort)
		}
	}
	if isText {
		return texts, nil
	}
	return nil, numbers
}

// sortText answers false for a column that holds numbers.
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
		return w.books.CompositeName(i), true
	case "sku":
		return fmt.Sprintf("KIT-%05d", i+1), true // as the record has it.
	case "tax_name":
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
