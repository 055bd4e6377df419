// Package ddl writes declarations as SQL: the tables of a service, and drafts of migrations from a
// database to the declarations.
//
// It is pure: it never talks to a database and never writes a file. A developer reads and freezes
// drafts; no code runs them.
//
// Start reading at Draft, then Tables.
package ddl

import (
	"cmp"
	"strings"

	"sluice/schema"
)

var types = map[schema.Kind]string{
	schema.KindBool: "boolean", schema.KindInt: bigint, schema.KindDecimal: "numeric",
	schema.KindDate: "date", schema.KindTime: Timestamp, schema.KindJSON: "jsonb",
}

// TypeOf returns the Postgres type of a kind, as the catalogue of Postgres spells it.
func TypeOf(kind schema.Kind) string { return cmp.Or(types[kind], "text") }

// Timestamp is the type of instants, bigint that of whole numbers.
const (
	Timestamp = "timestamp with time zone"
	bigint    = "bigint"
)

// The columns of sluice's own that form keys.
const (
	OrganizationID = "organization_id"
	ParentID       = "_parent_id"
	Position       = "_position"
)

// Extra is the column of the keys that no declaration knows. It counts as free text.
const Extra = "_extra"

// Table is one table as SQL sees it.
type Table struct {
	Schema, Name, Comment string
	Columns               []Column
	// Key are the columns of the primary key.
	Key []string
	// Parent is the table that the rows belong to; nil for the records.
	Parent *Reference
	// Index is the index of the details; nil if there are none.
	Index *Index
	// roomy says that pages keep room for new versions of their rows: no index has a column that an
	// update changes, so one that stays on its page writes no index
	// (docs/decisions/0017-loading).
	roomy bool
}

// Reference is a foreign key to the table of a parent in the same schema.
type Reference struct {
	Columns []string
	Table   string
	Targets []string
}

// Index finds the records without details, newest first: by the modification time, or the key if
// there is none.
type Index struct {
	Name, Newest string
}

// Column is one column of SQL. Identifiers are compared byte by byte: their order means nothing,
// and "C" is the fastest.
type Column struct {
	Name, Type, Comment string
	collate, Required   bool
	// Class says what the values may tell about people; unsaid of sluice's own columns, which tell
	// nothing.
	Class schema.Class
	// Default is the default value, as SQL spells it, and check is a condition; "" if there is
	// none.
	Default, check string
}

func (c Column) definition() string {
	text := Quote(c.Name) + " " + c.Type
	if c.collate {
		text += ` COLLATE "C"`
	}
	if c.Required {
		text += " NOT NULL"
	}
	if c.Default != "" {
		text += " DEFAULT " + c.Default
	}
	if c.check != "" {
		text += " CHECK (" + c.check + ")"
	}
	return text
}

// Tables returns the tables of a resource, parents before children.
func Tables(service *schema.Service, r *schema.Resource) []Table {
	in := r.SchemaName(service)
	flat := r.Tables()
	built := []Table{recordTable(in, r)}
	if len(r.History) > 0 {
		built = append(built, HistoryTable(in, r))
	}
	for i := range flat[1:] {
		built = append(built, childTable(in, r, flat, i+1))
	}
	return built
}

func recordTable(in string, r *schema.Resource) Table {
	t := Table{Schema: in, Name: r.Name, Comment: r.Doc, Key: []string{OrganizationID, r.Columns[0].ColumnName()}}
	t.Columns = append(t.Columns, organization())
	for _, c := range r.Columns {
		built := declared(c)
		built.Required = c.Wire == r.ID
		t.Columns = append(t.Columns, built)
	}
	t.Columns = append(t.Columns, Bookkeeping()...)
	t.roomy = r.Details == nil // an index of details has the modification time
	if r.Details != nil {
		t.Columns = append(t.Columns, DetailColumns()...)
		t.Index = detailIndex(r)
	}
	return t
}

func childTable(in string, r *schema.Resource, flat []schema.Table, at int) Table {
	const nested = 2
	child := &flat[at]
	t := Table{Schema: in, Name: child.Name, Comment: child.Doc}
	t.Columns = []Column{organization(), {
		Name: ParentID, Type: "text", collate: true, Required: true,
		Comment: "Key of the record that the row belongs to, in " + r.Name + ".",
	}}
	key := []string{OrganizationID, ParentID}
	t.Parent = &Reference{Columns: key, Table: flat[child.Parent].Name, Targets: []string{OrganizationID, r.Columns[0].ColumnName()}}
	if child.Depth() == nested {
		t.Columns = append(t.Columns, Column{
			Name: "_parent_position", Type: "integer", Required: true,
			Comment: "Position of the element that the row belongs to, in " + flat[child.Parent].Name + ".",
		})
		key = []string{OrganizationID, ParentID, "_parent_position"}
		t.Parent.Columns, t.Parent.Targets = key, []string{OrganizationID, ParentID, Position}
	}
	place := "Place of the element in its array upstream, from 0."
	if child.Child.Prefix != "" {
		place = "Place of the key among those of the record, sorted by name, from 0."
	}
	t.Columns = append(t.Columns, Column{Name: Position, Type: "integer", Required: true, Comment: place})
	for _, c := range child.Columns {
		t.Columns = append(t.Columns, declared(c))
	}
	t.Columns = append(t.Columns, deletedColumn("When the record that the row belongs to was found to be gone upstream; null while it exists."))
	t.Key = append(append([]string(nil), key...), Position)
	return t
}

func organization() Column {
	return Column{
		Name: OrganizationID, Type: "text", collate: true, Required: true,
		Comment: "Identifier upstream of the organization that the row belongs to.",
	}
}

func declared(c schema.Column) Column {
	return Column{Name: c.ColumnName(), Type: TypeOf(c.Kind), collate: c.Kind == schema.KindID, Comment: c.Doc, Class: c.Class}
}

// List returns quoted names in parentheses.
func List(names ...string) string {
	quoted := make([]string, len(names))
	for i, name := range names {
		quoted[i] = Quote(name)
	}
	return "(" + strings.Join(quoted, ", ") + ")"
}

// Quote quotes an identifier.
func Quote(name string) string { return `"` + strings.ReplaceAll(name, `"`, `""`) + `"` }

// Literal quotes a text.
func Literal(text string) string { return "'" + strings.ReplaceAll(text, "'", "''") + "'" }
