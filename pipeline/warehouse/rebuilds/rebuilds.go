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

	"github.com/jackc/pgx/v5"

	"sluice/pipeline"
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
	Rows, Rewritten int
	// Rejected no longer fit the declaration and stay as they are. Lost have no raw record.
	Rejected, Lost int
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
