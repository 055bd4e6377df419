package ddl

import "sluice/schema"

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
	for i := range services {
		s := &services[i]
		for r := range s.Resources {
			for _, t := range Tables(s, &s.Resources[r]) {
				lack := Lack{Service: s.Name, Resource: s.Resources[r].Name, Table: t.Schema + "." + t.Name}
				old, ok := existing[t.Schema][t.Name]
				if !ok {
					lacks = append(lacks, lack)
					continue
				}
				for _, c := range t.Columns {
					lack.Column, lack.Type, lack.Declared = c.Name, old.Columns[c.Name].Type, c.Type
					if plainType(lack.Type) != plainType(c.Type) {
						lacks = append(lacks, lack)
					}
				}
			}
		}
	}
	return lacks
}
