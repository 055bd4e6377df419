// Package warehouse writes to Postgres for the whole program: rows, positions, quarantine, runs,
// the call log and the tokens.
//
// It never talks to upstream, never decides what to copy, and knows no resource by name. One
// transaction holds what belongs together: a batch of records, the position behind it and the job
// that carries it (invariant 2). The database decides about budgets, by its own clock.
//
// Start reading at DB.Load; claim.go gives and takes back the right to write. Each package below
// writes its own tables and reads them for commands: rows the rows, calls the call log, streams the
// schedule, positions and runs. Package streams/backfills has the backfills, streams/details what
// is left to be read, quarantine what did not fit, tombstones the deleted records, capabilities the
// capabilities of lists.
package warehouse

import (
	"cmp"
	"context"
	"fmt"
	"strconv"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"sluice/pipeline"
	"sluice/pipeline/outside"
	"sluice/pipeline/warehouse/calls"
	"sluice/pipeline/warehouse/capabilities"
	"sluice/pipeline/warehouse/postgres"
	"sluice/pipeline/warehouse/quarantine"
	"sluice/pipeline/warehouse/rows"
	"sluice/pipeline/warehouse/streams"
	"sluice/pipeline/warehouse/streams/backfills"
	"sluice/pipeline/warehouse/tombstones"
	"sluice/schema"
)

// The errors that callers tell apart, next to pipeline.ErrLostClaim.
var (
	// ErrUnreachable says that the database is out of reach or refuses connections. The cause lies
	// in the environment.
	ErrUnreachable = postgres.ErrUnreachable
	// ErrNoStream says that no such stream is registered, or that the configuration has it
	// disabled.
	ErrNoStream = streams.ErrNoStream
	// ErrNotFound says that there is no row of that number.
	ErrNotFound = postgres.ErrNotFound
)

const (
	defaultMaxConns = 16
	// sessionConns are the connections beside those through a pooler in transaction mode: the queue
	// listens on one and works through others, and a rebuild keeps one.
	sessionConns = 8
	// tokenConns are the connections on which processes wait for each other's token refresh.
	tokenConns = 2
	// tokenWait is longer than another process needs for a refresh: its wait at the gate, the
	// deadline of the token call, and a margin.
	tokenWait = 115 * time.Second
)

// Options of Open. The zero value means the defaults.
type Options struct {
	// MaxConns bounds the connections of this process; zero means 16. Refreshing tokens takes up to
	// two more.
	MaxConns int32
	// Pooled is the address of the same database through a pooler in transaction mode, for what
	// needs no session; "" means the address of Open for all.
	Pooled string
	// Ledger says how calls are counted; the zero value means calls.DefaultRules. All processes on
	// a database must have the same rules.
	Ledger calls.Rules
	// Absence are the rules of tombstones; nil means pipeline.DefaultTombstoneRules.
	Absence *pipeline.TombstoneRules
	// Scrub removes secrets from the errors that are stored; nil removes nothing.
	Scrub *outside.Scrubber
	// Due is the rule that says when a stream is due: planning.Due. It may be nil in programs that
	// only read: then no stream's due time changes.
	Due pipeline.DueRule
	// Rules say which share of a run's records may be refused; nil means pipeline.DefaultRules.
	Rules *pipeline.Rules
	// Observer is told what became of change notifications; nil observes nothing.
	Observer Observer
	// Password is read again by each new connection; nil leaves that of the address.
	Password postgres.Password
}

// DB is the warehouse; it is safe for concurrent use.
type DB struct {
	*calls.Ledger
	*streams.Schedule
	*backfills.Backfills
	*capabilities.Store
	*quarantine.Entries
	*tombstones.Table

	// tokens is a pool of its own: processes that wait for a token must not use up the connections
	// that the refresh needs.
	pool, tokens *pgxpool.Pool
	// sessions is pool, unless that leads through a pooler in transaction mode.
	sessions *pgxpool.Pool

	absence pipeline.TombstoneRules
	rules   pipeline.Rules
	scrub   *outside.Scrubber
	// observer is nil if there is none.
	observer Observer

	mu      sync.Mutex
	loaders map[string]unchangedFinder
}

// StreamSetting is what the configuration says about a stream.
type StreamSetting = streams.Setting

type unchangedFinder struct {
	resource *schema.Resource
	loader   *rows.Loader
}

// Open connects to the database at url (postgres://user@host/database). It returns ErrUnreachable
// if that fails. The error names host and database, never the password.
func Open(ctx context.Context, url string, options Options) (*DB, error) {
	config, err := pgxpool.ParseConfig(url)
	if err != nil {
		return nil, postgres.CheckAddress(url)
	}
	config.MaxConns = cmp.Or(options.MaxConns, defaultMaxConns)
	settings := map[string]string{
		"application_name":  "sluice",
		"statement_timeout": "5min", // longer than any batch takes; a stuck statement must not hold a stream for ever
		"lock_timeout":      "20s",  // longer than a batch holds its stream
		// A worker that hangs between two statements loses its transaction, not the stream.
		"idle_in_transaction_session_timeout": "2min",
		// The server checks that the client of a waiting session still exists. So the session of a
		// killed process that waits for a lock releases its own locks. Servers on Windows cannot
		// check this; there the address needs client_connection_check_interval=0.
		"client_connection_check_interval": "1s",
	}
	postgres.ReadAnew(config, options.Password)
	tokens := config.Copy()
	tokens.MaxConns = tokenConns
	tokens.ConnConfig.RuntimeParams["lock_timeout"] = strconv.FormatInt(tokenWait.Milliseconds(), 10)
	postgres.SetUp(tokens.ConnConfig, settings)
	db := &DB{
		loaders: map[string]unchangedFinder{}, absence: pipeline.DefaultTombstoneRules(), rules: pipeline.DefaultRules(), scrub: options.Scrub,
		observer: options.Observer,
	}
	if options.Absence != nil {
		db.absence = *options.Absence
	}
	if options.Rules != nil {
		db.rules = *options.Rules
	}
	if err := db.open(ctx, config, settings, options); err != nil {
		return nil, err
	}
	if db.tokens, err = pgxpool.NewWithConfig(ctx, tokens); err != nil {
		db.closePools()
		return nil, fmt.Errorf("preparing connections to %s: %w", place(config), err)
	}
	db.Ledger, db.Schedule = calls.New(db.pool, db.tokens, cmp.Or(options.Ledger, calls.DefaultRules())), streams.New(db.pool, options.Due)
	db.Backfills, db.Store = backfills.New(db.pool, db.Schedule), capabilities.New(db.pool)
	db.Entries, db.Table = quarantine.New(db.pool), tombstones.New(db.pool)
	if err := db.pool.Ping(ctx); err != nil {
		db.Close()
		return nil, fmt.Errorf("%w: %s: %w", ErrUnreachable, place(db.pool.Config()), err)
	}
	if err := db.oneDatabase(ctx); err != nil {
		db.Close()
		return nil, err
	}
	return db, nil
}

// open prepares the connections that give sessions, and those through a pooler if there is one.
func (db *DB) open(ctx context.Context, config *pgxpool.Config, settings map[string]string, options Options) error {
	pooled := config
	if options.Pooled != "" {
		var err error
		if pooled, err = pgxpool.ParseConfig(options.Pooled); err != nil {
			return postgres.CheckAddress(options.Pooled)
		}
		pooled.MaxConns, config.MaxConns = config.MaxConns, sessionConns
		postgres.ReadAnew(pooled, options.Password)
		postgres.Pooled(pooled.ConnConfig, settings)
	}
	postgres.SetUp(config.ConnConfig, settings)
	var err error
	if db.sessions, err = pgxpool.NewWithConfig(ctx, config); err != nil {
		return fmt.Errorf("preparing connections to %s: %w", place(config), err)
	}
	if db.pool = db.sessions; pooled == config {
		return nil
	}
	if db.pool, err = pgxpool.NewWithConfig(ctx, pooled); err != nil {
		db.sessions.Close()
		return fmt.Errorf("preparing connections to %s: %w", place(pooled), err)
	}
	return nil
}

// sqlWhich names a database, whichever way leads to it.
const sqlWhich = `SELECT concat(s.system_identifier, '/', d.oid) FROM pg_control_system() s, pg_database d WHERE d.datname = current_database()`

// oneDatabase checks that both addresses lead to one database: the lock of a process in another one
// would show nothing.
func (db *DB) oneDatabase(ctx context.Context) error {
	if db.pool == db.sessions {
		return nil
	}
	var found [2]string
	for i, pool := range []*pgxpool.Pool{db.pool, db.sessions} {
		if err := pool.QueryRow(ctx, sqlWhich).Scan(&found[i]); err != nil {
			return postgres.Fail("comparing the databases of database.url and database.session_url", err)
		}
	}
	if found[0] != found[1] {
		return fmt.Errorf("%w: %s and %s are two databases: database.url and database.session_url have to lead to one",
			ErrUnreachable, place(db.pool.Config()), place(db.sessions.Config()))
	}
	return nil
}

func (db *DB) closePools() {
	db.pool.Close()
	if db.sessions != db.pool {
		db.sessions.Close()
	}
}

func place(config *pgxpool.Config) string {
	return fmt.Sprintf("database %s at %s", config.ConnConfig.Database, config.ConnConfig.Host)
}

// Close closes all connections. It waits for those in use.
func (db *DB) Close() {
	db.tokens.Close()
	db.closePools()
}

// Sessions returns connections that each keep their session, for the queue.
func (db *DB) Sessions() *pgxpool.Pool { return db.sessions }

// Pool returns the connections, for packages that read tables of their own. A pooler may share
// their sessions.
func (db *DB) Pool() *pgxpool.Pool { return db.pool }

// loader returns the loader of a resource; it is built once.
func (db *DB) loader(stream pipeline.Stream) *rows.Loader {
	name := stream.Service.Name + "." + stream.Resource.Name
	db.mu.Lock()
	defer db.mu.Unlock()
	known := db.loaders[name]
	if known.resource != stream.Resource {
		known = unchangedFinder{resource: stream.Resource, loader: rows.New(stream.Service, stream.Resource)}
		db.loaders[name] = known
	}
	return known.loader
}

func (db *DB) inTx(ctx context.Context, op string, fn func(tx pgx.Tx) error) error {
	return postgres.InTx(ctx, db.pool, op, fn)
}
