package render

import (
	"strings"

	"sluice/schema"
)

// DDL writes the tables of a service: schema, tables with their keys, and a
// comment on each of them and on every column. A service without resources gives
// "".
func DDL(service schema.Service) string {
	if len(service.Resources) == 0 {
		return ""
	}
	var b strings.Builder
	writeSchema(&b, service.Name, service.Doc)
	for i := range service.Resources {
		for _, t := range build(service.Name, &service.Resources[i]) {
			b.WriteByte('\n')
			writeTable(&b, t)
		}
	}
	return b.String()
}

func writeSchema(b *strings.Builder, name, doc string) {
	b.WriteString("CREATE SCHEMA IF NOT EXISTS " + quote(name) + ";\n")
	b.WriteString("COMMENT ON SCHEMA " + quote(name) + " IS " + literal(doc) + ";\n")
}

func writeTable(b *strings.Builder, t table) {
	b.WriteString("CREATE TABLE " + t.full() + " (\n")
	for _, c := range t.columns {
		b.WriteString("  " + c.definition() + ",\n")
	}
	b.WriteString("  " + strings.Join(t.constraints, ",\n  ") + "\n);\n")
	writeTableComment(b, t)
	for _, c := range t.columns {
		writeColumnComment(b, t, c)
	}
}

func writeTableComment(b *strings.Builder, t table) {
	b.WriteString("COMMENT ON TABLE " + t.full() + " IS " + literal(t.comment) + ";\n")
}

func writeColumnComment(b *strings.Builder, t table, c column) {
	b.WriteString("COMMENT ON COLUMN " + t.full() + "." + quote(c.name) + " IS " + literal(c.comment) + ";\n")
}

func (t table) full() string { return quote(t.schema) + "." + quote(t.name) }
