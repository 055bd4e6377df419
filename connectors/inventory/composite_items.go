package inventory

import "sluice/schema"

// compositeItems declares the list of bundles. Source: docs/upstream.md U208 to U210; the filter by
// modification time: U106. What the document calls input (product_type) is not in an answer
// of the document. What live services send beside the documented keys: U310, U322, U384 and U388. A
// custom_field_hash, which repeats custom_fields, stays undeclared.
func compositeItems() schema.Resource {
	return schema.Resource{
		Name:     "composite_items",
		Doc:      "A bundle of items that is kept in stock and sold as one.",
		Path:     "/compositeitems",
		Key:      "composite_items",
		Params:   map[string]string{"filter_by": "Status.All"},
		ID:       "composite_item_id",
		Scope:    "compositeitems",
		Single:   &schema.Single{Path: "/compositeitems/{id}", Key: "composite_item", Assumed: true},
		Details:  &schema.Details{Marker: "mapped_items"},
		Cursor:   schema.Since{Column: "last_modified_time", Param: "last_modified_time", Created: "created_time", Assumed: true},
		Complete: "The filter Status.All is asked for (docs/upstream.md U208).",
		Every:    "1h",
		Columns:  all(compositeItemColumns(), liveCompositeItemColumns()),
		Children: compositeItemChildren(),
		Ignored: map[string]string{
			"product_type":                   "an instruction on creation; a bundle of goods is always kept in stock",
			"offline_created_date_with_time": "an empty shell",
		},
		Assumed: []string{
			"The list filters by last_modified_time.",
			"Rows come newest created first.",
			"The filter that asks for inactive ones, too, is the parameter filter_by.",
			"The list can leave out the items of a bundle, which the single record has.",
			"The answer to one composite item, its path and its key are not shown.",
		},
	}
}
