package oracle

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5"
)

const (
	sqlColumns = `
SELECT table_name, column_name, data_type, coalesce(collation_name, '') = 'C'
FROM information_schema.columns
WHERE table_schema = $1 AND (table_name = $2 OR starts_with(table_name, $2 || '_'))
ORDER BY table_name, ordinal_position`

	sqlKey = `
SELECT k.column_name
FROM information_schema.table_constraints c
JOIN information_schema.key_column_usage k USING (constraint_schema, constraint_name)
WHERE c.constraint_type = 'PRIMARY KEY' AND c.table_schema = $1 AND c.table_name = $2 AND k.column_name <> 'organization_id'`

	// Texts of values are independent of the server's settings.
	sqlForms = `SET TimeZone = 'UTC'; SET DateStyle = 'ISO, YMD'; SET bytea_output = 'hex'`
)

var errNoTable = errors.New("there is no such table, or it has no key besides organization_id")

// readTables reads a table and those of its elements, all rows of one organization.
func readTables(ctx context.Context, conn *pgx.Conn, schema, name, organization string) (map[string]*table, error) {
	if _, err := conn.Exec(ctx, sqlForms); err != nil {
		return nil, fmt.Errorf("set the forms of values: %w", err)
	}
	tables, err := readColumns(ctx, conn, schema, name)
	if err != nil {
		return nil, err
	}
	main, ok := tables[name]
	if !ok {
		return nil, fmt.Errorf("%s.%s: %w", schema, name, errNoTable)
	}
	if err := conn.QueryRow(ctx, sqlKey, schema, name).Scan(&main.key); err != nil {
		return nil, fmt.Errorf("%s.%s: %w: %w", schema, name, errNoTable, err)
	}
	for _, t := range tables {
		if err := t.read(ctx, conn, schema, organization); err != nil {
			return nil, err
		}
	}
	return tables, nil
}

func readColumns(ctx context.Context, conn *pgx.Conn, schema, name string) (map[string]*table, error) {
	rows, err := conn.Query(ctx, sqlColumns, schema, name)
	if err != nil {
		return nil, fmt.Errorf("read the columns of %s.%s: %w", schema, name, err)
	}
	tables := make(map[string]*table)
	var in, title, kind string
	var identifier bool
	_, err = pgx.ForEachRow(rows, []any{&in, &title, &kind, &identifier}, func() error {
		t := tables[in]
		if t == nil {
			t = &table{name: in, columns: map[string]column{}, rows: map[string][]map[string]*string{}}
			tables[in] = t
		}
		if !strings.HasPrefix(title, "_") && title != "organization_id" {
			t.columns[title] = column{kind: kind, identifier: identifier}
		}
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("read the columns of %s.%s: %w", schema, name, err)
	}
	return tables, nil
}

// read takes every value in the server's spelling.
func (t *table) read(ctx context.Context, conn *pgx.Conn, schema, organization string) error {
	//nolint:unqueryvet // all columns are the point
	rows, err := conn.Query(ctx, "SELECT * FROM "+pgx.Identifier{schema, t.name}.Sanitize()+" WHERE organization_id = $1",
		pgx.QueryExecModeSimpleProtocol, organization)
	if err != nil {
		return fmt.Errorf("read %s.%s: %w", schema, t.name, err)
	}
	defer rows.Close()
	fields := rows.FieldDescriptions()
	for rows.Next() {
		row := make(map[string]*string, len(fields))
		for i, raw := range rows.RawValues() {
			if raw != nil {
				value := string(raw)
				row[fields[i].Name] = &value
			}
		}
		at := t.parent(row)
		t.rows[at] = append(t.rows[at], row)
	}
	if err := rows.Err(); err != nil {
		return fmt.Errorf("read %s.%s: %w", schema, t.name, err)
	}
	return nil
}

// parent returns the owner of a row: "17" for a record and its elements, "17/2" for elements inside
// the third element of record 17.
func (t *table) parent(row map[string]*string) string {
	if t.key != "" {
		return shown(row[t.key])
	}
	at := shown(row["_parent_id"])
	if outer, nested := row["_parent_position"]; nested {
		at += "/" + shown(outer)
	}
	return at
}

// The calls of a clairvoyant: the fewest with which a reader could learn all news of a list, if it
// knew beforehand where they are. No reader needs fewer, so they are the measure of how many calls
// a real reader spends on finding out.

// What one call brings at most (docs/upstream.md U80, U218).
const (
	// Page is the records of one page of a list.
	Page = 200
	// Batch is the identifiers of one call for single records, where upstream takes several.
	Batch = 100
)

// Calls returns the fewest calls that bring a number of records, so many at once. No records cost
// one call, too: without it the reader would not know that there are none.
func Calls(records, atOnce int) int {
	return max(1, (records+atOnce-1)/atOnce)
}

// CallsForGone returns the fewest calls that show the absence of deleted records. Ranks are their
// numbers in the list before, from 0. Either pages of the list show the gaps that they left, or
// their single records are asked for, so many identifiers at once.
func CallsForGone(ranks []int, atOnce int) int {
	return min(pagesOfGaps(ranks), Calls(len(ranks), atOnce))
}

// pagesOfGaps returns the fewest pages that show the gaps. A page may begin at any record, which
// real pages cannot, so it is a lower bound.
func pagesOfGaps(ranks []int) int {
	pages, end := 1, 0
	for n, rank := range slices.Sorted(slices.Values(ranks)) {
		gap := rank - n // records that are left before it
		switch {
		case n == 0:
			end = gap + Page
		case gap >= end:
			pages, end = pages+1, gap+Page
		}
	}
	return pages
}
