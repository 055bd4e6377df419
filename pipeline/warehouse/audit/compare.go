package audit

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"github.com/jackc/pgx/v5"

	"sluice/schema"
	"sluice/schema/normalize"
)

// Difference is one value of a record that is another one in the table.
type Difference struct {
	// Path is the key, with array positions.
	Path string
	// Detail says what the table has and what the record.
	Detail string
}

// maxDepth is how deep arrays nest at most.
const maxDepth = 2

var postgresTypes = map[schema.Kind]string{ //nolint:gochecknoglobals // a constant table
	schema.KindID: "text", schema.KindText: "text", schema.KindBool: "boolean", schema.KindInt: "bigint",
	schema.KindDecimal: "numeric", schema.KindDate: "date", schema.KindTime: "timestamptz", schema.KindJSON: "jsonb",
}

// compareSQL builds the statement that holds rows of a table against values that are given column by column, as texts that
// Postgres reads: so it is Postgres that says whether two values are the same. It gives the rows that differ.
//
// For records it takes organization, unknown keys and columns; for arrays organization, the records whose array is compared,
// then record, positions and columns of each element.
func compareSQL(schemaName string, tables []schema.Table, at int) string {
	table := &tables[at]
	from := pgx.Identifier{schemaName, table.Name}.Sanitize()
	var names, columns, differs, stored []string
	for i, c := range table.Columns {
		column := "t." + quote(c.ColumnName())
		columns = append(columns, quote(c.ColumnName()))
		names = append(names, "c"+strconv.Itoa(i))
		differs = append(differs, fmt.Sprintf("CASE WHEN w.c%d::%s IS DISTINCT FROM %s THEN %d END", i, postgresTypes[c.Kind], column, i))
		stored = append(stored, column+"::text")
	}
	// Strings of a text have no type of their own, so every parameter says it.
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
		return fmt.Sprintf(`SELECT w.c0, t.%[2]s IS NULL, %[3]s,
	t.%[2]s IS NOT NULL AND w.extra IS NOT NULL AND NOT coalesce(t._extra @> w.extra::jsonb, false)
FROM unnest(%[4]s) AS w (extra, %[5]s) LEFT JOIN %[1]s AS t ON t.organization_id = $1 AND t.%[2]s = w.c0`,
			from, key, result, params(2, len(names)+1), strings.Join(names, ", "))
	}
	positions, own := []string{"p0"}, []string{"_position"}
	if table.Depth() == maxDepth {
		positions, own = []string{"p0", "p1"}, []string{"_parent_position", "_position"}
	}
	on, place := []string{"t._parent_id = w.id"}, []string{}
	for i := range positions {
		on = append(on, fmt.Sprintf("t.%s = w.%s", own[i], positions[i]))
		place = append(place, fmt.Sprintf("coalesce(w.%s, t.%s)", positions[i], own[i]))
	}
	return fmt.Sprintf(`SELECT id, place, missing, extra, differs, stored FROM (
SELECT coalesce(w.id, t._parent_id) AS id, ARRAY[%[4]s] AS place, t._parent_id IS NULL AS missing, w.id IS NULL AS extra, %[3]s
FROM (SELECT u.id, %[7]s, %[8]s FROM unnest(%[5]s) AS u (id, %[6]s, %[8]s)) AS w
FULL JOIN (SELECT _parent_id, %[9]s FROM %[1]s AS s WHERE s.organization_id = $1 AND s._parent_id = ANY($2::text[])) AS t ON %[2]s) AS found
WHERE missing OR extra OR cardinality(differs) > 0 ORDER BY id, place`,
		from, strings.Join(on, " AND "), result, strings.Join(place, ", "), params(3, 1+len(positions)+len(names)),
		strings.Join(positions, ", "), cast(positions), strings.Join(names, ", "), strings.Join(append(own, columns...), ", "))
}

// cast makes numbers of positions that came as texts.
func cast(positions []string) string {
	parts := make([]string, len(positions))
	for i, p := range positions {
		parts[i] = "u." + p + "::integer AS " + p
	}
	return strings.Join(parts, ", ")
}

// Compare holds records against their rows, value by value: what a record does not carry is not compared. It gives the
// differences by key; a record without a row has none, for that is another matter.
func (t *Table) Compare(ctx context.Context, tx pgx.Tx, records []normalize.Record) (map[string][]Difference, error) {
	found := map[string][]Difference{}
	if len(records) == 0 {
		return found, nil
	}
	missing, err := t.compareRecords(ctx, tx, records, found)
	if err != nil {
		return nil, fmt.Errorf("comparing rows of %s: %w", t.stream, err)
	}
	for i := 1; i < len(t.tables); i++ {
		if err := t.compareArray(ctx, tx, i, records, missing, found); err != nil {
			return nil, fmt.Errorf("comparing rows of %s: %w", t.tables[i].Name, err)
		}
	}
	return found, nil
}

func (t *Table) compareRecords(ctx context.Context, tx pgx.Tx, records []normalize.Record, found map[string][]Difference) (map[string]bool, error) {
	columns := t.tables[0].Columns
	values := make([][]*string, len(columns)+1)
	byKey := make(map[string]*normalize.Record, len(records))
	for i := range records {
		record := &records[i]
		byKey[record.ID] = record
		values[0] = append(values[0], optional(record.Extra))
		appendRow(values[1:], record.Tables[0][0].Values)
	}
	rows, err := tx.Query(ctx, t.compare[0], arguments([]any{t.stream.Organization}, values)...)
	if err != nil {
		return nil, err
	}
	var (
		key                string
		absent, otherExtra bool
		differs            []int
		stored             []*string
	)
	missing := map[string]bool{}
	_, err = pgx.ForEachRow(rows, []any{&key, &absent, &differs, &stored, &otherExtra}, func() error {
		if absent {
			missing[key] = true
			return nil
		}
		for _, at := range differs {
			if value := byKey[key].Tables[0][0].Values[at]; value.State != normalize.Absent {
				found[key] = append(found[key], difference(columns[at].Wire, columns[at].Kind, stored[at], textOf(value)))
			}
		}
		if otherExtra {
			const detail = "the unknown keys of the record are not all in the table, or have other values"
			found[key] = append(found[key], Difference{Path: "_extra", Detail: detail})
		}
		return nil
	})
	return missing, err
}

func (t *Table) compareArray(
	ctx context.Context, tx pgx.Tx, at int, records []normalize.Record, missing map[string]bool, found map[string][]Difference,
) error {
	table := &t.tables[at]
	depth := table.Depth()
	values := make([][]*string, 1+depth+len(table.Columns))
	expected := map[string]*normalize.Row{}
	var carrying []string
	for i := range records {
		record := &records[i]
		if !record.Carries[at] || missing[record.ID] {
			continue
		}
		carrying = append(carrying, record.ID)
		for j := range record.Tables[at] {
			row := &record.Tables[at][j]
			expected[elementPath(table.Path, record.ID, row.Position)] = row
			values[0] = append(values[0], &record.ID)
			for k, position := range row.Position {
				values[1+k] = append(values[1+k], optional(strconv.Itoa(position)))
			}
			appendRow(values[1+depth:], row.Values)
		}
	}
	if len(carrying) == 0 {
		return nil
	}
	rows, err := tx.Query(ctx, t.compare[at], arguments([]any{t.stream.Organization, carrying}, values)...)
	if err != nil {
		return err
	}
	var (
		id            string
		place         []int
		absent, extra bool
		differs       []int
		stored        []*string
	)
	_, err = pgx.ForEachRow(rows, []any{&id, &place, &absent, &extra, &differs, &stored}, func() error {
		path := elementPath(table.Path, "", place)
		switch {
		case absent:
			found[id] = append(found[id], Difference{Path: path, Detail: "the record has it, the table " + table.Name + " has no such row"})
		case extra:
			found[id] = append(found[id], Difference{Path: path, Detail: "the table " + table.Name + " has such a row, the record has none"})
		default:
			row := expected[elementPath(table.Path, id, place)]
			for _, c := range differs {
				column := &table.Columns[c]
				found[id] = append(found[id], difference(path+"."+column.Wire, column.Kind, stored[c], textOf(row.Values[c])))
			}
		}
		return nil
	})
	return err
}

// elementPath names an element: line_items[2].serials[0]; with an id before it, it is a key of ours.
func elementPath(path []string, id string, positions []int) string {
	var b strings.Builder
	b.WriteString(id)
	for i, name := range path {
		if b.Len() > 0 {
			b.WriteByte('.')
		}
		b.WriteString(name)
		if i < len(positions) {
			b.WriteString("[" + strconv.Itoa(positions[i]) + "]")
		}
	}
	return b.String()
}

func appendRow(columns [][]*string, values []normalize.Value) {
	for i := range values {
		columns[i] = append(columns[i], textOf(values[i]))
	}
}

func textOf(value normalize.Value) *string {
	if value.State != normalize.Set {
		return nil
	}
	return &value.Text
}

func optional(text string) *string {
	if text == "" {
		return nil
	}
	return &text
}

func arguments(first []any, columns [][]*string) []any {
	for _, column := range columns {
		first = append(first, column)
	}
	return first
}

// maxShown bounds what is shown of a number.
const maxShown = 40

// difference says what the table has and what the record. Figures and instants are shown; of texts, which may be names and
// addresses, only how long they are.
func difference(path string, kind schema.Kind, stored, record *string) Difference {
	show := func(value *string) string {
		switch {
		case value == nil:
			return "nothing"
		case kind == schema.KindText || kind == schema.KindID || kind == schema.KindJSON || len(*value) > maxShown:
			return fmt.Sprintf("a text of %d characters", len([]rune(*value)))
		default:
			return *value
		}
	}
	return Difference{Path: path, Detail: "the table has " + show(stored) + ", the record has " + show(record)}
}
