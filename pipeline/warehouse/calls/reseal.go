package calls

import (
	"context"

	"github.com/jackc/pgx/v5"

	"sluice/pipeline"
	"sluice/pipeline/warehouse/postgres"
)

const (
	// The lock is that of a refresh: it waits for one under way, and sees what that stored.
	sqlSealedLock = `SELECT sealed, refresh FROM sluice.tokens WHERE credential = $1 FOR UPDATE`

	// The tokens stay the same ones: neither version nor expiry changes.
	sqlReseal = `UPDATE sluice.tokens SET sealed = $2, refresh = $3 WHERE credential = $1`
)

// Reseal replaces how the tokens of a credential are sealed, in a transaction of its own. Seal gets
// the sealed tokens as they are under the lock of a refresh, and returns them sealed again, and
// whether that is to be stored. The credential may be gone.
func (l *Ledger) Reseal(ctx context.Context, credential string, seal func(pipeline.Token) (pipeline.Token, bool)) error {
	op := "sealing the tokens of " + credential
	return postgres.InTx(ctx, l.tokens, op, func(tx pgx.Tx) error {
		rows, err := tx.Query(ctx, sqlSealedLock, credential)
		if err != nil {
			return postgres.Fail(op, err)
		}
		found, err := pgx.CollectRows(rows, func(row pgx.CollectableRow) (pipeline.Token, error) {
			var token pipeline.Token
			return token, row.Scan(&token.Sealed, &token.Refresh)
		})
		if err != nil || len(found) == 0 {
			return postgres.Fail(op, err)
		}
		sealed, store := seal(found[0])
		if !store {
			return nil
		}
		_, err = tx.Exec(ctx, sqlReseal, credential, postgres.NotNil(sealed.Sealed), postgres.NotNil(sealed.Refresh))
		return postgres.Fail(op, err)
	})
}
