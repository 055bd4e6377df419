package rebuild

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5"

	"sluice/pipeline"
	"sluice/pipeline/warehouse/rows/statements"
	"sluice/schema"
)

// table is where the rows of a resource are.
type table struct {
	// name is quoted, with its schema; key and parent are quoted columns, the latter "" where rows have no parent.
	name, key, parent string
	children          []string
	details           bool
	declared          []schema.Column
	sql               *statements.Set
}

func newTable(stream pipeline.Stream) (*table, error) {
	resource := stream.Resource
	in := resource.SchemaName(stream.Service)
	sql, err := statements.New(stream.Service, resource)
	if err != nil {
		return nil, fmt.Errorf("%s cannot be rebuilt: %w", stream, err)
	}
	t := &table{
		name: pgx.Identifier{in, resource.Name}.Sanitize(), key: pgx.Identifier{resource.Columns[0].ColumnName()}.Sanitize(),
		details: resource.Details != nil, declared: resource.Columns, sql: sql,
	}
	if name := resource.ColumnOfParent(); name != "" {
		t.parent = pgx.Identifier{name}.Sanitize()
	}
	tables := resource.Tables()
	for i := range tables[1:] {
		t.children = append(t.children, pgx.Identifier{in, tables[i+1].Name}.Sanitize())
	}
	return t, nil
}

// layout is what a table is like in the database, within one transaction: nobody alters it meanwhile.
type layout struct {
	// columns are all that can be written, unquoted: first so many of our own, then those that are declared, in their order.
	columns []string
	own     int
	// These are the places of single columns, -1 where there is none.
	extra, hash, call, position, changed   int
	deleted, fingerprint                   int
	detailHash, detailCall, detailPosition int
	// text says which columns are of type text, buried which arrays' tables have tombstones.
	text, buried []bool
	// typed says that columns have the types that migrations are drafted with, and elements the order of their rows: what is stored can be
	// held against what would be. Exchanged says that rows may be taken out and put back: they are typed, and nothing but
	// their own arrays hangs on them, no foreign key and no trigger of somebody else's.
	typed, exchanged bool
	// now is the instant of the transaction, as a timestamptz is sent.
	now []byte
}

const sqlLayout = `
SELECT array_agg(a.attname::text ORDER BY d.place NULLS FIRST, a.attnum),
	array_agg(a.atttypid = 'text'::regtype ORDER BY d.place NULLS FIRST, a.attnum),
	(count(*) - count(d.place))::integer,
	ARRAY (SELECT EXISTS (SELECT FROM pg_attribute e WHERE e.attrelid = to_regclass(w.name) AND e.attname = '_deleted_at' AND NOT e.attisdropped)
		FROM unnest($2::text[]) WITH ORDINALITY AS w (name, n) ORDER BY n),
	(SELECT count(*) FROM unnest($3::text[], $4::text[], $5::oid[]) AS w (relation, name, type)
		JOIN pg_attribute e ON e.attrelid = to_regclass(w.relation) AND e.attname = w.name AND NOT e.attisdropped
			AND e.atttypid = w.type) = cardinality($3::text[])
	AND NOT EXISTS (SELECT FROM pg_attribute e JOIN pg_attribute k ON k.attrelid = c.oid AND k.attname = ($6::text[])[1]
		WHERE e.attrelid = ANY ($2::text[]::regclass[]::oid[]) AND e.attname = '_parent_id' AND e.attcollation <> k.attcollation),
	timestamptz_send(now()), bool_and(NOT c.relrowsecurity)
	AND NOT EXISTS (SELECT FROM pg_constraint f WHERE f.contype = 'f' AND f.confrelid = c.oid AND f.conrelid <> ALL ($2::text[]::regclass[]::oid[]))
	AND NOT EXISTS (SELECT FROM pg_trigger g WHERE NOT g.tgisinternal AND g.tgrelid = ANY ($2::text[]::regclass[]::oid[] || c.oid))
FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped AND a.attgenerated = ''
LEFT JOIN unnest($6::text[]) WITH ORDINALITY AS d (name, place) ON d.name = a.attname
WHERE c.oid = $1::text::regclass GROUP BY c.oid`

// look finds out what the table is like.
func (t *table) look(ctx context.Context, tx pgx.Tx) (*layout, error) {
	var relations, names []string
	var types []uint32
	for _, column := range t.sql.Expected {
		relations, names, types = append(relations, column.Relation), append(names, column.Name), append(types, column.Type)
	}
	l := &layout{}
	declared := make([]string, len(t.declared))
	for i := range t.declared {
		declared[i] = t.declared[i].ColumnName()
	}
	err := tx.QueryRow(ctx, sqlLayout, t.name, t.children, relations, names, types, declared).
		Scan(&l.columns, &l.text, &l.own, &l.buried, &l.typed, &l.now, &l.exchanged)
	if err != nil {
		return nil, fmt.Errorf("looking at %s: %w", t.name, err)
	}
	l.exchanged = l.exchanged && l.typed
	var missing []string
	place := func(name string, needed bool) int {
		at := slices.Index(l.columns, name)
		if at < 0 && needed {
			missing = append(missing, name)
		}
		return at
	}
	for _, name := range declared {
		place(name, true)
	}
	l.extra, l.hash, l.call, l.position = place("_extra", true), place("_hash", true), place("_call_id", true), place("_raw_position", true)
	l.changed, l.deleted, l.fingerprint = place("_changed_at", true), place("_deleted_at", false), place("_fingerprint", true)
	l.detailHash, l.detailCall = place("_detail_hash", t.details), place("_detail_call_id", t.details)
	l.detailPosition = place("_detail_raw_position", t.details)
	if len(missing) > 0 {
		return nil, fmt.Errorf("%s lacks %s: sluice migrate", t.name, strings.Join(missing, ", "))
	}
	return l, nil
}

// Formats of values as the server sends them. Text looks the same in both, and costs it less in the text format: in the binary one each
// value is written into a kilobyte of its own (PostgreSQL, pq_begintypsend).
const (
	textFormat   = 0
	binaryFormat = 1
)

// formats are those of ctid, key and parent, and of the first columns behind them.
func (l *layout) formats(columns int) []int16 {
	formats := append(make([]int16, 0, before+columns), binaryFormat, textFormat, textFormat)
	for _, text := range l.text[:columns] {
		formats = append(formats, formatOf(text))
	}
	return formats
}

func formatOf(text bool) int16 {
	if text {
		return textFormat
	}
	return binaryFormat
}

// list gives columns for a SELECT, each with a comma before it.
func list(columns []string) string {
	var b strings.Builder
	for _, name := range columns {
		b.WriteString(", t." + pgx.Identifier{name}.Sanitize())
	}
	return b.String()
}

// parentText is the expression for the parent of a row.
func (t *table) parentText() string {
	if t.parent == "" {
		return "''"
	}
	return "coalesce(t." + t.parent + "::text, '')"
}
