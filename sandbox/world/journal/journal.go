// Package journal keeps what happened in the business since its start, beyond how
// often a record was edited: which payment settled which bill, which credit note was
// used up, what moved on the accounts, and what changed without anybody noting a
// time.
//
// It knows no record and no amount that the seed gives. Start reading with Journal.
package journal

import "sluice/sandbox/world/ids"

// Settlement is what one payment pays of one bill, in cents of the bill's currency,
// as it was on the day.
type Settlement struct {
	Bill, Payment int
	Cents         int64
	Total, Left   int64 // of the bill, the latter behind the payment
}

// Journal is what happened. Its zero value is nothing; it is as safe for concurrent
// use as the world that it belongs to.
type Journal struct {
	bills, payments map[int][]Settlement
	used            map[int]bool
	moved           map[int]int64
	quiet           [ids.Kinds]map[int]int
}

// Settle notes a payment of a bill.
func (j *Journal) Settle(s Settlement) {
	if j.bills == nil {
		j.bills, j.payments = map[int][]Settlement{}, map[int][]Settlement{}
	}
	j.bills[s.Bill] = append(j.bills[s.Bill], s)
	j.payments[s.Payment] = append(j.payments[s.Payment], s)
}

// SettlementsOf lists what was paid of a bill since the start, oldest first.
func (j *Journal) SettlementsOf(bill int) []Settlement { return j.bills[bill] }

// SettledBy lists what a payment made since the start paid.
func (j *Journal) SettledBy(payment int) []Settlement { return j.payments[payment] }

// Use notes that all of a credit note was applied.
func (j *Journal) Use(note int) {
	if j.used == nil {
		j.used = map[int]bool{}
	}
	j.used[note] = true
}

// Used reports whether all of a credit note was applied since the start.
func (j *Journal) Used(note int) bool { return j.used[note] }

// Book moves two accounts by an amount in cents of the organization's own currency:
// one of assets or expenses, and one of liabilities, equity or income. Both grow, or
// both fall.
func (j *Journal) Book(left, right int, cents int64) {
	j.move(left, cents)
	j.move(right, cents)
}

func (j *Journal) move(account int, cents int64) {
	if j.moved == nil {
		j.moved = map[int]int64{}
	}
	j.moved[account] += cents
}

// Movement returns what an account moved by since the start, in cents.
func (j *Journal) Movement(account int) int64 { return j.moved[account] }

// Whisper notes a change of record i that moves no modification time.
func (j *Journal) Whisper(kind ids.Kind, i int) {
	if j.quiet[kind] == nil {
		j.quiet[kind] = map[int]int{}
	}
	j.quiet[kind][i]++
}

// Quiet returns how often record i changed without its modification time.
func (j *Journal) Quiet(kind ids.Kind, i int) int { return j.quiet[kind][i] }
