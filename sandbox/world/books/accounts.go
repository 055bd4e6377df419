package books

import (
	"fmt"

	"sluice/sandbox/world/draw"
	"sluice/sandbox/world/ids"
	"sluice/sandbox/world/words"
)

const (
	// RootAccounts is the number of accounts, the first ones, that have no parent and belong to the
	// system.
	RootAccounts = 10

	subAccount = 3 // one account in three has a parent
)

// AccountWord returns the name, type and group of account i.
func (w *Books) AccountWord(i int) words.Account {
	if i < len(w.Words.Accounts) {
		return w.Words.Accounts[i]
	}
	return w.Words.Accounts[w.Draw(ids.Accounts, i, draw.Name, len(w.Words.Accounts))]
}

// AccountName returns the name as first written; edits do not reach other records.
func (w *Books) AccountName(i int) string {
	if i < len(w.Words.Accounts) {
		return w.Words.Accounts[i].Name
	}
	return fmt.Sprintf("%s %03d", w.AccountWord(i).Name, i)
}

// AccountNameNow returns the name of account i after its edits.
func (w *Books) AccountNameNow(i int) string {
	if n := w.Edits(ids.Accounts, i); n > 0 {
		return fmt.Sprintf("%s (renamed %d)", w.AccountName(i), n)
	}
	return w.AccountName(i)
}

// ParentAccount returns the index of the account above account i, if there is one.
func (w *Books) ParentAccount(i int) (int, bool) {
	if i < len(w.Words.Accounts) || i >= w.Initial[ids.Accounts] || !w.One(subAccount, ids.Accounts, i, draw.Parent) {
		return 0, false
	}
	return w.Draw(ids.Accounts, i, draw.Code, RootAccounts), true
}

// AccountActive reports whether account i is active: system accounts always are, some others are
// not.
func (w *Books) AccountActive(i int) bool {
	return i < RootAccounts || !w.One(8, ids.Accounts, i, draw.Status) // one in eight.
}

// AccountMatches reports whether account i passes a filter_by value of GET /chartofaccounts without
// its prefix: All, Active, Inactive, Asset, Liability, Equity, Income, Expense.
func (w *Books) AccountMatches(i int, filter string) bool {
	switch filter {
	case "All":
		return true
	case "Active":
		return w.AccountActive(i)
	case "Inactive":
		return !w.AccountActive(i)
	default:
		return w.AccountWord(i).Group == filter
	}
}

// AccountCode returns the code of account i; "" for one account in four.
func (w *Books) AccountCode(i int) string {
	if w.One(4, ids.Accounts, i, draw.Code) { // one in four has no code.
		return ""
	}
	return fmt.Sprintf("A-%04d", i+1000) // four digits.
}

// SubAccounts returns the number of accounts directly below account i.
func (w *Books) SubAccounts(i int) int {
	if i < len(w.children) {
		return w.children[i]
	}
	return 0
}
