// Package adoptions stores what was taken over from the warehouses of other programs: the progress
// of each adoption, and the numbers under which its batches have their raw records.
//
// It is the only writer of sluice.adoptions and sluice.adopted_batches. It never writes rows:
// package warehouse does. Package foreign reads the tables of the other programs.
//
// Start reading at Begin.
package adoptions

import (
	"context"
	"errors"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"sluice/pipeline"
	"sluice/pipeline/warehouse/postgres"
)

// Counts say what became of the records of an adoption.
type Counts struct {
	// Records were looked at, one for each key. Whole are those of them that carry what only single
	// records have.
	Records int64 `db:"records" json:"records"`
	Whole   int64 `db:"whole"   json:"whole"`
	// Inserted, Updated, Unchanged and Superseded are the loaded ones. Superseded are not newer
	// than their row, which stayed.
	Inserted   int64 `db:"inserted"   json:"inserted"`
	Updated    int64 `db:"updated"    json:"updated"`
	Unchanged  int64 `db:"unchanged"  json:"unchanged"`
	Superseded int64 `db:"superseded" json:"superseded"`
	// Older are earlier versions, Deleted are records that the other program knew as deleted. Both
	// are left out.
	Older   int64 `db:"older"   json:"older"`
	Deleted int64 `db:"deleted" json:"deleted"`
	// Rejected are in quarantine.
	Rejected int64 `db:"rejected" json:"rejected"`
}

// Add adds the counts of another batch.
func (c *Counts) Add(other Counts) {
	c.Records += other.Records
	c.Whole += other.Whole
	c.Inserted += other.Inserted
	c.Updated += other.Updated
	c.Unchanged += other.Unchanged
	c.Superseded += other.Superseded
	c.Older += other.Older
	c.Deleted += other.Deleted
	c.Rejected += other.Rejected
}

// Span is a span of extraction: when the other program read the first and the last of some records.
// Zero if unknown.
type Span struct{ From, Until time.Time }

// See extends the span to an instant; the zero time says nothing.
func (s *Span) See(at time.Time) {
	if at.IsZero() {
		return
	}
	if s.From.IsZero() || at.Before(s.From) {
		s.From = at
	}
	if at.After(s.Until) {
		s.Until = at
	}
}

// Adoption is one adoption of the records of a stream.
type Adoption struct {
	Counts

	ID  int64
	Run int64
	// After is the key of the last record that was looked at.
	After string
	// ModifiedUntil is the latest modification time that can be believed, Extracted when the
	// records were read upstream.
	ModifiedUntil, ExtractedUntil time.Time
}

const (
	sqlOpen = `
SELECT id, run_id, source, origin, last_key, records, whole, inserted, updated, unchanged, superseded, older, deleted, rejected,
	modified_until, extracted_until
FROM sluice.adoptions WHERE (organization_id, service, resource) = ($1, $2, $3) AND ended_at IS NULL FOR UPDATE`

	sqlBefore = `
SELECT EXISTS (SELECT FROM sluice.adoptions WHERE (organization_id, service, resource) = ($1, $2, $3) AND outcome = 'done')`

	sqlBegin = `
INSERT INTO sluice.adoptions (organization_id, service, resource, source, origin, run_id) VALUES ($1, $2, $3, $4, $5, $6) RETURNING id`

	// The greatest instants win, whatever a batch says: null says nothing.
	sqlStep = `
UPDATE sluice.adoptions SET last_key = $2, records = records + $3, whole = whole + $4, inserted = inserted + $5, updated = updated + $6,
	unchanged = unchanged + $7, superseded = superseded + $8, older = older + $9, deleted = deleted + $10, rejected = rejected + $11,
	modified_until = greatest(modified_until, $12), extracted_until = greatest(extracted_until, $13)
WHERE id = $1`

	sqlEnd = `UPDATE sluice.adoptions SET ended_at = clock_timestamp(), outcome = $2, watermark = $3 WHERE id = $1`

	// The number is later than that of every call that was reserved before.
	sqlNumber = `
INSERT INTO sluice.adopted_batches (call_id, adoption_id, single, records, extracted_from, extracted_until)
VALUES (nextval('sluice.call_numbers'), $1, $2, $3, $4, $5) RETURNING call_id`
)

// Open returns the adoption of a stream that has not ended, locked. If it is of another source or
// origin, it is closed as superseded, and there is none. The bool says whether there is one.
func Open(ctx context.Context, tx pgx.Tx, key pipeline.Key, source, origin string) (Adoption, bool, error) {
	var a Adoption
	var from, at string
	var modified, extracted *time.Time
	op := "looking for an adoption of " + key.String()
	err := tx.QueryRow(ctx, sqlOpen, key.Organization, key.Service, key.Resource).Scan(&a.ID, &a.Run, &from, &at, &a.After,
		&a.Records, &a.Whole, &a.Inserted, &a.Updated, &a.Unchanged, &a.Superseded, &a.Older, &a.Deleted, &a.Rejected, &modified, &extracted)
	switch {
	case errors.Is(err, pgx.ErrNoRows):
		return Adoption{}, false, nil
	case err != nil:
		return Adoption{}, false, postgres.Fail(op, err)
	case from != source || at != postgres.Clean(origin, postgres.MaxName):
		return Adoption{}, false, End(ctx, tx, a.ID, Superseded, time.Time{})
	}
	if modified != nil {
		a.ModifiedUntil = *modified
	}
	if extracted != nil {
		a.ExtractedUntil = *extracted
	}
	return a, true, nil
}

// Before reports whether records of a stream were adopted before.
func Before(ctx context.Context, tx pgx.Tx, key pipeline.Key) (bool, error) {
	var before bool
	err := tx.QueryRow(ctx, sqlBefore, key.Organization, key.Service, key.Resource).Scan(&before)
	return before, postgres.Fail("looking for earlier adoptions of "+key.String(), err)
}

// Begin begins an adoption under a run.
func Begin(ctx context.Context, tx pgx.Tx, key pipeline.Key, source, origin string, run int64) (Adoption, error) {
	a := Adoption{Run: run}
	err := tx.QueryRow(ctx, sqlBegin, key.Organization, key.Service, key.Resource, source, postgres.Clean(origin, postgres.MaxName), run).Scan(&a.ID)
	return a, postgres.Fail("beginning an adoption of "+key.String(), err)
}

// Number draws the number under which a batch has its raw records.
func Number(ctx context.Context, tx pgx.Tx, adoption int64, single bool, records int, span Span) (int64, error) {
	var number int64
	err := tx.QueryRow(ctx, sqlNumber, adoption, single, records, postgres.Instant(span.From), postgres.Instant(span.Until)).Scan(&number)
	return number, postgres.Fail("numbering a batch of adopted records", err)
}

// QueueStep stores the progress behind a batch.
func QueueStep(queue *pgx.Batch, id int64, last string, done Counts, modified, extracted time.Time) {
	queue.Queue(sqlStep, id, last, done.Records, done.Whole, done.Inserted, done.Updated, done.Unchanged, done.Superseded,
		done.Older, done.Deleted, done.Rejected, postgres.Instant(modified), postgres.Instant(extracted))
}

// Outcome is a closed set: how an adoption ended.
type Outcome string

// The outcomes.
const (
	Done Outcome = "done"
	// Withheld: too many records were rejected, so the watermark did not move.
	Withheld Outcome = "withheld"
	// Superseded: an adoption from another source took its place.
	Superseded Outcome = "superseded"
)

// End closes an adoption. Watermark is the one that the stream got, zero if none.
func End(ctx context.Context, tx pgx.Tx, id int64, outcome Outcome, watermark time.Time) error {
	_, err := tx.Exec(ctx, sqlEnd, id, outcome, postgres.Instant(watermark))
	return postgres.Fail("ending an adoption", err)
}

// Batch says where the records of an adopted batch are from.
type Batch struct {
	// Source is the program that read them upstream, Origin the table or file.
	Source string `db:"source" json:"source"`
	Origin string `db:"origin" json:"origin"`
	// From and Until say when the other program read them; nil if unknown.
	From  *time.Time `db:"extracted_from"  json:"extracted_from,omitempty"`
	Until *time.Time `db:"extracted_until" json:"extracted_until,omitempty"`
	// Single says that the records carry what only single records have.
	Single bool `db:"single" json:"single,omitempty"`
	// Run is the run that loaded them.
	Run int64 `db:"run_id" json:"-"`
	// At is when the adoption began.
	At time.Time `db:"started_at" json:"-"`
}

const sqlOf = `
SELECT a.source, a.origin, b.extracted_from, b.extracted_until, b.single, a.run_id, a.started_at
FROM sluice.adopted_batches b JOIN sluice.adoptions a ON a.id = b.adoption_id WHERE b.call_id = $1`

// Of returns the batch with a number; nil if the number is that of a call.
func Of(ctx context.Context, pool *pgxpool.Pool, number int64) (*Batch, error) {
	found, err := postgres.Read[Batch](ctx, pool, "adopted records", sqlOf, number)
	if err != nil || len(found) == 0 {
		return nil, err
	}
	return &found[0], nil
}
