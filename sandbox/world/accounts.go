package world

import "fmt"

const (
	rootAccounts = 10
	subAccount   = 3 // one account in three has a parent
)

func (w *World) accountWord(i int) accountWord {
	if i < len(w.words.accounts) {
		return w.words.accounts[i]
	}
	return w.words.accounts[w.draw(Accounts, i, fieldName, len(w.words.accounts))]
}

// accountName is the name as first written; edits do not reach other records.
func (w *World) accountName(i int) string {
	if i < len(w.words.accounts) {
		return w.words.accounts[i].name
	}
	return fmt.Sprintf("%s %03d", w.accountWord(i).name, i)
}

func (w *World) accountNameNow(i int) string {
	if n := w.edits(Accounts, i); n > 0 {
		return fmt.Sprintf("%s (renamed %d)", w.accountName(i), n)
	}
	return w.accountName(i)
}

func (w *World) parentAccount(i int) (int, bool) {
	if i < len(w.words.accounts) || i >= w.initial[Accounts] || !w.one(subAccount, Accounts, i, fieldParent) {
		return 0, false
	}
	return w.draw(Accounts, i, fieldCode, rootAccounts), true
}

// accountActive: system accounts always are; some of the others are not.
func (w *World) accountActive(i int) bool {
	return i < rootAccounts || !w.one(8, Accounts, i, fieldStatus) // one in eight.
}

// AccountMatches tells whether account i passes a filter_by value of
// GET /chartofaccounts without its prefix: All, Active, Inactive, Asset,
// Liability, Equity, Income, Expense.
func (w *World) AccountMatches(i int, filter string) bool {
	switch filter {
	case "All":
		return true
	case "Active":
		return w.accountActive(i)
	case "Inactive":
		return !w.accountActive(i)
	default:
		return w.accountWord(i).group == filter
	}
}

func (w *World) account(o *writer, i int, form Form) {
	word := w.accountWord(i)
	parent, isChild := w.parentAccount(i)
	money := currencyOf(false)
	children := 0
	if i < len(w.children) {
		children = w.children[i]
	}
	o.text("account_id", w.ID(Accounts, i))
	o.text("account_name", w.accountNameNow(i))
	o.text("account_code", codeOf(w, i))
	o.flag("is_active", w.accountActive(i))
	o.text("account_type", word.kind)
	o.text("currency_id", money.id)
	o.text("currency_code", money.code)
	o.text("description", w.words.remarks[w.draw(Accounts, i, fieldText, len(w.words.remarks))])
	o.flag("is_system_account", i < rootAccounts)
	o.flag("is_involved_in_transaction", i < rootAccounts)
	o.flag("can_show_in_ze", word.group == expenses)
	o.flag("include_in_vat_return", false)
	w.customFields(o, "customfield_id", Accounts, i)
	parentID, parentName, depth := "", "", 0
	if isChild {
		parentID, parentName, depth = w.ID(Accounts, parent), w.accountName(parent), 1
	}
	o.text("parent_account_id", parentID)
	w.emptyArray(o, "documents", Accounts, i)
	if form != Single { // facts: one account lacks the two times
		o.text("created_time", w.stamp(w.created(Accounts, i)))
		o.text("last_modified_time", w.stamp(w.Modified(Accounts, i)))
	}
	o.flag("is_user_created", i >= rootAccounts)
	o.flag("is_standalone_account", false)
	if form != WithoutBalance {
		if w.one(6, Accounts, i, fieldAbsent) && w.edits(Accounts, i) == 0 { // one in six.
			o.text("current_balance", "")
		} else {
			o.money("current_balance", int64(w.draw(Accounts, i, fieldAmount, 90_000_000))-9_000_000+int64(w.edits(Accounts, i))*cents)
		}
	}
	o.text("parent_account_name", parentName)
	o.whole("depth", depth)
	o.flag("has_attachment", false)
	o.flag("is_child_present", children > 0)
	o.whole("child_count", children)
}

func codeOf(w *World, i int) string {
	if w.one(4, Accounts, i, fieldCode) { // one in four has no code.
		return ""
	}
	return fmt.Sprintf("A-%04d", i+1000) // four digits.
}

// customFields writes the array with its element id spelled as each resource
// spells it; some records have none, some carry "" in its place.
func (w *World) customFields(o *writer, idKey string, kind Kind, i int) {
	switch w.draw(kind, i, fieldCredit, 6) { // one in six each.
	case 0:
		o.text("custom_fields", "")
	case 1:
		o.array("custom_fields", 0, nil)
	default:
		o.array("custom_fields", 1+w.draw(kind, i, fieldCode, 2), func(n int) { // one or two.
			o.open()
			if idKey != "" {
				o.text(idKey, fixedID(groupCustomField, int(kind)*10+n)) // ten per kind.
			}
			if kind == Payments || kind == CreditNotes {
				o.whole("index", n+1)
				o.text("label", [...]string{"Cost centre", "Project"}[n])
			}
			o.text("value", [...]string{"North", "South", "Žilina", ""}[w.draw(kind, i+n, fieldPlace, 4)])
			o.close('}')
		})
	}
}

// emptyArray writes an array whose elements no document shows, or "".
func (w *World) emptyArray(o *writer, name string, kind Kind, i int) {
	if w.one(5, kind, i, fieldAbsent) { // one in five.
		o.text(name, "")
		return
	}
	o.array(name, 0, nil)
}
