package render

import (
	"strings"

	"sluice/schema"
)

// userSchemaDoc is the comment on a Postgres schema that is no service's own.
const userSchemaDoc = "Lists that users declared in their configuration."

// DDL writes the tables of a service: schemas, tables with their keys, and a
// comment on each of them and on every column. A service without resources gives
// "".
func DDL(service schema.Service) string {
	var b strings.Builder
	made := map[string]bool{}
	for i := range service.Resources {
		for _, t := range build(&service, &service.Resources[i]) {
			if !made[t.schema] {
				if b.Len() > 0 {
					b.WriteByte('\n')
				}
				writeSchema(&b, &service, t.schema)
			}
			made[t.schema] = true
			b.WriteByte('\n')
			writeTable(&b, t)
		}
	}
	return b.String()
}

// writeSchema writes a schema that tables of a service lie in.
func writeSchema(b *strings.Builder, service *schema.Service, name string) {
	doc := service.Doc
	if name != service.Name {
		doc = userSchemaDoc
	}
	b.WriteString("CREATE SCHEMA IF NOT EXISTS " + quote(name) + ";\n")
	b.WriteString("COMMENT ON SCHEMA " + quote(name) + " IS " + literal(doc) + ";\n")
}

func writeTable(b *strings.Builder, t table) {
	b.WriteString("CREATE TABLE " + t.full() + " (\n")
	for _, c := range t.columns {
		b.WriteString("  " + c.definition() + ",\n")
	}
	b.WriteString("  PRIMARY KEY " + list(t.key...))
	if t.parent != nil {
		b.WriteString(",\n  FOREIGN KEY " + list(t.parent.columns...) + "\n    REFERENCES " + quote(t.schema) + "." +
			quote(t.parent.table) + " " + list(t.parent.targets...) + " ON DELETE CASCADE")
	}
	b.WriteString("\n)")
	if t.roomy {
		b.WriteString(" WITH (fillfactor = 90)")
	}
	b.WriteString(";\n")
	writeTableComment(b, t)
	for _, c := range t.columns {
		writeColumnComment(b, t, c)
	}
	writeIndex(b, t)
}

func writeIndex(b *strings.Builder, t table) {
	if t.index != nil {
		b.WriteString("CREATE INDEX " + quote(t.index.name) + " ON " + t.full() +
			` ("organization_id", ` + quote(t.index.newest) + " DESC)\n  WHERE " + quote(detailState) + " IN ('pending', 'stale', 'failed');\n")
	}
}

func writeTableComment(b *strings.Builder, t table) {
	b.WriteString("COMMENT ON TABLE " + t.full() + " IS " + literal(t.comment) + ";\n")
}

func writeColumnComment(b *strings.Builder, t table, c column) {
	b.WriteString("COMMENT ON COLUMN " + t.full() + "." + quote(c.name) + " IS " + literal(c.comment) + ";\n")
}

func (t table) full() string { return quote(t.schema) + "." + quote(t.name) }
