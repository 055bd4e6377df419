package ddl

import "sluice/schema"

// Lack is something that declarations ask for and a database does not have.
type Lack struct {
	// Service and Resource say whose it is, Table is where: the schema and the table.
	Service, Resource, Table string
	// Column is "" if the whole table is missing; Type is what it is instead of what is declared, "" if it is missing.
	Column, Type string
	// Declared is the declared type of Column.
	Declared string
}

// String says it for people.
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

// Lacks gives what a database lacks of declarations: tables, columns, and types that were changed.
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
