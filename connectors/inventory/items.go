package inventory

import "sluice/schema"

// itemsAtOnce is how many items one call of /itemdetails takes. Source: docs/upstream.md U218.
const itemsAtOnce = 100

// items declares the list of items. Source: docs/upstream.md U216 to U219; the filter: U106; what
// live services send beside the documented keys: U310, U318, U383 and U384. A custom_field_hash,
// which repeats custom_fields, stays undeclared.
func items() schema.Resource {
	return schema.Resource{
		Name:   "items",
		Doc:    "Something that the organization buys, keeps in stock or sells.",
		Path:   "/items",
		Key:    "items",
		ID:     "item_id",
		Scope:  "items",
		Single: &schema.Single{Path: "/items/{id}", Key: "item", Assumed: true},
		Details: &schema.Details{
			Marker: "locations",
			Batch:  &schema.Batch{Path: "/itemdetails", Key: "items", Param: "item_ids", Size: itemsAtOnce},
		},
		Cursor:   schema.Since{Column: "last_modified_time", Param: "last_modified_time", Created: "created_time", Assumed: true},
		Complete: "The list answers Status.All unless asked otherwise (docs/upstream.md U104).",
		Every:    "15m",
		Columns:  all(itemColumns(), liveItemColumns()),
		Children: itemChildren(),
		Ignored:  map[string]string{"offline_created_date_with_time": "an empty shell"},
		Assumed: []string{
			"The list filters by last_modified_time.",
			"Rows come newest created first.",
			"The list can leave out stock by location, which /itemdetails and the single record have.",
			"One call of /itemdetails takes about 100 identifiers.",
			"The answer to one item, its path and its key are not shown.",
		},
	}
}
