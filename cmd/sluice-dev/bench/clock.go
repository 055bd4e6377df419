package bench

import (
	"context"
	"fmt"
	"net/http"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"
)

// sqlVirtualClock gives a database that nothing was installed in yet another clock: all that sluice
// asks for the time is the function clock_timestamp.
const sqlVirtualClock = `
CREATE SCHEMA bench;
CREATE TABLE bench.clock (at timestamptz NOT NULL);
INSERT INTO bench.clock VALUES (pg_catalog.clock_timestamp());
SET allow_system_table_mods = on;
ALTER FUNCTION pg_catalog.clock_timestamp() RENAME TO true_clock_timestamp;
CREATE FUNCTION pg_catalog.clock_timestamp() RETURNS timestamptz LANGUAGE sql VOLATILE AS 'SELECT at FROM bench.clock'`

// clock is the virtual time of a measurement: of a database, of the upstream beside it, and of the
// program between them. It goes on only by Advance.
type clock struct {
	conn *pgx.Conn

	mu sync.Mutex // guards at and conn
	at time.Time
}

// newClock prepares an empty database, in which conn is a session of its owner.
func newClock(ctx context.Context, conn *pgx.Conn, begin time.Time) (*clock, error) {
	if _, err := conn.Exec(ctx, sqlVirtualClock); err != nil {
		return nil, fmt.Errorf("give the database a clock: %w", err)
	}
	c := &clock{conn: conn, at: begin}
	return c, c.Advance(ctx, 0)
}

// Now returns the virtual time.
func (c *clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.at
}

// Advance moves the clock on.
func (c *clock) Advance(ctx context.Context, step time.Duration) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if _, err := c.conn.Exec(ctx, `UPDATE bench.clock SET at = $1`, c.at.Add(step)); err != nil {
		return fmt.Errorf("set the clock: %w", err)
	}
	c.at = c.at.Add(step)
	return nil
}

// taking makes each call take a second of the virtual time.
func (c *clock) taking(world http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if err := c.Advance(context.WithoutCancel(r.Context()), callTakes); err != nil {
			http.Error(w, err.Error(), http.StatusInternalServerError)
			return
		}
		world.ServeHTTP(w, r)
	})
}
