package main

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"sluice/cmd/sluice-bench/baseline"
)

// rebuild holds a stream's rows against their raw records, by the command that users run, and takes the time of its process.
func (w *warehouse) rebuild(ctx context.Context, upstream *sandbox, stream string) (time.Duration, error) {
	if err := w.do(ctx, baseline.Checkpoint); err != nil {
		return 0, err
	}
	config, err := w.configure(upstream)
	if err != nil {
		return 0, err
	}
	began := time.Now()
	err = w.stage.run(ctx, config, "rebuild", stream)
	return time.Since(began), err
}

// editRows changes a declared column of every row of a table, as a hand would: the last of text that no key has. What an update leaves behind
// is not what a rebuild takes.
func editRows(table string) func(context.Context, *pgx.Conn) error {
	return func(ctx context.Context, conn *pgx.Conn) error {
		name := quoted(strings.Split(table, ".")...)
		var column string
		err := conn.QueryRow(ctx, `SELECT attname FROM pg_attribute WHERE attrelid = $1::regclass AND atttypid = 'text'::regtype
AND NOT attnotnull AND NOT starts_with(attname, '_') ORDER BY attnum DESC LIMIT 1`, name).Scan(&column)
		if err != nil {
			return fmt.Errorf("find a column of %s to edit: %w", table, err)
		}
		for _, sql := range []string{"UPDATE " + name + " SET " + quoted(column) + " = 'edited'", "VACUUM FULL " + name} {
			if _, err := conn.Exec(ctx, sql); err != nil {
				return fmt.Errorf("edit the rows of %s: %w", table, err)
			}
		}
		return nil
	}
}
