// Package warehouse is the only door out: rows, positions, quarantine, runs, the call log and the
// tokens go to Postgres through it.
//
// It never talks to upstream, never decides what to copy, and knows no resource by name. Whatever
// belongs together is one transaction: a batch of records, the position behind it and the job that
// brought it (invariant 2). Decisions about budgets are made by the database, by its clock.
//
// Start reading at DB.Load; claim.go gives and takes back the right to write. Below, each package
// writes its own tables and reads them for people and commands: rows the rows, calls the call log,
// streams the schedule, positions and runs, streams/backfills what was asked for besides,
// streams/details what is left to be read, quarantine what did not fit, tombstones what is gone,
// capabilities what lists can do.
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
	// ErrUnreachable says that the database is out of reach or refuses connections: a matter of the
	// environment.
	ErrUnreachable = postgres.ErrUnreachable
	// ErrNoStream says that no such stream is registered, or that the configuration has it
	// disabled.
	ErrNoStream = streams.ErrNoStream
	// ErrNotFound says that there is no row of that number.
	ErrNotFound = postgres.ErrNotFound
)

const (
	defaultMaxConns = 16
	// tokenConns are the connections on which processes wait for each other's token refresh.
	tokenConns = 2
	// tokenWait outlasts a refresh by another process: its wait at the gate, the deadline of the
	// token call, and some.
	tokenWait = 115 * time.Second
)

// Options of Open. The zero value is fine.
type Options struct {
	// MaxConns bounds the connections of this process; zero means 16. Two more are opened when
	// tokens are refreshed.
	MaxConns int32
	// Ledger says how calls are counted; the zero value means calls.DefaultRules. All processes on
	// a database have the same.
	Ledger calls.Rules
	// Absence are the rules of tombstones; nil means pipeline.DefaultTombstoneRules.
	Absence *pipeline.TombstoneRules
	// Scrub takes secrets out of what is kept of errors; nil knows none.
	Scrub *outside.Scrubber
	// Due is the rule of when a stream is due: planning.Due. Without one, which is for programs
	// that only read, no stream's turn moves.
	Due pipeline.DueRule
	// Rules say which share of a run's records may be refused; nil means pipeline.DefaultRules.
	Rules *pipeline.Rules
}

// DB is the warehouse; it is safe for concurrent use.
type DB struct {
	*calls.Ledger
	*streams.Schedule
	*backfills.Backfills
	*capabilities.Store
	*quarantine.Entries
	*tombstones.Table

	// tokens is apart from pool: those who wait for a token must not use up the connections that
	// its refresher needs.
	pool, tokens *pgxpool.Pool

	absence pipeline.TombstoneRules
	rules   pipeline.Rules
	scrub   *outside.Scrubber

	mu      sync.Mutex
	loaders map[string]unchangedFinder
}

// StreamSetting is what the configuration says about a stream.
type StreamSetting = streams.Setting

type unchangedFinder struct {
	resource *schema.Resource
	loader   *rows.Loader
}

// Open connects to the database at url (postgres://user@host/database). Its error is ErrUnreachable
// if that fails; it names host and database, never the password.
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
		// A killed process's session that waits for another session's lock gives back its own: the
		// server checks that its client is still there. Servers on Windows cannot; there the
		// address needs client_connection_check_interval=0.
		"client_connection_check_interval": "1s",
	}
	tokens := config.Copy()
	tokens.MaxConns = tokenConns
	tokens.ConnConfig.RuntimeParams["lock_timeout"] = strconv.FormatInt(tokenWait.Milliseconds(), 10)
	postgres.SetUp(config.ConnConfig, settings)
	postgres.SetUp(tokens.ConnConfig, settings)
	db := &DB{loaders: map[string]unchangedFinder{}, absence: pipeline.DefaultTombstoneRules(), rules: pipeline.DefaultRules(), scrub: options.Scrub}
	if options.Absence != nil {
		db.absence = *options.Absence
	}
	if options.Rules != nil {
		db.rules = *options.Rules
	}
	if db.pool, err = pgxpool.NewWithConfig(ctx, config); err != nil {
		return nil, fmt.Errorf("preparing connections to %s: %w", place(config), err)
	}
	if db.tokens, err = pgxpool.NewWithConfig(ctx, tokens); err != nil {
		db.pool.Close()
		return nil, fmt.Errorf("preparing connections to %s: %w", place(config), err)
	}
	db.Ledger, db.Schedule = calls.New(db.pool, db.tokens, cmp.Or(options.Ledger, calls.DefaultRules())), streams.New(db.pool, options.Due)
	db.Backfills, db.Store = backfills.New(db.pool, db.Schedule), capabilities.New(db.pool)
	db.Entries, db.Table = quarantine.New(db.pool), tombstones.New(db.pool)
	if err := db.pool.Ping(ctx); err != nil {
		db.Close()
		return nil, fmt.Errorf("%w: %s: %w", ErrUnreachable, place(config), err)
	}
	return db, nil
}

func place(config *pgxpool.Config) string {
	return fmt.Sprintf("database %s at %s", config.ConnConfig.Database, config.ConnConfig.Host)
}

// Close closes all connections. It waits for those in use.
func (db *DB) Close() {
	db.tokens.Close()
	db.pool.Close()
}

// Pool gives the connections, for the queue and for packages that read tables of their own.
func (db *DB) Pool() *pgxpool.Pool { return db.pool }

// loader gives the statements of a resource, built once.
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

// inTx runs fn in a transaction.
func (db *DB) inTx(ctx context.Context, op string, fn func(tx pgx.Tx) error) error {
	return postgres.InTx(ctx, db.pool, op, fn)
}
