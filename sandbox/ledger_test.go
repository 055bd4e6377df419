package sandbox_test

import (
	"cmp"
	"encoding/json"
	"math/big"
	"net/http"
	"slices"
	"testing"

	"sluice/sandbox"
)

const openingPath = "/books/v3/settings/openingbalances"

func (u *upstream) opening(t *testing.T) object {
	t.Helper()
	var envelope struct {
		Opening object `json:"opening_balance"`
	}
	decode(t, u.get(t, openingPath), &envelope)
	return envelope.Opening
}

// A served value is accepted as it is: a foreign line is worth whole cents in a write, too.
func TestOpeningBalanceComesBack(t *testing.T) {
	t.Parallel()
	broken := 0
	for seed := range int64(8) {
		u := start(t, sandbox.Options{Seed: seed, Records: 60, Limits: off()})
		before := u.opening(t)
		lines := elements(t, before, "accounts")
		for _, line := range lines {
			if base := new(big.Rat).Mul(amount(t, line["amount"]), amount(t, line["exchange_rate"])); base.Cmp(amount(t, line["bcy_amount"])) != 0 {
				broken++
			}
		}
		body := sure(json.Marshal(before))(t)
		header := http.Header{"Content-Type": {"application/json"}}
		equal(t, u.send(t, http.MethodPut, target(openingPath), header, string(body)).Code, http.StatusOK, seed)
		after := u.opening(t)
		same(t, "total", "opening balance", amount(t, before["total"]), amount(t, after["total"]))
		again := elements(t, after, "accounts")
		for n, line := range lines {
			same(t, "bcy_amount", text(t, line["acount_split_id"]), amount(t, line["bcy_amount"]), amount(t, again[n]["bcy_amount"]))
		}
	}
	errorIf(t, broken == 0, "no line has a fraction of a cent: nothing was tried")
}

// Debits equal credits in the organization's own currency, before and after edits.
func TestOpeningBalanceBalances(t *testing.T) {
	t.Parallel()
	u := start(t, sandbox.Options{Seed: 4, Records: 100, Limits: off()})
	var totals []string
	for range 2 {
		opening := u.opening(t)
		sides := map[string]*big.Rat{"debit": new(big.Rat), "credit": new(big.Rat)}
		for _, line := range elements(t, opening, "accounts") {
			side := sides[text(t, line["debit_or_credit"])]
			side.Add(side, amount(t, line["bcy_amount"]))
			errorIf(t, text(t, line["acount_split_id"]) == "" || line["account_split_id"] != nil,
				"line %v: the identifier is spelled as the document spells it", line)
		}
		same(t, "credits", "opening balance", sides["debit"], sides["credit"])
		same(t, "total", "opening balance", sides["debit"], amount(t, opening["total"]))
		totals = append(totals, string(opening["total"]))
		u.change(t, sandbox.Change{Edits: 1, Resources: []string{"opening_balances"}})
	}
	errorIf(t, totals[0] == totals[1], "an edit left the total at %s", totals[0])
	changed, err := u.Change(sandbox.Change{Deletes: 1, Resources: []string{"opening_balances"}})
	errorIf(t, err != nil || len(changed["opening_balances"].Deleted) != 1 || len(u.opening(t)) != 0,
		"%+v, %v: an opening balance that was deleted is an empty object", changed, err)
	changed, err = u.Change(sandbox.Change{Inserts: 2, Resources: []string{"opening_balances"}})
	errorIf(t, err != nil || len(changed["opening_balances"].Inserted) != 1 || len(u.opening(t)) == 0,
		"%+v, %v: there is one opening balance at most", changed, err)
}

// The list's gain is the sum over the accounts, which only the single record carries.
func TestAdjustmentsAddUp(t *testing.T) {
	t.Parallel()
	u := start(t, sandbox.Options{Records: 100, Limits: off()})
	const path = "/books/v3/basecurrencyadjustment"
	for _, listed := range readPage(t, u.get(t, path), "base_currency_adjustments").Records {
		id := text(t, listed["base_currency_adjustment_id"])
		var envelope struct{ Data object }
		decode(t, u.get(t, path+"/"+id), &envelope)
		same(t, "gain", id, sumOf(t, envelope.Data["accounts"], "gain_or_loss"), amount(t, listed["gain_or_loss"]))
		for _, account := range elements(t, envelope.Data, "accounts") {
			value := new(big.Rat).Mul(amount(t, account["fcy_balance"]), amount(t, listed["exchange_rate"]))
			lost := new(big.Rat).Sub(value, amount(t, account["adjusted_balance"])) // less than a cent, cut off.
			errorIf(t, lost.Sign() < 0 || lost.Cmp(big.NewRat(1, 100)) >= 0,
				"adjustment %s: %s at %s is %s", id, account["fcy_balance"], listed["exchange_rate"], account["adjusted_balance"])
			gain := new(big.Rat).Sub(amount(t, account["adjusted_balance"]), amount(t, account["bcy_balance"]))
			same(t, "gain of an account", id, gain, amount(t, account["gain_or_loss"]))
		}
	}
	for filter, want := range map[string]int{"Date.All": 8, "Date.Today": 0, "Nonsense": 8} {
		equal(t, len(readPage(t, u.get(t, path, "filter_by", filter), "base_currency_adjustments").Records), want, filter)
	}
	u.change(t, sandbox.Change{Inserts: 2, Resources: []string{"base_currency_adjustments"}})
	for _, filter := range []string{"Date.Today", "Date.ThisWeek", "Date.ThisMonth", "Date.ThisQuarter", "Date.ThisYear"} {
		equal(t, len(readPage(t, u.get(t, path, "filter_by", filter), "base_currency_adjustments").Records), 2, filter)
	}
}

func TestPreviewOfARate(t *testing.T) {
	t.Parallel()
	u := start(t, sandbox.Options{Records: 100, Limits: off()})
	currency := u.first(t, "accounting", "base_currency_adjustments", "currency_id")
	const path = "/books/v3/basecurrencyadjustment/accounts"
	answer := u.get(t, path, "currency_id", currency, "adjustment_date", "2026-03-01", "exchange_rate", "84.5", "notes", "what if")
	var envelope struct{ Data object }
	decode(t, answer, &envelope)
	if answer.Header().Get("X-Sandbox-Assumed") == "" || string(envelope.Data["exchange_rate"]) != "84.500000" || text(t, envelope.Data["notes"]) != "what if" {
		t.Errorf("%v: %.300s", answer.Header(), answer.Body)
	}
	errorIf(t, sumOf(t, envelope.Data["accounts"], "fcy_balance").Sign() <= 0, "no account is touched: %s", envelope.Data["accounts"])
	for _, pairs := range [][]string{
		{"adjustment_date", "2026-03-01", "exchange_rate", "84.5"},
		{"currency_id", currency, "adjustment_date", "2026-03-01", "exchange_rate", "-1"},
		{"currency_id", currency, "adjustment_date", "2026-03-01"},
		{"currency_id", currency, "adjustment_date", "soon", "exchange_rate", "84.5"},
	} {
		equal(t, u.get(t, path, pairs...).Code, http.StatusBadRequest, pairs)
	}
}

// Lists hide a tax that is not in use by default. A filter hides the organization's own currency.
func TestFiltersOfSettings(t *testing.T) {
	t.Parallel()
	u := start(t, sandbox.Options{Records: 5000, Limits: off()})
	for _, c := range []struct {
		service, path, key, filter string
		want                       int
	}{
		{"inventory", "/inventory/v1/settings/taxes", "taxes", "", 9},
		{"inventory", "/inventory/v1/settings/taxes", "taxes", "Taxes.All", 12},
		{"inventory", "/inventory/v1/settings/taxes", "taxes", "Taxes.Inactive", 3},
		{"invoicing", "/invoice/v3/settings/currencies", "currencies", "", 6},
		{"invoicing", "/invoice/v3/settings/currencies", "currencies", "Currencies.ExcludeBaseCurrency", 5},
		{"inventory", "/inventory/v1/compositeitems", "composite_items", "", 50},
		{"inventory", "/inventory/v1/compositeitems", "composite_items", "Status.All", 50},
	} {
		equal(t, len(readPage(t, u.as(t, c.service, c.path, "filter_by", c.filter), c.key).Records), c.want, c.path, c.filter)
	}
	for filter, status := range map[string]string{"Status.Active": `"active"`, "Inactive": `"inactive"`} {
		records := readPage(t, u.get(t, "/inventory/v1/compositeitems", "filter_by", filter), "composite_items").Records
		errorIf(t, len(records) == 0 || slices.ContainsFunc(records, func(r object) bool { return string(r["status"]) != status }),
			"%s: %d records", filter, len(records))
	}
	records := readPage(t, u.get(t, "/inventory/v1/creditnotes", "filter_by", "Status.Void", "per_page", "5"), "creditnotes").Records
	errorIf(t, len(records) == 0 || slices.ContainsFunc(records, func(r object) bool { return string(r["status"]) != `"void"` }),
		"void notes: %d", len(records))
}

func TestSortsOfNewLists(t *testing.T) {
	t.Parallel()
	u := start(t, sandbox.Options{Records: 3000, Limits: off()})
	ascending := func(path, key, column string, less func(a, b object) int) {
		t.Helper()
		p := readPage(t, u.get(t, path, "sort_column", column, "sort_order", "A"), key)
		errorIf(t, p.Context.Column != column || len(p.Records) < 3 || !slices.IsSortedFunc(p.Records, less),
			"%s by %s: %d records, %+v", path, column, len(p.Records), p.Context)
	}
	number := func(key string) func(a, b object) int {
		return func(a, b object) int { return amount(t, a[key]).Cmp(amount(t, b[key])) }
	}
	word := func(key string) func(a, b object) int {
		return func(a, b object) int { return cmp.Compare(text(t, a[key]), text(t, b[key])) }
	}
	for _, column := range []string{"rate", "purchase_rate"} {
		ascending("/inventory/v1/compositeitems", "composite_items", column, number(column))
	}
	for _, column := range []string{"name", "sku", "tax_name", "created_time", "last_modified_time"} {
		ascending("/inventory/v1/compositeitems", "composite_items", column, word(column))
	}
	for _, column := range []string{"exchange_rate", "gain_or_loss"} {
		ascending("/books/v3/basecurrencyadjustment", "base_currency_adjustments", column, number(column))
	}
	for _, column := range []string{"adjustment_date", "currency_code"} {
		ascending("/books/v3/basecurrencyadjustment", "base_currency_adjustments", column, word(column))
	}
}

// An edit of a currency moves rate and date, which only the list carries.
func TestRatesMove(t *testing.T) {
	t.Parallel()
	u := start(t, sandbox.Options{Records: 100, Limits: off()})
	rates := func() map[string]string {
		all := map[string]string{}
		for _, record := range readPage(t, u.as(t, "invoicing", "/invoice/v3/settings/currencies"), "currencies").Records {
			all[text(t, record["currency_id"])] = string(record["exchange_rate"]) + " of " + string(record["effective_date"])
		}
		return all
	}
	before := rates()
	changed := u.change(t, sandbox.Change{Edits: 6, Resources: []string{"currencies"}})
	moved := 0
	for id, rate := range rates() {
		if rate != before[id] {
			moved++
		}
	}
	if moved != 5 || len(changed["currencies"].Edited) != 6 { // the organization's own has no rate.
		t.Errorf("%d rates moved, %d edited", moved, len(changed["currencies"].Edited))
	}
}
