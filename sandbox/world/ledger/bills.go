package ledger

import (
	"cmp"
	"slices"

	"sluice/sandbox/world/ids"
	"sluice/sandbox/world/words"
)

// Status is where a bill or a credit note stands, as far as it is no consequence of dates and
// amounts.
type Status int

// The statuses. A draft and a void document have no entries.
const (
	Posted Status = iota
	Draft
	Void
)

// Bill is what a vendor charged. Amounts are in cents of its currency, quantities in hundredths.
type Bill struct {
	State

	Vendor    int
	Currency  int
	Rate      Rate // 0 where upstream shows none
	RateZero  bool // upstream shows an unknown rate as 0, not as an absent one
	Number    int  // of the vendor
	Date, Due Day  // Due is 0 where there is none
	Status    Status
	Restored  bool // it was deleted and came back
	Reverse   bool // the organization owes the tax in place of the vendor
	Location  int
	Lines     []Line
	Net, Tax  int64
	Credits   []Credit
	Shares    []int // payments of it, oldest first
	Centre    int   // of the cost centres; -1 for none

	paid   Day // when it is to be paid; noDay for never
	halved bool
}

// Line is a line of a bill or of a credit note.
type Line struct {
	Item     int // -1 for none
	Account  int
	Levy     int // number of the tax
	Location int
	Quantity int64
	Rate     int64
	Net, Tax int64
	Reverse  int64 // tax that the organization owes in place of the vendor
}

// Credit is a part of a vendor's credit that settles a bill.
type Credit struct {
	Date  Day
	Cents int64
}

// Gross returns the sum with tax, in cents.
func (b *Bill) Gross() int64 { return b.Net + b.Tax }

// Credited returns what vendors' credits settle, in cents.
func (b *Bill) Credited() int64 {
	var cents int64
	for _, c := range b.Credits {
		cents += c.Cents
	}
	return cents
}

// oneIn bounds of bills.
const (
	friday       = 4 // of the days of a week, counted from Monday
	oneInDraft   = 50
	oneInVoid    = 70
	oneInUndue   = 33 // without a due date
	oneInReverse = 16
	oneInLate    = 25 // entered weeks after their date
	oneInAgain   = 15 // of the vendor of the bill before
	unposted     = 28 // days in which deletions were
)

func (l *Ledger) bills() []Bill {
	count := l.size(percentBills, leastBills)
	list := make([]Bill, count)
	for n := range list {
		list[n] = l.bill(n, count)
	}
	slices.SortStableFunc(list, func(a, b Bill) int { return cmp.Compare(a.Entered, b.Entered) })
	for n := range list {
		list[n].Number = n + 1
	}
	l.plant(list)
	return list
}

// bill makes the n-th bill by date.
func (l *Ledger) bill(n, count int) Bill {
	vendor := l.sender(n)
	date := l.Start + Day(n*days/count)
	if n < vendorCount { // the first bill of each vendor is of any day
		date = l.Start + Day(l.draw(ids.Bills, n, askDay, days))
	}
	day := date
	if l.draw(ids.Bills, n, askLate, oneInLate) == 0 {
		day = min(date+3+Day(l.draw(ids.Bills, n, askDay, 20)), l.Today-1)
	}
	b := l.billOf(n, vendor, date, l.at(day, morning+l.draw(ids.Bills, n, askHour, evening-morning)))
	switch {
	case n%oneInDraft == 11:
		b.Status = Draft
	case n%oneInVoid == 23:
		b.Status = Void
	}
	return b
}

// billOf makes a bill of a vendor, dated a day and entered at an instant.
func (l *Ledger) billOf(n, vendor int, date Day, entered int64) Bill {
	b := Bill{
		State: State{Entered: entered, Modified: entered}, Vendor: vendor, Currency: l.Vendors[vendor].Currency, Date: date,
		Location: l.draw(ids.Bills, n, askPlace, 2), Centre: l.draw(ids.Bills, n, askCustom, 5) - 1, paid: noDay,
	}
	b.Rate = l.RateOn(b.Currency, date)
	if l.draw(ids.Bills, n, askTerms, oneInUndue) > 0 {
		b.Due = date + Day(l.Vendors[vendor].Terms)
	}
	b.Reverse = b.Currency > 0 && l.draw(ids.Bills, n, askTreatment, oneInReverse/4) == 0
	for line := range 1 + l.draw(ids.Bills, n, askLines, 6) {
		b.add(l.line(&b, n*8+line)) // eight lines keep bills apart.
	}
	return b
}

func (b *Bill) add(line Line) {
	b.Lines = append(b.Lines, line)
	b.Net += line.Net
	b.Tax += line.Tax
}

// sender returns the vendor of the n-th bill by date: first each vendor once, then some of them
// more often than others, and now and then the one before.
func (l *Ledger) sender(n int) int {
	switch {
	case n < vendorCount:
		return n
	case n > vendorCount && l.draw(ids.Bills, n, askSplit, oneInAgain) == 0:
		return l.sender(n - 1)
	default:
		return l.draw(ids.Bills, n, askVendor, vendorCount) * (1 + l.draw(ids.Bills, n, askKind, 3)) / 3
	}
}

// line makes a line: of an item in three cases of four, else of an account alone.
func (l *Ledger) line(b *Bill, n int) Line {
	line := Line{Item: -1, Levy: l.draw(ids.Bills, n, askLevy, 3), Location: b.Location, Quantity: words.Cents}
	var cents int64
	if l.draw(ids.Bills, n, askKind, 4) > 0 {
		line.Item = l.draw(ids.Bills, n, askItem, l.founding.items)
		item := l.Items[line.Item]
		line.Account, line.Levy = item.Account, item.Levy
		line.Quantity = int64(1+l.draw(ids.Bills, n, askQuantity, 12)) * words.Cents
		line.Location = l.draw(ids.Bills, n, askPlace, 2)
		cents = item.Cost(b.Date)
	} else {
		accounts := expenseAccounts()
		line.Account = accounts[l.draw(ids.Bills, n, askAccount, len(accounts))]
		cents = l.scaled(500 + l.draw(ids.Bills, n, askCost, 40_000))
	}
	line.Rate = max(1, l.abroad(cents, b.Rate))
	line.Net = line.Rate * line.Quantity / words.Cents
	tax := line.Net * words.PercentOf(line.Levy) / percent
	if b.Reverse {
		line.Reverse = tax
	} else {
		line.Tax = tax
	}
	return line
}

// abroad converts cents of the base currency by a rate.
func (l *Ledger) abroad(cents int64, rate Rate) int64 {
	return (cents*millionth + int64(rate)/2) / int64(rate)
}

// Numbers of planted bills.
const (
	plantedDeleted   = 4
	plantedUnknown   = 2
	plantedDuplicate = 2
)

// plant deletes bills, restores one, hides rates and enters bills twice.
func (l *Ledger) plant(list []Bill) {
	l.delete(list)
	unknown, twice := 0, 0
	for n := len(list) / 5; n < len(list)-1; n++ { // old bills, but not the oldest.
		b := &list[n]
		if b.Status != Posted || b.Deleted || b.Restored || b.Due == 0 {
			continue
		}
		switch next := &list[n+1]; {
		case b.Currency > 0 && unknown < plantedUnknown && b.Due < l.Today-150:
			b.untax()
			b.Rate, b.RateZero = 0, unknown == 1
			unknown++
		case twice < plantedDuplicate && next.Status == Posted && !next.Deleted && !next.Restored && n%7 == 3:
			entered := next.Entered
			*next = *b
			next.Lines = slices.Clone(b.Lines)
			next.State = State{Entered: entered, Modified: entered}
			twice++
			n++
		}
	}
}

// delete deletes bills of the last weeks, and one that came back.
func (l *Ledger) delete(list []Bill) {
	deleted, restored := 0, false
	for n := len(list) - 1; n >= 0 && (deleted < plantedDeleted || !restored); n-- {
		b := &list[n]
		if b.Status != Posted || b.Date < l.Today-unposted || b.Date > l.Today-3 || b.Due == 0 || b.Due < l.Today {
			continue
		}
		if deleted < plantedDeleted {
			b.Deleted = true
			deleted++
		} else {
			b.Restored, restored = true, true
		}
		b.Modified = max(b.Modified, l.at(l.Today-2, morning+n%3600))
	}
}

// untax takes the taxes off a bill: its tax in the base currency would be unknown.
func (b *Bill) untax() {
	b.Tax, b.Reverse = 0, false
	for n := range b.Lines {
		line := &b.Lines[n]
		line.Levy, line.Tax, line.Reverse = Untaxed, 0, 0
	}
}

// Untaxed is the number of the tax of no percent.
const Untaxed = 2

// plan decides when each bill is to be paid: around its due date. It returns the bills that are
// open today.
func (l *Ledger) plan() int {
	open := 0
	for n := range l.Bills {
		b := &l.Bills[n]
		if b.Status != Posted || b.Deleted {
			continue
		}
		due := b.Due
		if due == 0 {
			due = b.Date + 30 // days that are usual.
		}
		b.paid = due + Day(l.draw(ids.Bills, b.Number, askPay, 16)) - 8
		switch chance := l.draw(ids.Bills, b.Number, askSplit, 100); {
		case chance < 6: // early.
			b.paid = due - 12 - Day(chance)
		case chance < 15:
			b.halved = true
		case l.Vendors[b.Vendor].Weekly:
			b.paid += (friday - (b.paid+3)%7 + 7) % 7 // 1970 began on a Thursday.
		}
		if before := l.Bills[max(n-1, 0)]; before.Vendor == b.Vendor && before.paid < l.Today {
			b.paid, b.halved = before.paid, false // both at once
		}
		b.paid = max(b.paid, b.Date+1, l.dayOf(b.Entered)+1)
		if b.Due != 0 && b.Due < l.Today && b.paid >= l.Today || b.Rate == 0 {
			b.paid = min(b.paid, l.Today-1)
		}
		if b.Restored {
			b.paid = noDay
		}
		if b.paid >= l.Today {
			open++
		}
		if b.Currency == 0 && b.Rate != 0 && l.draw(ids.Bills, b.Number, askCredit, 25) == 0 && b.Date+9 < min(b.paid, l.Today) {
			b.Credits = []Credit{{Date: b.Date + 9, Cents: max(1, b.Lines[0].Net/10)}}
		}
	}
	return open
}

// late leaves bills unpaid behind their due date, so that they are eight percent of the open ones.
// Most are some days late, few of them months.
func (l *Ledger) late(open int) {
	const longest = 365
	var byDays [longest][]int // bills that were due so many days ago
	for n := range l.Bills {
		b := &l.Bills[n]
		paid := b.Status == Posted && !b.Deleted && b.Rate != 0 && b.paid < l.Today
		if days := l.Today - b.Due; paid && b.Due != 0 && days > 0 && days < longest {
			byDays[days] = append(byDays[days], n)
		}
	}
	want := max(4, (open*8+46)/92) // eight of a hundred, the rest being on time.
	for _, days := range lateFor(want) {
		for ; days < longest; days++ {
			if bills := byDays[days]; len(bills) > 0 {
				b := &l.Bills[bills[0]]
				b.paid, b.halved = noDay, false
				byDays[days] = bills[1:]
				break
			}
		}
	}
}

// lateFor returns how many days each of some bills is late.
func lateFor(count int) []Day {
	list := make([]Day, count)
	for n := range list {
		switch place := n % 10; {
		case n == 1, place == 7:
			list[n] = 40 + Day(n%17)
		case n == 2, place == 8:
			list[n] = 65 + Day(n%20)
		case n == 3, place == 9:
			list[n] = 95 + Day(n%40)
		default:
			list[n] = 1 + Day(n*7%29)
		}
	}
	return list
}
