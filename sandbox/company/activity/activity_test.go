package activity_test

import (
	"encoding/json"
	"fmt"
	"math/big"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"sluice/sandbox/company/activity"
	"sluice/sandbox/world"
)

func start() time.Time { return time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC) }

func founded(seed int64, records int) *world.World {
	return world.New(world.Settings{
		Seed: seed, Records: records, Zone: time.UTC, Anchor: start(), Modules: []string{"cm_a"}, Networks: []string{"n1"}, Organization: "60012345678",
	})
}

func busy() activity.Rates {
	return activity.Rates{Inserts: 4.5, Edits: 6, Silent: 3.25, Deletes: 1.5, Restores: 0.5, Payments: 3, Credits: 1}
}

// fields are the values of a record, amounts as they are written.
type fields map[string]json.RawMessage

func read(t interface {
	Fatalf(format string, args ...any)
}, w *world.World, kind world.Kind, i int) fields {
	var record fields
	if err := json.Unmarshal(w.AppendRecord(nil, kind, i, world.Full), &record); err != nil {
		t.Fatalf("kind %d record %d: %v", kind, i, err)
	}
	return record
}

func (f fields) list(name string) []fields {
	var list []fields
	_ = json.Unmarshal(f[name], &list) // "" stands for an empty one
	return list
}

func (f fields) text(name string) string { return strings.Trim(string(f[name]), `"`) }

func (f fields) amount(name string) *big.Rat {
	value, _ := new(big.Rat).SetString(f.text(name))
	if value == nil {
		return new(big.Rat)
	}
	return value
}

func sum(list []fields, name string) *big.Rat {
	total := new(big.Rat)
	for _, f := range list {
		total.Add(total, f.amount(name))
	}
	return total
}

func plus(parts ...*big.Rat) *big.Rat {
	total := new(big.Rat)
	for _, part := range parts {
		total.Add(total, part)
	}
	return total
}

func less(from *big.Rat, parts ...*big.Rat) *big.Rat { return new(big.Rat).Sub(from, plus(parts...)) }

// The books balance after any events. Bills are their lines and taxes, the open amount is the
// unpaid one, and payments are what their bills say. Notes are used at most up to their amount, and
// every booking has two sides.
func TestTheBooksAddUp(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		w := founded(rapid.Int64().Draw(t, "seed"), rapid.IntRange(100, 160).Draw(t, "records"))
		play := activity.New(rapid.Int64().Draw(t, "chance"), busy(), start().Unix())
		for now := start().Unix(); now < start().AddDate(0, 0, 4).Unix(); now += int64(rapid.IntRange(60, 200_000).Draw(t, "step")) {
			play.Play(w, now)
		}
		paid := map[string]*big.Rat{}
		for p := range w.Len(world.Payments) {
			if !w.Live(world.Payments, p) {
				continue
			}
			payment := read(t, w, world.Payments, p)
			shares := payment.list("bills")
			if payment.amount("amount").Cmp(plus(payment.amount("balance"), sum(shares, "amount_applied"))) != 0 {
				t.Fatalf("payment %s: amount %s, balance %s, bills %s", payment.text("payment_id"), payment["amount"], payment["balance"], payment["bills"])
			}
			for _, share := range shares {
				key := payment.text("payment_id") + "/" + share.text("bill_id") + "/" + share.text("bill_payment_id") + "/" + payment.text("vendor_id")
				paid[key] = share.amount("amount_applied")
				if less(share.amount("total"), share.amount("amount_applied")).Sign() < 0 {
					t.Fatalf("%s: more is paid than was asked for: %v", key, share)
				}
			}
		}
		for b := range w.Len(world.Bills) {
			if w.Live(world.Bills, b) {
				checkBill(t, read(t, w, world.Bills, b), paid)
			}
		}
		for key := range paid {
			t.Fatalf("%s is paid of a bill that does not know", key)
		}
		for c := range w.Len(world.CreditNotes) {
			if w.Live(world.CreditNotes, c) {
				checkNote(t, read(t, w, world.CreditNotes, c))
			}
		}
		opening := read(t, w, world.OpeningBalances, 0)
		sides := map[string]*big.Rat{"debit": new(big.Rat), "credit": new(big.Rat)}
		for _, line := range opening.list("accounts") {
			side := sides[line.text("debit_or_credit")]
			side.Add(side, line.amount("bcy_amount"))
		}
		if sides["debit"].Cmp(sides["credit"]) != 0 || sides["debit"].Cmp(opening.amount("total")) != 0 {
			t.Fatalf("opening balance: %v", sides)
		}
		if left, right := w.Movements(); left != right {
			t.Fatalf("the accounts moved by %d and %d", left, right)
		}
	})
}

// checkBill removes its findings from paid.
func checkBill(t *rapid.T, bill fields, paid map[string]*big.Rat) {
	payments := bill.list("payments")
	if bill.amount("sub_total").Cmp(sum(bill.list("line_items"), "item_total")) != 0 || bill.amount("tax_total").Cmp(sum(bill.list("taxes"), "tax_amount")) != 0 {
		t.Fatalf("bill %s is not its lines and taxes: %v", bill.text("bill_id"), bill)
	}
	if bill.amount("vendor_credits_applied").Cmp(sum(bill.list("vendor_credits"), "amount")) != 0 {
		t.Fatalf("bill %s has other credits than it says: %v", bill.text("bill_id"), bill)
	}
	due := less(plus(bill.amount("sub_total"), bill.amount("tax_total")), sum(payments, "amount"), bill.amount("vendor_credits_applied"))
	if due.Cmp(bill.amount("balance")) != 0 || due.Sign() < 0 {
		t.Fatalf("bill %s: balance %s, due %s", bill.text("bill_id"), bill["balance"], due.FloatString(2))
	}
	if done := bill.text("status") == "paid"; done != (due.Sign() == 0) {
		t.Fatalf("bill %s: status %s, due %s", bill.text("bill_id"), bill["status"], due.FloatString(2))
	}
	for _, payment := range payments {
		key := payment.text("payment_id") + "/" + bill.text("bill_id") + "/" + payment.text("bill_payment_id") + "/" + bill.text("vendor_id")
		if amount := paid[key]; amount == nil || amount.Cmp(payment.amount("amount")) != 0 {
			t.Fatalf("%s: the bill says %s, the payment %v", key, payment["amount"], amount)
		}
		delete(paid, key)
	}
}

func checkNote(t *rapid.T, note fields) {
	used := sum(note.list("invoices"), "amount")
	if note.amount("balance").Cmp(less(note.amount("total"), used)) != 0 || note.amount("balance").Sign() < 0 {
		t.Fatalf("note %s: total %s, used %s, balance %s", note.text("creditnote_id"), note["total"], used.FloatString(2), note["balance"])
	}
	if note.text("status") == "closed" && note.amount("balance").Sign() != 0 {
		t.Fatalf("note %s is closed with a balance of %s", note.text("creditnote_id"), note["balance"])
	}
}

func everything(w *world.World) string {
	var all strings.Builder
	for _, kind := range []world.Kind{
		world.Accounts, world.Payments, world.Items, world.Bills, world.CreditNotes, world.Chats, world.CompositeItems, world.Expenses, world.Channels,
	} {
		for i := range w.Len(kind) {
			if w.Live(kind, i) {
				_, _ = fmt.Fprintf(&all, "%s\n", w.AppendRecord(nil, kind, i, world.Full))
			}
		}
	}
	return all.String()
}

// The same seed and hours give the same world, in any number of steps.
func TestTheSameHoursGiveTheSameWorld(t *testing.T) {
	t.Parallel()
	end := start().AddDate(0, 0, 3).Unix()
	once, often, other := founded(1, 200), founded(1, 200), founded(1, 200)
	activity.New(5, busy(), start().Unix()).Play(once, end)
	steps := activity.New(5, busy(), start().Unix())
	for now := start().Unix(); now < end; now += 1234 {
		steps.Play(often, now)
	}
	steps.Play(often, end)
	activity.New(6, busy(), start().Unix()).Play(other, end)
	if everything(once) != everything(often) {
		t.Error("many steps and one give different worlds")
	}
	if everything(once) == everything(other) {
		t.Error("another seed gives the same world")
	}
}

// Events happen as often as the rates say, at times of their own, and never ahead.
func TestRatesAndTimes(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		rates activity.Rates
		want  map[world.Operation][2]int // at least and at most, in 100 hours
	}{
		"inserts":  {activity.Rates{Inserts: 2}, map[world.Operation][2]int{world.Inserted: {195, 200}, world.Quieted: {2, 2}}},
		"edits":    {activity.Rates{Edits: 1.5}, map[world.Operation][2]int{world.Edited: {90, 175}, world.Quieted: {0, 2}}},
		"silent":   {activity.Rates{Silent: 2}, map[world.Operation][2]int{world.Quieted: {120, 300}}},
		"deletes":  {activity.Rates{Deletes: 1}, map[world.Operation][2]int{world.Deleted: {90, 100}, world.Quieted: {0, 2}}},
		"payments": {activity.Rates{Payments: 1}, map[world.Operation][2]int{world.Inserted: {95, 100}, world.Edited: {60, 200}, world.Quieted: {2, 2}}},
		"credits":  {activity.Rates{Credits: 0.5}, map[world.Operation][2]int{world.Edited: {30, 70}, world.Quieted: {2, 2}}},
		"restores": {activity.Rates{Deletes: 1, Restores: 1}, map[world.Operation][2]int{world.Deleted: {0, 100}, world.Restored: {30, 100}, world.Quieted: {0, 2}}},
	} {
		w := founded(3, 3000)
		w.Watch()
		end := start().Add(100 * time.Hour).Unix()
		activity.New(3, c.rates, start().Unix()).Play(w, end)
		counted := map[world.Operation]int{}
		for _, h := range w.Happened() {
			counted[h.Operation]++
			moved := h.Operation != world.Quieted && h.Operation != world.Deleted
			if at := w.Modified(h.Kind, h.Index); moved != (at >= start().Unix()) || at > end {
				t.Errorf("%s: operation %d at %s", name, h.Operation, time.Unix(at, 0).UTC())
			}
		}
		for operation := world.Inserted; operation <= world.Restored; operation++ {
			if bounds := c.want[operation]; counted[operation] < bounds[0] || counted[operation] > bounds[1] {
				t.Errorf("%s: operation %d happened %d times, want %v", name, operation, counted[operation], bounds)
			}
		}
	}
}

// A long time costs bounded work, spread over all of it.
func TestALongTimeIsBounded(t *testing.T) {
	t.Parallel()
	w := founded(1, 100)
	end := start().AddDate(60, 0, 0).Unix()
	activity.New(1, activity.Rates{Inserts: 10}, start().Unix()).Play(w, end)
	grown := w.Len(world.Expenses)
	if grown < 1000 || grown > 100_000 {
		t.Errorf("%d expenses after sixty years", grown)
	}
	if last := w.Modified(world.Expenses, grown-1); last < start().AddDate(59, 0, 0).Unix() {
		t.Errorf("the last one is of %s", time.Unix(last, 0).UTC())
	}
}

func TestRatesAreChecked(t *testing.T) {
	t.Parallel()
	for _, rates := range []activity.Rates{{Inserts: -1}, {Silent: 1e9}} {
		if rates.Check() == nil {
			t.Errorf("%+v was taken", rates)
		}
	}
	if err := busy().Check(); err != nil || busy().Quiet() || !(activity.Rates{}).Quiet() {
		t.Error(err)
	}
}
