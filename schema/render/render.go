// Package render writes what declarations say in other languages: the tables of
// a service in SQL, drafts of migrations, the data dictionary in Markdown, and
// diagrams of tables and keys.
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
		return bigint
	case schema.KindDecimal:
		return "numeric"
	case schema.KindDate:
		return "date"
	case schema.KindTime:
		return stamp
	case schema.KindJSON:
		return "jsonb"
	case schema.KindID, schema.KindText:
		return "text"
	default:
		return "text"
	}
}

// stamp is the type of an instant, bigint that of whole numbers.
const (
	stamp  = "timestamp with time zone"
	bigint = "bigint"
)

// The columns of ours that make keys.
const (
	organizationID = "organization_id"
	parentID       = "_parent_id"
	position       = "_position"
)

// table is one table as SQL sees it.
type table struct {
	schema, name, comment string
	columns               []column
	// key are the columns of the primary key.
	key []string
	// parent is where the rows belong, nil for those that stand for themselves.
	parent *reference
	// index is that of the details, nil if there are none.
	index *index
	// roomy says that pages keep room for new versions of their rows: no index has a column that an update changes, so one that stays on its
	// page writes no index (docs/decisions/0038).
	roomy bool
}

// reference is a foreign key to the table of a parent in the same schema.
type reference struct {
	columns []string
	table   string
	targets []string
}

// index finds the records whose details are wanting, newest first: by the column of
// the modification time, or the key where there is none.
type index struct {
	name, newest string
}

// column is one column as SQL sees it. Identifiers are compared byte by byte:
// their order means nothing, and "C" is the fastest.
type column struct {
	name, kind, comment string
	collate, required   bool
	// initial is the value of rows that do not say one, as SQL spells it, and check
	// is a condition; "" if there is none.
	initial, check string
}

func (c column) definition() string {
	text := quote(c.name) + " " + c.kind
	if c.collate {
		text += ` COLLATE "C"`
	}
	if c.required {
		text += " NOT NULL"
	}
	if c.initial != "" {
		text += " DEFAULT " + c.initial
	}
	if c.check != "" {
		text += " CHECK (" + c.check + ")"
	}
	return text
}

// build lays out the tables of a resource, parents before children.
func build(service *schema.Service, r *schema.Resource) []table {
	in := r.SchemaName(service)
	flat := r.Tables()
	built := []table{recordTable(in, r)}
	if len(r.History) > 0 {
		built = append(built, historyTable(in, r))
	}
	for i := range flat[1:] {
		built = append(built, childTable(in, r, flat, i+1))
	}
	return built
}

func recordTable(in string, r *schema.Resource) table {
	t := table{schema: in, name: r.Name, comment: r.Doc, key: []string{organizationID, r.Columns[0].ColumnName()}}
	t.columns = append(t.columns, organization())
	for _, c := range r.Columns {
		built := declared(c)
		built.required = c.Wire == r.ID
		t.columns = append(t.columns, built)
	}
	t.columns = append(t.columns, bookkeeping()...)
	t.roomy = r.Details == nil // an index of details has the modification time
	if r.Details != nil {
		t.columns = append(t.columns, detailColumns()...)
		t.index = detailIndex(r)
	}
	return t
}

func childTable(in string, r *schema.Resource, flat []schema.Table, at int) table {
	const nested = 2
	child := &flat[at]
	t := table{schema: in, name: child.Name, comment: child.Doc}
	t.columns = []column{organization(), {
		name: parentID, kind: "text", collate: true, required: true,
		comment: "Key of the record that the row belongs to, in " + r.Name + ".",
	}}
	key := []string{organizationID, parentID}
	t.parent = &reference{columns: key, table: flat[child.Parent].Name, targets: []string{organizationID, r.Columns[0].ColumnName()}}
	if child.Depth() == nested {
		t.columns = append(t.columns, column{
			name: "_parent_position", kind: "integer", required: true,
			comment: "Position of the element that the row belongs to, in " + flat[child.Parent].Name + ".",
		})
		key = []string{organizationID, parentID, "_parent_position"}
		t.parent.columns, t.parent.targets = key, []string{organizationID, parentID, position}
	}
	place := "Place of the element in its array upstream, from 0."
	if child.Child.Prefix != "" {
		place = "Place of the key among those of the record, sorted by name, from 0."
	}
	t.columns = append(t.columns, column{name: position, kind: "integer", required: true, comment: place})
	for _, c := range child.Columns {
		t.columns = append(t.columns, declared(c))
	}
	t.columns = append(t.columns, deletedColumn("When the record that the row belongs to was found to be gone upstream; null while it exists."))
	t.key = append(append([]string(nil), key...), position)
	return t
}

func organization() column {
	return column{
		name: organizationID, kind: "text", collate: true, required: true,
		comment: "Identifier upstream of the organization that the row belongs to.",
	}
}

func declared(c schema.Column) column {
	return column{name: c.ColumnName(), kind: Type(c.Kind), collate: c.Kind == schema.KindID, comment: c.Doc}
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
