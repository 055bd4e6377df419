package live

import (
	"encoding/json"
	"fmt"
	"math/big"

	"sluice/sandbox/world/ids"
	"sluice/sandbox/world/overlay"
)

// items is the form of items: most stock figures come with the single record alone
// (docs/upstream.md U318).
func items() *form {
	return &form{
		headers: true,
		fields:  append(append(append(itemFields(), stockFields()...), itemEditions()...), variantFields()...),
		arrays:  []array{customFields(), {"locations", locationFields()}},
		reshape: func(r record) {
			withFiles(r)
			r.SetText("source", [...]string{"user", "api"}[r.i%2])
		},
		listOmits: []string{"locations", "item_tax_preferences", "custom_fields", "documents"},
	}
}

func itemFields() []field {
	return []field{
		{"category_id", single, every(2, identifierOf(ids.GroupCategory, 1))}, {"category_name", single, every(2, text("Fasteners"))},
		{"brand", both, every(2, text("Meridian"))}, {"manufacturer", both, every(3, text("Meridian Works"))},
		{"can_be_sold", both, yes()}, {"can_be_purchased", both, yes()}, {"track_inventory", both, isStock},
		{"account_id", both, accountOf("account_name")},
		{"inventory_account_name", single, given(filled("inventory_account_id"), accountName("other_current_asset"), none())},
		{"unit_id", single, identifierOf(ids.GroupUnit, 1)}, {"sales_rate", single, same("rate")},
		{"purchase_tax_id", single, same("tax_id")}, {"purchase_tax_name", single, same("tax_name")},
		{"purchase_tax_type", single, same("tax_type")}, {"purchase_tax_percentage", single, same("tax_percentage")},
		{"zcrm_product_id", both, every(10, identifier(ids.GroupDeal))},
		{"preferred_vendors", single, preferred}, {"package_details", single, packageOf},
		{"tags", both, tags}, {"is_returnable", both, yes()}, {"item_name", list, same("name")},
		{"has_attachment", list, given(func(r record) bool { return r.i%5 == 0 }, yes(), no())},
		{"created_at", single, func(r record) json.RawMessage { return quoted(r.a.Day(r.a.Created(r.kind, r.i), 0)) }},
	}
}

// stockFields are sums over the locations.
func stockFields() []field {
	held, left := total("locations", "location_stock_on_hand"), total("locations", "location_available_stock")
	return []field{
		{"stock_on_hand", both, held}, {"available_stock", both, left},
		{"actual_available_stock", both, total("locations", "location_actual_available_stock")},
		{"committed_stock", single, promised}, {"actual_committed_stock", single, promised},
		{"available_for_sale_stock", single, left}, {"actual_available_for_sale_stock", single, left},
		{"asset_value", single, assetValue}, {"inventory_valuation_method", single, text("fifo")},
		{"initial_stock", single, zero()}, {"initial_stock_rate", single, same("purchase_rate")}, {"total_initial_stock", single, zero()},
		{"track_serial_number", single, no()}, {"track_batch_number", single, no()}, {"is_storage_location_enabled", both, no()},
		{"minimum_order_quantity", single, every(3, raw("1.00"))}, {"maximum_order_quantity", single, every(4, raw("500.00"))},
	}
}

func locationFields() []field {
	held := func(r record) json.RawMessage {
		return amount(new(big.Rat).Sub(r.Number("location_stock_on_hand"), r.Number("location_available_stock")))
	}
	return []field{
		{"location_committed_stock", single, held}, {"location_actual_committed_stock", single, held},
		{"location_available_for_sale_stock", single, same("location_available_stock")},
		{"location_actual_available_for_sale_stock", single, same("location_actual_available_stock")},
		{"location_quantity_in_transit", single, zero()},
		{"location_asset_value", single, func(r record) json.RawMessage {
			return amount(new(big.Rat).Mul(r.Number("location_stock_on_hand"), r.whole().Number("purchase_rate")))
		}},
		{"initial_stock", single, zero()}, {"initial_stock_rate", single, whole("purchase_rate")},
		{"is_primary_location", single, same("is_primary")}, {"is_item_mapped", single, yes()}, {"is_storage_location_enabled", single, no()},
		{"is_general_location", single, yes()}, {"serial_numbers", single, rarely(`"SN-000417"`)},
		{"batches", single, rarely(`{"batch_id":"460000002400000009","batch_number":"B-1","in_quantity":5.00}`)}, {"storages", single, rarely(storage)},
	}
}

// itemEditions are keys that some editions send, or that few businesses fill.
func itemEditions() []field {
	return []field{
		{"is_fulfillable", single, yes()}, {"is_default_tax_applied", single, no()},
		{"image_document_id", list, every(7, identifier(ids.GroupDocument))}, {"combo_type", single, rareText("kit")},
		{"unit_group_id", single, rareID(ids.GroupUnit)}, {"unit_group_name", single, rareText("Lengths")},
		{"unit_conversions", single, rarely(`{"unit_conversion_id":"460000002400000001","target_unit_id":"460000002400000002",` +
			`"target_unit":"box","quantity_decimal_place":2,"conversion_rate":12.00}`)},
		{"default_sales_unit_conversion_id", single, rareID(ids.GroupUnit)}, {"default_purchase_unit_conversion_id", single, rareID(ids.GroupUnit)},
		{"sales_margin", single, rare(raw("31.03"))}, {"label_rate", single, rare(same("rate"))}, {"pricing_scheme", single, text("unit")},
		{"price_brackets", single, rarely(`{"start_quantity":1,"end_quantity":9,"pricebook_rate":10.00}`)},
		{"default_price_brackets", single, rarely(`{"start_quantity":1,"end_quantity":9,"pricebook_rate":10.00}`)},
		{"tax_status", single, text("active")}, {"tax_country_code", single, text("IN")},
		{"tax_exemption_id", single, rareID(ids.GroupExemption)}, {"tax_exemption_code", single, rareText("EX-1")},
		{"sales_tax_rule_id", both, rareID(ids.GroupExemption)}, {"sales_tax_rule_name", single, rareText("Sales")},
		{"purchase_tax_rule_id", both, rareID(ids.GroupExemption)}, {"purchase_tax_rule_name", single, rareText("Purchases")},
		{"product_subtype", both, rareText("finished")}, {"purpose_of_use", both, rareText("resale")},
		{"sales_channels", single, rarely(`{"name":"direct","status":"active"}`)},
		{"integration_references", single, rarely(`{"integration":"shop","reference_id":"1"}`)},
		{"show_in_storefront", single, no()}, {"crm_owner_id", single, rare(user(0))},
		{"length", list, raw("4.00")}, {"width", list, raw("4.00")}, {"height", list, raw("2.00")}, {"weight", list, raw("0.25")},
		{"weight_unit", list, text("kg")}, {"dimension_unit", list, text("cm")},
	}
}

// variantFields are the second and third attribute of a variant.
func variantFields() []field {
	fields := []field{
		{"attribute_type1", list, rareText("text")}, {"attribute_type2", list, rareText("text")}, {"attribute_type3", list, rareText("text")},
		{"attribute_option_data1", list, rareText("grey")}, {"attribute_option_data2", list, rareText("m")},
		{"attribute_option_data3", list, rareText("x")},
	}
	for _, n := range [...]string{"2", "3"} {
		fields = append(
			fields,
			field{"attribute_id" + n, list, rareID(ids.GroupAttribute)}, field{"attribute_option_id" + n, list, rareID(ids.GroupAttribute)},
			field{"attribute_name" + n, both, rareText("Size")}, field{"attribute_option_name" + n, both, rareText("M")},
		)
	}
	return fields
}

// isStock reports whether the stock of an item is counted.
func isStock(r record) json.RawMessage {
	return given(is("item_type", "inventory"), yes(), no())(r)
}

// accountOf is the identifier of the account that a key names.
func accountOf(name string) value {
	return func(r record) json.RawMessage { return quoted(r.a.accounts[r.Text(name)]) }
}

// promised are the units on hand that orders wait for.
func promised(r record) json.RawMessage {
	held := r.over("locations", "location_stock_on_hand")
	return amount(held.Sub(held, r.over("locations", "location_available_stock")))
}

// assetValue is the value of the stock: a text, or a number in one record of three.
func assetValue(r record) json.RawMessage {
	worth := r.over("locations", "location_stock_on_hand")
	value := amount(worth.Mul(worth, r.Number("purchase_rate")))
	if r.i%3 == 0 {
		return value
	}
	return quoted(string(value))
}

// preferred is the vendor of one record in three.
func preferred(r record) json.RawMessage {
	if r.i%3 > 0 {
		return empty
	}
	one := overlay.NewObject()
	one.Set("vendor_id", same("vendor_id")(r))
	one.Set("vendor_name", same("vendor_name")(r))
	if r.kind == ids.Items {
		one.SetFlag("is_primary", true)
		one.Set("item_price", same("purchase_rate")(r))
		one.Set("item_stock", zero()(r))
		one.Set("last_modified_time", created(r))
	}
	return array1(one)
}

// packageOf is the size of the packed item; live lists carry the same keys flat.
func packageOf(record) json.RawMessage {
	return json.RawMessage(`{"length":4.00,"width":4.00,"height":2.00,"weight":0.25,"weight_unit":"kg","dimension_unit":"cm"}`)
}

// composites is the form of composite items (docs/upstream.md U322).
func composites() *form {
	return &form{
		headers: true,
		fields: append(compositeFields(), []field{
			{"alias_name", single, rareText("Starter set")}, {"image_type", both, every(3, text("png"))},
			{"image_document_id", single, every(3, identifier(ids.GroupDocument))},
			{"product_description", single, rareText("All in one box")}, {"product_short_description", single, rareText("A box")},
			{"url", single, rareText("https://shop.example/kit")}, {"show_in_storefront", single, no()},
			{"specifications", single, rarely(`{"name":"Weight","value":"1 kg"}`)},
			{"specificationset_id", single, rareID(ids.GroupCategory)}, {"specificationset_name", single, rareText("Kits")},
			{"sales_channels", single, rarely(`{"name":"direct","status":"active"}`)}, {"preferred_vendors", single, preferred},
			{"tags", both, tags}, {"documents", single, documents},
		}...),
		arrays: []array{customFields(), {"mapped_items", []field{
			{"item_order", single, func(r record) json.RawMessage { return json.RawMessage{byte('1' + r.n)} }},
		}}},
		listOmits: []string{"mapped_items"},
	}
}

func compositeFields() []field {
	return []field{
		{"combo_type", both, func(r record) json.RawMessage { return quoted([...]string{"assembly", "kit"}[r.i%2]) }},
		{"assembly_type", single, every(2, text("manual"))},
		{"category_id", both, every(2, identifierOf(ids.GroupCategory, 2))}, {"category_name", both, every(2, text("Kits"))},
		{"brand", both, every(2, text("Meridian"))}, {"manufacturer", both, text("Meridian Works")}, {"sales_rate", single, same("rate")},
		{"can_be_sold", single, yes()}, {"can_be_purchased", single, yes()}, {"track_inventory", single, yes()},
		{"committed_stock", single, sum("stock_on_hand", "-available_stock")},
		{"actual_committed_stock", single, sum("stock_on_hand", "-actual_available_stock")},
		{"available_for_sale_stock", single, same("available_stock")},
		{"actual_available_for_sale_stock", single, same("actual_available_stock")},
		{"package_details", single, packageOf}, {"warehouses", single, warehouses},
		{"composite_component_items", single, components}, {"composite_service_items", single, rare(components)},
		{"is_returnable", single, yes()}, {"is_linked_with_zohocrm", single, no()},
		{"track_serial_number", single, no()}, {"track_batch_number", single, no()},
		{"minimum_order_quantity", single, every(2, raw("1.00"))}, {"maximum_order_quantity", single, every(2, raw("90.00"))},
		{"total_initial_stock", single, same("initial_stock")}, {"label_rate", single, every(2, same("rate"))},
		{"purchase_tax_id", single, same("tax_id")}, {"purchase_tax_name", single, same("tax_name")},
		{"purchase_tax_type", single, same("tax_type")}, {"purchase_tax_percentage", single, same("tax_percentage")},
		{"tax_exemption_id", single, rareID(ids.GroupExemption)}, {"tax_exemption_code", single, rareText("EX-1")},
	}
}

// warehouses is the older form of locations: all of the stock in one place.
func warehouses(r record) json.RawMessage {
	one := overlay.NewObject()
	one.SetText("warehouse_id", ids.Of(ids.Locations, 0))
	one.SetText("warehouse_name", "Head Office")
	one.SetText("status", "active")
	one.SetFlag("is_primary", true)
	held, left, really := same("stock_on_hand")(r), same("available_stock")(r), same("actual_available_stock")(r)
	one.Set("warehouse_stock_on_hand", held)
	one.Set("warehouse_available_stock", left)
	one.Set("warehouse_actual_available_stock", really)
	one.Set("warehouse_committed_stock", sum("stock_on_hand", "-available_stock")(r))
	one.Set("warehouse_actual_committed_stock", sum("stock_on_hand", "-actual_available_stock")(r))
	one.Set("initial_stock", same("initial_stock")(r))
	one.Set("initial_stock_rate", same("initial_stock_rate")(r))
	one.Set("warehouse_available_for_sale_stock", left)
	one.Set("warehouse_actual_available_for_sale_stock", really)
	return array1(one)
}

// components repeats the parts of a bundle as live services show them.
func components(r record) json.RawMessage {
	parts := r.List("mapped_items")
	for n, part := range parts {
		part.Set("mapped_item_id", part.Get("line_item_id"))
		part.SetText("product_type", "goods")
		part.SetText("image_document_id", "")
		if n == 0 {
			part.SetText("image_document_id", ids.Fixed(ids.GroupDocument, r.i))
		}
		part.Drop("line_item_id")
		part.Drop("image_id")
	}
	all := overlay.NewObject()
	all.SetList("all", parts)
	return all.Get("all")
}

// sku is the stock keeping unit of item i, as package stock writes it.
func sku(i int) string { return fmt.Sprintf("SKU-%06d", i+1) }
