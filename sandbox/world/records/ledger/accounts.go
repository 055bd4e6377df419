// Package ledger writes the records of accounting and invoicing, key by key: accounts, opening
// balances, adjustments, expenses and currencies (docs/upstream.md U162 to U187 and U198).
//
// Their content is package books' work. Start reading with Author.
package ledger

import (
	"sluice/sandbox/world/books"
	"sluice/sandbox/world/draw"
	"sluice/sandbox/world/ids"
	"sluice/sandbox/world/records/parts"
	"sluice/sandbox/world/wire"
	"sluice/sandbox/world/words"
)

// Account writes an account. The single record lacks the two times (docs/upstream.md U169), and a
// list requested without balances lacks them.
func (w Author) Account(o *wire.Writer, i int, balance bool) {
	word := w.AccountWord(i)
	parent, isChild := w.ParentAccount(i)
	money := words.CurrencyOf(false)
	children := w.SubAccounts(i)
	o.ID("account_id", ids.Number(ids.Accounts, i))
	o.Text("account_name", w.AccountNameNow(i))
	o.Text("account_code", w.AccountCode(i))
	o.Flag("is_active", w.AccountActive(i))
	o.Text("account_type", word.Kind)
	o.Text("currency_id", money.ID)
	o.Text("currency_code", money.Code)
	w.Remark(o, "description", ids.Accounts, i)
	o.Flag("is_system_account", i < books.RootAccounts)
	o.Flag("is_involved_in_transaction", i < books.RootAccounts)
	o.Flag("can_show_in_ze", word.Group == words.Expenses)
	o.Flag("include_in_vat_return", false)
	w.CustomFields(o, ids.Accounts, i)
	parentID, parentName, depth := "", "", 0
	if isChild {
		parentID, parentName, depth = ids.Of(ids.Accounts, parent), w.AccountName(parent), 1
	}
	o.Text("parent_account_id", parentID)
	w.EmptyArray(o, "documents", ids.Accounts, i)
	if !o.Single {
		w.Time(o, "created_time", w.Created(ids.Accounts, i))
		w.Time(o, "last_modified_time", w.Modified(ids.Accounts, i))
	}
	o.Flag("is_user_created", i >= books.RootAccounts)
	o.Flag("is_standalone_account", false)
	if balance {
		moved := w.Movement(i)
		if w.One(6, ids.Accounts, i, draw.Absent) && w.Edits(ids.Accounts, i) == 0 && moved == 0 { // one in six.
			o.Text("current_balance", "")
		} else {
			start := int64(w.Draw(ids.Accounts, i, draw.Amount, 90_000_000)) - 9_000_000
			o.Money("current_balance", start+moved+int64(w.Edits(ids.Accounts, i))*words.Cents)
		}
	}
	o.Text("parent_account_name", parentName)
	o.Whole("depth", depth)
	o.Flag("has_attachment", false)
	o.Flag("is_child_present", children > 0)
	o.Whole("child_count", children)
}

// Author writes these records.
type Author struct{ parts.Author }
