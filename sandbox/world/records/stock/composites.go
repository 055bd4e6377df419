package stock

import (
	"fmt"

	"sluice/sandbox/world/books"
	"sluice/sandbox/world/draw"
	"sluice/sandbox/world/ids"
	"sluice/sandbox/world/records/parts"
	"sluice/sandbox/world/wire"
	"sluice/sandbox/world/words"
)

// CompositeItem writes a composite item.
func (w Author) CompositeItem(o *wire.Writer, i int) {
	levy := w.CompositeTax(i)
	vendor := w.Draw(ids.CompositeItems, i, draw.Vendor, w.Vendors())
	pictured := i%3 == 0
	o.Text("composite_item_id", ids.Of(ids.CompositeItems, i))
	o.Text("name", w.CompositeName(i))
	o.Text("unit", "set")
	o.Text("tax_id", levy.ID)
	o.Text("description", w.Words.Remarks[w.Draw(ids.CompositeItems, i, draw.Text, len(w.Words.Remarks))])
	o.Text("tax_name", levy.Name)
	o.Whole("tax_percentage", int(levy.Percent))
	o.Text("tax_type", "tax")
	w.accounts(o)
	o.Text("status", [...]string{"inactive", "active"}[parts.Count(w.CompositeActive(i))])
	o.Text("source", "user")
	o.Flag("is_combo_product", true)
	o.Flag("is_taxable", levy.Percent > 0)
	o.Text("item_type", "inventory")
	w.compositeFigures(o, i)
	o.Text("vendor_id", ids.Fixed(ids.GroupVendor, vendor))
	o.Text("vendor_name", w.Words.VendorName(vendor))
	o.Text("sku", fmt.Sprintf("KIT-%05d", i+1))
	o.Text("upc", parts.Either(i%5 == 0, fmt.Sprintf("0361%08d", i)))
	o.Text("ean", parts.Either(i%5 == 1, fmt.Sprintf("40064%08d", i)))
	o.Text("isbn", parts.Either(i%5 == 2, fmt.Sprintf("97831614841%02d", i%100))) // two digits.
	o.Text("part_number", parts.Either(i%2 == 0, fmt.Sprintf("PK-%d", i)))
	o.Text("image_id", parts.Either(pictured, ids.Fixed(ids.GroupImage, i)))
	o.Text("image_name", parts.Either(pictured, "kit.png"))
	o.Text("purchase_description", parts.Either(i%2 == 1, "In one box"))
	w.CustomFields(o, "custom_field_id", ids.CompositeItems, i)
	taxPreference(o, levy, i)
	o.Text("hsn_or_sac", parts.HSN(i))
	o.Text("created_time", w.Stamp(w.Created(ids.CompositeItems, i)))
	o.Text("last_modified_time", w.Stamp(w.Modified(ids.CompositeItems, i)))
	if o.Wide {
		w.mappedItems(o, i)
	}
}

// accounts writes what a composite item is booked on.
func (w Author) accounts(o *wire.Writer) {
	o.Text("purchase_account_id", ids.Of(ids.Accounts, 2)) // Cost of Goods Sold
	o.Text("purchase_account_name", w.AccountName(2))
	o.Text("account_id", ids.Of(ids.Accounts, 1)) // Sales
	o.Text("account_name", w.AccountName(1))
	o.Text("inventory_account_id", ids.Of(ids.Accounts, 4)) // Inventory Asset
	o.Text("inventory_account_name", w.AccountName(4))
}

// compositeFigures writes rates and stocks; an absent level is "", as upstream
// writes absent numbers.
func (w Author) compositeFigures(o *wire.Writer, i int) {
	stock, level := w.CompositeStock(i)
	held, cost, price := int64(stock)*words.Cents, w.CompositeCost(i), w.CompositePrice(i)
	o.Money("rate", price)
	o.Money("pricebook_rate", price)
	o.Money("purchase_rate", cost)
	if i%4 == 2 { // one in four has none.
		o.Text("reorder_level", "")
	} else {
		o.Whole("reorder_level", level)
	}
	o.Money("initial_stock", held/2) // half of it.
	o.Money("initial_stock_rate", cost)
	o.Money("stock_on_hand", held)
	o.Money("asset_value", int64(stock)*cost)
	o.Money("available_stock", held)
	o.Money("actual_available_stock", held)
}

// mappedItems writes the parts, which live services give with the single record
// alone.
func (w Author) mappedItems(o *wire.Writer, i int) {
	made := w.Parts(i)
	o.Array("mapped_items", len(made), func(n int) { w.mappedItem(o, i, n, made[n]) })
}

func (w Author) mappedItem(o *wire.Writer, i, n int, part books.Part) {
	stock := int64(w.Draw(ids.Items, part.Item, draw.Stock, 900)) * words.Cents // as the item has it.
	pictured := part.Item%7 == 0
	o.Open()
	o.Text("line_item_id", ids.Child(ids.CompositeItems, i, n))
	o.Text("item_id", ids.Of(ids.Items, part.Item))
	o.Text("name", w.ItemName(part.Item))
	o.Money("rate", w.ItemPrice(part.Item))
	o.Money("purchase_rate", w.ItemCost(part.Item))
	o.Text("sku", fmt.Sprintf("SKU-%06d", part.Item+1))
	o.Text("image_id", parts.Either(pictured, ids.Fixed(ids.GroupAttribute, 2)))
	o.Text("image_name", parts.Either(pictured, "photo.png"))
	o.Text("purchase_description", parts.Either(part.Item%3 == 0, "As per catalogue"))
	o.Text("image_type", parts.Either(pictured, "png"))
	o.Text("unit", "pcs")
	o.Flag("is_combo_product", false)
	o.Text("description", w.Words.Remarks[w.Draw(ids.Items, part.Item, draw.Text, len(w.Words.Remarks))])
	o.Money("quantity", part.Quantity)
	o.Money("stock_on_hand", stock)
	o.Money("available_stock", stock)
	o.Money("actual_available_stock", stock)
	o.Close('}')
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
