package ddl

import (
	"maps"
	"slices"
	"strings"

	"sluice/schema"
)

// Catalog is the content of a database, by schema and table.
type Catalog map[string]map[string]ExistingTable

// ExistingTable is one table of a database.
type ExistingTable struct {
	// Comment is the comment on the table; "" if it has none.
	Comment string
	// Columns are its columns by name.
	Columns map[string]ExistingColumn
}

// ExistingColumn is one column of a database.
type ExistingColumn struct {
	// Type is the type as Postgres spells it: information_schema's data_type or format_type,
	// without collation.
	Type string
	// Comment is the comment on the column; "" if it has none.
	Comment string
}

// Draft compares declarations with a database and writes the difference as a migration in goose's
// format, for a developer to read and freeze. It creates tables, adds columns and sets comments. It
// never drops anything and never changes a type: for these it writes a comment line that asks the
// developer to act.
//
// The bool says whether the draft holds a statement; without one, the text is "" or only comment
// lines.
func Draft(services []schema.Service, existing Catalog) (string, bool) {
	d := &draft{existing: existing, made: map[string]bool{}}
	for i := range services {
		d.service(&services[i])
	}
	if d.statements.Len() == 0 && len(d.hands) == 0 {
		return "", false
	}
	var b strings.Builder
	b.WriteString("-- +goose Up\n")
	for _, line := range d.hands {
		b.WriteString("-- by hand: " + line + "\n")
	}
	statements := d.statements.String()
	if d.altered == 1 { // one transaction does
		before, after, _ := strings.Cut(statements, stepLine)
		_, after, _ = strings.Cut(after, "\n")
		statements = before + after
	}
	b.WriteString(statements)
	return b.String(), d.statements.Len() > 0
}

// stepLine begins a transaction of a migration: an altered table has its own, so that a session
// that uses one table delays the change of that table only. See package migrations.
const stepLine = "-- sluice:step "

type draft struct {
	existing Catalog
	// made are the schemas that the draft creates.
	made       map[string]bool
	statements strings.Builder
	// altered counts the tables that the draft alters.
	altered int
	hands   []string
}

func (d *draft) hand(where, what string) { d.hands = append(d.hands, where+" "+what) }

func (d *draft) service(s *schema.Service) {
	known := map[string]bool{}
	for i := range s.Resources {
		for _, t := range Tables(s, &s.Resources[i]) {
			d.table(s, t)
			known[t.Schema+"."+t.Name] = true
		}
	}
	if len(s.Resources) == 0 {
		return
	}
	// Only the service's own schema is searched for undeclared tables: another one holds the tables
	// of several services, and of lists that users declared.
	for _, name := range slices.Sorted(maps.Keys(d.existing[s.Name])) {
		if where := s.Name + "." + name; !known[where] {
			d.hand(where, "is no longer declared; decide what becomes of its rows")
		}
	}
}

func (d *draft) table(s *schema.Service, t Table) {
	have, ok := d.existing[t.Schema]
	if !ok && !d.made[t.Schema] {
		d.made[t.Schema] = true
		d.statements.WriteByte('\n')
		writeSchema(&d.statements, s, t.Schema)
	}
	if old, ok := have[t.Name]; ok {
		d.alter(t, old)
		return
	}
	d.statements.WriteByte('\n')
	writeTable(&d.statements, t)
}

func (d *draft) alter(t Table, old ExistingTable) {
	var changes strings.Builder
	d.change(&changes, t, old)
	if changes.Len() > 0 {
		d.altered++
		d.statements.WriteString(stepLine + t.Schema + "." + t.Name + "\n" + changes.String())
	}
}

func (d *draft) change(changes *strings.Builder, t Table, old ExistingTable) {
	if old.Comment != t.Comment {
		writeTableComment(changes, t)
	}
	known := map[string]bool{}
	for _, c := range t.Columns {
		known[c.Name] = true
		where := t.Schema + "." + t.Name + "." + c.Name
		have, ok := old.Columns[c.Name]
		switch {
		case !ok && c.Required && c.Default == "":
			d.hand(where, "is missing and must not be null; decide what older rows get")
			continue
		case !ok:
			if c.Required {
				d.hand(where, "is added as "+c.Default+" in older rows; decide whether that is true of them")
			}
			changes.WriteString("ALTER TABLE " + t.Full() + " ADD COLUMN " + c.definition() + ";\n")
		case have.Type != c.Type:
			d.hand(where, "is "+have.Type+" and declared as "+c.Type+"; change the type or the declaration")
		}
		if !ok || have.Comment != c.Comment {
			writeColumnComment(changes, t, c)
		}
	}
	if _, ok := old.Columns[detailState]; !ok {
		writeIndex(changes, t)
	}
	for _, name := range slices.Sorted(maps.Keys(old.Columns)) {
		if !known[name] {
			d.hand(t.Schema+"."+t.Name+"."+name, "is no longer declared; decide what becomes of its values")
		}
	}
}

// Lack is a declared thing that a database does not have.
type Lack struct {
	// Service and Resource are the owner, Table is the place: the schema and the table.
	Service, Resource, Table string
	// Column is "" if the whole table is missing. Type is the existing type if it differs, "" if
	// the column is missing.
	Column, Type string
	// Declared is the declared type of Column.
	Declared string
}

// String returns the lack in words.
func (l Lack) String() string {
	switch {
	case l.Column == "":
		return "table " + l.Table + " is missing"
	case l.Type == "":
		return "column " + l.Table + "." + l.Column + " is missing"
	default:
		return "column " + l.Table + "." + l.Column + " is " + l.Type + " and declared as " + l.Declared
	}
}

// Lacks returns what a database lacks: declared tables and columns, and columns of another type.
func Lacks(services []schema.Service, existing Catalog) []Lack {
	var lacks []Lack
	for service, resource := range schema.Each(services) {
		for _, t := range Tables(service, resource) {
			lack := Lack{Service: service.Name, Resource: resource.Name, Table: t.Schema + "." + t.Name}
			old, ok := existing[t.Schema][t.Name]
			if !ok {
				lacks = append(lacks, lack)
				continue
			}
			for _, c := range t.Columns {
				lack.Column, lack.Type, lack.Declared = c.Name, old.Columns[c.Name].Type, c.Type
				if lack.Type != c.Type {
					lacks = append(lacks, lack)
				}
			}
		}
	}
	return lacks
}
