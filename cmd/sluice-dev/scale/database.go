package scale

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"sluice/migrations"
	"sluice/pipeline"
	"sluice/pipeline/planning"
	"sluice/pipeline/warehouse/calls"
	"sluice/pipeline/warehouse/streams"
)

// The clock of the simulated database is a setting of its one connection. A schema before
// pg_catalog in the search path, of the session and of sluice's functions, holds functions with the
// names of the real ones. So the functions of the call log and the statements of the schedule read
// this clock unchanged. Only column defaults were bound to the real clock when their tables were
// made.
const (
	sqlClock = `
CREATE SCHEMA sim;
CREATE FUNCTION sim.clock_timestamp() RETURNS timestamptz LANGUAGE sql
	AS $$ SELECT pg_catalog.current_setting('sim.now')::pg_catalog.timestamptz $$;
CREATE FUNCTION sim.now() RETURNS timestamptz LANGUAGE sql STABLE
	AS $$ SELECT pg_catalog.current_setting('sim.now')::pg_catalog.timestamptz $$;
DO $$
DECLARE
	v record;
	f regprocedure;
BEGIN
	FOR f IN SELECT oid FROM pg_proc WHERE pronamespace = 'sluice'::regnamespace LOOP
		EXECUTE format('ALTER FUNCTION %s SET search_path = sim, pg_catalog, pg_temp', f);
	END LOOP;
	FOR v IN SELECT table_name, column_name FROM information_schema.columns
		WHERE table_schema = 'sluice' AND column_default LIKE '%clock_timestamp()%'
	LOOP
		EXECUTE format('ALTER TABLE sluice.%I ALTER COLUMN %I SET DEFAULT sim.clock_timestamp()', v.table_name, v.column_name);
	END LOOP;
END
$$;`

	sqlSet = `SELECT pg_catalog.set_config('sim.now', $1, false)`

	// Streams due at the same instant are taken in one order, independent of the order of the rows
	// on disk.
	sqlSpread = `
UPDATE sluice.streams s SET next_due_at = clock_timestamp() + n * interval '1 microsecond'
FROM (SELECT organization_id, service, resource, row_number() OVER (ORDER BY resource, organization_id) AS n
	FROM sluice.streams) AS o
WHERE (s.organization_id, s.service, s.resource) = (o.organization_id, o.service, o.resource)`

	// The end of a run in the schedule (package warehouse writes it with the run's last rows): the
	// interval begins again. A finished stream has no further run.
	sqlEnded = `
UPDATE sluice.streams SET
	next_due_at = greatest(next_due_at, clock_timestamp() + every), state = 'idle', enabled = enabled AND NOT $5,
	last_done_at = CASE WHEN $4 THEN last_done_at ELSE clock_timestamp() END, failures = CASE WHEN $4 THEN failures + 1 ELSE 0 END
WHERE (organization_id, service, resource) = ($1, $2, $3)`
)

// Ledger is the part of the call log that the simulation uses.
type ledger interface {
	Reserve(ctx context.Context, call pipeline.Call, limits pipeline.Limits) (pipeline.Decision, error)
	Finish(ctx context.Context, call int64, result pipeline.CallResult) error
	Penalize(ctx context.Context, organization, service, shared string, kind pipeline.Kind, d time.Duration) error
	PruneCalls(ctx context.Context, days int) (int, error)
}

// Database is a Postgres in virtual time.
type database struct {
	Pool   *pgxpool.Pool
	ledger ledger
	// now is the virtual time, shown the time that the connection's clock shows.
	now, shown instant

	schedule *streams.Schedule
}

// Open prepares an empty database at url: sluice's tables, and a stopped clock, which every use of
// the connection sets first.
func openDatabase(ctx context.Context, url string, rules calls.Rules) (*database, error) {
	if err := migrations.Migrate(ctx, url, migrations.Options{}); err != nil {
		return nil, fmt.Errorf("prepare the database: %w", err)
	}
	config, err := pgxpool.ParseConfig(url)
	if err != nil {
		return nil, fmt.Errorf("read the address of the database: %w", err)
	}
	d := &database{shown: -1}
	config.MaxConns = 1
	config.ConnConfig.RuntimeParams["search_path"] = "sim, pg_catalog, public"
	config.ConnConfig.RuntimeParams["timezone"] = "UTC"
	config.ConnConfig.RuntimeParams["jit"] = "off"
	config.PrepareConn = func(ctx context.Context, conn *pgx.Conn) (bool, error) {
		if d.shown == d.now {
			return true, nil
		}
		d.shown = d.now
		_, err := conn.Exec(ctx, sqlSet, epoch().Add(d.now).Format("2006-01-02 15:04:05.000000Z07:00"))
		return true, err
	}
	if d.Pool, err = pgxpool.NewWithConfig(ctx, config); err != nil {
		return nil, fmt.Errorf("connect to the database: %w", err)
	}
	d.ledger, d.schedule = calls.New(d.Pool, d.Pool, rules), streams.New(d.Pool, planning.Due)
	if _, err := d.Pool.Exec(ctx, sqlClock); err != nil {
		d.Pool.Close()
		return nil, fmt.Errorf("set up the virtual clock: %w", err)
	}
	return d, nil
}

// Register makes streams known, all of them due at once.
func (d *database) Register(ctx context.Context, settings []streams.Setting) error {
	if err := d.schedule.RegisterStreams(ctx, settings); err != nil {
		return fmt.Errorf("register the streams: %w", err)
	}
	if _, err := d.Pool.Exec(ctx, sqlSpread); err != nil {
		return fmt.Errorf("spread the streams: %w", err)
	}
	_, err := d.Pool.Exec(ctx, `ANALYZE sluice.streams`)
	return err
}

// TakeDue takes the streams that are due, as a tick does.
func (d *database) TakeDue(ctx context.Context) ([]pipeline.Key, error) {
	var keys []pipeline.Key
	err := pgx.BeginFunc(ctx, d.Pool, func(tx pgx.Tx) error {
		var err error
		keys, err = d.schedule.TakeDue(ctx, tx, tickLimit)
		return err
	})
	return keys, err
}
