package warehouse

import (
	"context"
	"errors"

	"github.com/jackc/pgx/v5"

	"sluice/pipeline/warehouse/erasures"
	"sluice/pipeline/warehouse/postgres"
)

// errDry ends the transaction of a dry run.
var errDry = errors.New("nothing is written")

// Erase erases a record in one transaction, which locks all streams that write the resource: a kill
// leaves all of it or nothing, and a batch that is being loaded comes before it, or has lost its
// claim (invariant 6). A dry run does the same and rolls it back. The errors are those of
// erasures.Record.
func (db *DB) Erase(ctx context.Context, subject *erasures.Subject, dry bool) (erasures.Receipt, error) {
	key := subject.Stream.ListKey()
	op := "erasing a record of " + key.String()
	var receipt erasures.Receipt
	err := db.inTx(ctx, op, func(tx pgx.Tx) error {
		if _, err := tx.Exec(ctx, sqlLockWriters, key.Organization, key.Service, key.Resource); err != nil {
			return postgres.Fail(op, err)
		}
		var err error
		if receipt, err = erasures.Record(ctx, tx, subject); err == nil && dry {
			err = errDry
		}
		return err
	})
	if errors.Is(err, errDry) {
		return receipt, nil
	}
	if err != nil {
		return receipt, err
	}
	err = receipt.Forget(ctx, db.pool, subject)
	return receipt, err
}

// EraseText erases a text: see erasures.EraseText.
func (db *DB) EraseText(ctx context.Context, subject *erasures.TextSubject, dry bool) (erasures.Receipt, error) {
	return erasures.EraseText(ctx, db.sessions, subject, dry)
}

// Masked returns what takes erased values out of the records of an organization; nil if none were
// erased.
func (db *DB) Masked(ctx context.Context, organization string) (func(raw []byte) []byte, error) {
	masks, err := erasures.MasksOf(ctx, db.pool, organization)
	if masks == nil || err != nil {
		return nil, err
	}
	return masks.Apply, nil
}
