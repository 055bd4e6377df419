package contents

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/jackc/pgx/v5"

	"sluice/schema"
	"sluice/schema/ddl"
)

// maxDepth is how deep arrays nest at most.
const maxDepth = 2

// statement builds the statement that compares rows of a table with given values, and returns the
// rows that differ. The values are given column by column, as texts that Postgres casts: so
// Postgres decides whether two values are equal.
//
// Each key is looked up separately: otherwise the planner would read all rows of the organization.
//
// For records the parameters are the organization, the unknown keys and the columns. For arrays
// they are the organization, the records whose array is compared, then record, positions and
// columns of each element.
func statement(schemaName string, tables []schema.Table, at int) string {
	table := &tables[at]
	from := pgx.Identifier{schemaName, table.Name}.Sanitize()
	var names, columns, given, own, differs, stored []string
	for i, c := range table.Columns {
		column, value := "t."+quote(c.ColumnName()), fmt.Sprintf("w.c%d::%s", i, ddl.TypeOf(c.Kind))
		columns = append(columns, quote(c.ColumnName()))
		names = append(names, "c"+strconv.Itoa(i))
		given, own = append(given, value), append(own, column)
		differs = append(differs, fmt.Sprintf("CASE WHEN %s IS DISTINCT FROM %s THEN %d END", value, column, i))
		stored = append(stored, column+"::text")
	}
	// One comparison of whole rows decides whether a row differs; only rows that do are compared
	// value by value.
	other := "false"
	if len(names) > 0 {
		other = "ROW(" + strings.Join(given, ", ") + ") IS DISTINCT FROM ROW(" + strings.Join(own, ", ") + ")"
	}
	// Postgres infers no type for these parameters, so each has a cast.
	params := func(first, n int) string {
		texts := make([]string, n)
		for i := range texts {
			texts[i] = fmt.Sprintf("$%d::text[]", first+i)
		}
		return strings.Join(texts, ", ")
	}
	result := "array_remove(ARRAY[" + strings.Join(differs, ", ") + "]::integer[], NULL) AS differs, ARRAY[" +
		strings.Join(stored, ", ") + "]::text[] AS stored"
	if at == 0 {
		key := quote(table.Columns[0].ColumnName())
		const extra = `t.%[2]s IS NOT NULL AND w.extra IS NOT NULL AND coalesce(t._extra, '{}') || w.extra::jsonb IS DISTINCT FROM t._extra`
		return fmt.Sprintf(`SELECT w.c0, t.%[2]s IS NULL, %[3]s, `+extra+`
FROM unnest(%[4]s) AS w (extra, %[5]s) LEFT JOIN LATERAL
	(SELECT _extra, %[6]s FROM %[1]s AS s WHERE s.organization_id = $1 AND s.%[2]s = w.c0 OFFSET 0) AS t ON true
WHERE `+extra+` OR %[7]s`,
			from, key, result, params(2, len(names)+1), strings.Join(names, ", "), strings.Join(columns, ", "), other)
	}
	positions, places := []string{"p0"}, []string{"_position"}
	if table.Depth() == maxDepth {
		positions, places = []string{"p0", "p1"}, []string{"_parent_position", "_position"}
	}
	on, place := []string{"t._parent_id = w.id"}, []string{}
	for i := range positions {
		on = append(on, fmt.Sprintf("t.%s = w.%s", places[i], positions[i]))
		place = append(place, fmt.Sprintf("coalesce(w.%s, t.%s)", positions[i], places[i]))
	}
	return fmt.Sprintf(`SELECT id, place, missing, extra, differs, stored FROM (
SELECT coalesce(w.id, t._parent_id) AS id, ARRAY[%[4]s] AS place, t._parent_id IS NULL AS missing, w.id IS NULL AS extra, %[10]s AS other, %[3]s
FROM (SELECT u.id, %[7]s, %[8]s FROM unnest(%[5]s) AS u (id, %[6]s, %[8]s)) AS w
FULL JOIN (SELECT _parent_id, %[9]s FROM unnest($2::text[]) AS k (_asked) CROSS JOIN LATERAL
	(SELECT _parent_id, %[9]s FROM %[1]s AS e WHERE e.organization_id = $1 AND e._parent_id = k._asked OFFSET 0) AS s) AS t ON %[2]s) AS found
WHERE missing OR extra OR other ORDER BY id, place`,
		from, strings.Join(on, " AND "), result, strings.Join(place, ", "), params(3, 1+len(positions)+len(names)),
		strings.Join(positions, ", "), cast(positions), strings.Join(names, ", "), strings.Join(append(places, columns...), ", "), other)
}

// cast turns positions, which are given as texts, into numbers.
func cast(positions []string) string {
	parts := make([]string, len(positions))
	for i, p := range positions {
		parts[i] = "u." + p + "::integer AS " + p
	}
	return strings.Join(parts, ", ")
}
