// Package stock writes the records of inventory, key by key: items, composite items, locations and
// taxes (docs/upstream.md U207 to U219).
//
// Their content is package books' work. Start reading with Author.
package stock

import (
	"sluice/sandbox/world/ids"
	"sluice/sandbox/world/records/parts"
	"sluice/sandbox/world/wire"
	"sluice/sandbox/world/words"
)

// Author writes these records.
type Author struct{ parts.Author }

// itemLevy writes the tax of an item and its accounts.
func (w Author) itemLevy(o *wire.Writer, levy words.Tax) {
	o.Text("tax_name", levy.Name)
	o.Whole("tax_percentage", int(levy.Percent))
	o.Text("tax_type", "tax")
	o.ID("purchase_account_id", ids.Number(ids.Accounts, 2)) // Cost of Goods Sold
	o.Text("purchase_account_name", w.AccountName(2))
	o.Text("account_name", w.AccountName(1)) // Sales
}

func itemAttributes(o *wire.Writer, grouped bool) {
	parts.ID(o, "attribute_id1", grouped, ids.GroupAttribute, 0)
	o.Text("attribute_name1", parts.Either(grouped, "Colour"))
	parts.ID(o, "attribute_option_id1", grouped, ids.GroupAttribute, 1)
	o.Text("attribute_option_name1", parts.Either(grouped, "Grey"))
}

func itemSite(o *wire.Writer, location int) {
	id, name := words.Location(location)
	o.Text("location_id", id)
	o.Text("location_name", name)
	o.Text("status", "active")
	o.Flag("is_primary", location == 0)
}

// compositeAccounts writes the accounts of a composite item.
func (w Author) compositeAccounts(o *wire.Writer) {
	o.ID("purchase_account_id", ids.Number(ids.Accounts, 2)) // Cost of Goods Sold
	o.Text("purchase_account_name", w.AccountName(2))
	o.ID("account_id", ids.Number(ids.Accounts, 1)) // Sales
	o.Text("account_name", w.AccountName(1))
	o.ID("inventory_account_id", ids.Number(ids.Accounts, 4)) // Inventory Asset
	o.Text("inventory_account_name", w.AccountName(4))
}

// taxPreference writes which tax an item prefers inside or across states.
func taxPreference(o *wire.Writer, levy words.Tax, i int) {
	o.Array("item_tax_preferences", 1, func(int) {
		o.Open()
		o.Text("tax_id", levy.ID)
		o.Text("tax_specification", [...]string{"intra", "inter"}[i%2])
		o.Close('}')
	})
}
