package records

import (
	"sluice/sandbox/world/books"
	"sluice/sandbox/world/draw"
	"sluice/sandbox/world/ids"
	"sluice/sandbox/world/wire"
	"sluice/sandbox/world/words"
)

func (w *Author) account(o *wire.Writer, i int, form Form) {
	word := w.AccountWord(i)
	parent, isChild := w.ParentAccount(i)
	money := words.CurrencyOf(false)
	children := w.SubAccounts(i)
	o.Text("account_id", ids.Of(ids.Accounts, i))
	o.Text("account_name", w.AccountNameNow(i))
	o.Text("account_code", w.AccountCode(i))
	o.Flag("is_active", w.AccountActive(i))
	o.Text("account_type", word.Kind)
	o.Text("currency_id", money.ID)
	o.Text("currency_code", money.Code)
	o.Text("description", w.Words.Remarks[w.Draw(ids.Accounts, i, draw.Text, len(w.Words.Remarks))])
	o.Flag("is_system_account", i < books.RootAccounts)
	o.Flag("is_involved_in_transaction", i < books.RootAccounts)
	o.Flag("can_show_in_ze", word.Group == words.Expenses)
	o.Flag("include_in_vat_return", false)
	w.customFields(o, "customfield_id", ids.Accounts, i)
	parentID, parentName, depth := "", "", 0
	if isChild {
		parentID, parentName, depth = ids.Of(ids.Accounts, parent), w.AccountName(parent), 1
	}
	o.Text("parent_account_id", parentID)
	w.emptyArray(o, "documents", ids.Accounts, i)
	if form != Single { // facts: one account lacks the two times
		o.Text("created_time", w.Stamp(w.Created(ids.Accounts, i)))
		o.Text("last_modified_time", w.Stamp(w.Modified(ids.Accounts, i)))
	}
	o.Flag("is_user_created", i >= books.RootAccounts)
	o.Flag("is_standalone_account", false)
	if form != WithoutBalance {
		if w.One(6, ids.Accounts, i, draw.Absent) && w.Edits(ids.Accounts, i) == 0 { // one in six.
			o.Text("current_balance", "")
		} else {
			o.Money("current_balance", int64(w.Draw(ids.Accounts, i, draw.Amount, 90_000_000))-9_000_000+int64(w.Edits(ids.Accounts, i))*words.Cents)
		}
	}
	o.Text("parent_account_name", parentName)
	o.Whole("depth", depth)
	o.Flag("has_attachment", false)
	o.Flag("is_child_present", children > 0)
	o.Whole("child_count", children)
}

// customFields writes the array with its element id spelled as each resource
// spells it; some records have none, some carry "" in its place.
func (w *Author) customFields(o *wire.Writer, idKey string, kind ids.Kind, i int) {
	switch w.Draw(kind, i, draw.Credit, 6) { // one in six each.
	case 0:
		o.Text("custom_fields", "")
	case 1:
		o.Array("custom_fields", 0, nil)
	default:
		o.Array("custom_fields", 1+w.Draw(kind, i, draw.Code, 2), func(n int) { // one or two.
			o.Open()
			if idKey != "" {
				o.Text(idKey, ids.Fixed(ids.GroupCustomField, int(kind)*10+n)) // ten per kind.
			}
			if kind == ids.Payments || kind == ids.CreditNotes {
				o.Whole("index", n+1)
				o.Text("label", [...]string{"Cost centre", "Project"}[n])
			}
			o.Text("value", [...]string{"North", "South", "Žilina", ""}[w.Draw(kind, i+n, draw.Place, 4)])
			o.Close('}')
		})
	}
}

// emptyArray writes an array whose elements no document shows, or "".
func (w *Author) emptyArray(o *wire.Writer, name string, kind ids.Kind, i int) {
	if w.One(5, kind, i, draw.Absent) { // one in five.
		o.Text(name, "")
		return
	}
	o.Array(name, 0, nil)
}
