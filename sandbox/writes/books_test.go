package writes_test

import (
	"encoding/json"
	"fmt"
	"math/big"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// For all written bills and payments, a bill asks for its lines and taxes less what was paid. A
// payment is what it applies and what is left, and both sides agree.
func TestBooksAddUpAfterWrites(t *testing.T) {
	t.Parallel()
	u := start(t)
	_, vendor, _ := u.openBill(t)
	var taxes []string
	for _, tax := range u.records(t, "/inventory/v1/settings/taxes", "taxes") {
		taxes = append(taxes, text(tax["tax_id"]))
	}
	bills, payments := map[string]bool{}, 0
	rapid.Check(t, func(r *rapid.T) {
		lines := rapid.SliceOfN(rapid.Custom(func(r *rapid.T) string {
			return fmt.Sprintf(`{"rate":%d.%03d,"quantity":%d.5,"tax_id":%q}`, rapid.IntRange(0, 9999).Draw(r, "rate"), rapid.IntRange(0, 999).Draw(r, "part"),
				rapid.IntRange(0, 20).Draw(r, "quantity"), rapid.SampledFrom(taxes).Draw(r, "tax"))
		}), 1, 5).Draw(r, "lines")
		made := u.call(t, post, "/inventory/v1/bills", fmt.Sprintf(`{"vendor_id":%q,"is_inclusive_tax":%t,"line_items":[%s]}`,
			vendor, rapid.Bool().Draw(r, "inclusive"), strings.Join(lines, ",")))
		bill := made.at(t, "bill", "bill_id")
		bills[bill] = true
		unique := fmt.Sprintf("%d", payments)
		for range rapid.IntRange(1, 4).Draw(r, "changes") { // the first round makes the payment, the others change it
			share := rapid.IntRange(0, 100).Draw(r, "share")
			applied := new(big.Rat).Mul(number(t, made.at(t, "bill", "balance")), big.NewRat(int64(share), 100)).FloatString(2)
			if number(t, applied).Cmp(number(t, made.at(t, "bill", "balance"))) > 0 {
				applied = made.at(t, "bill", "balance")
			}
			u.call(t, put, "/books/v3/vendorpayments", fmt.Sprintf(`{"vendor_id":%q,"amount":%s,"bills":[{"bill_id":%q,"amount_applied":%s}]}`,
				vendor, made.at(t, "bill", "balance"), bill, applied), "X-Unique-Identifier-Key", "cf_n", "X-Unique-Identifier-Value", unique, "X-Upsert", "true")
		}
		payments++
	})
	applied := map[string]*big.Rat{}
	for record := range u.Truth("accounting", "vendor_payments") {
		payment := parsed(t, record)
		used := new(big.Rat)
		for _, entry := range elements(t, payment["bills"]) {
			used.Add(used, number(t, text(entry["amount_applied"])))
			if bill := text(entry["bill_id"]); bills[bill] {
				applied[bill] = number(t, text(entry["amount_applied"]))
			}
		}
		left := new(big.Rat).Sub(number(t, text(payment["amount"])), used)
		same(t, left.Cmp(number(t, text(payment["balance"]))), 0, payment["payment_id"], left.FloatString(2), payment["balance"])
	}
	checked := 0
	for record := range u.Truth("inventory", "bills") {
		bill := parsed(t, record)
		id := text(bill["bill_id"])
		if !bills[id] {
			continue
		}
		checked++
		due := new(big.Rat).Add(number(t, text(bill["sub_total"])), number(t, text(bill["tax_total"])))
		same(t, total(t, bill["line_items"], "item_total").Cmp(number(t, text(bill["sub_total"]))), 0, id, "lines against sub_total", bill)
		same(t, total(t, bill["taxes"], "tax_amount").Cmp(number(t, text(bill["tax_total"]))), 0, id, "taxes against tax_total", bill)
		paid := total(t, bill["payments"], "amount")
		errorIf(t, due.Sub(due, paid).Cmp(number(t, text(bill["balance"]))) != 0 || due.Sign() < 0,
			"bill %s: %s due, balance %s", id, due.FloatString(2), bill["balance"])
		errorIf(t, applied[id] == nil || paid.Cmp(applied[id]) != 0,
			"bill %s: paid %s, the payment says %v", id, paid.FloatString(2), applied[id])
		same(t, text(bill["status"]) == "paid", due.Sign() == 0, id, due.FloatString(2), bill["status"])
	}
	errorIf(t, checked != len(bills) || checked == 0, "%d bills of %d are in the truth", checked, len(bills))
}

func parsed(t *testing.T, record json.RawMessage) object {
	t.Helper()
	var fields object
	must(t, json.Unmarshal(record, &fields))
	return fields
}

func elements(t *testing.T, list json.RawMessage) []object {
	t.Helper()
	var all []object
	err := json.Unmarshal(list, &all)
	fatalIf(t, err != nil, "%v in %s", err, list)
	return all
}

func total(t *testing.T, list json.RawMessage, name string) *big.Rat {
	t.Helper()
	sum := new(big.Rat)
	for _, element := range elements(t, list) {
		sum.Add(sum, number(t, text(element[name])))
	}
	return sum
}

func number(t *testing.T, text string) *big.Rat {
	t.Helper()
	value, ok := new(big.Rat).SetString(text)
	fatalIf(t, !ok, "%q is no number", text)
	return value
}
