package places

import (
	"cmp"
	"context"
	"slices"

	"github.com/jackc/pgx/v5"

	"sluice/pipeline/warehouse/postgres"
)

// Family is a closed set: the kinds of places, as an operator thinks of them.
type Family string

// The families, in the order in which they are searched. A value moves from a row to a version, and
// never back, so what moves during the search is found in one of the two.
const (
	Rows       Family = "rows"
	Arrays     Family = "arrays of rows"
	Quarantine Family = "quarantine"
	RawRecords Family = "raw records"
	Versions   Family = "versions"
	Days       Family = "values by day"
	// Notes are all other tables: calls, runs, notifications, jobs, a table that a migration adds.
	Notes Family = "notes"
)

// order is the place of a family among the others.
func (f Family) order() int {
	return slices.Index([]Family{Rows, Arrays, Quarantine, RawRecords, Versions, Days, Notes}, f)
}

// familyOf returns the family of a table that holds no records.
func familyOf(schema, name string) Family {
	switch [2]string{schema, name} {
	case [2]string{"sluice", "quarantine"}:
		return Quarantine
	case [2]string{"sluice", "raw_records"}:
		return RawRecords
	case [2]string{"history", "versions"}:
		return Versions
	case [2]string{"history", "days"}:
		return Days
	default:
		return Notes
	}
}

// table is a table of the program that has columns which can hold a text.
type table struct {
	schema, name string
	family       Family
	// columns can hold a text; all has every column.
	columns []column
	all     []string
	// key is the column of the identifier of the record that a row is of, in tables of rows and
	// arrays.
	key string
	// root is the name of the table of the record, in the same schema: that of the array's record
	// for an array.
	root string
}

// full is the name with the schema.
func (t *table) full() string { return t.schema + "." + t.name }

func (t *table) has(columns ...string) bool {
	return !slices.ContainsFunc(columns, func(column string) bool { return !slices.Contains(t.all, column) })
}

// column is a column that can hold a text: its name and its type, as Postgres names it.
type column struct{ name, kind string }

const bytesType = "bytea"

// textual are the types of columns that can hold any text. Numbers, instants and truth values hold
// none, and are not searched.
func textual() []string {
	return []string{
		"text", "varchar", "bpchar", "name", "xml", bytesType, "json", "jsonb",
		"_text", "_varchar", "_bpchar", "_name", "_xml", "_json", "_jsonb",
	}
}

// isJSON says that the value comes as JSON: so do arrays.
func (c column) isJSON() bool { return c.kind == "json" || c.kind == "jsonb" || c.kind[0] == '_' }

// value is the expression that selects a value: its text, or bytes as they are.
func (c column) value() string {
	name := pgx.Identifier{c.name}.Sanitize()
	switch {
	case c.kind == bytesType:
		return name
	case c.kind[0] == '_':
		return "to_jsonb(" + name + ")::text"
	default:
		return name + "::text"
	}
}

// holds reports whether a value of the column contains the text. A text or bytes may be JSON: then
// what its strings mean counts, too.
func (c column) holds(n *Needle, value []byte) bool {
	return n.InJSON(value) || !c.isJSON() && n.In(value)
}

// Tables of other roles are left out, and so are partitions, whose parents are searched. A column
// of another role's type is left out as well: its output would execute a function of that role.
const sqlTables = `
WITH ours AS MATERIALIZED (
	SELECT t.oid, n.nspname::text AS schema, t.relname::text AS name, s.name IS NOT NULL AS copied,
		coalesce((SELECT array_agg(k.attname::text ORDER BY k.attnum) FROM pg_catalog.pg_index i
			JOIN pg_catalog.pg_attribute k ON k.attrelid = i.indrelid AND k.attnum = ANY (i.indkey)
			WHERE i.indrelid = t.oid AND i.indisprimary AND k.attname <> 'organization_id'), '{}') AS key,
		coalesce((SELECT max(p.relname::text) FROM pg_catalog.pg_constraint f JOIN pg_catalog.pg_class p ON p.oid = f.confrelid
			WHERE f.conrelid = t.oid AND f.contype = 'f' AND p.relnamespace = t.relnamespace), '') AS parent
	FROM pg_catalog.pg_class t JOIN pg_catalog.pg_namespace n ON n.oid = t.relnamespace LEFT JOIN sluice.service_schemas s ON s.name = n.nspname
	WHERE t.relkind IN ('r', 'p', 'm') AND NOT t.relispartition AND t.relowner = (SELECT o.role FROM sluice.owner o)
		AND (s.name IS NOT NULL OR n.nspname IN ('sluice', 'history', 'as_of', 'analytics', 'notifications', 'river'))
)
SELECT o.schema, o.name, o.copied, array_agg(a.attname::text ORDER BY a.attnum), array_agg(y.typname::text ORDER BY a.attnum), o.key, o.parent
FROM ours o JOIN pg_catalog.pg_attribute a ON a.attrelid = o.oid AND a.attnum > 0 AND NOT a.attisdropped
JOIN pg_catalog.pg_type y ON y.oid = a.atttypid AND y.typnamespace = 'pg_catalog'::regnamespace
GROUP BY o.schema, o.name, o.copied, o.key, o.parent ORDER BY 1, 2`

// tables reads the catalog. Tables come in the order of their families.
func tables(ctx context.Context, from postgres.Querier) ([]*table, error) {
	parents := map[string]string{}
	all, err := postgres.Collect(ctx, from, "looking for the tables", func(row pgx.CollectableRow) (*table, error) {
		var t table
		var copied bool
		var types, key []string
		var parent string
		if err := row.Scan(&t.schema, &t.name, &copied, &t.all, &types, &key, &parent); err != nil {
			return nil, err
		}
		for i, kind := range types {
			if slices.Contains(textual(), kind) {
				t.columns = append(t.columns, column{t.all[i], kind})
			}
		}
		t.family = familyOf(t.schema, t.name)
		switch {
		case copied && t.has("_parent_id"):
			t.family, t.key = Arrays, "_parent_id"
		case copied:
			t.family = Rows
			if len(key) == 1 {
				t.key = key[0]
			}
		}
		t.root, parents[t.full()] = t.name, parent
		return &t, nil
	}, sqlTables)
	if err != nil {
		return nil, err
	}
	for _, t := range all {
		for t.family == Arrays && parents[t.schema+"."+t.root] != "" {
			t.root = parents[t.schema+"."+t.root]
		}
	}
	all = slices.DeleteFunc(all, func(t *table) bool { return len(t.columns) == 0 })
	slices.SortStableFunc(all, func(a, b *table) int { return cmp.Compare(a.family.order(), b.family.order()) })
	return all, nil
}
