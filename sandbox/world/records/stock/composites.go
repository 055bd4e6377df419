package stock

import (
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
	o.ID("composite_item_id", ids.Number(ids.CompositeItems, i))
	o.Text("name", w.CompositeName(i))
	o.Text("unit", "set")
	o.Text("tax_id", levy.ID)
	w.Remark(o, "description", ids.CompositeItems, i)
	o.Text("tax_name", levy.Name)
	o.Whole("tax_percentage", int(levy.Percent))
	o.Text("tax_type", "tax")
	w.compositeAccounts(o)
	o.Text("status", [...]string{"inactive", "active"}[parts.Count(w.CompositeActive(i))])
	o.Text("source", "user")
	o.Flag("is_combo_product", true)
	o.Flag("is_taxable", levy.Percent > 0)
	o.Text("item_type", "inventory")
	w.compositeFigures(o, i)
	w.Vendor(o, vendor)
	o.Padded("sku", "KIT-", i+1, 5)
	parts.Padded(o, "upc", i%5 == 0, "0361", i, 8)
	parts.Padded(o, "ean", i%5 == 1, "40064", i, 8)
	parts.Padded(o, "isbn", i%5 == 2, "97831614841", i%100, 2)
	parts.Numbered(o, "part_number", i%2 == 0, "PK-", i)
	parts.ID(o, "image_id", pictured, ids.GroupImage, i)
	o.Text("image_name", parts.Either(pictured, "kit.png"))
	o.Text("purchase_description", parts.Either(i%2 == 1, "In one box"))
	w.CustomFields(o, ids.CompositeItems, i)
	taxPreference(o, levy, i)
	parts.HSN(o, i)
	w.Time(o, "created_time", w.Created(ids.CompositeItems, i))
	w.Time(o, "last_modified_time", w.Modified(ids.CompositeItems, i))
	if o.Wide {
		w.mappedItems(o, i)
	}
}

// compositeFigures writes rates and stocks; an absent level is "", as upstream writes absent
// numbers.
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

// mappedItems writes the parts, which live services give with the single record alone.
func (w Author) mappedItems(o *wire.Writer, i int) {
	made := w.Parts(i)
	o.Array("mapped_items", len(made), func(n int) { w.mappedItem(o, i, n, made[n]) })
}

func (w Author) mappedItem(o *wire.Writer, i, n int, part books.Part) {
	stock := int64(w.Draw(ids.Items, part.Item, draw.Stock, 900)) * words.Cents // as the item has it.
	pictured := part.Item%7 == 0
	o.Open()
	o.ID("line_item_id", ids.ChildNumber(ids.CompositeItems, i, n))
	o.ID("item_id", ids.Number(ids.Items, part.Item))
	o.Text("name", w.ItemName(part.Item))
	o.Money("rate", w.ItemPrice(part.Item))
	o.Money("purchase_rate", w.ItemCost(part.Item))
	o.Padded("sku", "SKU-", part.Item+1, 6)
	parts.ID(o, "image_id", pictured, ids.GroupAttribute, 2)
	o.Text("image_name", parts.Either(pictured, "photo.png"))
	o.Text("purchase_description", parts.Either(part.Item%3 == 0, "As per catalogue"))
	o.Text("image_type", parts.Either(pictured, "png"))
	o.Text("unit", "pcs")
	o.Flag("is_combo_product", false)
	w.Remark(o, "description", ids.Items, part.Item)
	o.Money("quantity", part.Quantity)
	o.Money("stock_on_hand", stock)
	o.Money("available_stock", stock)
	o.Money("actual_available_stock", stock)
	o.Close('}')
}
