package ddl

import (
	"strings"

	"sluice/schema"
)

// userSchemaDoc is the comment on a Postgres schema that is no service's own.
const userSchemaDoc = "Lists that users declared in their configuration."

// writeSchema writes a schema for tables of a service.
func writeSchema(b *strings.Builder, service *schema.Service, name string) {
	doc := service.Doc
	if name != service.Name {
		doc = userSchemaDoc
	}
	b.WriteString("CREATE SCHEMA IF NOT EXISTS " + Quote(name) + ";\n")
	b.WriteString("COMMENT ON SCHEMA " + Quote(name) + " IS " + Literal(doc) + ";\n")
}

func writeTable(b *strings.Builder, t Table) {
	b.WriteString("CREATE TABLE " + t.Full() + " (\n")
	for _, c := range t.Columns {
		b.WriteString("  " + c.definition() + ",\n")
	}
	b.WriteString("  PRIMARY KEY " + List(t.Key...))
	if t.Parent != nil {
		b.WriteString(",\n  FOREIGN KEY " + List(t.Parent.Columns...) + "\n    REFERENCES " + Quote(t.Schema) + "." +
			Quote(t.Parent.Table) + " " + List(t.Parent.Targets...) + " ON DELETE CASCADE")
	}
	b.WriteString("\n)")
	if t.roomy {
		b.WriteString(" WITH (fillfactor = 90)")
	}
	b.WriteString(";\n")
	writeTableComment(b, t)
	for _, c := range t.Columns {
		writeColumnComment(b, t, c)
	}
	writeIndex(b, t)
}

func writeIndex(b *strings.Builder, t Table) {
	if t.Index != nil {
		b.WriteString("CREATE INDEX " + Quote(t.Index.Name) + " ON " + t.Full() +
			` ("organization_id", ` + Quote(t.Index.Newest) + " DESC)\n  WHERE " + Quote(detailState) + " IN ('pending', 'stale', 'failed');\n")
	}
}

func writeTableComment(b *strings.Builder, t Table) {
	b.WriteString("COMMENT ON TABLE " + t.Full() + " IS " + Literal(t.Comment) + ";\n")
}

func writeColumnComment(b *strings.Builder, t Table, c Column) {
	b.WriteString("COMMENT ON COLUMN " + t.Full() + "." + Quote(c.Name) + " IS " + Literal(c.Comment) + ";\n")
}

// Full returns the quoted name of the table with its schema.
func (t Table) Full() string { return Quote(t.Schema) + "." + Quote(t.Name) }
