package foreign

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"sluice/pipeline/warehouse/postgres"
)

// Figures are what is known of a table as a whole.
type Figures struct {
	Rows int64
	// LastRead is when the newest row was read upstream; zero if unknown.
	LastRead time.Time
	// LastBegan is when the oldest row of the last sync was read; zero if the table does not say
	// which sync a row is of.
	LastBegan time.Time
	// Keyed says that some record has the key, or that there are none.
	Keyed bool
}

// Row is one version of a record.
type Row struct {
	// Key is the record's identifier. Records without one come first, each with a key of its own
	// that begins with a space.
	Key string
	// Extracted is when it was read upstream; zero if unknown.
	Extracted time.Time
	// Deleted says that the other program knows the record as deleted.
	Deleted bool
	// Data is the record as a JSON object.
	Data []byte
}

// Times says how times without an offset are read.
type Times bool

// The readings of times without an offset.
const (
	// InUTC: they are in UTC, as targets write them that convert what they get.
	InUTC Times = true
	// AsGiven: they are in the organization's zone, as upstream's times without an offset are.
	AsGiven Times = false
)

// Figures reads what is known of a table. Key is the name of the key in records.
func (d *Database) Figures(ctx context.Context, t *Table, key string) (Figures, error) {
	var f Figures
	var last, began *time.Time
	sync := "NULL::bigint"
	if t.meta != "" {
		sync = fmt.Sprintf("(to_jsonb(t.%s)->>'sync_id')::bigint", ident(t.meta))
	}
	sql := fmt.Sprintf(`
WITH s AS MATERIALIZED (SELECT %s AS at, %s AS sync, %s IS NOT NULL AS keyed FROM %s AS t WHERE %s)
SELECT count(*), max(at), (SELECT min(n.at) FROM s AS n WHERE n.sync = (SELECT max(m.sync) FROM s AS m)), count(*) = 0 OR bool_or(keyed) FROM s`,
		t.at(), sync, t.key("$1"), ident(t.Schema, t.Name), t.present())
	err := d.pool.QueryRow(ctx, sql, key).Scan(&f.Rows, &last, &began, &f.Keyed)
	if last != nil {
		f.LastRead = *last
	}
	if began != nil {
		f.LastBegan = *began
	}
	return f, postgres.Fail("looking at "+t.String(), err)
}

// Page returns the next versions behind a key: by key, and of one key the version first that was
// read last.
func (d *Database) Page(ctx context.Context, t *Table, key, after string, limit int, times Times) ([]Row, error) {
	sql := fmt.Sprintf(`
SELECT r.k, r.at, r.gone, r.data FROM (
	SELECT coalesce(%[1]s, ' ' || t.ctid::text) COLLATE "C" AS k, %[2]s AS at, %[3]s AS gone, %[4]s AS data FROM %[5]s AS t WHERE %[6]s
) AS r WHERE $1::text IS NOT NULL AND r.k > $2 ORDER BY r.k, r.at DESC NULLS LAST, r.data LIMIT $3`,
		t.key("$1"), t.at(), t.gone(), t.record(times), ident(t.Schema, t.Name), t.present())
	rows, err := d.pool.Query(ctx, sql, key, after, limit)
	if err != nil {
		return nil, postgres.Fail("reading "+t.String(), err)
	}
	var found []Row
	var row Row
	var at *time.Time
	_, err = pgx.ForEachRow(rows, []any{&row.Key, &at, &row.Deleted, &row.Data}, func() error {
		one := row
		if at != nil {
			one.Extracted = *at
		}
		one.Data = append([]byte(nil), row.Data...)
		found = append(found, one)
		return nil
	})
	return found, postgres.Fail("reading "+t.String(), err)
}

// key is the expression of a record's identifier; wire is the parameter with its name.
func (t *Table) key(wire string) string {
	if t.Layout == Raw {
		return fmt.Sprintf("nullif(t.%s::text::jsonb->>%s::text, '')", ident(t.data), wire)
	}
	return fmt.Sprintf("nullif(to_jsonb(t)->>%s::text, '')", wire)
}

// at is the expression of when a row was read upstream.
func (t *Table) at() string {
	for _, c := range t.columns {
		if c.name != t.extracted || t.extracted == "" {
			continue
		}
		switch c.kind {
		case "timestamptz":
			return "t." + ident(c.name)
		case "timestamp":
			return "(t." + ident(c.name) + " AT TIME ZONE 'UTC')"
		case "text", "varchar":
			return "nullif(t." + ident(c.name) + ", '')::timestamptz"
		}
	}
	return "NULL::timestamptz"
}

// gone is the expression of whether the record is deleted.
func (t *Table) gone() string {
	for _, c := range t.columns {
		if c.name == t.deleted && t.deleted != "" {
			if c.kind == "bool" {
				return "coalesce(t." + ident(c.name) + ", false)"
			}
			return "t." + ident(c.name) + " IS NOT NULL"
		}
	}
	if t.Layout == Raw {
		return fmt.Sprintf("nullif(t.%s::text::jsonb->>'_ab_cdc_deleted_at', '') IS NOT NULL", ident(t.data))
	}
	return "false"
}

// present is the condition for rows that are no past versions.
func (t *Table) present() string {
	if t.active == "" {
		return "true"
	}
	return "t." + ident(t.active)
}

// record is the expression of the record as JSON. Numbers come as Postgres writes them, digit by
// digit.
func (t *Table) record(times Times) string {
	if t.Layout == Raw {
		return "t." + ident(t.data) + "::text"
	}
	whole := []string{"to_jsonb(t)"}
	if times == InUTC {
		for _, name := range t.Naive() {
			whole = append(whole, fmt.Sprintf("jsonb_build_object(%s, t.%s AT TIME ZONE 'UTC')", literal(name), ident(name)))
		}
	}
	return "(" + strings.Join(whole, " || ") + ")::text"
}

func ident(names ...string) string { return pgx.Identifier(names).Sanitize() }

func literal(text string) string { return "'" + strings.ReplaceAll(text, "'", "''") + "'" }
