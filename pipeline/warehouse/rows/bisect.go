package rows

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/jackc/pgx/v5"

	"sluice/pipeline/warehouse/rows/copybinary"
	"sluice/schema/record"
)

// uniqueViolation is what a row gets that somebody else inserted between probe and COPY.
const uniqueViolation = "23505"

// LoadBisect is Load for batches that may hold records which Postgres refuses (promise 4): it loads within a savepoint,
// halves the batch where a value is refused until the culprits stand alone, and returns those; everything else is loaded.
// With k culprits among n records it takes about k·log2(n) loads more. Errors that are not about values (connection, lock,
// resources, missing tables) are returned as they are, and the caller has to roll back.
func (l *Loader) LoadBisect(ctx context.Context, tx pgx.Tx, batch Batch) (Result, []Refused, error) {
	if !slices.ContainsFunc(batch.Records, func(r record.Record) bool { return !r.Known }) {
		result, err := l.Load(ctx, tx, batch) // nothing is sent, so nothing can be refused
		return result, nil, err
	}
	result, err := l.attempt(ctx, tx, batch, true)
	if refusal := (*RefusedError)(nil); err == nil || !errors.As(err, &refusal) && !errors.Is(err, copybinary.ErrText) {
		return result, nil, err
	}
	return l.bisect(ctx, tx, batch)
}

// bisect goes on where a batch was refused, with values as text: so the server says what is wrong, and where, as it does
// to anybody.
func (l *Loader) bisect(ctx context.Context, tx pgx.Tx, batch Batch) (Result, []Refused, error) {
	result, err := l.attempt(ctx, tx, batch, false)
	var refusal *RefusedError
	if err == nil || !errors.As(err, &refusal) {
		return result, nil, err
	}
	if refusal.Code() == uniqueViolation {
		// The other writer has committed by now: a second look finds its row and judges by versions.
		if result, err = l.attempt(ctx, tx, batch, false); err == nil || !errors.As(err, &refusal) {
			return result, nil, err
		}
	}
	if len(batch.Records) == 1 {
		return Result{}, []Refused{newRefused(&batch.Records[0], refusal)}, nil
	}
	var refused []Refused
	half := len(batch.Records) / 2
	all := batch.Records
	for _, batch.Records = range [][]record.Record{all[:half], all[half:]} {
		part, culprits, err := l.bisect(ctx, tx, batch)
		if err != nil {
			return Result{}, nil, err
		}
		result.add(part)
		refused = append(refused, culprits...)
	}
	return result, refused, nil
}

// attempt loads within a savepoint, so that a refusal leaves the transaction usable.
func (l *Loader) attempt(ctx context.Context, tx pgx.Tx, batch Batch, binary bool) (Result, error) {
	savepoint, err := tx.Begin(ctx)
	if err != nil {
		return Result{}, fmt.Errorf("open a savepoint: %w", err)
	}
	result, err := l.load(ctx, savepoint, batch, binary)
	if err != nil {
		if undo := savepoint.Rollback(ctx); undo != nil {
			// Without the savepoint the transaction is lost: the refusal must not be taken for one that was contained.
			return Result{}, fmt.Errorf("roll back to the savepoint: %w; after: %s", undo, err.Error())
		}
		return Result{}, err
	}
	if err := savepoint.Commit(ctx); err != nil {
		return Result{}, fmt.Errorf("release the savepoint: %w", err)
	}
	return result, nil
}
