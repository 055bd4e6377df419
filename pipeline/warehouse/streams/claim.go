package streams

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"sluice/pipeline"
	"sluice/pipeline/warehouse/postgres"
)

const (
	sqlLock = `
SELECT s.fence, coalesce(s.run_id, 0), s.watermark, s.scan,
	(SELECT c.reserved_at FROM sluice.calls c WHERE c.id = $4),
	EXISTS (SELECT FROM sluice.quarantine q WHERE q.state = 'open'
		AND (q.organization_id, q.service, q.resource) = ($1, $2, $5)),
	EXISTS (SELECT FROM sluice.tombstones k WHERE (k.organization_id, k.service, k.resource) = ($1, $2, $5)),
	l.watermark, s.scanned_until, l.scanned_until, s.history, s.hinted_every IS NOT NULL, s.failures > 0, sluice.timeline(),
	EXISTS (SELECT FROM sluice.erased_records e WHERE (e.organization_id, e.service, e.resource) = ($1, $2, $5)),
	coalesce(clock_timestamp() - CASE WHEN NOT s.count_asked THEN s.counted_at END, interval '100 years')
FROM sluice.streams s
LEFT JOIN sluice.streams l ON (l.organization_id, l.service, l.resource) = ($1, $2, $5)
WHERE (s.organization_id, s.service, s.resource) = ($1, $2, $3) FOR UPDATE OF s`

	sqlOpenRun = `
INSERT INTO sluice.runs (organization_id, service, resource, class, gen, watermark_before)
SELECT organization_id, service, resource, $4, requested_gen, watermark FROM sluice.streams
WHERE (organization_id, service, resource) = ($1, $2, $3)
RETURNING id`

	sqlCountChunk = `UPDATE sluice.runs SET chunks = chunks + 1 WHERE id = $1`

	sqlClaim = `
UPDATE sluice.streams SET
	fence = fence + 1, scan = CASE WHEN run_id IS NULL THEN NULL ELSE scan END, run_id = $4,
	state = 'running', reason = '', wait_until = NULL
WHERE (organization_id, service, resource) = ($1, $2, $3)
RETURNING fence`

	sqlUnclaim = `
UPDATE sluice.streams SET fence = fence + 1
WHERE organization_id = $1 AND service = $2 AND (resource = $3 OR starts_with(resource, $3 || '.')) AND run_id IS NOT NULL`
)

// Locked is what Lock reads of a stream, whose row stays locked until the transaction ends.
type Locked struct {
	Fence, Run int64
	Position   pipeline.Position
	// RequestedAt is when the caller's call was reserved, just before it left; zero if the caller
	// gives none.
	RequestedAt time.Time
	// Suspects says that records of the stream's resource are in quarantine.
	Suspects bool
	// Evidence says that there is evidence of absence of records of the resource, which a batch may
	// refute.
	Evidence bool
	// Listed is the watermark of the resource's list, zero if it has none: all records that were
	// modified before it were read.
	Listed time.Time
	// ListRead is upstream's clock when the last clean run of that list began, zero if that is
	// unknown.
	ListRead time.Time
	// History says that versions of the records are kept.
	History bool
	// Told says that notifications may replace scheduled runs.
	Told bool
	// Failing says that the last run or attempt failed.
	Failing bool
	// Timeline is the history of the database that this is a part of.
	Timeline string
	// Erased says that records of the resource were erased, and are not loaded again. An erasure
	// while Lock waits is not seen: it takes the claim away.
	Erased bool
	// CountAge is the time since the last count of the list; centuries if there was none.
	CountAge time.Duration
}

// Lock locks a stream's row, and reads when a call was reserved; a call of zero means none. It
// returns ErrNoStream if the stream is not registered.
func Lock(ctx context.Context, tx pgx.Tx, of pipeline.Stream, call int64) (Locked, error) {
	var (
		key                  = of.Key()
		stream               Locked
		watermark, requested *time.Time
		listed               *time.Time
		own, list            *time.Time
		scan                 []byte
	)
	err := tx.QueryRow(ctx, sqlLock, key.Organization, key.Service, key.Resource, call, of.Resource.Name).
		Scan(&stream.Fence, &stream.Run, &watermark, &scan, &requested, &stream.Suspects, &stream.Evidence, &listed, &own, &list, &stream.History,
			&stream.Told, &stream.Failing, &stream.Timeline, &stream.Erased, &stream.CountAge)
	if errors.Is(err, pgx.ErrNoRows) {
		return Locked{}, fmt.Errorf("%w: %s: register it first", ErrNoStream, key)
	}
	if err != nil {
		return Locked{}, postgres.Fail("locking "+key.String(), err)
	}
	if watermark != nil {
		stream.Position.Watermark = watermark.UTC()
	}
	if requested != nil {
		stream.RequestedAt = *requested
	}
	if listed != nil {
		stream.Listed = listed.UTC()
	}
	if own != nil {
		stream.Position.ScannedUntil = own.UTC()
	}
	if list != nil {
		stream.ListRead = list.UTC()
	}
	if scan != nil {
		stream.Position.Scan = new(pipeline.Scan)
		if err := json.Unmarshal(scan, stream.Position.Scan); err != nil {
			return Locked{}, fmt.Errorf("reading the scan of %s: %w", key, err)
		}
	}
	return stream, nil
}

// LockClaimed locks the stream and checks that the claim is still valid: a worker that lost it, or
// whose run was closed, must not write (invariant 6). Nor may one that claimed it on another
// timeline: what it wrote since may be forgotten, and it would go on behind that. It returns
// pipeline.ErrLostClaim if the claim is not valid.
func LockClaimed(ctx context.Context, tx pgx.Tx, claim pipeline.Claim, call int64) (Locked, error) {
	stream, err := Lock(ctx, tx, claim.Stream, call)
	if err != nil {
		return Locked{}, err
	}
	if stream.Fence != claim.Fence || stream.Run != claim.Run {
		return Locked{}, fmt.Errorf("%s: %w", claim.Stream, pipeline.ErrLostClaim)
	}
	if stream.Timeline != claim.Timeline {
		return Locked{}, fmt.Errorf("%s: a standby was promoted or a backup restored: %w", claim.Stream, pipeline.ErrLostClaim)
	}
	return stream, nil
}

// OpenRun begins a run of a stream without an open run, and returns its number.
func OpenRun(ctx context.Context, tx pgx.Tx, key pipeline.Key, class pipeline.Class) (int64, error) {
	var run int64
	err := tx.QueryRow(ctx, sqlOpenRun, key.Organization, key.Service, key.Resource, class).Scan(&run)
	return run, postgres.Fail("opening a run of "+key.String(), err)
}

// Claim takes a locked stream from the worker that had it, counts a chunk of its run, and notes the
// new fence in the claim.
func Claim(ctx context.Context, tx pgx.Tx, key pipeline.Key, claim *pipeline.Claim) error {
	if _, err := tx.Exec(ctx, sqlCountChunk, claim.Run); err != nil {
		return postgres.Fail("counting a chunk of "+key.String(), err)
	}
	err := tx.QueryRow(ctx, sqlClaim, key.Organization, key.Service, key.Resource, claim.Run).Scan(&claim.Fence)
	return postgres.Fail("claiming "+key.String(), err)
}

// Unclaim takes the claims of all streams of a list away. Their runs go on with the next claim. A
// load that waits for the row of its stream sees that, and would not see what this transaction
// writes into other tables.
func Unclaim(ctx context.Context, tx pgx.Tx, list pipeline.Key) error {
	_, err := tx.Exec(ctx, sqlUnclaim, list.Organization, list.Service, list.Resource)
	return postgres.Fail("taking claims of "+list.String()+" away", err)
}
