// Package schematest has declarations for the tests of generators and checks. No stage of the
// program uses it.
package schematest

import "sluice/schema"

// Shop has every kind and every depth. The files in testdata of ddl and docs were written by hand
// from the layout of the warehouse, not by the code under test.
func Shop() schema.Service {
	return schema.Service{
		Name: "shop", Doc: "What the shop's shelves hold.", Root: "/shop/v1",
		Resources: []schema.Resource{{
			Name: "things", Doc: "One thing for sale.", Path: "/things", Key: "things", ID: "thing_id", Every: "15m",
			Params:  map[string]string{"filter_by": "Status.All"},
			Single:  &schema.Single{Path: "/things/{id}", Key: "thing", Assumed: true},
			Cursor:  schema.Since{Column: "changed", Param: "changed_since"},
			Ignored: map[string]string{"price_formatted": "a localised twin of price"},
			Assumed: []string{"The filter is not shown."},
			Columns: []schema.Column{
				schema.ID("thing_id", "Identifier of the thing."),
				schema.ID("ownerId", "Who owns it.").As("owner"),
				schema.Text("name", "Name of the thing.").Is(schema.Plain),
				schema.Bool("sold", "Whether it is sold."),
				schema.Int("count", "How many there are.").Assume(),
				schema.Decimal("price", "What it costs."),
				schema.Date("day", "Since which day."),
				schema.Time("changed", "When it changed."),
				schema.JSON("blob", "JSON because it is open.").Is(schema.FreeText),
			},
			Children: []schema.Child{{
				Name: "parts", Doc: "One part of it.", Columns: []schema.Column{schema.Text("name", "Name of the part.").Is(schema.Plain)},
				Children: []schema.Child{{
					Name: "serials", Doc: "The number of a part.", Scalar: true,
					Columns: []schema.Column{schema.ID("serial", "The number itself, as printed.")},
				}},
			}},
		}},
	}
}

// Later returns a service without resources.
func Later() schema.Service { return schema.Service{Name: "later", Doc: "What comes later."} }

// House has what Shop lacks: details, a history, documented values, keys by prefix, lists under
// parents, one object, a second Postgres schema and an answer on demand. Its files in testdata were
// written by hand, too.
func House() schema.Service {
	return schema.Service{
		Name: "house", Doc: "What the house holds.", Root: "/house/v1",
		Resources: []schema.Resource{rates(), rooms(), opening()},
		Reads: []schema.Read{{
			Name: "preview", Doc: "What would happen then.", Path: "/preview", Key: "data", Scope: "settings",
			Params:  []schema.Param{{Name: "date", Doc: "The day of it.", Required: true}, {Name: "notes", Doc: "A free note."}},
			Assumed: []string{"The answer is not shown."},
		}},
	}
}

func rates() schema.Resource {
	return schema.Resource{
		Name: "rates", Doc: "One rate of the house.", Path: "/rates", Key: "rates", ID: "rateId", Every: "1h",
		Single: &schema.Single{Path: "/rates/{id}", Key: "rate"},
		Details: &schema.Details{Marker: "steps", Value: &schema.Value{
			Amounts: []string{"amount"}, Base: true, Open: &schema.Open{Column: "kind", Is: []string{"a"}},
		}},
		History: []string{"amount", "fromDay"},
		Cursor:  schema.NewestFirst{Column: "changedAt", Sort: "changed"},
		Columns: []schema.Column{
			schema.ID("rateId", "Identifier of the rate.").As("rate_id"),
			schema.Decimal("amount", "What it amounts to."),
			schema.Date("fromDay", "From which day on.").As("from_day"),
			schema.Text("kind", "Which kind it is.").Is(schema.Plain).OneOf("a", "b"),
			schema.Text("unit", "What it is counted in.").Is(schema.Plain).OneOf("1", "2", "3", "4", "5", "6", "7", "8", "9", "10"),
			schema.Time("changedAt", "When it changed.").As("changed"),
		},
		Children: []schema.Child{
			{Name: "steps", Doc: "One step of it.", Columns: []schema.Column{schema.Int("height", `How "high" it is.`)}},
			{Name: "fields", Doc: "One field of it.", Prefix: "cf_", Twin: "_formatted", Columns: []schema.Column{
				schema.ID("key", "Key of the field."), schema.JSON("value", `JSON because it's open \ free.`).Is(schema.FreeText),
				schema.Text("text", "As it is shown.").Is(schema.Plain),
			}},
		},
	}
}

func rooms() schema.Resource {
	return schema.Resource{
		Name: "rooms", Doc: "One room of a floor.", Path: "/floors/{parent}/rooms", AssumedPath: true, Optional: true, Key: "rooms",
		ID: "room_key", Every: "12h", Paging: schema.PagingToken,
		Cursor: schema.PerParent{
			Column: "floor", Identifier: "room_id", Listed: schema.ListedNetworks,
			From: []schema.ParentColumn{{Schema: "shop", Table: "things", Column: "owner"}},
			List: schema.FullScan{},
		},
		Columns: []schema.Column{
			schema.ID("room_key", "Floor and identifier.").Give(), schema.ID("room_id", "Identifier on the floor."),
			schema.ID("floor", "The floor of it.").Give(),
		},
	}
}

func opening() schema.Resource {
	return schema.Resource{
		Name: "opening", Schema: "custom", Doc: "What was there first.", Path: "/opening", Key: "opening", ID: "opening_id",
		Every: "24h", Paging: schema.PagingWhole, Cursor: schema.Snapshot{},
		Columns: []schema.Column{schema.ID("opening_id", "Identifier of the opening.")},
	}
}
