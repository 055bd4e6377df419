package books

import (
	"sluice/sandbox/world/draw"
	"sluice/sandbox/world/ids"
	"sluice/sandbox/world/words"
)

// OpeningLine is one line of the opening balance, in cents of its currency and of the
// organization's own.
type OpeningLine struct {
	Account      int // index
	Debit        bool
	Money        words.Currency
	Amount, Base int64
}

// OpeningAt returns the lines of opening balance i. Debits and credits are equal in the
// organization's own currency; each edit adds a hundred on both sides.
func (w *Books) OpeningAt(i int) []OpeningLine {
	some := func(n int) int64 {
		return int64(w.Draw(ids.OpeningBalances, i*8+n, draw.Amount, 50_000_000)) + words.Cents
	} // eight lines keep them apart.
	home, foreign := words.CurrencyOf(false), words.CurrencyOf(true)
	abroad := some(0) / words.Cents // some thousands at most.
	lines := []OpeningLine{
		{Account: 0, Debit: true, Money: home, Amount: some(1) + int64(w.Edits(ids.OpeningBalances, i))*words.Cents*words.Cents}, // Current Account
		{Account: 3, Debit: true, Money: home, Amount: some(2)},                                                                  // Petty Cash
		{Account: 4, Debit: true, Money: home, Amount: some(3)},                                                                  // Inventory Asset
		{Account: 7, Debit: true, Money: foreign, Amount: abroad},                                                                // Accounts Receivable
	}
	var total int64
	for n := range lines {
		lines[n].Base = lines[n].Amount * lines[n].Money.Rate / words.Millionths
		total += lines[n].Base
	}
	owed := total / 4 // a quarter.
	return append(lines,
		OpeningLine{Account: 5, Money: home, Amount: owed, Base: owed},                 // Accounts Payable
		OpeningLine{Account: 8, Money: home, Amount: total - owed, Base: total - owed}) // Owner's Equity
}

// OpeningTotal returns the sum of the debits in the organization's own currency.
func OpeningTotal(lines []OpeningLine) int64 {
	var total int64
	for _, line := range lines {
		if line.Debit {
			total += line.Base
		}
	}
	return total
}

// Revalued is an account in a foreign currency, valued by another rate, in cents.
type Revalued struct {
	Account                 int // index
	Foreign, Book, Adjusted int64
}

// Gain returns the difference to the book value; negative for a loss.
func (r Revalued) Gain() int64 { return r.Adjusted - r.Book }

// Revalue values one to three accounts, chosen by number, with a rate in millionths.
func (w *Books) Revalue(number int, money words.Currency, rate int64) []Revalued {
	accounts := make([]Revalued, 1+w.Draw(ids.Adjustments, number, draw.Lines, 3))
	first := w.Draw(ids.Adjustments, number, draw.Item, RootAccounts)
	for n := range accounts {
		held := int64(w.Draw(ids.Adjustments, number*8+n, draw.Amount, 5_000_000)) + words.Cents // eight accounts keep them apart.
		accounts[n] = Revalued{
			Account: (first + n) % RootAccounts, Foreign: held,
			Book: held * money.Rate / words.Millionths, Adjusted: held * rate / words.Millionths,
		}
	}
	return accounts
}

// Adjustment is a base currency adjustment.
type Adjustment struct {
	Money    words.Currency
	Rate     int64 // millionths
	Accounts []Revalued
}

// Gain returns the sum of the gains of the accounts, in cents.
func (a Adjustment) Gain() int64 {
	var gain int64
	for _, account := range a.Accounts {
		gain += account.Gain()
	}
	return gain
}

// AdjustmentAt returns adjustment i; an edit moves its rate.
func (w *Books) AdjustmentAt(i int) Adjustment {
	money := words.CurrencyAt(1 + i%words.Foreign)
	rate := money.Rate*int64(950+w.Draw(ids.Adjustments, i, draw.Mode, 100))/1000 + // five percent up or down.
		int64(w.Edits(ids.Adjustments, i))*10_000 // a hundredth.
	return Adjustment{Money: money, Rate: rate, Accounts: w.Revalue(i, money, rate)}
}

// Side returns the side on which the gain is booked.
func (a Adjustment) Side() string {
	if a.Gain() < 0 {
		return "debit"
	}
	return "credit"
}

// CurrencyRate returns the rate of currency i today, in millionths; each edit moves it.
func (w *Books) CurrencyRate(i int) int64 {
	return words.CurrencyAt(i).Rate + int64(w.Edits(ids.Currencies, i))*250_000 // a quarter.
}

// TaxActive reports whether tax i is in use: those on lines always are.
func TaxActive(i int) bool { return i < 3 || i%4 != 3 } // one in four of the others is not.

// ExpenseAmount returns the amount of expense i before tax, in cents; an edit adds ten.
func (w *Books) ExpenseAmount(i int) int64 {
	return int64(w.Draw(ids.Expenses, i, draw.Amount, 400_000)) + words.Cents + int64(w.Edits(ids.Expenses, i))*10*words.Cents
}
