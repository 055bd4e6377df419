// Package rebuilds stores the position of each rebuild, and writes the rows that differ from their
// records.
//
// It is the only writer of sluice.rebuilds. It never decides which rows those are: package rebuild
// of lineage does.
//
// Start reading at Batch, then Write.
package rebuilds

import (
	"context"
	"crypto/sha256"
	"fmt"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"sluice/pipeline"
	"sluice/pipeline/warehouse/changes"
	"sluice/pipeline/warehouse/postgres"
	"sluice/schema/record"
)

// Scope is a closed set: which rows are written.
type Scope string

// The scopes.
const (
	// All compares all rows with their records, and writes those that differ, whatever the table
	// holds.
	All Scope = "all"
	// Changed writes the rows for which the declaration, or the rule of the content hash, now gives
	// another result.
	Changed Scope = "changed"
)

// Counts are the results of a rebuild, in rows.
type Counts struct {
	// Rows were read; Rewritten were written.
	Rows      int `json:"rows"`
	Rewritten int `json:"rewritten"`
	// Rejected no longer fit the declaration and stay as they are. Lost have no raw record.
	Rejected int `json:"rejected"`
	Lost     int `json:"lost"`
}

// Add adds other counts.
func (c *Counts) Add(other Counts) {
	c.Rows += other.Rows
	c.Rewritten += other.Rewritten
	c.Rejected += other.Rejected
	c.Lost += other.Lost
}

// Batch holds the rows of one step, after they were compared.
type Batch struct {
	// Counts do not yet include the results of Write.
	Counts

	// Last is the key of the last row, "" if no row was left.
	Last string
	// Write are the rows to be written, RejectedRecords the raw records that do not fit.
	Write           []Row
	RejectedRecords []pipeline.RejectedRecord
}

// Position is how far a rebuild has come: its number, the key of the last row, and the counts so
// far.
type Position struct {
	Counts

	ID    int64
	After string
}

const (
	sqlSupersede = `
UPDATE sluice.rebuilds SET ended_at = clock_timestamp(), outcome = 'superseded'
WHERE (organization_id, service, resource) = ($1, $2, $3) AND ended_at IS NULL AND (scope, declaration) <> ($4, $5)`

	sqlBegin = `
INSERT INTO sluice.rebuilds AS r (organization_id, service, resource, scope, declaration, run_id, fence) VALUES ($1, $2, $3, $4, $5, $6, $7)
ON CONFLICT (organization_id, service, resource) WHERE ended_at IS NULL DO UPDATE SET run_id = excluded.run_id, fence = excluded.fence
RETURNING r.id, r.last_key, r.rows, r.rewritten, r.rejected, r.lost`

	sqlStep = `
UPDATE sluice.rebuilds SET last_key = $2, rows = rows + $3, rewritten = rewritten + $4, rejected = rejected + $5, lost = lost + $6 WHERE id = $1`

	sqlEnd = `UPDATE sluice.rebuilds SET ended_at = clock_timestamp(), outcome = 'done' WHERE id = $1`
)

// Begin returns the position from which a stopped rebuild goes on. A stopped rebuild of another
// scope, declaration or time zone is closed, and a new one begins.
func Begin(ctx context.Context, tx pgx.Tx, claim pipeline.Claim, scope Scope, zone int) (Position, error) {
	var p Position
	key := claim.Stream.Key()
	op := "beginning a rebuild of " + key.String()
	made := fmt.Appendf(declaration(claim.Stream), " zone %d", zone)
	if _, err := tx.Exec(ctx, sqlSupersede, key.Organization, key.Service, key.Resource, scope, made); err != nil {
		return p, postgres.Fail(op, err)
	}
	err := tx.QueryRow(ctx, sqlBegin, key.Organization, key.Service, key.Resource, scope, made, claim.Run, claim.Fence).
		Scan(&p.ID, &p.After, &p.Rows, &p.Rewritten, &p.Rejected, &p.Lost)
	return p, postgres.Fail(op, err)
}

// QueueStep stores the position behind a batch.
func QueueStep(batch *pgx.Batch, id int64, last string, done Counts) {
	batch.Queue(sqlStep, id, last, done.Rows, done.Rewritten, done.Rejected, done.Lost)
}

// End records that all rows were read.
func End(ctx context.Context, tx pgx.Tx, id int64) error {
	_, err := tx.Exec(ctx, sqlEnd, id)
	return err
}

// declaration is a digest of the parts of a stream's declaration that determine its rows: tables
// and columns, and the rule of the content hash.
func declaration(stream pipeline.Stream) []byte {
	digest := sha256.New()
	_, _ = fmt.Fprintln(digest, record.HashRule) // a hash accepts everything
	tables := stream.Resource.Tables()
	for i := range tables {
		_, _ = fmt.Fprintf(digest, "%q %q\n", tables[i].Name, tables[i].Path)
		for c := range tables[i].Columns {
			column := &tables[i].Columns[c]
			_, _ = fmt.Fprintf(digest, "%q %q %q %d\n", column.Wire, column.Also, column.ColumnName(), column.Kind)
		}
	}
	return digest.Sum(nil)
}

// Rebuild is one execution.
type Rebuild struct {
	ID           int64  `db:"id"              json:"id"`
	Organization string `db:"organization_id" json:"organization"`
	Service      string `db:"service"         json:"service"`
	Resource     string `db:"resource"        json:"resource"`
	Scope        Scope  `db:"scope"           json:"scope"`
	Rows         int64  `db:"rows"            json:"rows"`
	Rewritten    int64  `db:"rewritten"       json:"rewritten"`
	Rejected     int64  `db:"rejected"        json:"rejected"`
	Lost         int64  `db:"lost"            json:"lost"`
	// EndedAt is nil while it goes on, or after it was stopped: then the next one goes on behind
	// its last key. Outcome is done or superseded.
	StartedAt time.Time  `db:"started_at" json:"started_at"`
	EndedAt   *time.Time `db:"ended_at"   json:"ended_at"`
	Outcome   string     `db:"outcome"    json:"outcome,omitempty"`
}

const sqlList = `
SELECT id, organization_id, service, resource, scope, rows, rewritten, rejected, lost, started_at, ended_at, coalesce(outcome, '') AS outcome
FROM sluice.rebuilds ORDER BY id DESC LIMIT $1`

// List returns rebuilds, newest first.
func List(ctx context.Context, pool *pgxpool.Pool, limit int) ([]Rebuild, error) {
	return postgres.Read[Rebuild](ctx, pool, "rebuilds", sqlList, postgres.Limit(limit))
}

// logDifferent logs the records of keys that have other values or elements than before.
func logDifferent(ctx context.Context, tx pgx.Tx, stream pipeline.Stream, keys []string, before map[string]string) error {
	after, err := digests(ctx, tx, stream, keys)
	if err != nil {
		return err
	}
	var different []string
	for _, key := range keys {
		if after[key] != before[key] {
			different = append(different, key)
		}
	}
	return changes.Write(ctx, tx, stream.Organization, changes.TableOf(stream), changes.Rewritten, different)
}

// digests returns a digest of what readers see of each record: values, unknown keys, tombstone and
// elements. A row that is written anew because of its hash alone keeps it.
func digests(ctx context.Context, tx pgx.Tx, stream pipeline.Stream, keys []string) (map[string]string, error) {
	rows, _ := tx.Query(ctx, sqlDigests(stream), stream.Organization, keys)
	found := make(map[string]string, len(keys))
	var key, digest string
	_, err := pgx.ForEachRow(rows, []any{&key, &digest}, func() error {
		found[key] = digest
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("comparing rows of %s: %w", stream, err)
	}
	return found, nil
}

// sqlDigests looks up each key separately, as the loader does and for the same reason.
func sqlDigests(stream pipeline.Stream) string {
	tables := stream.Resource.Tables()
	in := stream.Resource.SchemaName(stream.Service)
	var values []string
	for _, column := range tables[0].Columns {
		values = append(values, "t."+pgx.Identifier{column.ColumnName()}.Sanitize())
	}
	parts := []string{"ROW(" + strings.Join(values, ", ") + ", t._extra, t._deleted_at)::text"}
	for _, table := range tables[1:] {
		order := "c._position"
		if table.Depth() > 1 {
			order = "c._parent_position, c._position"
		}
		parts = append(parts, fmt.Sprintf("(SELECT string_agg(c::text, ';' ORDER BY %s) FROM %s AS c "+
			"WHERE c.organization_id = $1 AND c._parent_id = k.id)",
			order, pgx.Identifier{in, table.Name}.Sanitize()))
	}
	return fmt.Sprintf(`SELECT k.id, f.digest FROM unnest($2::text[]) AS k (id) CROSS JOIN LATERAL
(SELECT encode(sha256(convert_to(concat_ws('|', %s), 'UTF8')), 'hex') AS digest
FROM %s AS t WHERE t.organization_id = $1 AND t.%s = k.id OFFSET 0) AS f`,
		strings.Join(parts, ", "), pgx.Identifier{in, tables[0].Name}.Sanitize(), pgx.Identifier{tables[0].Columns[0].ColumnName()}.Sanitize())
}
