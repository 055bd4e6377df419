package stock

import (
	"fmt"

	"sluice/sandbox/world/draw"
	"sluice/sandbox/world/ids"
	"sluice/sandbox/world/records/parts"
	"sluice/sandbox/world/wire"
	"sluice/sandbox/world/words"
)

func (w Author) itemNameNow(i int) string {
	if n := w.Edits(ids.Items, i); n > 0 {
		return fmt.Sprintf("%s v%d", w.ItemName(i), n+1)
	}
	return w.ItemName(i)
}

// Item writes an item.
func (w Author) Item(o *wire.Writer, i int) {
	edits := int64(w.Edits(ids.Items, i))
	service := w.One(9, ids.Items, i, draw.Status) // one in nine is a service.
	levy := words.TaxOf(w.Draw(ids.Items, i, draw.Tax, 3))
	vendor := w.Draw(ids.Items, i, draw.Vendor, w.Vendors())
	grouped := w.One(4, ids.Items, i, draw.Parent) // one in four.
	o.Text("item_id", ids.Of(ids.Items, i))
	o.Text("group_id", parts.Either(grouped, ids.Fixed(ids.GroupItemGroup, i%20)))
	o.Text("group_name", parts.Either(grouped, w.Words.Nouns[i%len(w.Words.Nouns)]))
	o.Text("name", w.itemNameNow(i))
	o.Text("unit", [...]string{"pcs", "m", "kg", "box"}[w.Draw(ids.Items, i, draw.Code, 4)])
	o.Text("item_type", [...]string{"inventory", "sales_and_purchases"}[parts.Count(service && !grouped)])
	o.Text("product_type", [...]string{"goods", "service"}[parts.Count(service)])
	o.Flag("is_taxable", levy.Percent > 0)
	o.Text("tax_id", levy.ID)
	w.EmptyArray(o, "documents", ids.Items, i)
	o.Text("description", w.Words.Remarks[w.Draw(ids.Items, i, draw.Text, len(w.Words.Remarks))])
	o.Text("tax_name", levy.Name)
	o.Whole("tax_percentage", int(levy.Percent))
	o.Text("tax_type", "tax")
	o.Text("purchase_account_id", ids.Of(ids.Accounts, 2)) // Cost of Goods Sold
	o.Text("purchase_account_name", w.AccountName(2))
	o.Text("account_name", w.AccountName(1)) // Sales
	o.Text("inventory_account_id", parts.Either(!service, ids.Of(ids.Accounts, 4)))
	o.Text("attribute_id1", parts.Either(grouped, ids.Fixed(ids.GroupAttribute, 0)))
	o.Text("attribute_name1", parts.Either(grouped, "Colour"))
	o.Text("attribute_option_id1", parts.Either(grouped, ids.Fixed(ids.GroupAttribute, 1)))
	o.Text("attribute_option_name1", parts.Either(grouped, "Grey"))
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
	o.Text("vendor_id", ids.Fixed(ids.GroupVendor, vendor))
	o.Text("vendor_name", w.Words.VendorName(vendor))
	if o.Wide {
		w.itemLocations(o, i, edits)
	}
	o.Text("sku", fmt.Sprintf("SKU-%06d", i+1))
	o.Text("upc", parts.Either(i%5 == 0, fmt.Sprintf("0360%08d", i)))
	o.Text("ean", parts.Either(i%5 == 1, fmt.Sprintf("40063%08d", i)))
	o.Text("isbn", w.Rare(i, fmt.Sprintf("97831614841%02d", i%100))) // two digits.
	o.Text("part_number", parts.Either(i%2 == 0, fmt.Sprintf("PN-%d", i)))
	o.Text("image_id", parts.Either(i%7 == 0, ids.Fixed(ids.GroupAttribute, 2)))
	o.Text("image_name", parts.Either(i%7 == 0, "photo.png"))
	o.Text("image_type", parts.Either(i%7 == 0, "png"))
	o.Text("purchase_description", parts.Either(i%3 == 0, "As per catalogue"))
	if o.Wide {
		taxPreference(o, levy, i)
	}
	o.Text("hsn_or_sac", parts.HSN(i))
	o.Text("sat_item_key_code", w.Rare(i, "31162800"))
	o.Text("unitkey_code", w.Rare(i, "H87"))
	if o.Wide {
		w.CustomFields(o, "customfield_id", ids.Items, i)
	}
	o.Text("created_time", w.Stamp(w.Created(ids.Items, i)))
	o.Text("last_modified_time", w.Stamp(w.Modified(ids.Items, i)))
}

func (w Author) itemLocations(o *wire.Writer, i int, edits int64) {
	stock := int64(w.Draw(ids.Items, i, draw.Stock, 900)+w.Quiet(ids.Items, i)) * words.Cents
	o.Array("locations", 1+i%2, func(n int) {
		id, name := words.Location(n)
		o.Open()
		o.Text("location_id", id)
		o.Text("location_name", name)
		o.Text("status", "active")
		o.Flag("is_primary", n == 0)
		o.Money("location_stock_on_hand", stock+edits*words.Cents)
		o.Money("location_available_stock", stock)
		o.Money("location_actual_available_stock", stock)
		o.Close('}')
	})
}
