package places

import (
	"cmp"
	"context"
	"slices"

	"github.com/jackc/pgx/v5"

	"sluice/pipeline/warehouse/postgres"
)

// table is a table of the program that has columns which can hold a text.
type table struct {
	schema, name string
	family       Family
	// pages are those of the table and of its long values when it was last vacuumed or analyzed.
	pages int64
	// columns can hold a text; all has every column.
	columns []Column
	all     []string
	// key is the column of the identifier of the record that a row is of, in tables of rows and
	// arrays.
	key string
	// root is the name of the table of the record, in the same schema: that of the array's record
	// for an array.
	root string
}

// Tables of other roles are left out, and so are partitions, whose parents are searched. A column
// of another role's type is left out as well: its output would execute a function of that role.
const sqlTables = `
WITH ours AS MATERIALIZED (
	SELECT t.oid, n.nspname::text AS schema, t.relname::text AS name, s.name IS NOT NULL AS copied,
		t.relpages::bigint + coalesce((SELECT l.relpages FROM pg_catalog.pg_class l WHERE l.oid = t.reltoastrelid), 0) AS pages,
		coalesce((SELECT array_agg(k.attname::text ORDER BY k.attnum) FROM pg_catalog.pg_index i
			JOIN pg_catalog.pg_attribute k ON k.attrelid = i.indrelid AND k.attnum = ANY (i.indkey)
			WHERE i.indrelid = t.oid AND i.indisprimary AND k.attname <> 'organization_id'), '{}') AS key,
		coalesce((SELECT max(p.relname::text) FROM pg_catalog.pg_constraint f JOIN pg_catalog.pg_class p ON p.oid = f.confrelid
			WHERE f.conrelid = t.oid AND f.contype = 'f' AND p.relnamespace = t.relnamespace), '') AS parent
	FROM pg_catalog.pg_class t JOIN pg_catalog.pg_namespace n ON n.oid = t.relnamespace LEFT JOIN sluice.service_schemas s ON s.name = n.nspname
	WHERE t.relkind IN ('r', 'p', 'm') AND NOT t.relispartition AND t.relowner = (SELECT o.role FROM sluice.owner o)
		AND (s.name IS NOT NULL OR n.nspname IN ('sluice', 'history', 'as_of', 'analytics', 'notifications', 'river'))
)
SELECT o.schema, o.name, o.pages, o.copied, a.attname::text, y.typname::text, o.key, o.parent
FROM ours o JOIN pg_catalog.pg_attribute a ON a.attrelid = o.oid AND a.attnum > 0 AND NOT a.attisdropped
JOIN pg_catalog.pg_type y ON y.oid = a.atttypid AND y.typnamespace = 'pg_catalog'::regnamespace
ORDER BY 1, 2, a.attnum`

// tables reads the catalog. Tables come in the order of their families.
func tables(ctx context.Context, from postgres.Querier) ([]*table, error) {
	rows, err := from.Query(ctx, sqlTables)
	if err != nil {
		return nil, postgres.Fail("looking for the tables", err)
	}
	var all []*table
	parents := map[string]string{}
	var in, name, column, typ, parent string
	var pages int64
	var copied bool
	var key []string
	_, err = pgx.ForEachRow(rows, []any{&in, &name, &pages, &copied, &column, &typ, &key, &parent}, func() error {
		if n := len(all); n == 0 || all[n-1].schema != in || all[n-1].name != name {
			t := &table{schema: in, name: name, pages: pages, family: familyOf(in, name)}
			if copied {
				t.family, t.root = Rows, name
				if len(key) == 1 {
					t.key = key[0]
				}
				parents[in+"."+name] = parent
			}
			all = append(all, t)
		}
		t := all[len(all)-1]
		t.all = append(t.all, column)
		if copied && column == "_parent_id" {
			t.family, t.key = Arrays, column
		}
		if slices.Contains(Types(), typ) {
			t.columns = append(t.columns, Column{Name: column, Type: typ})
		}
		return nil
	})
	if err != nil {
		return nil, postgres.Fail("looking for the tables", err)
	}
	for _, t := range all {
		for t.family == Arrays && parents[t.schema+"."+t.root] != "" {
			t.root = parents[t.schema+"."+t.root]
		}
	}
	all = slices.DeleteFunc(all, func(t *table) bool { return len(t.columns) == 0 })
	order := Families()
	slices.SortStableFunc(all, func(a, b *table) int {
		return cmp.Compare(slices.Index(order, a.family), slices.Index(order, b.family))
	})
	return all, nil
}

func (t *table) has(columns ...string) bool {
	for _, column := range columns {
		if !slices.Contains(t.all, column) {
			return false
		}
	}
	return true
}

func (t *table) holdsRecords() bool { return t.family == Rows || t.family == Arrays }
