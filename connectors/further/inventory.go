package further

import "sluice/schema"

// inventory are further lists of the inventory service. Where the accounting service has the same
// list, the name says whose it is. Source: docs/upstream.md U330 and U331.
func inventory() []schema.Resource {
	orders := func(name, doc, path, single, id, number, side, what string) schema.Resource {
		return list(schema.Resource{
			Name: name, Doc: doc, Path: path, Key: path[1:], ID: id, Scope: path[1:], Cursor: whole(),
			Single: &schema.Single{Path: path + "/{id}", Key: single}, Details: withLines(), Children: lines(what),
			Columns: columns(key(id, "order"), numbered(number, "order"), party(side), currency(), totals(), times()),
		})
	}
	return []schema.Resource{
		contacts("inventory_contacts", newestFirst()),
		orders("inventory_sales_orders", "An order of a customer.", "/salesorders", "salesorder", "salesorder_id", "salesorder_number", "customer", "sales order"),
		orders("inventory_purchase_orders", "An order to a vendor.", "/purchaseorders", "purchase_order", "purchaseorder_id", "purchaseorder_number", "vendor", "purchase order"),
		packages(), transferOrders(), inventoryAdjustments(), itemGroups(), priceBooks(), reportingTags(), units(),
	}
}

// packages takes the sort of the list; the specification misspells its key.
func packages() schema.Resource {
	return list(schema.Resource{
		Name: "packages", Doc: "Goods that are packed for a customer.", Path: "/packages", Key: "packages", ID: "package_id", Scope: "packages",
		Cursor: newestFirst(), Single: single("/packages", "package"), Details: withLines(), Children: lines("package"),
		Columns: columns(key("package_id", "package"), []schema.Column{
			schema.ID("package_number", "Number of the package as the organization shows it."),
			schema.Date("date", "Day of the package."),
			schema.Text("status", "Where the package stands.").Is(schema.Plain),
			schema.ID("salesorder_id", "Identifier of the order that it answers."),
			schema.Decimal("quantity", "Number of units."),
		}, party("customer"), times()),
	})
}

// transferOrders carry no times, though their list sorts by one.
func transferOrders() schema.Resource {
	return list(schema.Resource{
		Name: "transfer_orders", Doc: "Goods that move from one location to another.", Path: "/transferorders", Key: "transfer_orders",
		ID: "transfer_order_id", Scope: "transferorders", Cursor: schema.FullScan{}, Single: single("/transferorders", "transfer_order"),
		Details: withLines(), Children: lines("transfer order"),
		Columns: columns(key("transfer_order_id", "order"), []schema.Column{
			schema.ID("transfer_order_number", "Number of the order as the organization shows it."),
			schema.Date("date", "Day of the order."),
			schema.Text("status", "Where the order stands.").Is(schema.Plain),
			schema.Decimal("quantity_transfer", "Number of units that move."),
		}),
	})
}

func inventoryAdjustments() schema.Resource {
	return list(schema.Resource{
		Name: "inventory_adjustments", Doc: "A correction of the stock.", Path: "/inventoryadjustments", Key: "inventory_adjustments",
		ID: "inventory_adjustment_id", Scope: "inventoryadjustments", Cursor: schema.FullScan{},
		Single: single("/inventoryadjustments", "inventory_adjustment"), Details: withLines(),
		Columns: columns(key("inventory_adjustment_id", "correction"), []schema.Column{
			schema.Date("date", "Day of the correction."),
			schema.Text("reason", "Why the stock was corrected.").Is(schema.FreeText),
			schema.Text("adjustment_type", "quantity or value.").Is(schema.Plain),
			schema.ID("reference_number", "Number that it is filed under."),
			schema.Text("status", "Where the correction stands.").Is(schema.Plain),
			schema.Decimal("total", "Value of the correction in the base currency."),
		}),
		Children: []schema.Child{{
			Name: "line_items", Doc: "One item whose stock was corrected.",
			Columns: []schema.Column{
				schema.ID("line_item_id", "Identifier of the line."),
				schema.ID("item_id", "Identifier of the item."),
				schema.Text("name", "Name of the item.").Is(schema.Plain),
				schema.Decimal("quantity_adjusted", "Units added, or taken off if negative."),
				schema.Decimal("item_total", "Value of the line in the base currency."),
				schema.ID("adjustment_account_id", "Identifier of the account that it is booked on."),
			},
		}},
	})
}

func itemGroups() schema.Resource {
	return list(schema.Resource{
		Name: "item_groups", Doc: "A group of items that differ in attributes.", Path: "/itemgroups", Key: "itemgroups", ID: "group_id", Scope: "items",
		Cursor: whole(),
		Columns: columns(key("group_id", "group"), []schema.Column{
			schema.Text("group_name", "Name of the group.").Is(schema.Plain),
			schema.Text("brand", "Brand of the items.").Is(schema.Plain),
			schema.Text("manufacturer", "Maker of the items.").Is(schema.Plain),
			schema.Text("status", "active or inactive.").Is(schema.Plain),
		}, times()),
	})
}

func priceBooks() schema.Resource {
	return list(schema.Resource{
		Name: "price_books", Doc: "A list of prices.", Path: "/pricebooks", Key: "pricebooks", ID: "pricebook_id", Scope: "settings", Cursor: schema.FullScan{},
		Columns: columns(key("pricebook_id", "list"), []schema.Column{
			schema.Text("name", "Name of the list.").Is(schema.Plain),
			schema.Text("status", "active or inactive.").Is(schema.Plain),
			schema.Text("pricebook_type", "By a percentage or by item.").Is(schema.Plain),
			schema.Decimal("percentage", "Mark-up or mark-down, in percent."),
			schema.ID("currency_id", "Identifier of the currency of its prices."),
		}),
	})
}

func reportingTags() schema.Resource {
	return list(schema.Resource{
		Name: "reporting_tags", Doc: "A kind of tag that documents and lines can carry.", Path: "/reportingtags", Key: "reporting_tags", ID: "tag_id",
		Scope: "settings", Cursor: schema.FullScan{},
		Columns: columns(key("tag_id", "tag"), []schema.Column{
			schema.Text("tag_name", "Name of the tag.").Is(schema.Plain),
			schema.Bool("is_active", "Whether it is in use."),
		}),
	})
}

func units() schema.Resource {
	return list(schema.Resource{
		Name: "units", Doc: "A unit that items are counted in.", Path: "/units", Key: "units", ID: "unit_id", Scope: "items", Cursor: schema.FullScan{},
		Columns: columns(key("unit_id", "unit"), []schema.Column{
			schema.Text("unit", "Name of the unit.").Is(schema.Plain),
		}),
	})
}
