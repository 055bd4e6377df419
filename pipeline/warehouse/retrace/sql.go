package retrace

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"sluice/pipeline/warehouse/history"
	"sluice/pipeline/warehouse/raw"
	"sluice/pipeline/warehouse/raw/archive"
)

// temporary is the schema of temporary tables; Postgres resolves this alias.
const temporary = "pg_temp"

const (
	// What a row held after each raw record.
	sqlMake = `
SET timezone = 'UTC';
SET synchronous_commit = off;
CREATE TEMP TABLE retraced (
	record_id text COLLATE "C" NOT NULL, at timestamptz NOT NULL, call_id bigint NOT NULL, position integer NOT NULL,
	detail boolean NOT NULL, record jsonb NOT NULL, arrays jsonb NOT NULL
)`

	// %[1]s is the temporary table, %[2]s its model.
	sqlLike = `CREATE TEMP TABLE %[1]s (LIKE %[2]s INCLUDING DEFAULTS INCLUDING INDEXES)`

	sqlLoose = `
SELECT format('ALTER TABLE %s ALTER COLUMN %I DROP NOT NULL', a.attrelid::regclass, a.attname)
FROM pg_attribute a WHERE a.attrelid = $1::text::regclass AND a.attnum > 0 AND a.attnotnull AND NOT a.attisdropped
	AND NOT EXISTS (SELECT FROM pg_index i WHERE i.indrelid = a.attrelid AND i.indisprimary AND a.attnum = ANY (i.indkey))`

	// kept_at is when the transaction began. Batches of one stream came in that order. For records
	// that two streams write this is nearly always true, too.
	sqlArchives = `
SELECT r.call_id, r.first_position, r.kept_at, EXISTS (SELECT FROM sluice.calls c WHERE c.id = r.call_id AND c.resource ~ '\.(details|hinted)$')
	OR EXISTS (SELECT FROM sluice.adopted_batches b WHERE b.call_id = r.call_id AND b.single)
FROM sluice.raw_records r WHERE (r.organization_id, r.service, r.resource) = ($1, $2, $3)
ORDER BY r.kept_at, r.call_id, r.first_position`

	sqlRead = `SELECT records FROM sluice.raw_records WHERE call_id = $1 AND first_position = $2`

	sqlRetraced = `
INSERT INTO retraced
SELECT s.record_id, w.at, w.call_id, w.position, w.detail,
	s.record || jsonb_build_object('_call_id', w.call_id, '_raw_position', w.position, '_changed_at', w.at), s.arrays
FROM jsonb_populate_record(NULL::history.periods, $1::jsonb) AS p CROSS JOIN LATERAL history.state(p, $2) AS s
JOIN unnest($2::text[], $3::timestamptz[], $4::bigint[], $5::integer[], $6::boolean[]) AS w (id, at, call_id, position, detail)
	ON w.id = s.record_id`

	sqlReady = `CREATE INDEX ON retraced (record_id, at); ANALYZE retraced`

	sqlNext = `SELECT DISTINCT record_id FROM retraced WHERE record_id > $1 ORDER BY 1 LIMIT $2`

	openPeriod = `
FROM history.periods p LEFT JOIN sluice.raw_looks l USING (organization_id, service, resource)
WHERE (p.organization_id, p.service, p.resource) = ($1, $2, $3) AND p.versions AND p.began_at IS NOT NULL AND p.ended_at IS NULL`

	sqlWanted = `SELECT EXISTS (SELECT ` + openPeriod + `)`
	sqlWeave  = `SELECT history.weave(p, $4, l.dropped_to) ` + openPeriod
	sqlCover  = `SELECT history.cover(p, l.dropped_to) ` + openPeriod
)

// place is the position of an archive, or of one of its records.
type place struct {
	raw.Ref

	kept   time.Time
	detail bool
}

func (p *Past) archives(ctx context.Context, conn *pgx.Conn) ([]place, error) {
	s := p.stream
	rows, err := conn.Query(ctx, sqlArchives, s.Organization, s.Service.Name, s.Resource.Name)
	if err != nil {
		return nil, fmt.Errorf("reading which archives there are: %w", err)
	}
	found, err := pgx.CollectRows(rows, func(row pgx.CollectableRow) (place, error) {
		var a place
		err := row.Scan(&a.Call, &a.Position, &a.kept, &a.detail)
		return a, err
	})
	return found, wrap("reading which archives there are", err)
}

func (a place) read(ctx context.Context, conn *pgx.Conn) ([][]byte, error) {
	var text []byte
	err := conn.QueryRow(ctx, sqlRead, a.Call, a.Position).Scan(&text)
	if err != nil {
		return nil, fmt.Errorf("reading the archive of call %d: %w", a.Call, err)
	}
	found, err := archive.Split(text)
	return found, wrap(fmt.Sprintf("reading the archive of call %d", a.Call), err)
}

// prepare makes the temporary tables: those of the resource, without their NOT NULL constraints,
// since rows are made before their values come.
func (p *Past) prepare(ctx context.Context, conn *pgx.Conn) error {
	in := p.stream.Resource.SchemaName(p.stream.Service)
	if _, err := conn.Exec(ctx, sqlMake); err != nil {
		return fmt.Errorf("making temporary tables: %w", err)
	}
	for _, table := range p.stream.Resource.Tables() {
		name := pgx.Identifier{temporary, table.Name}.Sanitize()
		if _, err := conn.Exec(ctx, fmt.Sprintf(sqlLike, name, pgx.Identifier{in, table.Name}.Sanitize())); err != nil {
			return fmt.Errorf("making a table like %s.%s: %w", in, table.Name, err)
		}
		rows, err := conn.Query(ctx, sqlLoose, name)
		if err != nil {
			return fmt.Errorf("looking at %s: %w", name, err)
		}
		loose, err := pgx.CollectRows(rows, pgx.RowTo[string])
		if err == nil && len(loose) > 0 {
			_, err = conn.Exec(ctx, strings.Join(loose, ";"))
		}
		if err != nil {
			return fmt.Errorf("loosening %s: %w", name, err)
		}
	}
	return nil
}

func (p *Past) name(in string) string { return pgx.Identifier{in, p.stream.Resource.Name}.Sanitize() }

func (p *Past) key() string {
	return pgx.Identifier{history.Of("", p.stream.Service, p.stream.Resource).Key}.Sanitize()
}

// sqlRows makes the rows of records that come for the first time.
func (p *Past) sqlRows() string {
	return fmt.Sprintf(`INSERT INTO %s (organization_id, %s, _content_hash, _call_id, _raw_position, _run_id, _first_seen_at, _changed_at)
SELECT $1, w.id, decode(repeat('00', 16), 'hex'), 0, 0, 0, w.at, w.at FROM unnest($2::text[], $3::timestamptz[]) AS w (id, at)
ON CONFLICT DO NOTHING`, p.name(temporary), p.key())
}

func (p *Past) sqlParents() string {
	return fmt.Sprintf(`SELECT t.%[2]s, coalesce(t.%[3]s::text, '') FROM unnest($2::text[]) AS k (id)
JOIN %[1]s AS t ON t.organization_id = $1 AND t.%[2]s = k.id`,
		p.name(p.stream.Resource.SchemaName(p.stream.Service)), p.key(), pgx.Identifier{p.parent}.Sanitize())
}

// setting describes the temporary tables to history.state.
func (p *Past) setting() map[string]any {
	s := history.Of(p.stream.Organization, p.stream.Service, p.stream.Resource)
	return map[string]any{
		"organization_id": s.Organization, "service": s.Service, "resource": s.Name, "in_schema": temporary, "key_column": s.Key,
		"arrays": append([]string{}, s.Arrays...),
	}
}

func (p *Past) ids() []string { return each(p, func(s *step) string { return s.record.ID }) }
func (p *Past) instants() []time.Time {
	return each(p, func(s *step) time.Time { return s.at.kept })
}
func (p *Past) calls() []int64     { return each(p, func(s *step) int64 { return s.at.Call }) }
func (p *Past) positions() []int32 { return each(p, func(s *step) int32 { return s.at.Position }) }
func (p *Past) details() []bool    { return each(p, func(s *step) bool { return s.at.detail }) }

func each[T any](p *Past, of func(s *step) T) []T {
	values := make([]T, len(p.batch))
	for i := range p.batch {
		values[i] = of(&p.batch[i])
	}
	return values
}

func wrap(doing string, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%s: %w", doing, err)
}
