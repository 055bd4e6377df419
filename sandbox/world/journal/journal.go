// Package journal holds the events of the business since its start, beyond counts of edits:
// payments of bills, used credit notes, movements on accounts, and silent changes.
//
// It knows no record and no amount that the seed gives. Start reading with Journal.
package journal

import "sluice/sandbox/world/ids"

// Settlement is the part of one payment for one bill, in cents of the bill's currency, as of that
// day.
type Settlement struct {
	Bill, Payment int
	Cents         int64
	Total, Left   int64 // of the bill, the latter behind the payment
}

// Journal holds the events; its zero value is empty. It is as safe for concurrent use as its world.
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

// SettlementsOf returns the payments of a bill since the start, oldest first.
func (j *Journal) SettlementsOf(bill int) []Settlement { return j.bills[bill] }

// SettledBy returns the settlements of a payment made since the start.
func (j *Journal) SettledBy(payment int) []Settlement { return j.payments[payment] }

// Use notes that a credit note was used up.
func (j *Journal) Use(note int) {
	if j.used == nil {
		j.used = map[int]bool{}
	}
	j.used[note] = true
}

// Used reports whether a credit note was used up since the start.
func (j *Journal) Used(note int) bool { return j.used[note] }

// Book moves two accounts by an amount in cents of the organization's own currency: one of assets
// or expenses, and one of liabilities, equity or income. Both grow, or both fall.
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

// Movement returns the movement of an account since the start, in cents.
func (j *Journal) Movement(account int) int64 { return j.moved[account] }

// Whisper notes a silent change of record i.
func (j *Journal) Whisper(kind ids.Kind, i int) {
	if j.quiet[kind] == nil {
		j.quiet[kind] = map[int]int{}
	}
	j.quiet[kind][i]++
}

// Quiet returns the number of silent changes of record i.
func (j *Journal) Quiet(kind ids.Kind, i int) int { return j.quiet[kind][i] }
