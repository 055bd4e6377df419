// Package warehouse is the only door out: rows, positions, quarantine, runs, the call log and the tokens go to Postgres
// through it.
//
// It never talks to upstream, never decides what to copy, and knows no resource by name. Whatever belongs together is one
// transaction: a unit of records, the position behind it and the job that brought it (promise 2). Decisions about budgets are
// made by the database, by its clock.
//
// Start reading at DB.Load; ledger.go counts calls, claim.go gives and takes back the right to write, streams.go says what is
// due. Package loader below writes the rows, package report reads for people.
package warehouse

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"strconv"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"

	"sluice/pipeline"
	"sluice/pipeline/warehouse/loader"
	"sluice/schema"
)

// The errors that callers tell apart, next to pipeline.ErrLostClaim.
var (
	// ErrUnreachable says that the database is out of reach or refuses connections: a matter of the environment.
	ErrUnreachable = errors.New("the database is out of reach")
	// ErrNoStream says that no such stream is registered, or that the configuration has it disabled.
	ErrNoStream = errors.New("no such stream")
	// ErrNotFound says that there is no row of that number.
	ErrNotFound = errors.New("not found")
)

const (
	defaultMaxConns = 16
	// tokenConns are the connections on which processes wait for each other's token refresh.
	tokenConns = 2
	// tokenWait outlasts a refresh by another process: its wait at the gate, the
	// deadline of the token call, and some.
	tokenWait = 115 * time.Second
	// settleLimit bounds what has to be written although the caller gave up.
	settleLimit = 10 * time.Second
)

// Options of Open. The zero value is fine.
type Options struct {
	// MaxConns bounds the connections of this process; zero means 16. Two more are opened when tokens are refreshed.
	MaxConns int32
}

// DB is the warehouse; it is safe for concurrent use.
type DB struct {
	pool *pgxpool.Pool
	// tokens is apart from pool: those who wait for a token must not use up the connections that its refresher needs.
	tokens *pgxpool.Pool
	rules  ledgerRules

	mu      sync.Mutex
	loaders map[string]knownLoader
}

type knownLoader struct {
	resource *schema.Resource
	loader   *loader.Loader
}

var _ pipeline.Store = (*DB)(nil)

// Open connects to the database at url (postgres://user@host/database). Its error is ErrUnreachable if that fails; it names
// host and database, never the password.
func Open(ctx context.Context, url string, options Options) (*DB, error) {
	config, err := pgxpool.ParseConfig(url)
	if err != nil {
		// What pgx says quotes the address, and that may hold a password.
		return nil, errors.New("database.url does not parse: write it as postgres://user@host:5432/database")
	}
	config.MaxConns = cmp.Or(options.MaxConns, defaultMaxConns)
	parameters := config.ConnConfig.RuntimeParams
	for name, value := range map[string]string{
		"application_name":  "sluice",
		"statement_timeout": "5min", // longer than any batch takes; a stuck statement must not hold a stream for ever
		"lock_timeout":      "20s",  // longer than a unit holds its stream
		// A worker that hangs between two statements loses its transaction, not the stream.
		"idle_in_transaction_session_timeout": "2min",
	} {
		if parameters[name] == "" {
			parameters[name] = value
		}
	}
	tokens := config.Copy()
	tokens.MaxConns = tokenConns
	tokens.ConnConfig.RuntimeParams["lock_timeout"] = strconv.FormatInt(tokenWait.Milliseconds(), 10)
	db := &DB{rules: defaultRules(), loaders: map[string]knownLoader{}}
	if db.pool, err = pgxpool.NewWithConfig(ctx, config); err != nil {
		return nil, fmt.Errorf("preparing connections to %s: %w", place(config), err)
	}
	if db.tokens, err = pgxpool.NewWithConfig(ctx, tokens); err != nil {
		db.pool.Close()
		return nil, fmt.Errorf("preparing connections to %s: %w", place(config), err)
	}
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

// Pool gives the connections, for the queue and for package report.
func (db *DB) Pool() *pgxpool.Pool { return db.pool }

// loader gives the statements of a resource, built once.
func (db *DB) loader(stream pipeline.Stream) *loader.Loader {
	name := stream.Service.Name + "." + stream.Resource.Name
	db.mu.Lock()
	defer db.mu.Unlock()
	known := db.loaders[name]
	if known.resource != stream.Resource {
		known = knownLoader{resource: stream.Resource, loader: loader.New(stream.Service, stream.Resource)}
		db.loaders[name] = known
	}
	return known.loader
}

// inTx runs fn in a transaction. A commit whose outcome is unknown is an error: whoever gets one claims the stream again and
// reads what the position says.
func (db *DB) inTx(ctx context.Context, op string, fn func(tx pgx.Tx) error) error {
	tx, err := db.pool.Begin(ctx)
	if err != nil {
		return fail(op, err)
	}
	defer rollback(ctx, tx)
	if err := fn(tx); err != nil {
		return err
	}
	if err := tx.Commit(ctx); err != nil {
		return fail(op+": commit", err)
	}
	return nil
}

// rollback ends a transaction that was not committed; after a commit it does nothing.
func rollback(ctx context.Context, tx pgx.Tx) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), settleLimit)
	defer cancel()
	_ = tx.Rollback(ctx) // a connection that cannot even roll back is closed, and the server rolls back
}

// fail wraps an error of the database, with ErrUnreachable where that is what it means.
func fail(op string, err error) error {
	if err == nil {
		return nil
	}
	if unreachable(err) {
		return fmt.Errorf("%s: %w: %w", op, ErrUnreachable, err)
	}
	return fmt.Errorf("%s: %w", op, err)
}

func unreachable(err error) bool {
	if errors.Is(err, context.Canceled) {
		return false
	}
	var (
		answer  *pgconn.PgError
		connect *pgconn.ConnectError
		network *net.OpError
	)
	switch {
	case errors.As(err, &answer):
		// 08: connection, 57P: shutting down or starting up, 53300: too many connections.
		return strings.HasPrefix(answer.Code, "08") || strings.HasPrefix(answer.Code, "57P") || answer.Code == "53300"
	case errors.As(err, &connect), errors.As(err, &network), errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, io.EOF):
		return true
	default:
		return false
	}
}

// clean makes a text one that Postgres takes (no NUL, valid UTF-8) and at most limit bytes long.
func clean(text string, limit int) string {
	text = strings.ReplaceAll(strings.ToValidUTF8(text, "\uFFFD"), "\x00", "\u2400")
	if len(text) <= limit {
		return text
	}
	for limit > 0 && !utf8.RuneStart(text[limit]) {
		limit--
	}
	return text[:limit]
}

// instant gives null for the zero time.
func instant(t time.Time) *time.Time {
	if t.IsZero() {
		return nil
	}
	return &t
}
