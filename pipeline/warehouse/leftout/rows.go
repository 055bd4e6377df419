package leftout

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"sluice/pipeline"
	"sluice/pipeline/warehouse/changes"
	"sluice/pipeline/warehouse/history"
	"sluice/pipeline/warehouse/postgres"
	"sluice/schema"
	"sluice/schema/redact"
)

// table is one table of a resource with the columns that are left out or hashed.
type table struct {
	// name is quoted, with its schema; key is the column with the key of the record.
	name, key string
	// index is its place in Resource.Tables.
	index   int
	columns []column
}

// column is one column of a table.
type column struct {
	path, name string
	how        redact.How
	json       bool
}

// quoted is the column's name in a statement, with an alias of its table.
func (c column) quoted() string { return "t." + pgx.Identifier{c.name}.Sanitize() }

// plain is the condition for a value that should not be there any more.
func (c column) plain() string {
	name := c.quoted()
	text := name
	switch {
	case c.how == redact.Omitted:
		return name + " IS NOT NULL"
	case c.json:
		text = "(" + name + " #>> '{}')"
	}
	return fmt.Sprintf("coalesce(%[1]s !~ '%[2]s' AND btrim(%[1]s, E' \\t\\r\\n') <> '', false)", text, redact.Pattern)
}

// tablesOf returns the tables of a resource with rules, that of the records first.
func tablesOf(service *schema.Service, resource *schema.Resource, rules []redact.Rule) []table {
	declared, in := resource.Tables(), resource.SchemaName(service)
	columns := make(map[int][]column)
	for _, rule := range rules {
		at, index, ok := rule.Place()
		if !ok {
			columns[0] = append(columns[0], column{path: rule.Path, name: redact.Undeclared, how: redact.Omitted})
			continue
		}
		c := declared[at].Columns[index]
		columns[at] = append(columns[at], column{path: rule.Path, name: c.ColumnName(), how: rule.How, json: c.Kind == schema.KindJSON})
	}
	var tables []table
	for _, at := range slices.Sorted(maps.Keys(columns)) {
		key := resource.Columns[0].ColumnName()
		if at > 0 {
			key = "_parent_id"
		}
		tables = append(tables, table{
			name: pgx.Identifier{in, declared[at].Name}.Sanitize(), key: pgx.Identifier{key}.Sanitize(), index: at, columns: columns[at],
		})
	}
	return tables
}

// Plain counts, by path, the rows of all organizations that still have a value that is left out, or
// one that is not hashed.
func Plain(ctx context.Context, pool *pgxpool.Pool, list pipeline.Stream) (map[string]int64, error) {
	counts := make(map[string]int64)
	for _, t := range tablesOf(list.Service, list.Resource, list.LeaveOut.Rules()) {
		var sums []string
		into := make([]any, len(t.columns))
		found := make([]int64, len(t.columns))
		for i, c := range t.columns {
			sums, into[i] = append(sums, "count(*) FILTER (WHERE "+c.plain()+")"), &found[i]
		}
		if err := pool.QueryRow(ctx, "SELECT "+strings.Join(sums, ", ")+" FROM "+t.name+" AS t").Scan(into...); err != nil {
			return nil, postgres.Fail("counting rows of "+t.name, err)
		}
		for i, c := range t.columns {
			counts[c.path] = found[i]
		}
	}
	return counts, nil
}

// Cleaner brings the rows of a stream's resource in line, in the order of their keys.
type Cleaner struct {
	stream pipeline.Stream
	stored *redact.Redactor
	tables []table
	next   string
}

// NewCleaner makes a cleaner. Stored redacts what the warehouse holds.
func NewCleaner(stream pipeline.Stream, stored *redact.Redactor) *Cleaner {
	key := pgx.Identifier{stream.Resource.Columns[0].ColumnName()}.Sanitize()
	return &Cleaner{
		stream: stream, stored: stored, tables: tablesOf(stream.Service, stream.Resource, stored.Rules()),
		next: fmt.Sprintf(`SELECT t.%[1]s FROM %[2]s AS t WHERE t.organization_id = $1 AND t.%[1]s > $2 ORDER BY t.%[1]s LIMIT $3`,
			key, pgx.Identifier{stream.Resource.SchemaName(stream.Service), stream.Resource.Name}.Sanitize()),
	}
}

// Step cleans the next rows behind a key, with their elements and their versions. It returns the
// last key, "" if there is no further row, and how many records it changed. The caller keeps other
// writers off the rows.
func (c *Cleaner) Step(ctx context.Context, tx pgx.Tx, after string, limit int) (string, int, error) {
	op := "cleaning rows of " + c.stream.String()
	rows, _ := tx.Query(ctx, c.next, c.stream.Organization, after, limit)
	keys, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil || len(keys) == 0 {
		return "", 0, postgres.Fail(op, err)
	}
	changed := make(map[string]bool)
	for _, t := range c.tables {
		if err := c.clean(ctx, tx, t, keys, changed); err != nil {
			return "", 0, postgres.Fail(op, err)
		}
	}
	list := c.stream.ListKey()
	if err := history.LeaveOut(ctx, tx, list, keys, c.stored); err != nil {
		return "", 0, err
	}
	ids := slices.Sorted(maps.Keys(changed))
	if len(ids) > 0 {
		if err := history.Write(ctx, tx, list, ids); err != nil {
			return "", 0, err
		}
		if err := changes.Write(ctx, tx, c.stream.Organization, changes.TableOf(c.stream), changes.Rewritten, ids); err != nil {
			return "", 0, err
		}
	}
	return keys[len(keys)-1], len(ids), nil
}

// clean cleans the rows of one table, and notes the keys of the records that changed.
func (c *Cleaner) clean(ctx context.Context, tx pgx.Tx, t table, keys []string, changed map[string]bool) error {
	var values, conditions, sets []string
	for _, column := range t.columns {
		values = append(values, fmt.Sprintf("'%s', %s", strings.ReplaceAll(column.name, "'", "''"), column.quoted()))
		conditions = append(conditions, column.plain())
		now, name := "NULL", strings.ReplaceAll(column.name, "'", "''")
		switch {
		case column.how == redact.Hashed && column.json:
			now = fmt.Sprintf("nullif(w.now -> '%s', 'null')", name)
		case column.how == redact.Hashed:
			now = fmt.Sprintf("w.now ->> '%s'", name)
		}
		sets = append(sets, pgx.Identifier{column.name}.Sanitize()+" = "+now)
	}
	rows, _ := tx.Query(ctx, fmt.Sprintf(`SELECT t.ctid::text, t.%[1]s, jsonb_build_object(%[2]s)::text FROM %[3]s AS t
WHERE t.organization_id = $1 AND t.%[1]s = ANY ($2::text[]) AND (%[4]s) FOR UPDATE`,
		t.key, strings.Join(values, ", "), t.name, strings.Join(conditions, " OR ")), c.stream.Organization, keys)
	var places, now []string
	var place, key, was string
	_, err := pgx.ForEachRow(rows, []any{&place, &key, &was}, func() error {
		places, now = append(places, place), append(now, string(c.stored.Row(t.index, []byte(was))))
		changed[key] = true
		return nil
	})
	if err != nil || len(places) == 0 {
		return err
	}
	_, err = tx.Exec(ctx, fmt.Sprintf(`UPDATE %s AS t SET %s FROM unnest($1::text[], $2::text[]) AS k (place, now)
CROSS JOIN LATERAL (SELECT k.now::jsonb AS now) AS w WHERE t.ctid = k.place::tid`, t.name, strings.Join(sets, ", ")), places, now)
	return err
}
