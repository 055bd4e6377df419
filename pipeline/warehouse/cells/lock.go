package cells

import (
	"context"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"

	"sluice/pipeline/warehouse/postgres"
)

// ErrBusy says that another process works on the same.
var ErrBusy = errors.New("another process is at it")

const sqlLock = `SELECT pg_try_advisory_lock(key), key FROM (SELECT hashtextextended('sluice fleet ' || $1, 0) AS key OFFSET 0) AS k`

// Lock is held by one process at a time: on an organization while it moves, on "" while cells join.
// It returns ErrBusy if another process has it.
type Lock struct{ conn *pgx.Conn }

// Lock takes the lock of an organization in the cell; "" is the one of the cell itself.
func (d *Database) Lock(ctx context.Context, organization string) (*Lock, error) {
	conn, err := postgres.Connect(ctx, d.pool)
	if err != nil {
		return nil, postgres.Fail(d.what("locking"), err)
	}
	var taken bool
	var key int64
	if err := conn.QueryRow(ctx, sqlLock, organization).Scan(&taken, &key); err != nil {
		(&Lock{conn}).Release(ctx)
		return nil, postgres.Fail(d.what("locking"), err)
	}
	if taken {
		return &Lock{conn}, nil
	}
	holder, err := postgres.LockHolder(ctx, conn, key)
	(&Lock{conn}).Release(ctx)
	if err != nil {
		return nil, err
	}
	return nil, fmt.Errorf("%w in cell %s: %s", ErrBusy, d.Name, holder)
}

// Release gives the lock back. The server notices the end of a session later, so it is told before.
func (l *Lock) Release(ctx context.Context) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), postgres.SettleLimit)
	defer cancel()
	_, _ = l.conn.Exec(ctx, `SELECT pg_advisory_unlock_all()`) // a broken connection has lost the lock already
	_ = l.conn.Close(ctx)
}
