package config

import (
	"slices"
	"strconv"

	"sluice/pipeline/engine/config/strict"
	"sluice/schema"
)

// daily checks that the names whose values are stored by day are columns of the resource or tables
// of its arrays, and returns them.
func (c *checker) daily(names []string, declared *schema.Resource, path string) []string {
	var columns []string
	for i := range declared.Columns {
		if column := &declared.Columns[i]; column.Wire != declared.ID {
			columns = append(columns, column.ColumnName())
		}
	}
	for _, table := range declared.Tables()[1:] {
		columns = append(columns, table.Name)
	}
	for i, name := range names {
		at := path + "[" + strconv.Itoa(i) + "]"
		switch {
		case !slices.Contains(columns, name):
			c.failf(at, "there is no column and no table of an array %q; %s", name, strict.Hint(name, columns))
		case slices.Index(names, name) < i:
			c.failf(at, "is there twice: remove one of the two")
		}
	}
	return names
}
