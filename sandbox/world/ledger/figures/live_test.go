package figures_test

import (
	"math/big"
	"testing"

	"sluice/sandbox/world"
)

// TestFiguresAreThoseOfLiveRecords: the records of live services have the same values, and their
// further keys agree with them.
func TestFiguresAreThoseOfLiveRecords(t *testing.T) {
	t.Parallel()
	w, books := foundedAs(t, 5, 700, "EUR", true)
	recount(t, w, books)
	currencies := map[string]string{}
	for _, c := range records(t, w, world.Currencies) {
		currencies[c.text("currency_id")] = c.text("currency_code")
	}
	lines := 0
	for _, b := range records(t, w, world.Bills) {
		total := new(big.Rat).Add(b.number("sub_total"), b.number("tax_total"))
		errorIf(t, total.Cmp(b.number("total")) != 0, "bill %s: total %s", b.text("bill_id"), b["total"])
		for _, line := range b.list("line_items") {
			lines++
			errorIf(t, (line.text("name") == "") != (line.text("item_id") == "") || currencies[b.text("currency_id")] != b.text("currency_code"),
				"bill %s: line %s of item %s", b.text("bill_id"), line["name"], line["item_id"])
		}
	}
	for _, p := range records(t, w, world.Payments) {
		base := new(big.Rat).Mul(p.number("amount"), p.number("exchange_rate")).FloatString(2)
		errorIf(t, base != p.text("bcy_amount") || currencies[p.text("currency_id")] != p.text("currency_code"), "payment %v", p)
	}
	refunds := 0
	for _, n := range records(t, w, world.CreditNotes) {
		left := new(big.Rat).Sub(n.number("total"), n.number("total_credits_used"))
		if left.Sub(left, n.number("total_refunded_amount")); left.Cmp(n.number("balance")) != 0 || currencies[n.text("currency_id")] != n.text("currency_code") {
			t.Errorf("credit note %v", n)
		}
		for _, back := range n.list("creditnote_refunds") {
			refunds++
			same(t, back.number("amount_fcy").Cmp(n.number("total_refunded_amount")), 0, n)
		}
	}
	errorIf(t, lines == 0 || refunds == 0, "%d lines, %d refunds", lines, refunds)
}
