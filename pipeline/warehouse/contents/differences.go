package contents

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"sluice/schema"
	"sluice/schema/record"
)

// Differences compares records with their rows, value by value; values that a record does not carry
// are skipped. It returns the differences by key. Without all, it compares the arrays of those
// records alone that do not differ themselves. A record without a row has no differences: its
// absence is reported elsewhere.
func (t *Table) Differences(ctx context.Context, view View, records []record.Record, all bool) (map[string][]Difference, error) {
	found := map[string][]Difference{}
	if len(records) == 0 {
		return found, nil
	}
	missing, err := t.compareRecords(ctx, view, records, found)
	if err != nil {
		return nil, fmt.Errorf("comparing rows of %s: %w", t.stream, err)
	}
	if !all {
		records = slices.DeleteFunc(slices.Clone(records), func(r record.Record) bool { return len(found[r.ID]) > 0 })
	}
	for i := 1; i < len(t.tables); i++ {
		if err := t.compareArray(ctx, view, i, records, missing, found); err != nil {
			return nil, fmt.Errorf("comparing rows of %s: %w", t.tables[i].Name, err)
		}
	}
	return found, nil
}

func (t *Table) compareRecords(ctx context.Context, view View, records []record.Record, found map[string][]Difference) (map[string]bool, error) {
	columns := t.tables[0].Columns
	values := make([][]*string, len(columns)+1)
	byKey := make(map[string]*record.Record, len(records))
	for i := range records {
		record := &records[i]
		byKey[record.ID] = record
		values[0] = append(values[0], optional(record.Extra))
		appendRow(values[1:], record.Tables[0][0].Values)
	}
	rows, _ := view.tx.Query(ctx, t.sqlDiffer[0], arguments([]any{t.stream.Organization}, values)...)
	var (
		key                string
		absent, otherExtra bool
		differs            []int
		stored             []*string
	)
	missing := map[string]bool{}
	_, err := pgx.ForEachRow(rows, []any{&key, &absent, &differs, &stored, &otherExtra}, func() error {
		if absent {
			missing[key] = true
			return nil
		}
		for _, at := range differs {
			if value := byKey[key].Tables[0][0].Values[at]; value.State != record.Absent {
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
	ctx context.Context, view View, at int, records []record.Record, missing map[string]bool, found map[string][]Difference,
) error {
	table := &t.tables[at]
	depth := table.Depth()
	values := make([][]*string, 1+depth+len(table.Columns))
	expected := map[string]*record.Row{}
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
	rows, _ := view.tx.Query(ctx, t.sqlDiffer[at], arguments([]any{t.stream.Organization, carrying}, values)...)
	var (
		id            string
		place         []int
		absent, extra bool
		differs       []int
		stored        []*string
	)
	_, err := pgx.ForEachRow(rows, []any{&id, &place, &absent, &extra, &differs, &stored}, func() error {
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

func appendRow(columns [][]*string, values []record.Value) {
	for i := range values {
		columns[i] = append(columns[i], textOf(values[i]))
	}
}

func textOf(value record.Value) *string {
	if value.State != record.Set {
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

// Difference is a value that differs between a record and its row.
type Difference struct {
	// Path is the key, with array positions.
	Path string
	// Detail says what the table has and what the record has.
	Detail string
}

// Sentence names the first differences and the number of the others.
func Sentence(differences []Difference) string {
	const spelled = 3
	var b strings.Builder
	for i, d := range differences {
		if i == spelled {
			fmt.Fprintf(&b, "; and %d more", len(differences)-spelled)
			break
		}
		if i > 0 {
			b.WriteString("; ")
		}
		b.WriteString(d.Path + ": " + d.Detail)
	}
	return b.String()
}

// elementPath names an element: line_items[2].serials[0]. With an id before it, the path is a key
// of this package.
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

// maxShown bounds the length of a shown value.
const maxShown = 40

// difference says what the table has and what the record has. Figures and instants are shown. Of
// texts, which may be names and addresses, only the length is shown.
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

const (
	sqlHaveTombstones = `
SELECT w.name FROM unnest($1::text[]) AS w (name)
JOIN pg_attribute a ON a.attrelid = to_regclass(w.name) AND a.attname = '_deleted_at' AND NOT a.attisdropped`

	sqlBuried = `
SELECT DISTINCT f._parent_id FROM unnest($2::text[], $3::timestamptz[]) AS k (id, deleted_at) CROSS JOIN LATERAL
(SELECT c._parent_id, c._deleted_at FROM %s AS c WHERE c.organization_id = $1 AND c._parent_id = k.id OFFSET 0) AS f
WHERE f._deleted_at IS DISTINCT FROM k.deleted_at`
)

// Apart returns the keys of rows that have elements with another tombstone than the row. Tables
// without tombstones are left out.
func (t *Table) Apart(ctx context.Context, view View, rows []Row) (map[string]bool, error) {
	apart := map[string]bool{}
	names := make([]string, len(t.tables)-1)
	for i := range names {
		names[i] = pgx.Identifier{t.stream.Resource.SchemaName(t.stream.Service), t.tables[i+1].Name}.Sanitize()
	}
	keys, deleted := make([]string, len(rows)), make([]*time.Time, len(rows))
	for i := range rows {
		keys[i], deleted[i] = rows[i].Key, rows[i].DeletedAt
	}
	have, err := t.keys(ctx, view, sqlHaveTombstones, names)
	if err != nil {
		return nil, err
	}
	for _, name := range have {
		found, err := t.keys(ctx, view, fmt.Sprintf(sqlBuried, name), t.stream.Organization, keys, deleted)
		if err != nil {
			return nil, err
		}
		for _, key := range found {
			apart[key] = true
		}
	}
	return apart, nil
}
