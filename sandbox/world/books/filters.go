package books

import "sluice/sandbox/world/ids"

// Matches reports whether record i passes the filter_by value of its list, without the prefix
// (docs/upstream.md U165, U175, U180, U208 and U223). Every record passes an unknown filter, which
// is ignored.
func (w *Books) Matches(kind ids.Kind, i int, filter string) bool {
	switch kind {
	case ids.Accounts:
		return filter == "" || w.AccountMatches(i, filter)
	case ids.Payments:
		return w.paymentMatches(i, filter)
	case ids.CreditNotes:
		return filter == "" || filter == "All" || filter == map[string]string{
			"draft": "Draft", "open": "Open", "closed": "Closed", "void": "Void",
		}[w.NoteStatus(i)]
	case ids.Taxes:
		return filter == "" || filter == "All" || TaxActive(i) == (filter == "Active")
	case ids.Currencies:
		return filter != "ExcludeBaseCurrency" || i > 0
	case ids.CompositeItems:
		return w.compositeMatches(i, filter)
	default:
		return true
	}
}

func (w *Books) paymentMatches(p int, filter string) bool {
	return filter == "" || filter == "All" || filter == map[string]string{
		"bank_transfer": "BankTransfer", "check": "Check", "cash": "Cash", "Bank Remittance": "BankRemittance",
	}[w.PaymentMode(p)]
}

func (w *Books) compositeMatches(i int, filter string) bool {
	stock, level := w.CompositeStock(i)
	switch filter {
	case "Active":
		return w.CompositeActive(i)
	case "Inactive":
		return !w.CompositeActive(i)
	case "Lowstock":
		return stock < level
	default:
		return true
	}
}
