package schema_test

import (
	"testing"

	"sluice/pipeline/check"
	"sluice/schema"
)

func TestTablesOfChildrenByPrefix(t *testing.T) {
	t.Parallel()
	things := schema.Resource{Name: "things", Children: []schema.Child{
		{Name: "parts", Columns: []schema.Column{schema.ID("part_id", "Key of the part.")}},
		{Name: "fields", Prefix: "cf_", Twin: "_formatted", Columns: []schema.Column{
			schema.ID("key", "Key of the field."), schema.JSON("value", "JSON because it is open."), schema.Text("text", "As it is shown."),
		}},
	}}
	tables := things.Tables()
	fields := tables[len(tables)-1]
	check.ErrorIf(t, fields.Name != "things_fields" || fields.Depth() != 1 || fields.Root != 2 || fields.Parent != 0, "got %+v", fields)
}
