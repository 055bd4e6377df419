// Package render writes what declarations say in other languages: the tables of
// a service in SQL, drafts of migrations, and the data dictionary in Markdown.
//
// It is pure: it never talks to a database and never writes a file. Drafts are
// read and frozen by hand; nothing runs what this package writes.
//
// Start reading at DDL, then Draft.
package render

import (
	"strings"

	"sluice/schema"
)

// Type is the Postgres type of a kind, as the catalogue of Postgres spells it.
func Type(kind schema.Kind) string {
	switch kind {
	case schema.KindBool:
		return "boolean"
	case schema.KindInt:
		return "bigint"
	case schema.KindDecimal:
		return "numeric"
	case schema.KindDate:
		return "date"
	case schema.KindTime:
		return "timestamp with time zone"
	case schema.KindJSON:
		return "jsonb"
	case schema.KindID, schema.KindText:
		return "text"
	default:
		return "text"
	}
}

// table is one table as SQL sees it.
type table struct {
	schema, name, comment string
	columns               []column
	constraints           []string
}

// column is one column as SQL sees it. Identifiers are compared byte by byte:
// their order means nothing, and "C" is the fastest.
type column struct {
	name, kind, comment string
	collate, required   bool
}

func (c column) definition() string {
	text := quote(c.name) + " " + c.kind
	if c.collate {
		text += ` COLLATE "C"`
	}
	if c.required {
		text += " NOT NULL"
	}
	return text
}

// build lays out the tables of a resource, parents before children.
func build(service string, r *schema.Resource) []table {
	flat := r.Tables()
	built := make([]table, 0, len(flat))
	for i := range flat {
		if i == 0 {
			built = append(built, recordTable(service, r))
			continue
		}
		built = append(built, childTable(service, r, flat, i))
	}
	return built
}

func recordTable(service string, r *schema.Resource) table {
	t := table{schema: service, name: r.Name, comment: r.Doc}
	t.columns = append(t.columns, organization())
	for _, c := range r.Columns {
		built := declared(c)
		built.required = c.Wire == r.ID
		t.columns = append(t.columns, built)
	}
	t.columns = append(t.columns, bookkeeping()...)
	t.constraints = []string{"PRIMARY KEY " + list("organization_id", r.Columns[0].ColumnName())}
	return t
}

func childTable(service string, r *schema.Resource, flat []schema.Table, at int) table {
	const nested = 2
	child := &flat[at]
	t := table{schema: service, name: child.Name, comment: child.Doc}
	t.columns = []column{organization(), {
		name: "_parent_id", kind: "text", collate: true, required: true,
		comment: "Key of the record that the row belongs to, in " + r.Name + ".",
	}}
	key := []string{"organization_id", "_parent_id"}
	parentKey := []string{"organization_id", r.Columns[0].ColumnName()}
	if child.Depth() == nested {
		t.columns = append(t.columns, column{
			name: "_parent_position", kind: "integer", required: true,
			comment: "Position of the element that the row belongs to, in " + flat[child.Parent].Name + ".",
		})
		key = append(key, "_parent_position")
		parentKey = []string{"organization_id", "_parent_id", "_position"}
	}
	foreign := "FOREIGN KEY " + list(key...) + "\n    REFERENCES " + quote(service) + "." +
		quote(flat[child.Parent].Name) + " " + list(parentKey...) + " ON DELETE CASCADE"
	t.columns = append(t.columns, column{
		name: "_position", kind: "integer", required: true,
		comment: "Place of the element in its array upstream, from 0.",
	})
	for _, c := range child.Columns {
		t.columns = append(t.columns, declared(c))
	}
	t.constraints = []string{"PRIMARY KEY " + list(append(key, "_position")...), foreign}
	return t
}

func organization() column {
	return column{
		name: "organization_id", kind: "text", collate: true, required: true,
		comment: "Identifier upstream of the organization that the row belongs to.",
	}
}

func declared(c schema.Column) column {
	return column{name: c.ColumnName(), kind: Type(c.Kind), collate: c.Kind == schema.KindID, comment: c.Doc}
}

// bookkeeping are the columns of ours behind the declared ones.
func bookkeeping() []column {
	return []column{
		{name: "_extra", kind: "jsonb", comment: "Keys that upstream sent and no declaration knows, by their path; null if there are none."},
		{name: "_hash", kind: "bytea", required: true, comment: "Content hash of all that the record carried, arrays included."},
		{name: "_call_id", kind: "bigint", required: true, comment: "Call that brought this version; its bytes are in sluice.raw_records."},
		{name: "_raw_position", kind: "integer", required: true, comment: "Place of the record's bytes among those of its call, from 0."},
		{name: "_run_id", kind: "bigint", required: true, comment: "Run that wrote this version."},
		{name: "_first_seen_at", kind: "timestamp with time zone", required: true, comment: "When the record was first loaded."},
		{name: "_changed_at", kind: "timestamp with time zone", required: true, comment: "When the row last changed here."},
	}
}

func list(names ...string) string {
	quoted := make([]string, len(names))
	for i, name := range names {
		quoted[i] = quote(name)
	}
	return "(" + strings.Join(quoted, ", ") + ")"
}

func quote(name string) string { return `"` + strings.ReplaceAll(name, `"`, `""`) + `"` }

func literal(text string) string { return "'" + strings.ReplaceAll(text, "'", "''") + "'" }
