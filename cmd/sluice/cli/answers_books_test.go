package cli

import (
	"cmp"
	"fmt"
	"maps"
	"math/big"
	"slices"
	"strings"
	"time"
)

// This file answers the questions of the docs from upstream's records, in plain Go with exact
// fractions: it uses no SQL.

// ledger holds upstream's records of one business.
type ledger struct {
	bills, payments, notes, items, accounts, currencies, persons, adjustments []record
}

// amount is a number of a record; nil if there is none.
func (r record) amount(name string) *big.Rat {
	value, ok := new(big.Rat).SetString(r.text(name))
	if !ok {
		return nil
	}
	return value
}

// base is an amount in the organization's own currency; nil if amount or rate is unknown.
func (r record) base(name string) *big.Rat { return times(r.amount(name), r.amount("exchange_rate")) }

func times(a, b *big.Rat) *big.Rat {
	if a == nil || b == nil {
		return nil
	}
	return new(big.Rat).Mul(a, b)
}

// posted says that a bill is, or was, to be paid.
func posted(bill record) bool {
	status := bill.text("status")
	return status != "draft" && status != "void"
}

func open(bill record) bool {
	balance := bill.amount("balance")
	return posted(bill) && balance != nil && balance.Sign() > 0
}

// only gives the records for which all conditions hold.
func only(records []record, conditions ...func(record) bool) []record {
	var kept []record
	for _, r := range records {
		if !slices.ContainsFunc(conditions, func(holds func(record) bool) bool { return !holds(r) }) {
			kept = append(kept, r)
		}
	}
	return kept
}

// by sorts records into groups, and gives the names of the groups in the order of their bytes.
func by(records []record, of func(record) string) ([]string, map[string][]record) {
	groups := map[string][]record{}
	for _, r := range records {
		groups[of(r)] = append(groups[of(r)], r)
	}
	return slices.Sorted(maps.Keys(groups)), groups
}

func field(name string) func(record) string { return func(r record) string { return r.text(name) } }

// total adds the known values, to the cent; nil if none is known.
func total(records []record, of func(record) *big.Rat) *big.Rat {
	var sum *big.Rat
	for _, r := range records {
		if value := of(r); value != nil {
			sum = new(big.Rat).Add(cmp.Or(sum, new(big.Rat)), value)
		}
	}
	return rounded(sum)
}

// rounded rounds to the cent, halves away from zero.
func rounded(sum *big.Rat) *big.Rat {
	if sum == nil {
		return nil
	}
	text, _ := new(big.Rat).SetString(sum.FloatString(2))
	return text
}

func basis(name string) func(record) *big.Rat {
	return func(r record) *big.Rat { return r.base(name) }
}

// unknown counts the records whose value is unknown.
func unknown(records []record, of func(record) *big.Rat) int {
	return len(only(records, func(r record) bool { return of(r) == nil }))
}

func rate(r record) *big.Rat { return r.amount("exchange_rate") }

// longest is the name that sorts last: of the names of one vendor, each begins with the shorter
// one.
func longest(records []record, name string) string {
	last := ""
	for _, r := range records {
		last = max(last, r.text(name))
	}
	return last
}

// first is the smallest of the texts that are set; nil if none is.
func first(records []record, name string) any {
	var least any
	for _, r := range records {
		if value := r.text(name); value != "" && (least == nil || value < least.(string)) {
			least = value
		}
	}
	return least
}

// row is a row of an answer: texts, whole numbers, fractions, and nil for unknown values.
type row = []any

// descending sorts rows by a column from large to small, unknown values last, and then by the
// column tie.
func descending(rows []row, column, tie int) []row {
	slices.SortStableFunc(rows, func(a, b row) int {
		x, y := a[column].(*big.Rat), b[column].(*big.Rat)
		if x == nil || y == nil {
			return cmp.Compare(boolean(x == nil), boolean(y == nil))
		}
		return cmp.Or(y.Cmp(x), strings.Compare(fmt.Sprint(a[tie]), fmt.Sprint(b[tie])))
	})
	return rows
}

func boolean(holds bool) int {
	if holds {
		return 1
	}
	return 0
}

// owed is how much one business owes each vendor, the largest sum first.
func (l *ledger) owed() []row {
	vendors, bills := by(only(l.bills, open), field("vendor_id"))
	var rows []row
	for _, vendor := range vendors {
		of := bills[vendor]
		rows = append(rows, row{
			vendor, longest(of, "vendor_name"), len(of), total(of, basis("balance")), unknown(of, rate), first(of, "due_date"),
		})
	}
	return descending(rows, 3, 0)
}

// byCurrency is what one business owes, by currency.
func (l *ledger) byCurrency() []row {
	currencies, bills := by(only(l.bills, open), field("currency_code"))
	var rows []row
	for _, currency := range currencies {
		of := bills[currency]
		rows = append(rows, row{
			currency, len(of), total(of, func(r record) *big.Rat { return r.amount("balance") }), total(of, basis("balance")), unknown(of, rate),
		})
	}
	return rows
}

// ofViews are the records as views understand them: a bill in the base currency needs no rate.
func (l *ledger) ofViews() *ledger {
	var bills []record
	for _, bill := range l.bills {
		if bill.text("currency_code") == "INR" && rate(bill) == nil {
			bill = maps.Clone(bill)
			bill.set("exchange_rate", "1")
		}
		bills = append(bills, bill)
	}
	known := *l
	known.bills = bills
	return &known
}

// ages is what one business owes each vendor, by days since the due date, counted in its own days.
func (l *ledger) ages(today string) []row {
	vendors, bills := by(only(l.bills, open), field("vendor_id"))
	var rows []row
	for _, vendor := range vendors {
		late := func(least, most int) func(record) bool {
			return func(r record) bool {
				due := r.text("due_date")
				return due != "" && days(due, today) >= least && days(due, today) <= most
			}
		}
		of, ever := bills[vendor], 1<<30
		rows = append(rows, row{
			vendor, longest(of, "vendor_name"), total(only(of, late(1, 30)), basis("balance")), total(only(of, late(31, ever)), basis("balance")),
			unknown(only(of, late(1, ever)), rate), total(only(of, func(r record) bool { return r.text("due_date") == "" }), basis("balance")),
		})
	}
	return rows
}

func days(from, to string) int {
	a, _ := time.Parse(time.DateOnly, from)
	b, _ := time.Parse(time.DateOnly, to)
	return int(b.Sub(a) / (24 * time.Hour))
}

// sameNames are the names that several vendors of one business share.
func (l *ledger) sameNames() []row {
	names, bills := by(l.bills, field("vendor_name"))
	var rows []row
	for _, name := range names {
		if vendors, _ := by(bills[name], field("vendor_id")); len(vendors) > 1 {
			rows = append(rows, row{name, len(vendors)})
		}
	}
	return rows
}

// spent are the lines of bills that are loaded, and the headers of the others, as parts with an
// account, a net amount and a rate.
func (l *ledger) spent(loaded func(record) bool) []record {
	var parts []record
	for _, bill := range only(l.bills, posted) {
		if !loaded(bill) {
			parts = append(parts, record{"item_total": bill["sub_total"], "exchange_rate": bill["exchange_rate"]})
			continue
		}
		for _, line := range bill.list("line_items") {
			parts = append(parts, record{
				"account_id": line["account_id"], "account_name": line["account_name"], "item_total": line["item_total"], "name": line["name"],
				"quantity": line["quantity"], "exchange_rate": bill["exchange_rate"],
			})
		}
	}
	return parts
}

// byAccount is what one business spent before tax, by account; parts without an account last.
func (l *ledger) byAccount(loaded func(record) bool) []row {
	accounts, parts := by(l.spent(loaded), field("account_id"))
	var rows, without []row
	for _, account := range accounts {
		of := parts[account]
		r := row{account, longest(of, "account_name"), len(of), total(of, basis("item_total")), unknown(of, basis("item_total"))}
		if account == "" {
			r[0], r[1] = nil, nil
			without = append(without, r)
			continue
		}
		rows = append(rows, r)
	}
	return append(rows, without...)
}

// entered counts bills by the day on which they were entered. Upstream writes that time with the
// offset of the business's zone.
func (l *ledger) entered() []row {
	dates, bills := by(only(l.bills, posted), func(r record) string { return r.text("created_time")[:len(time.DateOnly)] })
	var rows []row
	for _, day := range dates {
		rows = append(rows, row{day, len(bills[day])})
	}
	return rows
}

// sumOpen is the total that one business owes.
func (l *ledger) sumOpen() []row {
	of := only(l.bills, open)
	return []row{{len(of), total(of, basis("balance")), unknown(of, rate)}}
}
