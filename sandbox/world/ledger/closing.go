package ledger

import (
	"cmp"
	"slices"
)

// OpeningLine is a line of the opening balance, in cents of its currency; the base amount is exact.
type OpeningLine struct {
	Account  int
	Debit    bool
	Currency int
	Rate     Rate
	Cents    int64
	Base     Amount
}

// open makes the opening balance: what was there on the first day, the rest being equity.
func (l *Ledger) open() {
	const lakh = 100_000_00 // cents
	scale := l.scaled(1)
	money := func(account int, cents int64) OpeningLine {
		currency := l.CurrencyOf(account)
		rate := l.RateOn(currency, l.Start)
		return OpeningLine{
			Account: account, Debit: l.Accounts[account].Debit, Currency: currency, Rate: rate, Cents: cents, Base: Convert(cents, int64(rate)),
		}
	}
	l.Opening = []OpeningLine{
		money(Bank, 40*lakh*scale), money(Stock, 9*lakh*scale), money(10, 12*lakh*scale), money(3, lakh/10*scale),
		// Hundreds of thousands of the foreign currency give whole cents in the base currency.
		money(SecondBank, 2*lakh), money(SecondDeposit, lakh), money(Loan, 15*lakh*scale),
	}
	var rest Amount
	for _, line := range l.Opening {
		if line.Debit {
			rest += line.Base
		} else {
			rest -= line.Base
		}
	}
	equity := money(Equity, rest.Cents())
	l.Opening = append(l.Opening, equity)
}

// Journal is an entry without a document: sales, receipts, the use of goods and transfers between
// banks. Amounts are in cents of the base currency, unless a line says otherwise.
type Journal struct {
	Date  Day
	Lines []JournalLine
}

// JournalLine is a debit of an account, or a credit if the cents are negative.
type JournalLine struct {
	Account  int
	Currency int
	Cents    int64
	Base     Amount
}

// journals books each month what no document of the ledger shows: the goods that were used, sales,
// what customers paid, and the foreign money that next month's payments need.
func (l *Ledger) journals() {
	spent, used, abroad := map[Day]Amount{}, map[Day]Amount{}, map[Day]int64{}
	for p := range l.Postings(nil) {
		switch month := p.Day.Month(); {
		case p.Entry == Billed && p.Account == Stock:
			used[month] += p.Base
			spent[month] += p.Base
		case p.Entry == Billed && l.Accounts[p.Account].Kind == "expense":
			spent[month] += p.Base
		case p.Account == SecondBank && p.Entry == Paid:
			abroad[month] -= p.Cents
		}
	}
	var sold int64 // last month, with tax
	for month := l.Start.Month(); month < l.Today; month = month.NextMonth() {
		first, last := max(month, l.Start), min(month.NextMonth(), l.Today)-1
		if sold > 0 {
			l.journal(first, [3]int64{Bank, Receivable, sold * 95 / percent}) // some customers do not pay.
		}
		if need := abroad[month]; need > 0 {
			l.buy(first, need)
		}
		goods, net := used[month].Cents()*9/10, spent[month].Cents()*13/10 // most goods are used, and sold for more.
		tax := net * 18 / percent
		sold = net + tax
		l.journal(last, [3]int64{CostOfGoods, Stock, goods}, [3]int64{Receivable, Sales, net}, [3]int64{Receivable, OutputTax, tax})
	}
}

// journal books amounts: the debited account, the credited one, and cents.
func (l *Ledger) journal(day Day, bookings ...[3]int64) {
	j := Journal{Date: day}
	for _, b := range bookings {
		j.Lines = append(j.Lines, JournalLine{Account: int(b[0]), Cents: b[2], Base: FromCents(b[2])},
			JournalLine{Account: int(b[1]), Cents: -b[2], Base: FromCents(-b[2])})
	}
	l.Journals = append(l.Journals, j)
}

// buy transfers money to the second bank account, in lots that give whole cents.
func (l *Ledger) buy(day Day, cents int64) {
	const lot = 10_000_00
	cents = (cents + lot - 1) / lot * lot
	base := Convert(cents, int64(l.RateOn(l.Second(), day)))
	l.Journals = append(l.Journals, Journal{Date: day, Lines: []JournalLine{
		{Account: SecondBank, Currency: l.Second(), Cents: cents, Base: base}, {Account: Bank, Cents: -base.Cents(), Base: -base},
	}})
}

// Adjustment values the accounts in foreign currency by the rate of a quarter's last day.
type Adjustment struct {
	Date     Day
	Currency int
	Rate     Rate
	Accounts []Adjusted
}

// Adjusted is one account of an adjustment, in cents: of its currency, then of the base currency.
type Adjusted struct {
	Account         int
	Foreign         int64
	Before, Revised int64
}

// Gain returns the difference in cents; negative for a loss.
func (a Adjusted) Gain() int64 { return a.Revised - a.Before }

// Gain returns the sum over the accounts.
func (a Adjustment) Gain() int64 {
	var gain int64
	for _, account := range a.Accounts {
		gain += account.Gain()
	}
	return gain
}

// adjust values the two accounts in foreign currency at each quarter's end. It is the last step: it
// needs all other entries.
func (l *Ledger) adjust() {
	var entries []Posting
	for p := range l.Postings(nil) {
		if p.Account == SecondBank || p.Account == SecondDeposit {
			entries = append(entries, p)
		}
	}
	slices.SortStableFunc(entries, func(a, b Posting) int { return cmp.Compare(a.Day, b.Day) })
	held := map[int]*Adjusted{SecondBank: {Account: SecondBank}, SecondDeposit: {Account: SecondDeposit}}
	exact := map[int]Amount{}
	at := 0
	for end := l.Start.NextQuarter() - 1; end < l.Today; end = (end + 1).NextQuarter() - 1 {
		for ; at < len(entries) && entries[at].Day <= end; at++ {
			held[entries[at].Account].Foreign += entries[at].Cents
			exact[entries[at].Account] += entries[at].Base
		}
		rate := l.RateOn(l.Second(), end)
		adjusted := Adjustment{Date: end, Currency: l.Second(), Rate: rate}
		for _, account := range []int{SecondBank, SecondDeposit} {
			now := *held[account]
			now.Before, now.Revised = exact[account].Cents(), Convert(now.Foreign, int64(rate)).Cents()
			exact[account] += FromCents(now.Gain())
			adjusted.Accounts = append(adjusted.Accounts, now)
		}
		l.Adjustments = append(l.Adjustments, adjusted)
	}
}
