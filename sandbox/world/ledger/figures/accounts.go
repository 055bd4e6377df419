package figures

import (
	"sluice/sandbox/world/ids"
	"sluice/sandbox/world/ledger"
)

// Balance is an account's balance now.
type Balance struct {
	Account  string `json:"account_id"`
	Name     string `json:"account_name"`
	Currency string `json:"currency_code"`
	// Balance is in the account's currency, rounded to cents as upstream shows it; positive on the
	// side on which accounts of its type grow.
	Balance Amount `json:"current_balance"`
	// Opening and Movement are debits less credits in the base currency, exact.
	Opening  Amount `json:"opening_base"`
	Movement Amount `json:"movement_base"`
}

// Balances returns all accounts. Over all of them openings sum to zero, and movements as well.
func (b Books) Balances() []Balance {
	list := make([]Balance, len(b.Ledger.Accounts))
	foreign := make([]Amount, len(b.Ledger.Accounts))
	b.postings(b.Ledger.Latest, func(p ledger.Posting) {
		if p.Entry == ledger.Opened {
			list[p.Account].Opening += p.Base
		} else {
			list[p.Account].Movement += p.Base
		}
		foreign[p.Account] += ledger.FromCents(p.Cents)
	})
	for n := range list {
		account, balance := b.Ledger.Accounts[n], &list[n]
		moved := ledger.FromCents(b.Moved(n))
		if !account.Debit {
			moved = -moved
		}
		balance.Movement += moved
		balance.Account, balance.Name, balance.Currency = ids.Of(ids.Accounts, n), account.Name, b.code(b.Ledger.CurrencyOf(n))
		shown := balance.Opening + balance.Movement
		if account.Foreign {
			shown = foreign[n]
		}
		if !account.Debit {
			shown = -shown
		}
		if n == ledger.Payable {
			shown += b.Ledger.Difference
		}
		balance.Balance = ledger.FromCents(shown.Cents())
	}
	return list
}

// OpeningLine is a line of the opening balance.
type OpeningLine struct {
	Account  string `json:"account_id"`
	Currency string `json:"currency_code"`
	Debit    Amount `json:"debit_base"`
	Credit   Amount `json:"credit_base"`
}

// OpeningBalance returns the opening balance; debits equal credits.
func (b Books) OpeningBalance() []OpeningLine {
	list := []OpeningLine{}
	b.postings(b.Ledger.Latest, func(p ledger.Posting) {
		if p.Entry != ledger.Opened {
			return
		}
		line := OpeningLine{Account: accountID(p.Account), Currency: b.code(p.Currency)}
		if p.Base > 0 {
			line.Debit = p.Base
		} else {
			line.Credit = -p.Base
		}
		list = append(list, line)
	})
	return list
}
