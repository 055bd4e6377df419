package statements

import (
	"fmt"
	"strings"

	"github.com/jackc/pgx/v5/pgtype"

	"sluice/schema"
)

// Child is one array's table.
type Child struct {
	// Index is the index of the array in Record.Tables and Record.Carries.
	Index int
	// Table is its name, without its schema.
	Table string
	// Insert copies new elements in; Fields is the number of fields of each.
	Insert string
	Fields int
	// Places returns the elements of parents: the parent's index in the request, from 1, the
	// element's address and its positions, in their order. RemoveAt deletes the elements at
	// addresses. Update writes values to the elements that differ: its parameters are the addresses
	// and, for each declared column, an array of its type.
	Places, RemoveAt, Update string
	// Columns are the names of the fields; the last ones are declared columns, of these Kinds.
	Columns []string
	Kinds   []schema.Kind

	depth, columns int
}

// Declared are the names of the declared columns.
func (c *Child) Declared() []string { return c.Columns[c.Fields-len(c.Kinds):] }

// inPlace builds the statements that change stored elements. An element without changes is read but
// not written.
func (c *Child) inPlace(table string) {
	keys := make([]string, 0, maxDepth)
	for _, name := range c.Columns[2 : c.Fields-len(c.Kinds)] {
		keys = append(keys, "c."+quote(name))
	}
	positions := strings.Join(keys, ", ")
	c.Places = fmt.Sprintf(`SELECT k.n, f.* FROM unnest($2::text[]) WITH ORDINALITY AS k (id, n) CROSS JOIN LATERAL
(SELECT c.ctid, %[2]s FROM %[1]s AS c WHERE c.organization_id = $1 AND c._parent_id = k.id ORDER BY %[2]s OFFSET 0) AS f`, table, positions)
	// Elements that their own record replaces or no longer has (invariant 7). Except for rebuilds,
	// this is the only DELETE on warehouse tables.
	c.RemoveAt = `DELETE FROM ` + table + ` AS t WHERE t.ctid = ANY ($1)`

	var set, stored, sent, given []string
	for i, name := range c.Declared() {
		value := fmt.Sprintf("v%d", i)
		given = append(given, fmt.Sprintf(", unnest($%d) AS %s", i+2, value)) //nolint:mnd // behind the places
		set = append(set, quote(name)+" = s."+value)
		stored, sent = append(stored, "t."+quote(name)), append(sent, "s."+value)
	}
	// Postgres reads arrays side by side in a SELECT as a stream; in FROM it would materialize each
	// of them: 19 ms instead of 43 for 25,000 elements of 13 columns. With addresses from a
	// subquery the planner uses them instead of reading the table, as for rows.
	c.Update = fmt.Sprintf(`UPDATE %s AS t SET %s FROM (SELECT unnest($1) AS at%s) AS s
WHERE t.ctid = ANY (ARRAY (SELECT unnest($1))) AND t.ctid = s.at AND ROW(%s) IS DISTINCT FROM ROW(%s)`, table, strings.Join(set, ", "),
		strings.Join(given, ""), strings.Join(stored, ", "), strings.Join(sent, ", "))
}

// Expected is a column with its type's OID, as migrations are drafted.
type Expected struct {
	// Relation is quoted, Name is not.
	Relation, Name string
	Type           uint32
}

// expect lists the columns that COPY writes.
func (s *Set) expect(tables []schema.Table) {
	for i := range tables {
		table := &tables[i]
		relation := quote(s.schema, table.Name)
		add := func(name string, oid uint32) {
			s.Expected = append(s.Expected, Expected{Relation: relation, Name: name, Type: oid})
		}
		add("organization_id", pgtype.TextOID)
		for _, column := range table.Columns {
			oid, _ := TypesOf(column.Kind)
			add(column.ColumnName(), oid)
		}
		if i > 0 {
			add("_parent_id", pgtype.TextOID)
			add("_position", pgtype.Int4OID)
			if table.Depth() == maxDepth {
				add("_parent_position", pgtype.Int4OID)
			}
			continue
		}
		add("_extra", pgtype.JSONBOID)
		add("_content_hash", pgtype.ByteaOID)
		add("_call_id", pgtype.Int8OID)
		add("_raw_position", pgtype.Int4OID)
		add("_run_id", pgtype.Int8OID)
		add("_first_seen_at", pgtype.TimestamptzOID)
		add("_changed_at", pgtype.TimestamptzOID)
		add("_payload_hash", pgtype.Int8OID)
		if s.Single != nil {
			add("_detail_state", pgtype.TextOID)
			add("_detail_hash", pgtype.ByteaOID)
			add("_detail_call_id", pgtype.Int8OID)
			add("_detail_raw_position", pgtype.Int4OID)
			add("_detail_at", pgtype.TimestamptzOID)
		}
	}
}

// TypesOf returns the type of a kind's columns, as package ddl drafts them, and the type of an
// array of their values.
func TypesOf(kind schema.Kind) (uint32, uint32) {
	switch kind {
	case schema.KindID, schema.KindText:
		return pgtype.TextOID, pgtype.TextArrayOID
	case schema.KindBool:
		return pgtype.BoolOID, pgtype.BoolArrayOID
	case schema.KindInt:
		return pgtype.Int8OID, pgtype.Int8ArrayOID
	case schema.KindDecimal:
		return pgtype.NumericOID, pgtype.NumericArrayOID
	case schema.KindDate:
		return pgtype.DateOID, pgtype.DateArrayOID
	case schema.KindTime:
		return pgtype.TimestamptzOID, pgtype.TimestamptzArrayOID
	case schema.KindJSON:
		return pgtype.JSONBOID, pgtype.JSONBArrayOID
	default:
		return 0, 0
	}
}

func kinds(columns []schema.Column) []schema.Kind {
	all := make([]schema.Kind, len(columns))
	for i := range columns {
		all[i] = columns[i].Kind
	}
	return all
}
