package migrations

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"
)

// Execute runs statements that plan gives, in one transaction and under the lock of migrations: no other process migrates at
// the same time, and a plan that is made anew under the lock is about the database as it is. Nothing is executed if plan fails
// or gives nothing.
func Execute(ctx context.Context, url string, plan func(ctx context.Context) (string, error)) error {
	config, err := parse(url)
	if err != nil {
		return err
	}
	conn, err := pgx.ConnectConfig(ctx, config.ConnConfig.Copy())
	if err != nil {
		return fmt.Errorf("connecting to migrate: %w", err)
	}
	defer hangUp(ctx, conn)
	if err := lock(ctx, conn); err != nil {
		return err
	}
	statements, err := plan(ctx)
	if err != nil || statements == "" {
		return err
	}
	err = pgx.BeginFunc(ctx, conn, func(tx pgx.Tx) error {
		if _, err := tx.Exec(ctx, statements); err != nil {
			return err
		}
		_, err := tx.Exec(ctx, sqlReaders)
		return err
	})
	if err != nil {
		return fmt.Errorf("executing the plan: nothing of it is done: %w", err)
	}
	return nil
}
