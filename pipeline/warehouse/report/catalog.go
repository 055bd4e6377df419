package report

import "context"

// Catalog is what a database looks like.
type Catalog struct {
	// Columns gives the type of each column, by "schema.table" and column: numeric, timestamp with time zone.
	Columns map[string]map[string]string
	// Comments gives the comment of a table by "schema.table" and of a column by "schema.table.column".
	Comments map[string]string
}

const sqlCatalog = `
SELECT n.nspname || '.' || c.relname AS "table", coalesce(a.attname, '') AS "column",
	coalesce(format_type(a.atttypid, a.atttypmod), '') AS type,
	coalesce(CASE WHEN a.attnum IS NULL THEN obj_description(c.oid, 'pg_class') ELSE col_description(c.oid, a.attnum) END, '')
		AS comment
FROM pg_class c
JOIN pg_namespace n ON n.oid = c.relnamespace
CROSS JOIN LATERAL (
	SELECT NULL::name AS attname, NULL::oid AS atttypid, NULL::integer AS atttypmod, NULL::smallint AS attnum
	UNION ALL
	SELECT attname, atttypid, atttypmod, attnum FROM pg_attribute WHERE attrelid = c.oid AND attnum > 0 AND NOT attisdropped
) AS a
WHERE c.relkind IN ('r', 'p') AND n.nspname = ANY($1::text[])
	AND c.relowner = (SELECT o.role FROM sluice.owner o)
ORDER BY 1, a.attnum NULLS FIRST`

// Catalog reads the tables of schemas that the program made: what is written to one of another role has its triggers executed.
func (r *Reader) Catalog(ctx context.Context, schemas []string) (Catalog, error) {
	type line struct {
		Table   string `db:"table"`
		Column  string `db:"column"`
		Type    string `db:"type"`
		Comment string `db:"comment"`
	}
	lines, err := query[line](ctx, r.pool, "the catalogue", sqlCatalog, schemas)
	if err != nil {
		return Catalog{}, err
	}
	catalog := Catalog{Columns: map[string]map[string]string{}, Comments: map[string]string{}}
	for _, line := range lines {
		name := line.Table
		if line.Column == "" {
			catalog.Columns[line.Table] = map[string]string{}
		} else {
			catalog.Columns[line.Table][line.Column] = line.Type
			name += "." + line.Column
		}
		if line.Comment != "" {
			catalog.Comments[name] = line.Comment
		}
	}
	return catalog, nil
}
