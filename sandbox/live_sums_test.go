package sandbox_test

import (
	"encoding/json"
	"math/big"
	"testing"

	"sluice/sandbox"
)

// number reads a number or the text of one; nothing counts as 0.
func number(t *testing.T, value json.RawMessage) *big.Rat {
	t.Helper()
	read := string(value)
	if len(value) > 0 && value[0] == '"' {
		read = text(t, value)
	}
	if read == "" {
		return new(big.Rat)
	}
	n, ok := new(big.Rat).SetString(read)
	fatalIf(t, !ok, "%s is no number", value)
	return n
}

func elements(t *testing.T, record object, name string) []object {
	t.Helper()
	var all []object
	unmarshal(t, record[name], &all)
	return all
}

// sums adds numbers.
func sums(t *testing.T, values ...json.RawMessage) *big.Rat {
	t.Helper()
	total := new(big.Rat)
	for _, value := range values {
		total.Add(total, number(t, value))
	}
	return total
}

func sumOver(t *testing.T, all []object, name string) *big.Rat {
	t.Helper()
	total := new(big.Rat)
	for _, one := range all {
		total.Add(total, number(t, one[name]))
	}
	return total
}

// TestAsLiveAgrees checks that the live keys agree with each other and with the documented ones, in
// a world that has moved on.
func TestAsLiveAgrees(t *testing.T) {
	t.Parallel()
	u := start(t, livePlayed(1500))
	u.change(t, sandbox.Change{Seed: 3, Inserts: 9, Edits: 30})
	items := set(texts(t, u.truths(t, "inventory", "items"), "item_id"))
	named := 0
	for _, l := range liveListings()[:6] {
		for _, listed := range u.listed(t, l) {
			one := u.alone(t, l, listed)
			switch l.name {
			case "bills":
				named += agreeBill(t, l, listed, one, items)
			case "credit_notes":
				agreeNote(t, l, one)
			case "vendor_payments":
				agreePayment(t, l, listed, one)
			case "items":
				agreeItem(t, l, one)
			case "expenses":
				same(t, "total_without_tax", l.name, number(t, listed["total_without_tax"]), number(t, one["sub_total"]))
				same(t, "item_total", l.name, sumOver(t, elements(t, one, "line_items"), "item_total"), number(t, one["sub_total"]))
			case "chart_of_accounts":
				same(t, "closing_balance", l.name, number(t, one["closing_balance"]), number(t, listed["current_balance"]))
			}
		}
	}
	errorIf(t, named < 100, "%d lines of bills name an item", named)
}

// agreeBill returns the number of lines that name an item.
func agreeBill(t *testing.T, l listing, listed, one object, items map[string]bool) int {
	t.Helper()
	same(t, "total", l.name, number(t, listed["total"]), sums(t, one["sub_total"], one["tax_total"], one["adjustment"]))
	same(t, "balance_due", l.name, number(t, listed["balance_due"]), number(t, one["balance"]))
	same(t, "payment_made, balance, credits", l.name, sums(t, one["payment_made"], one["balance"], one["vendor_credits_applied"]), number(t, one["total"]))
	same(t, "payment_made", l.name, number(t, one["payment_made"]), sumOver(t, elements(t, one, "payments"), "amount"))
	lines, named, levied := elements(t, one, "line_items"), 0, new(big.Rat)
	for _, line := range lines {
		levied.Add(levied, sumOver(t, elements(t, line, "line_item_taxes"), "tax_amount"))
		if items[text(t, line["item_id"])] {
			named++
		}
	}
	same(t, "line_item_taxes", l.name, levied, number(t, one["tax_total"]))
	for _, tax := range elements(t, one, "taxes") {
		errorIf(t, text(t, tax["tax_id"]) == "", "%s: tax %s has no identifier", l.name, tax["tax_name"])
	}
	return named
}

func agreeNote(t *testing.T, l listing, one object) {
	t.Helper()
	same(t, "total", l.name, number(t, one["total"]), sums(t, one["sub_total"], one["tax_total"]))
	same(t, "sub_total", l.name, number(t, one["sub_total"]), sumOver(t, elements(t, one, "line_items"), "item_total"))
	same(t, "credits used", l.name, number(t, one["total_credits_used"]), sumOver(t, elements(t, one, "invoices_credited"), "credited_amount"))
	same(t, "used and left", l.name, sums(t, one["total_credits_used"], one["total_refunded_amount"], one["balance"]), number(t, one["total"]))
}

func agreePayment(t *testing.T, l listing, listed, one object) {
	t.Helper()
	based := new(big.Rat).Mul(number(t, one["amount"]), number(t, one["exchange_rate"]))
	off := based.Sub(based, number(t, listed["bcy_amount"]))
	errorIf(t, off.Abs(off).Cmp(big.NewRat(1, 200)) > 0, "%s: bcy_amount is off by %s", l.name, off.FloatString(4))
	code := map[string]string{"460000000100000000": "INR", "460000000100000001": "USD"}[text(t, one["currency_id"])]
	errorIf(t, text(t, one["currency_code"]) != code || code == "", "%s: currency %s is %s", l.name, one["currency_id"], one["currency_code"])
}

func agreeItem(t *testing.T, l listing, one object) {
	t.Helper()
	places := elements(t, one, "locations")
	same(t, "stock_on_hand", l.name, number(t, one["stock_on_hand"]), sumOver(t, places, "location_stock_on_hand"))
	same(t, "stock less promised", l.name, sums(t, one["available_stock"], one["committed_stock"]), number(t, one["stock_on_hand"]))
	same(t, "asset_value", l.name, number(t, one["asset_value"]), sumOver(t, places, "location_asset_value"))
}
