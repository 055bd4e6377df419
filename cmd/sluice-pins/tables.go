package main

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/jackc/pgx/v5"
)

// table is one table with its columns, in their order.
type table struct {
	schema, name string
	columns      []string
}

func (t table) full() string { return t.schema + "." + t.name }

// open connects to a database, with times in UTC.
func open(ctx context.Context, address string) (*pgx.Conn, error) {
	conn, err := pgx.Connect(ctx, address)
	if err != nil {
		return nil, fmt.Errorf("connect to Postgres: %w", err)
	}
	if _, err := conn.Exec(ctx, "SET TimeZone = 'UTC'; SET bytea_output = 'hex'; SET IntervalStyle = 'postgres'"); err != nil {
		return nil, fmt.Errorf("set how values are written: %w", err)
	}
	return conn, nil
}

// tables are all tables and views of ours, sorted; views that are in schema sluice and begin with
// check_ are among them.
func tables(ctx context.Context, conn *pgx.Conn) ([]table, error) {
	rows, err := conn.Query(ctx, `SELECT n.nspname, c.relname, array_agg(a.attname::text ORDER BY a.attnum)
		FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace JOIN pg_attribute a ON a.attrelid = c.oid
		WHERE c.relkind IN ('r', 'p', 'v', 'm') AND NOT c.relispartition AND a.attnum > 0 AND NOT a.attisdropped
			AND n.nspname !~ '^pg_' AND n.nspname NOT IN ('information_schema', 'public')
		GROUP BY n.nspname, c.relname ORDER BY n.nspname COLLATE "C", c.relname COLLATE "C"`)
	if err != nil {
		return nil, fmt.Errorf("list the tables: %w", err)
	}
	return pgx.CollectRows(rows, func(row pgx.CollectableRow) (table, error) {
		var t table
		err := row.Scan(&t.schema, &t.name, &t.columns)
		return t, err
	})
}

// pinTables writes the rows of all tables, a file each, and a list of how many there are.
func (r *recorder) pinTables(ctx context.Context, folder, address string) error {
	conn, err := open(ctx, address)
	if err != nil {
		return err
	}
	defer func() { _ = conn.Close(ctx) }() // it was only read
	all, err := tables(ctx, conn)
	if err != nil {
		return err
	}
	var list strings.Builder
	for _, t := range all {
		if slices.ContainsFunc(tablesLeftOut(), func(m mask) bool { return m.table == t.full() }) {
			continue
		}
		rows, err := r.rows(ctx, conn, t)
		if err != nil {
			return err
		}
		text := strings.Join(rows, "\n")
		fmt.Fprintf(&list, "%-60s %6d %.12x\n", t.full(), len(rows), sha256.Sum256([]byte(text)))
		if len(rows) == 0 {
			continue
		}
		if err := r.pin(folder+"/"+t.full()+".txt", text); err != nil {
			return err
		}
	}
	return r.pin(folder+"/_tables.txt", list.String())
}

// rows gives the rows of a table as sorted lines of name=value; nulls are left out.
func (r *recorder) rows(ctx context.Context, conn *pgx.Conn, t table) ([]string, error) {
	wanted := make([]string, 0, len(t.columns))
	for _, column := range t.columns {
		wanted = append(wanted, pgx.Identifier{column}.Sanitize()+"::text")
	}
	rows, err := conn.Query(ctx, "SELECT "+strings.Join(wanted, ", ")+" FROM "+pgx.Identifier{t.schema, t.name}.Sanitize())
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", t.full(), err)
	}
	found, err := pgx.CollectRows(rows, func(row pgx.CollectableRow) (string, error) {
		values := make([]*string, len(t.columns))
		targets := make([]any, len(values))
		for i := range values {
			targets[i] = &values[i]
		}
		if err := row.Scan(targets...); err != nil {
			return "", err
		}
		return r.line(t, values), nil
	})
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", t.full(), err)
	}
	slices.Sort(found)
	return found, nil
}

// line writes one row.
func (r *recorder) line(t table, values []*string) string {
	texts := make([]string, len(values))
	recent := false // the record carries a time of the recording, so its hash is another one each time
	for i, value := range values {
		if value == nil {
			continue
		}
		plain := readable(*value)
		texts[i] = r.masks.times(r.masks.replace.Replace(plain))
		if slices.ContainsFunc(columnMasks(), func(m mask) bool { return m.column == t.columns[i] && (m.table == "" || m.table == t.full()) }) {
			texts[i] = maskedAny
		}
		if r.anyOrder && numberOfOrder.MatchString(t.columns[i]) {
			texts[i] = maskedAny
		}
		recent = recent || texts[i] != plain && !strings.HasPrefix(t.columns[i], "_")
		if timeInside.MatchString(texts[i]) {
			texts[i] = hashInside.ReplaceAllString(texts[i], `"$1": "`+maskedHash+`"`)
		}
	}
	var parts []string
	for i, column := range t.columns {
		if values[i] == nil {
			continue
		}
		text := texts[i]
		if recent && slices.Contains(hashColumns(), column) {
			text = maskedHash
		}
		if text == "" || strings.ContainsAny(text, " \n\t\r\"") {
			text = strconv.Quote(text)
		}
		parts = append(parts, column+"="+text)
	}
	return strings.Join(parts, " ")
}

// readable writes bytes that are text as that text.
func readable(value string) string {
	digits, isBytes := strings.CutPrefix(value, `\x`)
	if !isBytes {
		return value
	}
	bytes, err := hex.DecodeString(digits)
	if err != nil || !utf8.Valid(bytes) || strings.ContainsFunc(string(bytes), func(c rune) bool { return !unicode.IsPrint(c) }) {
		return value
	}
	return string(bytes)
}

// pinCalls writes the call log in the order of the calls.
func (r *recorder) pinCalls(ctx context.Context, name, address string) error {
	conn, err := open(ctx, address)
	if err != nil {
		return err
	}
	defer func() { _ = conn.Close(ctx) }() // it was only read
	rows, err := conn.Query(ctx, `SELECT concat_ws(' ', CASE WHEN NOT $1 THEN lpad(row_number() OVER (ORDER BY id)::text, 4) END,
			organization_id, method, path, 'page=' || page, 'of=' || service || '.' || resource, 'class=' || class, 'shared=' || shared,
			'run=' || CASE WHEN NOT $1 THEN run_id END, 'status=' || status, 'code=' || code, 'kind=' || kind, 'records=' || records)
		FROM sluice.calls ORDER BY id`, r.anyOrder)
	if err != nil {
		return fmt.Errorf("read the call log: %w", err)
	}
	found, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		return fmt.Errorf("read the call log: %w", err)
	}
	if r.anyOrder {
		slices.Sort(found)
	}
	return r.pin(name, r.masks.printed(strings.Join(found, "\n")))
}
