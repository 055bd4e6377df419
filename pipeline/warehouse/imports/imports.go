// Package imports stores the numbers under which batches of imported records have their raw
// records.
//
// It is the only writer of sluice.imports. It never writes rows: package warehouse does.
//
// Start reading at Number.
package imports

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"sluice/pipeline"
	"sluice/pipeline/warehouse/postgres"
)

// Batch is the origin of the records of one batch.
type Batch struct {
	// File is the imported file, First and Last are the first and the last line of the batch.
	File  string `db:"file"       json:"file"`
	First int64  `db:"first_line" json:"first_line"`
	Last  int64  `db:"last_line"  json:"last_line"`
	// Single says that the records carry what only single records have.
	Single bool `db:"single" json:"single,omitempty"`
	// Run is the run that loaded them.
	Run int64 `db:"run_id" json:"-"`
	// At is when they were imported.
	At time.Time `db:"imported_at" json:"imported_at"`
}

const (
	// The number is later than that of every call that was reserved before.
	sqlNumber = `
INSERT INTO sluice.imports (call_id, organization_id, service, resource, run_id, file, first_line, last_line, single)
VALUES (nextval('sluice.call_numbers'), $1, $2, $3, $4, $5, $6, $7, $8) RETURNING call_id`

	sqlOf = `SELECT file, first_line, last_line, single, run_id, imported_at FROM sluice.imports WHERE call_id = $1`
)

// Number draws the number under which a batch has its raw records. The database sets its time.
func Number(ctx context.Context, tx pgx.Tx, key pipeline.Key, batch Batch) (int64, error) {
	var number int64
	err := tx.QueryRow(ctx, sqlNumber, key.Organization, key.Service, key.Resource, batch.Run, postgres.Clean(batch.File, postgres.MaxName),
		batch.First, batch.Last, batch.Single).Scan(&number)
	return number, postgres.Fail("numbering imported records of "+key.String(), err)
}

// Of returns the batch with a number; nil if the number is that of a call.
func Of(ctx context.Context, pool *pgxpool.Pool, number int64) (*Batch, error) {
	found, err := postgres.Read[Batch](ctx, pool, "imported records", sqlOf, number)
	if err != nil || len(found) == 0 {
		return nil, err
	}
	return &found[0], nil
}
