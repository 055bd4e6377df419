// Package rebuilds keeps how far each rebuild came, and writes the rows that are not what their
// records say.
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

	"github.com/jackc/pgx/v5"

	"sluice/pipeline"
	"sluice/pipeline/warehouse/postgres"
	"sluice/schema/record"
)

// Scope is a closed set: which rows are written.
type Scope string

// The scopes.
const (
	// All rows are held against their records, and those are written that are not what these make
	// of them, whatever the table holds.
	All Scope = "all"
	// Changed are those of which the declaration, or the rule of the content hash, makes something
	// else than it did.
	Changed Scope = "changed"
)

// Counts say what became of rows.
type Counts struct {
	// Rows were looked at; Rewritten were written.
	Rows, Rewritten int
	// Rejected do not fit the declaration any more: they stay as they are. Lost have no raw record.
	Rejected, Lost int
}

// Add adds other counts.
func (c *Counts) Add(other Counts) {
	c.Rows += other.Rows
	c.Rewritten += other.Rewritten
	c.Rejected += other.Rejected
	c.Lost += other.Lost
}

// Batch is the rows of one step, once they were looked at.
type Batch struct {
	// Counts are without those of Write.
	Counts

	// Last is the key of the last row, "" if there was none left.
	Last string
	// Write are the rows to be written, Rejects the raw records that do not fit.
	Write           []Row
	RejectedRecords []pipeline.RejectedRecord
}

// Position is how far a rebuild came: its number, the key of the last row, and the counts so far.
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

// Begin finds out where a rebuild that was stopped goes on. One of another scope, declaration or
// time zone ends: this one begins anew.
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

// QueueStep moves the position behind a batch.
func QueueStep(batch *pgx.Batch, id int64, last string, done Counts) {
	batch.Queue(sqlStep, id, last, done.Rows, done.Rewritten, done.Rejected, done.Lost)
}

// End says that all rows were looked at.
func End(ctx context.Context, tx pgx.Tx, id int64) error {
	_, err := tx.Exec(ctx, sqlEnd, id)
	return err
}

// declaration is a digest of what a stream's declaration makes of records: its tables and columns,
// and the rule of the content hash.
func declaration(stream pipeline.Stream) []byte {
	digest := sha256.New()
	_, _ = fmt.Fprintln(digest, record.HashRule) // a hash takes everything
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
