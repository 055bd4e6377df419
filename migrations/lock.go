package migrations

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"sluice/pipeline/warehouse/postgres"
)

const (
	// lockKey is the key of the advisory lock of migrations: "sluice" in ASCII.
	lockKey = 0x736c75696365
	// lockPoll is the interval at which a waiting process asks for the lock.
	lockPoll = 100 * time.Millisecond
	// lockPatience is longer than the migrations of another process take, except for indexes of the
	// largest tables.
	lockPatience = 10 * time.Minute
)

// The process polls for the lock instead of waiting for it inside the server. A waiting statement
// holds a snapshot, and CREATE INDEX CONCURRENTLY of the process that has the lock would wait for
// that snapshot for ever.
const sqlTryLock = `SELECT pg_try_advisory_lock($1)`

var errLockPatience = errors.New("it was not released in time: if that session is not a sluice that migrates, end it with pg_terminate_backend, " +
	"and REVOKE CONNECT ON DATABASE from its role")

// locked connects, and waits for the lock of migrations. The caller hangs up.
func locked(ctx context.Context, url string) (*pgx.Conn, error) {
	config, err := parse(url)
	if err != nil {
		return nil, err
	}
	conn, err := pgx.ConnectConfig(ctx, config.ConnConfig)
	if err != nil {
		return nil, fmt.Errorf("connecting to migrate: %w", err)
	}
	if err = postgres.CheckVersion(conn.PgConn()); err == nil {
		err = lock(ctx, conn, lockPatience)
	}
	if err != nil {
		hangUp(ctx, conn)
		return nil, err
	}
	return conn, nil
}

// lock waits for the advisory lock. The server releases it when the connection ends, for whatever
// reason.
func lock(ctx context.Context, conn *pgx.Conn, patience time.Duration) error {
	ticker := time.NewTicker(lockPoll)
	defer ticker.Stop()
	over := time.NewTimer(patience)
	defer over.Stop()
	holder := "another session"
	for {
		var held bool
		err := conn.QueryRow(ctx, sqlTryLock, int64(lockKey)).Scan(&held)
		if err == nil && !held {
			var named string
			if named, err = postgres.LockHolder(ctx, conn, lockKey); err == nil {
				holder = named
			}
		}
		switch {
		case ctx.Err() != nil: // below
		case err != nil:
			return fmt.Errorf("asking for the migration lock: %w", err)
		case held:
			return nil
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("waiting for another process to migrate (%s): %w", holder, ctx.Err())
		case <-over.C:
			return fmt.Errorf("waiting for the lock of migrations, which %s holds: %w", holder, errLockPatience)
		case <-ticker.C:
		}
	}
}
