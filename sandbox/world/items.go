package world

import "fmt"

func (w *World) itemName(i int) string {
	words := &w.words
	return fmt.Sprintf("%s %s %d", words.traits[w.draw(Items, i, fieldName, len(words.traits))],
		words.nouns[w.draw(Items, i, fieldKind, len(words.nouns))], i+1)
}

func (w *World) itemNameNow(i int) string {
	if n := w.edits(Items, i); n > 0 {
		return fmt.Sprintf("%s v%d", w.itemName(i), n+1)
	}
	return w.itemName(i)
}

// itemCost is the purchase rate as first written, in cents.
func (w *World) itemCost(i int) int64 { return int64(w.draw(Items, i, fieldAmount, 500_000)) + cents }

// itemPrice is what customers paid when the item was first written, in cents.
func (w *World) itemPrice(i int) int64 { return w.itemCost(i) * 145 / cents } // 45 % on top.

func (w *World) item(o *writer, i int) {
	edits := int64(w.edits(Items, i))
	service := w.one(9, Items, i, fieldStatus) // one in nine is a service.
	levy := taxOf(w.draw(Items, i, fieldTax, 3))
	vendor := w.draw(Items, i, fieldVendor, w.vendors())
	grouped := w.one(4, Items, i, fieldParent) // one in four.
	pick := func(yes bool, value string) string {
		if yes {
			return value
		}
		return ""
	}
	o.text("item_id", w.ID(Items, i))
	o.text("group_id", pick(grouped, fixedID(groupItemGroup, i%20)))
	o.text("group_name", pick(grouped, w.words.nouns[i%len(w.words.nouns)]))
	o.text("name", w.itemNameNow(i))
	o.text("unit", [...]string{"pcs", "m", "kg", "box"}[w.draw(Items, i, fieldCode, 4)])
	o.text("item_type", [...]string{"inventory", "sales_and_purchases"}[boolInt(service && !grouped)])
	o.text("product_type", [...]string{"goods", "service"}[boolInt(service)])
	o.flag("is_taxable", levy.percent > 0)
	o.text("tax_id", levy.id)
	w.emptyArray(o, "documents", Items, i)
	o.text("description", w.words.remarks[w.draw(Items, i, fieldText, len(w.words.remarks))])
	o.text("tax_name", levy.name)
	o.whole("tax_percentage", int(levy.percent))
	o.text("tax_type", "tax")
	o.text("purchase_account_id", w.ID(Accounts, 2)) // Cost of Goods Sold
	o.text("purchase_account_name", w.accountName(2))
	o.text("account_name", w.accountName(1)) // Sales
	o.text("inventory_account_id", pick(!service, w.ID(Accounts, 4)))
	o.text("attribute_id1", pick(grouped, fixedID(groupAttribute, 0)))
	o.text("attribute_name1", pick(grouped, "Colour"))
	o.text("attribute_option_id1", pick(grouped, fixedID(groupAttribute, 1)))
	o.text("attribute_option_name1", pick(grouped, "Grey"))
	o.text("status", [...]string{"active", "inactive"}[boolInt(w.one(12, Items, i+w.edits(Items, i), fieldMode))])
	o.text("source", "user")
	o.flag("is_linked_with_zohocrm", w.one(10, Items, i, fieldPlace)) // one in ten.
	o.flag("is_combo_product", false)
	o.money("rate", w.itemPrice(i)+edits*cents)
	if w.one(7, Items, i, fieldAbsent) { // one in seven.
		o.text("pricebook_rate", "")
	} else {
		o.money("pricebook_rate", w.itemPrice(i))
	}
	o.money("purchase_rate", w.itemCost(i))
	if w.one(3, Items, i, fieldAbsent) { // one in three has no level.
		o.text("reorder_level", "")
	} else {
		o.whole("reorder_level", w.draw(Items, i, fieldStock, 50))
	}
	o.text("vendor_id", fixedID(groupVendor, vendor))
	o.text("vendor_name", w.words.vendorName(vendor))
	w.itemLocations(o, i, edits)
	o.text("sku", fmt.Sprintf("SKU-%06d", i+1))
	o.text("upc", pick(i%5 == 0, fmt.Sprintf("0360%08d", i)))
	o.text("ean", pick(i%5 == 1, fmt.Sprintf("40063%08d", i)))
	o.text("isbn", "")
	o.text("part_number", pick(i%2 == 0, fmt.Sprintf("PN-%d", i)))
	o.text("image_id", pick(i%7 == 0, fixedID(groupAttribute, 2)))
	o.text("image_name", pick(i%7 == 0, "photo.png"))
	o.text("image_type", pick(i%7 == 0, "png"))
	o.text("purchase_description", pick(i%3 == 0, "As per catalogue"))
	o.array("item_tax_preferences", 1, func(int) {
		o.open()
		o.text("tax_id", levy.id)
		o.text("tax_specification", [...]string{"intra", "inter"}[i%2])
		o.close('}')
	})
	o.text("hsn_or_sac", hsnOf(i))
	o.text("sat_item_key_code", "")
	o.text("unitkey_code", "")
	w.customFields(o, "customfield_id", Items, i)
	o.text("created_time", w.stamp(w.created(Items, i)))
	o.text("last_modified_time", w.stamp(w.Modified(Items, i)))
}

func (w *World) itemLocations(o *writer, i int, edits int64) {
	stock := int64(w.draw(Items, i, fieldStock, 900)) * cents
	o.array("locations", 1+i%2, func(n int) {
		id, name := location(n)
		o.open()
		o.text("location_id", id)
		o.text("location_name", name)
		o.text("status", "active")
		o.flag("is_primary", n == 0)
		o.money("location_stock_on_hand", stock+edits*cents)
		o.money("location_available_stock", stock)
		o.money("location_actual_available_stock", stock)
		o.close('}')
	})
}

func hsnOf(i int) string { return fmt.Sprintf("7326%04d", i%9000) }

func boolInt(yes bool) int {
	if yes {
		return 1
	}
	return 0
}

// vendors and customers grow with the world, so that names repeat believably.
func (w *World) vendors() int { return 11 + w.initial[Bills]/50 } // a vendor sends some fifty bills.

func (w *World) customers() int { return 9 + w.initial[CreditNotes]/20 } // a customer returns twenty times.
