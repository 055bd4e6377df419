package stock

import (
	"sluice/sandbox/world/draw"
	"sluice/sandbox/world/ids"
	"sluice/sandbox/world/records/parts"
	"sluice/sandbox/world/wire"
	"sluice/sandbox/world/words"
)

// Item writes an item.
func (w Author) Item(o *wire.Writer, i int) {
	edits := int64(w.Edits(ids.Items, i))
	service := w.One(9, ids.Items, i, draw.Status) // one in nine is a service.
	levy := words.TaxOf(w.Draw(ids.Items, i, draw.Tax, 3))
	vendor := w.Draw(ids.Items, i, draw.Vendor, w.Vendors())
	grouped := w.One(4, ids.Items, i, draw.Parent) // one in four.
	o.ID("item_id", ids.Number(ids.Items, i))
	parts.ID(o, "group_id", grouped, ids.GroupItemGroup, i%20)
	o.Text("group_name", parts.Either(grouped, w.Words.Nouns[i%len(w.Words.Nouns)]))
	o.Text("name", w.ItemNameNow(i))
	o.Text("unit", [...]string{"pcs", "m", "kg", "box"}[w.Draw(ids.Items, i, draw.Code, 4)])
	o.Text("item_type", [...]string{"inventory", "sales_and_purchases"}[parts.Count(service && !grouped)])
	o.Text("product_type", [...]string{"goods", "service"}[parts.Count(service)])
	o.Flag("is_taxable", levy.Percent > 0)
	o.Text("tax_id", levy.ID)
	w.EmptyArray(o, "documents", ids.Items, i)
	w.Remark(o, "description", ids.Items, i)
	w.itemLevy(o, levy)
	if service {
		o.Text("inventory_account_id", "")
	} else {
		o.ID("inventory_account_id", ids.Number(ids.Accounts, 4)) // Inventory Asset
	}
	itemAttributes(o, grouped)
	o.Text("status", [...]string{"active", "inactive"}[parts.Count(w.One(12, ids.Items, i+w.Edits(ids.Items, i), draw.Mode))])
	o.Text("source", "user")
	o.Flag("is_linked_with_zohocrm", w.One(10, ids.Items, i, draw.Place)) // one in ten.
	o.Flag("is_combo_product", false)
	o.Money("rate", w.ItemPrice(i)+edits*words.Cents)
	if w.One(7, ids.Items, i, draw.Absent) { // one in seven.
		o.Text("pricebook_rate", "")
	} else {
		o.Money("pricebook_rate", w.ItemPrice(i))
	}
	o.Money("purchase_rate", w.ItemCost(i))
	if w.One(3, ids.Items, i, draw.Absent) { // one in three has no level.
		o.Text("reorder_level", "")
	} else {
		o.Whole("reorder_level", w.Draw(ids.Items, i, draw.Stock, 50))
	}
	w.Vendor(o, vendor)
	if o.Wide {
		w.itemLocations(o, i, edits)
	}
	o.Padded("sku", "SKU-", i+1, 6)
	parts.Padded(o, "upc", i%5 == 0, "0360", i, 8)
	parts.Padded(o, "ean", i%5 == 1, "40063", i, 8)
	parts.Padded(o, "isbn", w.IsRare(i), "97831614841", i%100, 2)
	parts.Numbered(o, "part_number", i%2 == 0, "PN-", i)
	parts.ID(o, "image_id", i%7 == 0, ids.GroupAttribute, 2)
	o.Text("image_name", parts.Either(i%7 == 0, "photo.png"))
	o.Text("image_type", parts.Either(i%7 == 0, "png"))
	o.Text("purchase_description", parts.Either(i%3 == 0, "As per catalogue"))
	if o.Wide {
		taxPreference(o, levy, i)
	}
	parts.HSN(o, i)
	o.Text("sat_item_key_code", w.Rare(i, "31162800"))
	o.Text("unitkey_code", w.Rare(i, "H87"))
	if o.Wide {
		w.CustomFields(o, ids.Items, i)
	}
	w.Time(o, "created_time", w.Created(ids.Items, i))
	w.Time(o, "last_modified_time", w.Modified(ids.Items, i))
}

func (w Author) itemLocations(o *wire.Writer, i int, edits int64) {
	stock := int64(w.Draw(ids.Items, i, draw.Stock, 900)+w.Quiet(ids.Items, i)) * words.Cents
	o.Array("locations", 1+i%2, func(n int) {
		o.Open()
		itemSite(o, n)
		o.Money("location_stock_on_hand", stock+edits*words.Cents)
		o.Money("location_available_stock", stock)
		o.Money("location_actual_available_stock", stock)
		o.Close('}')
	})
}
