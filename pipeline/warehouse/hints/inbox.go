package hints

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"sluice/pipeline/warehouse/postgres"
)

// ErrNoRight says that the role may not take callbacks.
var ErrNoRight = errors.New("this role may not take callbacks: as the owner of the tables, SELECT sluice.grant_receiver('the role')")

// receiverConns are the connections of a receiver. Each carries some hundred callbacks a second, so
// the rest of the callbacks in flight wait for one.
const receiverConns = 8

// Target is what should be read because of a callback: a record, or the list of its resource if
// Record is empty.
type Target struct{ Service, Resource, Record string }

// Callback is a verified callback, as it is stored. Source of what is read out of it:
// docs/upstream.md U279.
type Callback struct {
	Organization, Dialect string
	// Digest identifies its content.
	Digest            []byte
	Module, Operation string
	IDs               []string
	// SentAt is when upstream says that it sent the callback; zero if it does not say.
	SentAt time.Time
	// Bytes is the size of the body. Body is the body; "" if it is not stored.
	Bytes   int
	Body    string
	Targets []Target
	// Debounce is how long its hints wait for further callbacks, MaxWait how long in all.
	Debounce, MaxWait time.Duration
}

// Inbox is the inbox of callbacks. It is safe for concurrent use.
type Inbox struct{ pool *pgxpool.Pool }

// NewInbox makes an inbox over the connections of a warehouse.
func NewInbox(pool *pgxpool.Pool) *Inbox { return &Inbox{pool: pool} }

const sqlMayTake = `
SELECT coalesce(bool_or(pg_catalog.has_function_privilege(p.oid, 'EXECUTE') AND pg_catalog.has_schema_privilege(n.oid, 'USAGE')), false)
FROM pg_catalog.pg_proc p JOIN pg_catalog.pg_namespace n ON n.oid = p.pronamespace
WHERE n.nspname = 'notifications' AND p.proname = 'take_callback'`

// OpenInbox connects a receiver to the database at url, with connections of its own: a flood of
// callbacks then keeps no worker from the database. A statement takes limit at most. Each new
// connection reads the password; nil leaves that of the address. It returns
// ErrNoRight if the role may not take callbacks, for instance because the database is not migrated.
// The caller closes the inbox.
func OpenInbox(ctx context.Context, url string, limit time.Duration, password postgres.Password) (*Inbox, error) {
	bound := fmt.Sprintf("%dms", limit.Milliseconds())
	pool, err := postgres.NewPool(ctx, url, receiverConns, password, map[string]string{
		"application_name": "sluice receiver", "statement_timeout": bound, "idle_in_transaction_session_timeout": bound,
		"client_connection_check_interval": "1s",
	})
	if err != nil {
		return nil, err
	}
	var may bool
	if err = pool.QueryRow(ctx, sqlMayTake).Scan(&may); err != nil {
		err = postgres.Fail("connecting the receiver", err)
	} else if !may {
		err = ErrNoRight
	}
	if err != nil {
		pool.Close()
		return nil, err
	}
	return NewInbox(pool), nil
}

// Close closes the connections that OpenInbox opened.
func (i *Inbox) Close() { i.pool.Close() }

// Ping asks whether the database answers.
func (i *Inbox) Ping(ctx context.Context) error { return i.pool.Ping(ctx) }

const sqlTake = `
SELECT notifications.take_callback(p_organization => $1, p_dialect => $2, p_digest => $3, p_module => $4, p_operation => $5,
	p_ids => $6, p_sent_at => $7, p_bytes => $8, p_body => $9, p_services => $10, p_resources => $11, p_records => $12,
	p_debounce => $13, p_most => $14)`

// Take stores a callback, its events and its hints in one transaction, and reports whether its
// content is new. When it returns without an error, the callback is durable. Taking the same
// callback again does no harm: see notifications.take_callback.
func (i *Inbox) Take(ctx context.Context, c *Callback) (bool, error) {
	ids, services, resources, records := append([]string{}, c.IDs...), []string{}, []string{}, []string{} // null would be no array
	for _, target := range c.Targets {
		services, resources, records = append(services, target.Service), append(resources, target.Resource), append(records, target.Record)
	}
	var body *string
	if c.Body != "" {
		body = &c.Body
	}
	var fresh bool
	err := i.pool.QueryRow(ctx, sqlTake, c.Organization, c.Dialect, c.Digest, c.Module, c.Operation, ids, postgres.Instant(c.SentAt),
		c.Bytes, body, services, resources, records, c.Debounce, c.MaxWait).Scan(&fresh)
	return fresh, postgres.Fail("taking a callback", err)
}

// Entry is a callback in the inbox.
type Entry struct {
	ID           int64      `db:"id"              json:"id"`
	Organization string     `db:"organization_id" json:"organization"`
	Dialect      string     `db:"dialect"         json:"dialect"`
	Module       string     `db:"module"          json:"module"`
	Operation    string     `db:"operation"       json:"operation"`
	IDs          []string   `db:"ids"             json:"ids"`
	ReceivedAt   time.Time  `db:"received_at"     json:"received_at"`
	RepeatedAt   time.Time  `db:"repeated_at"     json:"repeated_at"`
	Times        int64      `db:"times"           json:"times"`
	SentAt       *time.Time `db:"sent_at"         json:"sent_at"`
	Bytes        int        `db:"bytes"           json:"bytes"`
	// Body is nil unless the configuration keeps bodies.
	Body *string `db:"body" json:"body"`
}

// Filter narrows callbacks; the zero value means the last hundred.
type Filter struct {
	Organization string
	// Since is the earliest instant at which the content arrived last.
	Since time.Time
	// Limit is how many; zero means a hundred.
	Limit int
}

const (
	// ofCallbacks begins the statements below.
	ofCallbacks = `SELECT id, organization_id, dialect, module, operation, ids, received_at, repeated_at, times, sent_at, bytes`

	sqlEntry = ofCallbacks + `, body FROM sluice.callbacks WHERE id = $1`

	sqlEntries = ofCallbacks + `, NULL AS body FROM sluice.callbacks
WHERE ($1 = '' OR organization_id = $1) AND repeated_at >= coalesce($2, '-infinity'::timestamptz)
ORDER BY repeated_at DESC, id DESC LIMIT $3`
)

// Entries returns the callbacks that arrived last, newest first, without their bodies.
func (i *Inbox) Entries(ctx context.Context, f Filter) ([]Entry, error) {
	return postgres.Read[Entry](ctx, i.pool, "the inbox", sqlEntries, f.Organization, postgres.Instant(f.Since), postgres.Limit(f.Limit))
}

// Entry returns the callback of a number, ErrNotFound if there is none.
func (i *Inbox) Entry(ctx context.Context, id int64) (Entry, error) {
	return postgres.ReadOne[Entry](ctx, i.pool, fmt.Sprintf("callback %d", id), sqlEntry, id)
}

// Arrived reports whether a content of an organization has arrived.
func (i *Inbox) Arrived(ctx context.Context, organization, dialect string, digest []byte) (bool, error) {
	var arrived bool
	err := i.pool.QueryRow(ctx, `SELECT EXISTS (SELECT FROM sluice.callbacks WHERE (organization_id, dialect, digest) = ($1, $2, $3))`,
		organization, dialect, digest).Scan(&arrived)
	return arrived, postgres.Fail("looking into the inbox", err)
}

// Told sums up the callbacks of one module or resource.
type Told struct {
	Organization string    `db:"organization_id"`
	Dialect      string    `db:"dialect"`
	Module       string    `db:"module"`
	LastAt       time.Time `db:"last_at"`
	// Callbacks is how many arrived, repetitions included, of those that the inbox still has.
	Callbacks int64 `db:"callbacks"`
}

// sqlLastTold looks up one entry of an index for each channel and each organization, however many
// callbacks the inbox has.
const sqlLastTold = `
SELECT w.organization_id, w.dialect, w.module, l.last_at, 0::bigint AS callbacks
FROM (SELECT c.organization_id, 'watch' AS dialect, c.module FROM sluice.channels c
	UNION ALL SELECT DISTINCT s.organization_id, 'test', '' FROM sluice.streams s) AS w
CROSS JOIN LATERAL (SELECT max(b.repeated_at) AS last_at FROM sluice.callbacks b
	WHERE (b.organization_id, b.dialect, b.module) = (w.organization_id, w.dialect, w.module)) AS l
WHERE l.last_at IS NOT NULL ORDER BY w.organization_id, w.dialect, w.module`

// LastTold returns when the last callback of each channel arrived, and the last test callback of
// each organization. It counts nothing.
func (i *Inbox) LastTold(ctx context.Context) ([]Told, error) {
	return postgres.Read[Told](ctx, i.pool, "who told last", sqlLastTold)
}

// Told returns what the inbox has, by organization, dialect and module.
func (i *Inbox) Told(ctx context.Context) ([]Told, error) {
	return postgres.Read[Told](ctx, i.pool, "who told", `
SELECT organization_id, dialect, module, max(repeated_at) AS last_at, sum(times)::bigint AS callbacks FROM sluice.callbacks
GROUP BY organization_id, dialect, module ORDER BY organization_id, dialect, module`)
}

// A hint that a run is reading is raised, so that the run does not spend it.
const sqlRemind = `
INSERT INTO sluice.hints AS h (organization_id, service, resource, record_id, operation, first_at, last_at, due_at)
SELECT $1, t.service, t.resource, t.record, t.operation, now(), transaction_timestamp(), now()
FROM unnest($2::text[], $3::text[], $4::text[], $5::text[]) AS t (service, resource, record, operation)
ORDER BY t.service, t.resource, t.record
ON CONFLICT (organization_id, service, resource, record_id) DO UPDATE SET
	operation = excluded.operation, told = h.told + 1, last_at = now(), due_at = now(), asked_at = NULL, read_at = NULL, read_again = false`

// QueueRemind makes hints due at once, whether or not they were read before, in a transaction of
// the caller. The map has the operation of each.
func QueueRemind(queue *pgx.Batch, organization string, operations map[Target]string) {
	var services, resources, records, said []string
	for target, operation := range operations {
		services, resources = append(services, target.Service), append(resources, target.Resource)
		records, said = append(records, target.Record), append(said, operation)
	}
	queue.Queue(sqlRemind, organization, services, resources, records, said)
}

const (
	// pruneBatch bounds the rows of one deletion, and pruneTurns the deletions of one call, so that
	// no transaction is long.
	pruneBatch = 5_000
	pruneTurns = 20

	sqlPruneEvents = `DELETE FROM notifications.events WHERE (organization_id, id) IN (
	SELECT organization_id, id FROM notifications.events WHERE told_at < clock_timestamp() - $1::interval ORDER BY told_at LIMIT $2)`
	sqlPruneHints = `DELETE FROM sluice.hints WHERE ctid = ANY (ARRAY (
	SELECT ctid FROM sluice.hints WHERE last_at < clock_timestamp() - $1::interval ORDER BY last_at LIMIT $2))`
	sqlPruneCallbacks = `DELETE FROM sluice.callbacks WHERE id IN (
	SELECT id FROM sluice.callbacks WHERE repeated_at < clock_timestamp() - $1::interval ORDER BY repeated_at LIMIT $2)`
)

// Prune deletes callbacks, hints and events that are older than age. It deletes a bounded number;
// the next call continues. Two processes that prune at once wait for each other's rows at most.
func (i *Inbox) Prune(ctx context.Context, age time.Duration) error {
	for _, sql := range []string{sqlPruneEvents, sqlPruneHints, sqlPruneCallbacks} {
		for range pruneTurns {
			tag, err := i.pool.Exec(ctx, sql, age, pruneBatch)
			if err != nil {
				return postgres.Fail("deleting old callbacks", err)
			}
			if tag.RowsAffected() < pruneBatch {
				break
			}
		}
	}
	return nil
}
