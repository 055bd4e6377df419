package schema

// Table is one table of a resource, flattened: index 0 of Resource.Tables is the table of the
// records, the others are its arrays in depth-first order.
type Table struct {
	// Name is the table's name without its schema: bills, bills_line_items.
	Name string
	// Doc describes one row in one sentence.
	Doc string
	// Path are the wire keys that lead from the record to the array, or the name of a child with a
	// prefix; empty for the records themselves.
	Path []string
	// Parent is the index of the table that holds the array; -1 for the records.
	Parent int
	// Root is the index of the top-level array of this table (itself for a top-level array, 0 for
	// the records). Rows of this table are replaced if a record carries the array of Root.
	Root int
	// Columns are the typed leaves in declared order, without sluice's own key columns.
	Columns []Column
	// Child is the declaration of the array; nil for the records.
	Child *Child
}

// Depth returns the number of positions in the key of a row: 0 for the records, 1 for an array, 2
// for an array inside an array.
func (t *Table) Depth() int { return len(t.Path) }

// ColumnName returns the name of the column in the warehouse.
func (c Column) ColumnName() string {
	if c.Name != "" {
		return c.Name
	}
	return c.Wire
}

// HistoryTable returns the name of the table with former values of a resource's History columns.
func (r *Resource) HistoryTable() string { return r.Name + "_history" }

// DetailsIndex returns the name of the index of records without details.
func (r *Resource) DetailsIndex() string { return r.Name + "_details" }

// Tables flattens a resource into its tables. A child with a prefix is a table like any other: its
// path is its name, although no such key is on the wire.
func (r *Resource) Tables() []Table {
	tables := []Table{{Name: r.Name, Doc: r.Doc, Parent: -1, Columns: r.Columns}}
	return appendChildren(tables, 0, r.Children)
}

func appendChildren(tables []Table, parent int, children []Child) []Table {
	for i := range children {
		child := &children[i]
		at := len(tables)
		root := tables[parent].Root
		if parent == 0 {
			root = at
		}
		path := append(append([]string(nil), tables[parent].Path...), child.Name)
		tables = append(tables, Table{
			Name:    tables[parent].Name + "_" + child.Name,
			Doc:     child.Doc,
			Path:    path,
			Parent:  parent,
			Root:    root,
			Columns: child.Columns,
			Child:   child,
		})
		tables = appendChildren(tables, at, child.Children)
	}
	return tables
}
