package statements

import (
	"github.com/jackc/pgx/v5/pgtype"

	"sluice/schema"
)

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
