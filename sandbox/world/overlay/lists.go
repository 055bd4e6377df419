package overlay

import (
	"math/big"
	"strings"

	"sluice/sandbox/world/ids"
)

// Matches reports whether the record passes the filter_by value of its list, without the prefix, by
// its own values. The second result is false if the record does not tell, or the list does not know
// the value; then the generated record decides.
func (w *Written) Matches(kind ids.Kind, filter string) (bool, bool) {
	switch kind {
	case ids.Accounts:
		return w.account(filter)
	case ids.Payments:
		return mode(w.Text("payment_mode")) == filter, filter != "" && filter != "All"
	case ids.CreditNotes:
		return strings.EqualFold(w.Text("status"), filter), filter != "" && filter != "All"
	case ids.Taxes: // no key says whether a tax is in use: a new one counts as used.
		return filter == "Active", w.Created && (filter == "Active" || filter == "Inactive")
	case ids.CompositeItems:
		switch filter {
		case "Active", "Inactive":
			return strings.EqualFold(w.Text("status"), filter), true
		case "Lowstock":
			return w.Number("stock_on_hand").Cmp(w.Number("reorder_level")) < 0, true
		}
	default:
	}
	return false, false
}

func (w *Written) account(filter string) (bool, bool) {
	switch filter {
	case "Active":
		return w.Text("is_active") == "true", true
	case "Inactive":
		return w.Text("is_active") != "true", true
	case "Asset", "Liability", "Equity", "Income", "Expense":
		return group(w.Text("account_type")) == filter, true
	default:
		return true, true
	}
}

// group returns the part of the chart of accounts for an account type.
func group(kind string) string {
	switch {
	case kind == "equity", kind == "other_comprehensive_income":
		return "Equity"
	case strings.HasSuffix(kind, "income"):
		return "Income"
	case strings.HasSuffix(kind, "expense"), kind == "cost_of_goods_sold":
		return "Expense"
	case strings.HasSuffix(kind, "liability"), kind == "accounts_payable", kind == "credit_card", kind == "loans_and_borrowing":
		return "Liability"
	default:
		return "Asset"
	}
}

// mode returns the filter value of a payment mode.
func mode(text string) string {
	known := map[string]string{
		"check": "Check", "cash": "Cash", "banktransfer": "BankTransfer", "creditcard": "CreditCard", "credit": "Credit",
		"bankremittance": "BankRemittance",
	}
	if value, ok := known[strings.NewReplacer("_", "", " ", "").Replace(strings.ToLower(text))]; ok {
		return value
	}
	return "Others"
}

// SortText returns the value of a text column.
func (w *Written) SortText(column string) string {
	if column != "debit_or_credit" {
		return w.Text(column)
	}
	if w.Number("gain_or_loss").Sign() < 0 {
		return "debit"
	}
	return "credit"
}

// SortNumber returns the value of a column in cents, a rate in millionths.
func (w *Written) SortNumber(column string) int64 {
	scale := int64(100) // cents
	if column == "exchange_rate" {
		scale = 1_000_000
	}
	number := new(big.Rat).Mul(w.Number(column), big.NewRat(scale, 1))
	return new(big.Int).Quo(number.Num(), number.Denom()).Int64()
}

// Day returns the date of a record of a list that filters by date.
func (w *Written) Day() string { return w.Text("adjustment_date") }
