package migrations

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/jackc/pgx/v5/stdlib"
	"github.com/pressly/goose/v3"
	"github.com/riverqueue/river/riverdriver/riverpgxv5"
	"github.com/riverqueue/river/rivermigrate"
)

const (
	// versionTable is where goose keeps what was applied.
	versionTable = "sluice.schema_version"
	// queueSchema holds the tables of the queue.
	queueSchema = "river"
	// lockKey names the advisory lock of migrations: "sluice" in ASCII.
	lockKey = 0x736c75696365
	// lockPoll is how often a waiting process asks for the lock.
	lockPoll = 100 * time.Millisecond
	// closeLimit bounds saying goodbye to the server.
	closeLimit = 5 * time.Second
)

// The lock is asked for again and again, and not waited for inside the server: a waiting statement holds a snapshot, and
// CREATE INDEX CONCURRENTLY of the process that has the lock would wait for that snapshot for ever.
const (
	sqlTryLock = `SELECT pg_try_advisory_lock($1)`
	sqlSchemas = `CREATE SCHEMA IF NOT EXISTS sluice; CREATE SCHEMA IF NOT EXISTS river`
	sqlHasOurs = `SELECT to_regclass('sluice.schema_version') IS NOT NULL`
	sqlVersion = `SELECT coalesce(max(version_id), 0) FROM sluice.schema_version WHERE is_applied`
	sqlReaders = `SELECT history.make_readers()`
	sqlHasHers = `SELECT to_regclass('river.river_migration') IS NOT NULL`
)

// ErrNewer says that the database was migrated by a newer version of the program: this one must not write to it.
var ErrNewer = errors.New("the database was migrated by a newer version of the program")

// Options say how migrations are applied. The zero value is fine.
type Options struct {
	// Log gets a line for each migration; nil means silence.
	Log *slog.Logger
}

// Migrate brings the database to the state that the embedded files and the queue's own migrations describe. It may be called
// by any number of processes at once: one works, the others wait. A database where nothing is pending is not changed. After a
// kill at any instant the next call goes on where it stopped. It returns ErrNewer, and changes nothing, if the database is
// ahead of this program.
func Migrate(ctx context.Context, url string, opts Options) error {
	config, err := parse(url)
	if err != nil {
		return err
	}
	if opts.Log == nil {
		opts.Log = slog.New(slog.DiscardHandler)
	}
	// The lock is held on a connection outside of the pool, so that those who wait can never use up what the holder needs.
	conn, err := pgx.ConnectConfig(ctx, config.ConnConfig.Copy())
	if err != nil {
		return fmt.Errorf("connecting to migrate: %w", err)
	}
	defer hangUp(ctx, conn)
	if err := lock(ctx, conn); err != nil {
		return err
	}
	if _, err := conn.Exec(ctx, sqlSchemas); err != nil {
		return fmt.Errorf("making the schemas sluice and river: %w", err)
	}
	pool, err := pgxpool.NewWithConfig(ctx, config)
	if err != nil {
		return fmt.Errorf("connecting to migrate: %w", err)
	}
	defer pool.Close()
	if err := migrateOurs(ctx, pool, opts.Log); err != nil {
		return err
	}
	return migrateQueue(ctx, pool, opts.Log)
}

// Pending says whether Migrate would change the database. It changes nothing itself. It returns ErrNewer if the database is
// ahead of this program.
func Pending(ctx context.Context, url string) (bool, error) {
	config, err := parse(url)
	if err != nil {
		return false, err
	}
	pool, err := pgxpool.NewWithConfig(ctx, config)
	if err != nil {
		return false, fmt.Errorf("connecting to look for pending migrations: %w", err)
	}
	defer pool.Close()
	var ours, hers bool
	if err := pool.QueryRow(ctx, sqlHasOurs).Scan(&ours); err != nil {
		return false, fmt.Errorf("looking for applied migrations: %w", err)
	}
	if err := pool.QueryRow(ctx, sqlHasHers).Scan(&hers); err != nil {
		return false, fmt.Errorf("looking for the queue's applied migrations: %w", err)
	}
	if !ours || !hers {
		return true, nil
	}
	return pending(ctx, pool)
}

func pending(ctx context.Context, pool *pgxpool.Pool) (_ bool, failure error) {
	db := stdlib.OpenDBFromPool(pool)
	defer func() { failure = errors.Join(failure, db.Close()) }()
	provider, err := newProvider(db)
	if err != nil {
		return false, err
	}
	if err := refuseNewer(ctx, pool, provider); err != nil {
		return false, err
	}
	more, err := provider.HasPending(ctx)
	if err != nil {
		return false, fmt.Errorf("looking for pending migrations: %w", err)
	}
	queue, err := newQueue(pool)
	if err != nil {
		return false, err
	}
	valid, err := queue.Validate(ctx, nil)
	if err != nil {
		return false, fmt.Errorf("looking for pending migrations of the queue: %w", err)
	}
	return more || !valid.OK, nil
}

func migrateOurs(ctx context.Context, pool *pgxpool.Pool, log *slog.Logger) (failure error) {
	db := stdlib.OpenDBFromPool(pool)
	defer func() { failure = errors.Join(failure, db.Close()) }()
	provider, err := newProvider(db)
	if err != nil {
		return err
	}
	var exists bool
	if err := pool.QueryRow(ctx, sqlHasOurs).Scan(&exists); err != nil {
		return fmt.Errorf("looking for applied migrations: %w", err)
	}
	if exists {
		if err := refuseNewer(ctx, pool, provider); err != nil {
			return err
		}
	}
	results, err := provider.Up(ctx)
	if err != nil {
		return fmt.Errorf("migrating the warehouse: %w", err)
	}
	// Each table has its function history.<service>_<table>_as_of.
	if _, err := pool.Exec(ctx, sqlReaders); err != nil {
		return fmt.Errorf("making the functions of history: %w", err)
	}
	for _, result := range results {
		log.InfoContext(ctx, "migration applied", "file", result.Source.Path, "took", result.Duration)
	}
	return nil
}

func migrateQueue(ctx context.Context, pool *pgxpool.Pool, log *slog.Logger) error {
	queue, err := newQueue(pool)
	if err != nil {
		return err
	}
	// A transaction for each version, as an enum value that one adds cannot be used in the same transaction.
	result, err := queue.Migrate(ctx, rivermigrate.DirectionUp, nil)
	if err != nil {
		return fmt.Errorf("migrating the queue: %w", err)
	}
	for _, version := range result.Versions {
		log.InfoContext(ctx, "queue migration applied", "name", version.Name, "took", version.Duration)
	}
	return nil
}

func newProvider(db *sql.DB) (*goose.Provider, error) {
	provider, err := goose.NewProvider(goose.DialectPostgres, db, FS,
		goose.WithTableName(versionTable), goose.WithDisableGlobalRegistry(true))
	if err != nil {
		return nil, fmt.Errorf("reading the embedded migrations: %w", err)
	}
	return provider, nil
}

func newQueue(pool *pgxpool.Pool) (*rivermigrate.Migrator[pgx.Tx], error) {
	queue, err := rivermigrate.New(riverpgxv5.New(pool), &rivermigrate.Config{
		Schema: queueSchema,
		Logger: slog.New(slog.DiscardHandler), // what it says is in its result, and we say it in our words
	})
	if err != nil {
		return nil, fmt.Errorf("preparing the queue's migrations: %w", err)
	}
	return queue, nil
}

func refuseNewer(ctx context.Context, pool *pgxpool.Pool, provider *goose.Provider) error {
	var applied, known int64
	if err := pool.QueryRow(ctx, sqlVersion).Scan(&applied); err != nil {
		return fmt.Errorf("reading the version of the database: %w", err)
	}
	for _, source := range provider.ListSources() {
		known = max(known, source.Version)
	}
	if applied > known {
		return fmt.Errorf("%w: it is at version %d, this one knows %d: install the newer program", ErrNewer, applied, known)
	}
	return nil
}

// lock waits for the advisory lock. The server lets go of it when the connection ends, however it ends.
func lock(ctx context.Context, conn *pgx.Conn) error {
	ticker := time.NewTicker(lockPoll)
	defer ticker.Stop()
	for {
		var held bool
		if err := conn.QueryRow(ctx, sqlTryLock, int64(lockKey)).Scan(&held); err != nil {
			return fmt.Errorf("asking for the migration lock: %w", err)
		}
		if held {
			return nil
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("waiting for another process to migrate: %w", ctx.Err())
		case <-ticker.C:
		}
	}
}

func hangUp(ctx context.Context, conn *pgx.Conn) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), closeLimit)
	defer cancel()
	_ = conn.Close(ctx) // the server drops session and lock in any case
}

// parse reads the address. Its error says nothing of the address: that may hold a password.
func parse(url string) (*pgxpool.Config, error) {
	config, err := pgxpool.ParseConfig(url)
	if err != nil {
		return nil, errors.New("the database's address does not parse: write it as postgres://user@host:5432/database")
	}
	config.ConnConfig.RuntimeParams["application_name"] = "sluice migrate"
	return config, nil
}
