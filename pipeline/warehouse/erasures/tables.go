package erasures

import (
	"context"
	"fmt"
	"slices"

	"github.com/jackc/pgx/v5"

	"sluice/pipeline/warehouse/places"
	"sluice/pipeline/warehouse/postgres"
)

// table is a table out of whose rows a text is taken.
type table struct {
	// place names it in receipts.
	place string
	// name is the table with its schema, quoted.
	name string
	// record is the column with the key of the record that a row belongs to; "" for tables of the
	// program. Copied is its name in the log of changes.
	record, copied string
	columns        []places.Column
	// hashed says that rows have payload hashes.
	hashed bool
	// whole says that a row goes, and not only the value: what names it holds the text.
	whole bool
	// organized says that rows belong to an organization.
	organized bool
}

// noteColumn is what most tables call a sentence about a row.
const noteColumn = "note"

// notes are the tables of the program with columns for texts from outside. All other columns hold
// words of the program's own, numbers and keys.
var notes = map[string]struct { //nolint:gochecknoglobals // a table
	place   string
	whole   bool
	columns []string
}{
	"history.versions":           {place: string(places.Versions), columns: []string{"record", "arrays"}},
	"history.days":               {place: string(places.Days), columns: []string{"content"}},
	"sluice.raw_records":         {place: placeArchive, columns: []string{"records"}},
	"sluice.quarantine":          {place: string(places.Quarantine), columns: []string{"raw", "path", "detail", noteColumn}},
	"sluice.drift":               {place: string(places.Drift), whole: true, columns: []string{"path", "kind"}},
	"sluice.keys":                {place: string(places.Drift), whole: true, columns: []string{"path"}},
	"sluice.calls":               {place: string(places.Calls), columns: []string{"path", "code", "detail"}},
	"sluice.changes":             {place: string(places.Changes), columns: []string{"details"}},
	"sluice.callbacks":           {place: "callbacks", columns: []string{"body"}},
	"notifications.events":       {place: "events", columns: []string{"changed_fields", "changed_values"}},
	"sluice.actions":             {place: string(places.Actions), columns: []string{"target", "before", "after", "error"}},
	"sluice.after_close_notices": {place: string(places.Closings), columns: []string{"before", "after", "effect"}},
	"sluice.closed_records":      {place: string(places.Closings), columns: []string{"content"}},
	"sluice.findings":            {place: "findings", columns: []string{"path", "detail"}},
	"sluice.verifications":       {place: "findings", columns: []string{noteColumn}},
	"sluice.verified_streams":    {place: "findings", columns: []string{noteColumn}},
	"sluice.runs":                {place: string(places.Runs), columns: []string{noteColumn}},
	"sluice.streams":             {place: string(places.Runs), columns: []string{"reason", noteColumn}},
	"sluice.parents":             {place: string(places.Runs), columns: []string{noteColumn}},
	"sluice.backfills":           {place: "backfills", columns: []string{noteColumn}},
	"sluice.channels":            {place: "channels", columns: []string{"reason"}},
	"sluice.channel_gaps":        {place: "channels", columns: []string{"reason"}},
	"sluice.tokens":              {place: "tokens", columns: []string{"reason"}},
	"sluice.event_receivers":     {place: "receivers", columns: []string{"last_error"}},
	"river.river_job":            {place: string(places.Jobs), columns: []string{"errors"}},
}

const (
	// Keys of rows stay: a record whose own key holds the text is erased by its key.
	sqlCopied = `
SELECT c.whole::text, c.schema || '.' || c.name,
	array_agg(c.column_name ORDER BY c.column_number), array_agg(y.typname::text ORDER BY c.column_number),
	coalesce(CASE WHEN bool_or(p.column_name IS NOT NULL) THEN '_parent_id' ELSE (
		SELECT k.attname::text FROM pg_catalog.pg_index i JOIN pg_catalog.pg_attribute k ON k.attrelid = i.indrelid AND k.attnum = i.indkey[1]
		WHERE i.indrelid = c.whole AND i.indisprimary) END, ''),
	EXISTS (SELECT FROM sluice.table_columns h WHERE h.whole = c.whole AND h.column_name = '_payload_hash')
FROM sluice.table_columns c
JOIN pg_catalog.pg_attribute a ON a.attrelid = c.whole AND a.attnum = c.column_number AND a.attgenerated = ''
JOIN pg_catalog.pg_type y ON y.oid = a.atttypid AND y.typname = ANY ($1)
LEFT JOIN sluice.table_columns p ON p.whole = c.whole AND p.column_name = '_parent_id'
WHERE c.column_name NOT IN ('organization_id', '_content_hash', '_detail_hash', '_detail_state')
	AND NOT EXISTS (SELECT FROM pg_catalog.pg_index i WHERE i.indrelid = c.whole AND i.indisprimary AND a.attnum = ANY (i.indkey))
GROUP BY c.whole, c.schema, c.name ORDER BY 1`

	// A partitioned table is its partitions: rows are found by where they are stored.
	sqlNotes = `
WITH RECURSIVE stored AS (
	SELECT t.name, t.name::regclass::oid AS oid FROM unnest($1::text[]) AS t (name) WHERE to_regclass(t.name) IS NOT NULL
	UNION ALL SELECT s.name, i.inhrelid FROM stored s JOIN pg_catalog.pg_inherits i ON i.inhparent = s.oid
)
SELECT s.name, s.oid::regclass::text, array_agg(a.attname::text ORDER BY a.attnum), array_agg(y.typname::text ORDER BY a.attnum)
FROM stored s JOIN pg_catalog.pg_class c ON c.oid = s.oid AND c.relkind = 'r'
JOIN pg_catalog.pg_attribute a ON a.attrelid = s.oid AND a.attnum > 0 AND NOT a.attisdropped
JOIN pg_catalog.pg_type y ON y.oid = a.atttypid
GROUP BY s.name, s.oid ORDER BY 1, 2`
)

// tables returns all tables that can hold a text from outside.
func tables(ctx context.Context, q postgres.Querier) ([]table, error) {
	var all []table
	var (
		whole, name, record string
		columns, types      []string
		hashed              bool
	)
	found, _ := q.Query(ctx, sqlCopied, places.Types())
	_, err := pgx.ForEachRow(found, []any{&whole, &name, &columns, &types, &record, &hashed}, func() error {
		t := table{place: placeRows, name: whole, record: record, copied: name, organized: true, hashed: hashed}
		if record == "_parent_id" {
			t.place = placeArrays
		}
		for i := range columns {
			t.columns = append(t.columns, places.Column{Name: columns[i], Type: types[i]})
		}
		all = append(all, t)
		return nil
	})
	if err != nil {
		return nil, err
	}
	names := make([]string, 0, len(notes))
	for name := range notes {
		names = append(names, name)
	}
	if found, err = q.Query(ctx, sqlNotes, names); err != nil {
		return nil, err
	}
	_, err = pgx.ForEachRow(found, []any{&name, &whole, &columns, &types}, func() error {
		note := notes[name]
		t := table{place: note.place, name: whole, whole: note.whole, organized: slices.Contains(columns, "organization_id")}
		for _, column := range note.columns {
			i := slices.Index(columns, column)
			if i < 0 {
				return fmt.Errorf("%s has no column %s", name, column)
			}
			t.columns = append(t.columns, places.Column{Name: column, Type: types[i]})
		}
		all = append(all, t)
		return nil
	})
	return all, err
}
