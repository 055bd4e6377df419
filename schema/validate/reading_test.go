package validate_test

import (
	"testing"

	"sluice/schema"
	"sluice/schema/validate"
)

// wide returns a declaration without faults that uses the words for details, history, documented
// values, keys by prefix, parents, snapshots and reads on demand.
func wide() schema.Service {
	s := good()
	things := &s.Resources[0]
	things.Details = &schema.Details{
		Marker: "parts", Batch: &schema.Batch{Path: "/thingdetails", Key: "things", Param: "ids", Size: 100},
		Value: &schema.Value{Amounts: []string{"price", "cost"}, Rate: "rate", Open: &schema.Open{Column: "state", Is: []string{"new"}}},
	}
	things.History = []string{"changed"}
	things.Columns = append(things.Columns, schema.Text("colour", "The colour of it.").Is(schema.Plain).OneOf("red", "blue"),
		schema.Text("state", "The state of it.").Is(schema.Plain).OneOf("new", "sold"), schema.Decimal("price", "What it is sold for."), schema.Decimal("cost", "What it was bought for."), schema.Decimal("rate", "Price of its currency."))
	things.Children = append(things.Children, schema.Child{
		Name: "fields", Doc: "One field of it.", Prefix: "cf_", Twin: "_formatted", Columns: []schema.Column{
			schema.ID("key", "Key of the field."), schema.JSON("value", "JSON because it is open.").Is(schema.FreeText), schema.Text("text", "As it is shown.").Is(schema.Plain),
		},
	})
	s.Resources = append(s.Resources, schema.Resource{
		Name: "rooms", Doc: "One room of a house.", Path: "/houses/{parent}/rooms", Key: "rooms", ID: "room_key",
		Scope: "rooms", Every: "1h", Paging: schema.PagingToken, AssumedPath: true, Optional: true, Assumed: []string{"The path is a guess."},
		Cursor: schema.PerParent{
			Column: "house", Identifier: "room_id", List: schema.FullScan{},
			From:   []schema.ParentColumn{{Schema: "shop", Table: "things_parts", Column: "_parent_id"}},
			Listed: schema.ListedNetworks,
		},
		Columns: []schema.Column{
			schema.ID("room_key", "House and identifier.").Give(), schema.ID("room_id", "Identifier within the house."),
			schema.ID("house", "The house of it.").Give(),
		},
	}, schema.Resource{
		Name: "opening", Schema: "custom", Doc: "What was there first.", Path: "/opening", Key: "opening", ID: "opening_id",
		Scope: "settings", Every: "24h", Paging: schema.PagingWhole, Cursor: schema.Snapshot{}, AssumedPath: true,
		Columns: []schema.Column{schema.ID("opening_id", "Identifier of the opening.")},
	})
	s.Reads = []schema.Read{{
		Name: "preview", Doc: "What would happen then.", Path: "/preview", Key: "data", Scope: "settings",
		Params: []schema.Param{{Name: "date", Doc: "The day of it.", Required: true}}, Assumed: []string{"The answer is a guess."},
	}}
	return s
}

const (
	things = iota
	rooms
	opening
)

func TestValidateAcceptsTheWideDeclaration(t *testing.T) {
	t.Parallel()
	other := good()
	other.Name = "other"
	if err := validate.Services([]schema.Service{wide(), other}); err != nil {
		t.Fatalf("want no fault, got %v", err)
	}
}

type wideCase struct {
	name  string
	spoil func(s *schema.Service)
	want  string
}

func TestValidateNamesEveryFaultOfTheWideDeclaration(t *testing.T) {
	t.Parallel()
	cases := append(append(readingCases(), parentCases()...), prefixCases()...)
	for _, c := range append(append(cases, placeCases()...), valueCases()...) {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			service := wide()
			c.spoil(&service)
			assertOneFault(t, validate.Services([]schema.Service{service}), c.want)
		})
	}
}

func readingCases() []wideCase {
	return []wideCase{
		{"paging", func(s *schema.Service) { s.Resources[things].Paging = 9 },
			"shop.things: paging 9 is not one of the closed set; use PagingNumber, PagingWhole or PagingToken"},
		{"pages without a size", func(s *schema.Service) { s.Resources[rooms].Unsized = 500 },
			"shop.rooms: 500 records a page without a size: only a list with PagingNumber has sizes; drop Unsized"},
		{"snapshot paging", func(s *schema.Service) { s.Resources[opening].Paging = schema.PagingNumber },
			"shop.opening: a single object has no pages; set PagingWhole"},
		{"export paging", func(s *schema.Service) {
			rooms := &s.Resources[rooms]
			rooms.Key = ""
			rooms.Cursor = schema.PerParent{Column: "house", Identifier: "room_id", Listed: "networks", List: schema.Export{FieldsParam: "fields"}}
		}, "shop.rooms: an export is one body without pages; leave the paging out"},
		{"guess unasked", func(s *schema.Service) { s.Resources[rooms].Optional = false },
			"shop.rooms: the path is assumed; make the resource optional, so that only who asks for it spends calls on a guess"},
		{"guess unexplained", func(s *schema.Service) { s.Resources[rooms].Assumed = nil },
			"shop.rooms: the path is assumed and no sentence says from what; add one to Assumed"},
		{"marker", func(s *schema.Service) { s.Resources[things].Details.Marker = "changed" },
			`shop.things.details: the marker "changed" is no declared array of the record; name one that headers lack`},
		{"marker by prefix", func(s *schema.Service) { s.Resources[things].Details.Marker = "fields" },
			`shop.things.details: the marker "fields" is no declared array of the record; name one that headers lack`},
		{"details from nowhere", func(s *schema.Service) {
			s.Resources[things].Single, s.Resources[things].Details.Batch = nil, nil
		}, "shop.things.details: nothing says how details are read; declare Single or Batch"},
		{"batch", func(s *schema.Service) { s.Resources[things].Details.Batch.Size = 0 },
			"shop.things.details: a batch needs the response key, the parameter of the identifiers and a size of at least 1; give all three"},
		{"batch path", func(s *schema.Service) { s.Resources[things].Details.Batch.Path = "things" },
			`shop.things.details: path "things" must start with a slash and hold no query; write it as the document does`},
		{"window", func(s *schema.Service) {
			s.Resources[things].Window = &schema.Window{Column: "changed", From: "start", To: "end"}
		}, `shop.things.window: the column "changed" is no declared day; declare it by Date`},
		{"window of one parameter", func(s *schema.Service) {
			s.Resources[things].Columns = append(s.Resources[things].Columns, schema.Date("day", "The day of it."))
			s.Resources[things].Window = &schema.Window{Column: "day", From: "on", To: "on"}
		}, `shop.things.window: the parameters "on" and "on" are empty, equal or set by the declaration; name the two of the filter`},
		{"window of an object", func(s *schema.Service) {
			s.Resources[opening].Columns = append(s.Resources[opening].Columns, schema.Date("day", "The day of it."))
			s.Resources[opening].Window = &schema.Window{Column: "day", From: "start", To: "end"}
		}, "shop.opening.window: a list read by schema.Snapshot takes no windows; drop it"},
		{"details under a parent", func(s *schema.Service) {
			s.Resources[rooms].Children = s.Resources[things].Children[:1]
			s.Resources[rooms].Details = &schema.Details{Marker: "parts", Batch: s.Resources[things].Details.Batch}
		}, "shop.rooms.details: schema.PerParent lists have no details; drop them"},
		{"history of an array", func(s *schema.Service) { s.Resources[things].History = []string{"parts"} },
			`shop.things.history: "parts" is no declared column of the record; only columns have a history`},
		{"history of the key", func(s *schema.Service) { s.Resources[things].History = []string{"thing_id"} },
			`shop.things.history: "thing_id" is the key or named twice; drop it`},
		{"history twice", func(s *schema.Service) { s.Resources[things].History = []string{"made", "made"} },
			`shop.things.history: "made" is the key or named twice; drop it`},
		{"token", func(s *schema.Service) { s.Resources[rooms].Params = map[string]string{"next_token": "x"} },
			`shop.rooms.params: "next_token" is set by the engine; drop it`},
		{"limit", func(s *schema.Service) { s.Resources[rooms].Params = map[string]string{"limit": "5"} },
			`shop.rooms.params: "limit" is set by the engine; drop it`},
		{"read name", func(s *schema.Service) { s.Reads[0].Name = "Preview" },
			`shop.Preview: read name "Preview" must be 1 to 55 of a-z, 0-9 and _, a letter first; rename`},
		{"read twice", func(s *schema.Service) { s.Reads = append(s.Reads, s.Reads[0]) },
			"shop.preview: the read is declared twice; rename one"},
		{"read scope", func(s *schema.Service) { s.Reads[0].Scope = "" },
			"shop.preview: scope is empty; give the area of the scope, such as bills"},
		{"read key", func(s *schema.Service) { s.Reads[0].Key = "" },
			"shop.preview: the response key is empty; name the key that carries the records"},
		{"read parameter", func(s *schema.Service) { s.Reads[0].Params[0].Name = "organization_id" },
			`shop.preview.params: "organization_id" is empty, set by the engine or declared twice; drop it`},
		{"read parameter without name", func(s *schema.Service) { s.Reads[0].Params[0].Name = "" },
			"shop.preview.params: \"\" is empty, set by the engine or declared twice; drop it"},
		{"read assumption", func(s *schema.Service) { s.Reads[0].Assumed[0] = "" },
			"shop.preview.assumed: the sentence is empty; say what it is"},
	}
}

func valueCases() []wideCase {
	value := func(change func(*schema.Value)) func(*schema.Service) {
		return func(s *schema.Service) { change(s.Resources[things].Details.Value) }
	}
	return []wideCase{
		{"value of nothing", value(func(v *schema.Value) { *v = schema.Value{} }),
			"shop.things.details.value: neither an amount nor what is open is named; name one or drop the value"},
		{"amount of no column", value(func(v *schema.Value) { v.Amounts[1] = "worth" }),
			`shop.things.details.value: the amount "worth" is no declared decimal, or named twice; declare it once, by Decimal`},
		{"amount of an element", value(func(v *schema.Value) { v.Amounts[1] = "parts" }),
			`shop.things.details.value: the amount "parts" is no declared decimal, or named twice; declare it once, by Decimal`},
		{"amount that is a text", value(func(v *schema.Value) { v.Amounts[1] = "colour" }),
			`shop.things.details.value: the amount "colour" is no declared decimal, or named twice; declare it once, by Decimal`},
		{"amount twice", value(func(v *schema.Value) { v.Amounts[1] = "price" }),
			`shop.things.details.value: the amount "price" is no declared decimal, or named twice; declare it once, by Decimal`},
		{"amounts without a rate", value(func(v *schema.Value) { v.Rate = "" }),
			"shop.things.details.value: amounts of different currencies are not comparable; name the rate, or set Base where they are in the base currency"},
		{"a rate of the base currency", value(func(v *schema.Value) { v.Base = true }),
			"shop.things.details.value: amounts of different currencies are not comparable; name the rate, or set Base where they are in the base currency"},
		{"a rate without amounts", value(func(v *schema.Value) { v.Amounts = nil }),
			"shop.things.details.value: amounts of different currencies are not comparable; name the rate, or set Base where they are in the base currency"},
		{"rate that is a text", value(func(v *schema.Value) { v.Rate = "colour" }),
			`shop.things.details.value: the rate "colour" is no declared decimal; declare it by Decimal`},
		{"open by a number", value(func(v *schema.Value) { v.Open = &schema.Open{Column: "price", Is: []string{"1"}} }),
			`shop.things.details.value.open: the column "price" is no declared text; declare it by Text`},
		{"open by no column", value(func(v *schema.Value) { v.Open.Column = "stand" }),
			`shop.things.details.value.open: the column "stand" is no declared text; declare it by Text`},
		{"never open", value(func(v *schema.Value) { v.Open.Is = nil }),
			"shop.things.details.value.open: no value is that of an open record; name one or drop it"},
		{"open by a value that none is", value(func(v *schema.Value) { v.Open.Is[0] = "green" }),
			`shop.things.details.value.open: the value "green" is empty, named twice or none of the column's; drop it`},
		{"open twice", value(func(v *schema.Value) { v.Open.Is = []string{"new", "new"} }),
			`shop.things.details.value.open: the value "new" is empty, named twice or none of the column's; drop it`},
	}
}

func parentCases() []wideCase {
	under := func(change func(*schema.PerParent)) func(*schema.Service) {
		return func(s *schema.Service) {
			cursor, _ := s.Resources[rooms].Cursor.(schema.PerParent)
			change(&cursor)
			s.Resources[rooms].Cursor = cursor
		}
	}
	return []wideCase{
		{"no place for the parent", func(s *schema.Service) { s.Resources[rooms].Path = "/rooms" },
			`shop.rooms: path "/rooms" and cursor disagree; {parent} stands exactly in paths of lists under a parent`},
		{"a place without parent", func(s *schema.Service) { s.Resources[things].Path = "/{parent}/things" },
			`shop.things: path "/{parent}/things" and cursor disagree; {parent} stands exactly in paths of lists under a parent`},
		{"parent's column", under(func(c *schema.PerParent) { c.Column = "flat" }),
			`shop.rooms.house: the engine knows the parent's identifier alone; give the column that PerParent names or none` + "\n" +
				`shop.rooms.cursor: the parent's column "flat" is not declared; declare it by ID or Text`},
		{"parent's kind", func(s *schema.Service) { s.Resources[rooms].Columns[2].Kind = schema.KindInt },
			`shop.rooms.cursor: the parent's column "house" is not declared; declare it by ID or Text`},
		{"identifier", under(func(c *schema.PerParent) { c.Identifier = "number" }),
			`shop.rooms.cursor: the identifier "number" is no column of the record's own; declare it by ID, beside the key`},
		{"identifier is the key", under(func(c *schema.PerParent) { c.Identifier = "room_key" }),
			`shop.rooms.cursor: the identifier "room_key" is no column of the record's own; declare it by ID, beside the key`},
		{"key given for nothing", under(func(c *schema.PerParent) { c.Identifier = "" }),
			"shop.rooms.room_key: the key is given exactly where identifiers are unique under one parent only; set both Give and Identifier or neither"},
		{"key not given", func(s *schema.Service) { s.Resources[rooms].Columns[0].Given = false },
			"shop.rooms.room_key: the key is given exactly where identifiers are unique under one parent only; set both Give and Identifier or neither"},
		{"given without parent", func(s *schema.Service) { s.Resources[things].Columns[4].Given = true },
			"shop.things.colour: the engine knows the parent's identifier alone; give the column that PerParent names or none"},
		{"second key", func(s *schema.Service) { s.Resources[things].Columns[2].Also = "label" },
			"shop.things.made: the second key \"label\" is that of no modification time; which of two values counts is unknown"},
		{"given in an element", func(s *schema.Service) { s.Resources[things].Children[0].Columns[0].Given = true },
			"shop.things.parts.name: only columns of the record are given by the engine; drop the mark"},
		{"no parents", under(func(c *schema.PerParent) { c.From, c.Listed = nil, "" }),
			"shop.rooms.cursor: nothing says where parents are found; name columns of the warehouse or a list of the configuration"},
		{"parents from nowhere", under(func(c *schema.PerParent) {
			c.From = []schema.ParentColumn{{Schema: "shop", Table: "Bills", Column: "x"}}
		}),
			`shop.rooms.cursor: parents from "shop"."Bills"."x": a schema, a table or a column that cannot be; spell them as the warehouse does`},
		{"listed", under(func(c *schema.PerParent) { c.Listed = "houses" }),
			`shop.rooms.cursor: "houses" is no list of the configuration; use one of the closed set`},
		{"inner cursor", under(func(c *schema.PerParent) { c.List = schema.Since{Column: "x", Param: "x"} }),
			"shop.rooms.cursor: the list of one parent is read by schema.Since; use FullScan or Export"},
		{"no inner cursor", under(func(c *schema.PerParent) { c.List = nil }),
			"shop.rooms.cursor: the list of one parent is read by <nil>; use FullScan or Export"},
		{"inner cursor's column", under(func(c *schema.PerParent) { c.List = schema.FullScan{Modified: "changed"} }),
			`shop.rooms.cursor: column "changed" is not declared; declare it by Time`},
	}
}

func prefixCases() []wideCase {
	field := func(change func(*schema.Child)) func(*schema.Service) {
		return func(s *schema.Service) { change(&s.Resources[things].Children[1]) }
	}
	const three = "a child with a prefix has exactly three columns; declare the key by ID, its value by JSON, its display text by Text"
	return []wideCase{
		{"two columns", field(func(c *schema.Child) { c.Columns = c.Columns[:2] }), "shop.things.fields: " + three},
		{"kinds", field(func(c *schema.Child) { c.Columns[1].Kind = schema.KindText }), "shop.things.fields: " + three},
		{"no twin", field(func(c *schema.Child) { c.Twin = "" }),
			`shop.things.fields: prefix "cf_" and twin "" belong together; give both or neither`},
		{"no prefix", field(func(c *schema.Child) { c.Prefix = "" }),
			`shop.things.fields: prefix "" and twin "_formatted" belong together; give both or neither`},
		{"object", field(func(c *schema.Child) { c.Object = true }),
			"shop.things.fields: a child with a prefix is neither scalar nor object and has no arrays or ignored keys; drop them"},
		{"prefix of a prefix", func(s *schema.Service) {
			other := s.Resources[things].Children[1]
			other.Name, other.Prefix = "more", "cf_x_"
			s.Resources[things].Children = append(s.Resources[things].Children, other)
		}, `shop.things.more: prefixes "cf_x_" and "cf_" hold the same keys; keep one`},
		{"in an element", func(s *schema.Service) {
			s.Resources[things].Children[0].Children = s.Resources[things].Children[1:]
			s.Resources[things].Children = s.Resources[things].Children[:1]
		}, "shop.things.parts.fields: only keys of the record itself are taken by prefix; declare them one by one"},
		{"values of no text", func(s *schema.Service) { s.Resources[things].Columns[0].Values = []string{"a"} },
			"shop.things.thing_id: values are listed for a column that is no text; declare it by Text or drop them"},
		{"value twice", func(s *schema.Service) { s.Resources[things].Columns[4].Values = []string{"a", "b", "a"} },
			`shop.things.colour: the value "a" is blank or listed twice; drop it`},
		{"blank value", func(s *schema.Service) { s.Resources[things].Columns[4].Values = []string{" "} },
			`shop.things.colour: the value " " is blank or listed twice; drop it`},
	}
}

// placeCases are about names that would clash in Postgres or the queue.
func placeCases() []wideCase {
	return []wideCase{
		{"schema of the program", func(s *schema.Service) { s.Resources[opening].Schema = "analytics" },
			`shop.opening: the Postgres schema "analytics" has another owner; choose another`},
		{"schema name", func(s *schema.Service) { s.Resources[opening].Schema = "Custom" },
			`shop.opening: schema name "Custom" must be 1 to 55 of a-z, 0-9 and _, a letter first; rename`},
		{"resource twice", func(s *schema.Service) { s.Resources[opening].Name = "things" },
			"shop.things: the resource is declared twice; rename one"},
		{"table of a history", func(s *schema.Service) { s.Resources[rooms].Name = "things_history" },
			"shop.things_history: table things_history is already the table of shop.things.history; rename one"},
		{"table of an index", func(s *schema.Service) { s.Resources[rooms].Name = "things_details" },
			"shop.things_details: table things_details is already the table of shop.things.details; rename one"},
	}
}

func TestTablesOfTwoServicesInOneSchemaClash(t *testing.T) {
	t.Parallel()
	other := good()
	other.Name = "other"
	other.Resources[0].Name, other.Resources[0].Schema, other.Resources[0].Children = "opening", "custom", nil
	assertOneFault(t, validate.Services([]schema.Service{wide(), other}),
		"other.opening: table opening is already the table of shop.opening; rename one")

	other.Resources[0].Schema = "shop"
	assertOneFault(t, validate.Services([]schema.Service{wide(), other}),
		`other.opening: the Postgres schema "shop" has another owner; choose another`)
}
