//go:build e2e

package cli

import (
	"math/big"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"sluice/pipeline/warehouse/warehousetest"
	"sluice/sandbox"
)

// TestClosedYearsOfACompany closes all days of a company but the last, and lets upstream delete,
// edit, enter and restore bills. What the view lists is what upstream's records say before and
// after.
func TestClosedYearsOfACompany(t *testing.T) {
	t.Parallel()
	s := newWideStage(t, sandbox.Options{World: sandbox.WorldBooks, Seed: 12, Base: "INR", Records: 100})
	s.append("  accounting.contact_persons: {enabled: false}\n  billing.contact_persons: {enabled: false}\ntombstones: {apart: 0s}\n")
	text, err := os.ReadFile(s.config)
	must(t, err)
	must(t, os.WriteFile(s.config, []byte(strings.Replace(string(text), "  invoicing.contact_persons: {enabled: true}\n", "", 1)), 0o600))
	s.document(&map[string]any{}, "migrate")
	s.inTurns()
	before := s.upstreamBills()
	period := closedDaysOf(before)
	s.document(&map[string]any{}, "close", businessKey, period.String(), "--anyway")
	if listed := warehousetest.AfterClose(s.t, s.conn, businessKey, period.String()); len(listed) != 0 {
		t.Errorf("changes before anything changed: %v", listed)
	}
	gone, err := s.world.Plant(businessKey, "", "deletions")
	must(t, err)
	// Bills are entered as of today, and edits leave the books closed: neither belongs to the days.
	_, err = s.world.ChangeOf(businessKey, "", sandbox.Change{Seed: 9, Inserts: 5, Edits: 40, Resources: []string{"bills"}})
	must(t, err)
	listed := func(changes int) {
		t.Helper()
		s.age()
		for range 2 { // two scans prove that a record is gone
			s.pass(2 * time.Hour)
			s.sync(codeFine, "inventory")
			s.sync(codeFine, "inventory.bills.sweep")
		}
		want := changesWithin(before, s.upstreamBills(), period)
		if diff := cmp.Diff(want, warehousetest.AfterClose(s.t, s.conn, businessKey, period.String())); diff != "" {
			t.Errorf("changes of %s (-upstream +view):\n%s", period, diff)
		}
		if len(want) != changes {
			t.Errorf("upstream has %d changes, want %d", len(want), changes)
		}
	}
	listed(len(gone))
	back, err := s.world.Plant(businessKey, "", "restore")
	must(t, err)
	listed(len(gone) + len(back)) // it was deleted before the days were closed
}

// closedDays are the days from the first to the last, as 2026-10-31.
type closedDays struct{ first, last string }

func (d closedDays) String() string { return d.first + ".." + d.last }

// closedDaysOf are the days that bills have, without today and the day before, which time zones
// divide.
func closedDaysOf(bills map[string]upstreamBill) closedDays {
	within := closedDays{"9999", time.Now().UTC().AddDate(0, 0, -2).Format(time.DateOnly)}
	for _, b := range bills {
		within.first = min(within.first, b.text("date"))
	}
	return within
}

// changesWithin is what upstream's records say of the days.
func changesWithin(before, after map[string]upstreamBill, d closedDays) map[string]warehousetest.LateChange {
	want := map[string]warehousetest.LateChange{}
	for id, is := range after {
		if was, ok := before[id]; ok {
			if f, changed := was.becomes(is, d); changed {
				want[id] = f
			}
		} else if is.within(d) {
			want[id] = warehousetest.LateChange{Kind: "arrived", Effect: is.sum().RatString(), Base: is.base().RatString()}
		}
	}
	for id, was := range before {
		if _, ok := after[id]; !ok && was.within(d) {
			want[id] = warehousetest.LateChange{Kind: "deleted", Effect: new(big.Rat).Neg(was.sum()).RatString(), Base: new(big.Rat).Neg(was.base()).RatString()}
		}
	}
	return want
}

// upstreamBill is what of a bill belongs to its period, by upstream's word.
type upstreamBill struct{ record }

func (s *fixture) upstreamBills() map[string]upstreamBill {
	bills := map[string]upstreamBill{}
	for raw := range s.world.TruthOf(businessKey, "", "inventory", "bills") {
		r := parse(raw)
		bills[r.text("bill_id")] = upstreamBill{r}
	}
	return bills
}

func (b upstreamBill) within(d closedDays) bool {
	return d.first <= b.text("date") && b.text("date") <= d.last
}

func (b upstreamBill) counts() bool { return b.text("status") != "draft" && b.text("status") != "void" }

func (b upstreamBill) sum() *big.Rat {
	if sum := b.amount("sub_total"); sum != nil && b.counts() {
		return sum
	}
	return new(big.Rat)
}

// base is the sum in the currency of the organization, whose own bills may come without a rate.
func (b upstreamBill) base() *big.Rat {
	if rate := b.amount("exchange_rate"); rate != nil {
		return new(big.Rat).Mul(b.sum(), rate)
	}
	return b.sum()
}

// part is all that belongs to the period, as one text.
func (b upstreamBill) part() string {
	var text strings.Builder
	for _, name := range []string{"date", "bill_number", "vendor_id", "currency_code", "is_reverse_charge_applied"} {
		text.WriteString(b.text(name) + "|")
	}
	for _, name := range []string{"sub_total", "tax_total", "total", "exchange_rate"} {
		text.WriteString(warehousetest.Fraction(b.text(name)) + "|")
	}
	for _, line := range b.list("line_items") {
		for _, name := range []string{"line_item_id", "account_id", "quantity", "rate", "item_total", "tax_id"} {
			text.WriteString(warehousetest.Fraction(line.text(name)) + "|")
		}
	}
	return text.String()
}

// becomes says what a bill that became another one does to the days.
func (b upstreamBill) becomes(is upstreamBill, d closedDays) (warehousetest.LateChange, bool) {
	wasIn, isIn := b.within(d), is.within(d)
	sum, base := new(big.Rat), new(big.Rat)
	if isIn {
		sum, base = sum.Add(sum, is.sum()), base.Add(base, is.base())
	}
	if wasIn {
		sum, base = sum.Sub(sum, b.sum()), base.Sub(base, b.base())
	}
	f := warehousetest.LateChange{Kind: "changed", Effect: sum.RatString(), Base: base.RatString()}
	switch {
	case wasIn && !isIn:
		f.Kind = "moved_out"
	case !wasIn && isIn:
		f.Kind = "moved_in"
	case !wasIn || b.part() == is.part() && b.counts() == is.counts():
		return warehousetest.LateChange{}, false
	}
	return f, true
}
