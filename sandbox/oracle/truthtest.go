// Package oracle compares a warehouse with the records that upstream really has, field by field.
//
// It is the second entry of a double bookkeeping. It reads the tables through information_schema
// and knows their conventions: a column is named like its key on the wire, an array or object is a
// table <parent>_<key>. It knows neither the declarations nor the code that fills the tables. It
// never writes and is never imported by the program: tests and the judge of chaos runs use it.
//
// Start reading at Compare.
package oracle

import (
	"context"
	"encoding/json"
	"fmt"
	"iter"
	"slices"
	"strconv"
	"strings"

	"github.com/jackc/pgx/v5"
)

// maxDifferences is how many differences are spelled out; all are counted.
const maxDifferences = 20

// Result is what a comparison found.
type Result struct {
	// Live counts the records upstream, Gone the rows without a record.
	Live, Gone int
	// Different counts differences; Differences spells the first ones out.
	Different   int
	Differences []string
	// Undeclared counts rows with keys that have no column.
	Undeclared int
	// Unmapped counts, by table and key, values without a column or a table.
	Unmapped map[string]int
}

// Compare compares the table name of the schema, with the tables of its arrays and objects, with
// the records of one organization. Each live record must have a row with equal values and as many
// elements. Rows without a record count as gone. An error says that the tables could not be read.
func Compare(ctx context.Context, conn *pgx.Conn, schema, name, organization string, truth iter.Seq[json.RawMessage]) (*Result, error) {
	found, err := readTables(ctx, conn, schema, name, organization)
	if err != nil {
		return nil, err
	}
	c := &comparison{tables: found, result: &Result{Unmapped: map[string]int{}}}
	seen := make(map[string]bool)
	main := found[name]
	for raw := range truth {
		c.result.Live++
		record, err := members(raw)
		if err != nil {
			return nil, fmt.Errorf("read a record of %s.%s: %w", schema, name, err)
		}
		id := text(record[main.key])
		if seen[id] {
			c.differf("%s %s: upstream has it twice", name, id)
			continue
		}
		seen[id] = true
		c.record(main, id, record)
	}
	for id := range main.rows {
		if !seen[id] {
			c.result.Gone++
		}
	}
	return c.result, nil
}

// comparison is one execution of Compare.
type comparison struct {
	tables map[string]*table
	result *Result
}

func (c *comparison) differf(format string, args ...any) {
	c.result.Different++
	if len(c.result.Differences) < maxDifferences {
		c.result.Differences = append(c.result.Differences, fmt.Sprintf(format, args...))
	}
}

func (c *comparison) record(main *table, id string, record map[string]json.RawMessage) {
	rows := main.rows[id]
	if len(rows) != 1 {
		c.differf("%s %s: %d rows", main.name, id, len(rows))
		return
	}
	c.object(main, id, "", rows[0], record)
}

// object compares one object on the wire with one row. The path is that of the row within its
// record.
func (c *comparison) object(t *table, id, path string, row map[string]*string, object map[string]json.RawMessage) {
	for key, value := range object {
		if column, ok := t.columns[key]; ok {
			if !equal(column, value, row[key]) {
				c.differf("%s %s%s: %s is %s on the wire and %s in the table", t.name, id, path, key, value, shown(row[key]))
			}
			continue
		}
		child, ok := c.tables[t.name+"_"+key]
		if !ok {
			c.result.Unmapped[t.name+"."+key]++
			continue
		}
		c.elements(child, id, path, value)
	}
	for key := range t.columns {
		if _, sent := object[key]; !sent && row[key] != nil {
			c.differf("%s %s%s: %s is not on the wire and %s in the table", t.name, id, path, key, shown(row[key]))
		}
	}
	if row["_extra"] != nil {
		c.result.Undeclared++
	}
}

// elements compares an array, an object or their absence with the rows below one parent, in the
// order of their positions.
func (c *comparison) elements(t *table, id, path string, value json.RawMessage) {
	wanted, err := list(value)
	if err != nil {
		c.differf("%s %s%s: %v", t.name, id, path, err)
		return
	}
	rows := slices.Clone(t.rows[id+path])
	slices.SortFunc(rows, func(a, b map[string]*string) int { return position(a) - position(b) })
	if len(rows) != len(wanted) {
		c.differf("%s %s%s: %d elements on the wire and %d rows", t.name, id, path, len(wanted), len(rows))
		return
	}
	for i, element := range wanted {
		if position(rows[i]) != i {
			c.differf("%s %s%s: element %d has position %d", t.name, id, path, i, position(rows[i]))
		}
		object, err := members(element)
		if err != nil { // an array of bare values is a table of one column
			object = map[string]json.RawMessage{t.only(): element}
		}
		c.object(t, id, path+"/"+strconv.Itoa(i), rows[i], object)
	}
}

func position(row map[string]*string) int {
	n, err := strconv.Atoi(shown(row["_position"]))
	if err != nil {
		return -1
	}
	return n
}

func shown(value *string) string {
	if value == nil {
		return "NULL"
	}
	return *value
}

// table is one table with its rows by parent: the identifier for records, and for elements the
// identifier and the positions of the elements around them.
type table struct {
	name string
	// key is the column that identifies a record; empty for tables of elements.
	key     string
	columns map[string]column
	rows    map[string][]map[string]*string
}

// column is a column for a value of the wire.
type column struct {
	kind string
	// identifier marks a text column that is compared byte by byte: there "" means no value.
	identifier bool
}

// only returns the one column of a table of bare values.
func (t *table) only() string {
	names := make([]string, 0, len(t.columns))
	for name := range t.columns {
		names = append(names, name)
	}
	return strings.Join(names, ",")
}
