package migrations

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"strconv"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/jackc/pgx/v5/stdlib"
	"github.com/pressly/goose/v3"
	"github.com/riverqueue/river/riverdriver/riverpgxv5"
	"github.com/riverqueue/river/rivermigrate"

	"sluice/pipeline/warehouse/postgres"
)

const (
	// versionTable is the table in which goose records the applied files.
	versionTable = "sluice.schema_version"
	// queueSchema is the schema of the queue's tables.
	queueSchema = "river"
	// closeLimit bounds the time that closing a connection takes.
	closeLimit = 5 * time.Second
)

const (
	sqlSchemas = `CREATE SCHEMA IF NOT EXISTS sluice; CREATE SCHEMA IF NOT EXISTS river`
	// sqlOthers gives the owner of our tables, if that is another role than this session's, and the
	// schemas under our names that belong to other roles. Such a role could have its own objects
	// executed with our rights, and could drop ours.
	sqlOthers = `
WITH ours AS (
	SELECT r.oid, r.rolname FROM pg_catalog.pg_roles r WHERE r.oid = coalesce(
		(SELECT o.relowner FROM pg_catalog.pg_class o WHERE o.oid = pg_catalog.to_regclass('sluice.schema_version')),
		(SELECT u.oid FROM pg_catalog.pg_roles u WHERE u.rolname = current_user))
)
SELECT CASE WHEN o.rolname <> current_user THEN o.rolname::text ELSE '' END, coalesce((
	SELECT pg_catalog.string_agg(pg_catalog.format('%I of role %I', n.nspname, r.rolname), ', ' ORDER BY n.nspname)
	FROM pg_catalog.pg_namespace n JOIN pg_catalog.pg_roles r ON r.oid = n.nspowner
	WHERE n.nspname = ANY (ARRAY['sluice', 'river', 'history', 'as_of', 'analytics', 'notifications', 'lake',
			'accounting', 'billing', 'chat', 'custom', 'inventory', 'invoicing'])
		AND NOT r.rolsuper AND r.oid <> o.oid), '')
FROM ours o`
)

// ErrOthers says that schemas under the program's names belong to another role.
var ErrOthers = errors.New("schemas under the program's names belong to other roles: drop or rename them, or ALTER SCHEMA … OWNER TO")

// ErrNotOwner says that the tables belong to another role than that of the session: their owner
// could not use what this session would create.
var ErrNotOwner = errors.New("the tables belong to another role: migrate as that one, or with ?role=… in the address of the database")

// makeSchemas creates the schemas that migrations need first, and refuses schemas of other roles.
func makeSchemas(ctx context.Context, conn *pgx.Conn) error {
	return pgx.BeginFunc(ctx, conn, func(tx pgx.Tx) error {
		if _, err := tx.Exec(ctx, sqlSchemas); err != nil {
			return fmt.Errorf("making the schemas sluice and river: %w", err)
		}
		return refuseOthers(ctx, tx)
	})
}

// refuseOthers returns ErrOthers or ErrNotOwner unless all our schemas and tables belong to the
// role of this session.
func refuseOthers(ctx context.Context, session postgres.Asker) error {
	var owner, schemas string
	if err := session.QueryRow(ctx, sqlOthers).Scan(&owner, &schemas); err != nil {
		return fmt.Errorf("looking which role owns the schemas: %w", err)
	}
	if schemas != "" {
		return fmt.Errorf("%w: %s", ErrOthers, schemas)
	}
	if owner != "" {
		return fmt.Errorf("%w: %s", ErrNotOwner, owner)
	}
	return nil
}

// Options say how migrations are applied. The zero value means the defaults.
type Options struct {
	// Log gets a line for each migration, and a warning when other sessions are in the way; nil
	// means no log.
	Log *slog.Logger
	// Patience is the time that Migrate waits in all for sessions that hold tables; zero means
	// DefaultPatience.
	Patience time.Duration

	// History says of which tables the past can be read.
	History History

	// files replaces the embedded files, views those of the views: tests have later ones.
	files, views fs.FS
}

func (o Options) beside(conn *pgx.Conn) *beside {
	return &beside{conn: conn, log: cmp.Or(o.Log, slog.New(slog.DiscardHandler)), patience: cmp.Or(o.Patience, DefaultPatience)}
}

// Migrate brings the database to the state that the embedded files and the queue's own migrations
// describe. Any number of processes may call it at once: one works, the others wait. A database
// without pending migrations is not changed, nor is one that a newer program migrated. After a kill
// at any instant the next call continues where the killed one stopped. It returns ErrNewer or
// ErrDevelopment, and changes nothing, if this program may not work on the database. It returns ErrBlocked if other
// sessions hold a table for longer than the options say, and ErrDependents if others built on what
// was made for a history that is over.
func Migrate(ctx context.Context, url string, opts Options) error {
	// A connection outside of the pool holds the lock, so that waiting statements cannot use up the
	// connections that the holder needs.
	conn, err := locked(ctx, url)
	if err != nil {
		return err
	}
	defer hangUp(ctx, conn)
	if err := makeSchemas(ctx, conn); err != nil {
		return err
	}
	pool, err := connect(ctx, url)
	if err != nil {
		return err
	}
	defer pool.Close()
	others := opts.beside(conn)
	from := cmp.Or[fs.FS](opts.files, FS)
	s, mine, err := both(ctx, conn, from)
	if err != nil {
		return err
	}
	if ahead, err := s.ahead(mine.applied); err != nil || ahead {
		if err == nil {
			others.log.InfoContext(ctx, "nothing to migrate: a newer version did it, and this one may work on the database",
				"migrated", s.applied.Program, "program", mine.applied.Program, "floor", s.floor.Program)
		}
		return err
	}
	if s.lacks(mine) {
		if err := migrateOurs(ctx, pool, from, others); err != nil {
			return err
		}
		if err := migrateQueue(ctx, pool, others); err != nil {
			return err
		}
	}
	// They are last: what others built on views can stop this step, and nothing but analysts needs it.
	return migrateViews(ctx, pool, cmp.Or[fs.FS](opts.views, viewFiles), opts.History, others)
}

func migrateOurs(ctx context.Context, pool *pgxpool.Pool, from fs.FS, others *beside) (failure error) {
	db := stdlib.OpenDBFromPool(pool)
	defer func() { failure = errors.Join(failure, db.Close()) }()
	provider, err := newProvider(db, from)
	if err != nil {
		return err
	}
	if err := files(ctx, pool, provider, from, others); err != nil {
		return fmt.Errorf("migrating the warehouse: %w", err)
	}
	return nil
}

func migrateQueue(ctx context.Context, pool *pgxpool.Pool, others *beside) error {
	queue, err := newQueue(pool)
	if err != nil {
		return err
	}
	// The queue's migrator uses a transaction for each version: an enum value that one version adds
	// cannot be used in the same transaction.
	var result *rivermigrate.MigrateResult
	err = others.try(ctx, "the queue's", func(ctx context.Context) error {
		var err error
		result, err = queue.Migrate(ctx, rivermigrate.DirectionUp, nil)
		return err
	})
	if err != nil {
		return fmt.Errorf("migrating the queue: %w", err)
	}
	for _, version := range result.Versions {
		others.log.InfoContext(ctx, "queue migration applied", "migration", version.Name, "seconds", version.Duration.Seconds())
	}
	return nil
}

func newProvider(db *sql.DB, from fs.FS) (*goose.Provider, error) {
	provider, err := goose.NewProvider(goose.DialectPostgres, db, from,
		goose.WithTableName(versionTable), goose.WithDisableGlobalRegistry(true))
	if err != nil {
		return nil, fmt.Errorf("reading the embedded migrations: %w", err)
	}
	return provider, nil
}

func newQueue(pool *pgxpool.Pool) (*rivermigrate.Migrator[pgx.Tx], error) {
	queue, err := rivermigrate.New(riverpgxv5.New(pool), &rivermigrate.Config{
		Schema: queueSchema,
		Logger: slog.New(slog.DiscardHandler), // the result says the same, and is logged in our words
	})
	if err != nil {
		return nil, fmt.Errorf("preparing the queue's migrations: %w", err)
	}
	return queue, nil
}

func hangUp(ctx context.Context, conn *pgx.Conn) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), closeLimit)
	defer cancel()
	_ = conn.Close(ctx) // the server drops session and lock in any case
}

// parse reads the address. Its error does not quote the address, which may hold a password.
func parse(url string) (*pgxpool.Config, error) {
	config, err := pgxpool.ParseConfig(url)
	if err != nil {
		return nil, errors.New("the database's address does not parse: write it as postgres://user@host:5432/database")
	}
	config.ConnConfig.RuntimeParams["application_name"] = application
	config.ConnConfig.RuntimeParams["lock_timeout"] = strconv.FormatInt(lockWait.Milliseconds(), 10)
	config.ConnConfig.RuntimeParams["statement_timeout"] = "0" // a migration takes as long as its tables need, whatever limit the role has
	postgres.SetUp(config.ConnConfig, nil)
	return config, nil
}
