package cells

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
)

// Trace lets a tracer see the statements, on new connections.
func (d *Database) Trace(ctx context.Context, tracer pgx.QueryTracer) error {
	config := d.pool.Config()
	config.ConnConfig.Tracer = tracer
	pool, err := pgxpool.NewWithConfig(ctx, config)
	if err != nil {
		return fmt.Errorf("preparing traced connections: %w", err)
	}
	d.pool.Close()
	d.pool = pool
	return nil
}

// Apart is how far two clocks are apart at least.
func Apart(before, other, after time.Time) time.Duration { return apart(before, other, after) }
