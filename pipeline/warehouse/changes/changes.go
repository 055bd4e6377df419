// Package changes keeps the log of what changed in the copied tables, and reads it.
//
// Each package that writes such a table calls Write or Append in the transaction that writes, while
// it has the locks of the rows. A transaction that changes nothing writes nothing. Readers follow
// the log with a cursor: each change is read once, and changes of one record in the order in which
// they were made, whatever order transactions commit in. The cursor, and which rows come next, is
// known to functions of the database; analysts read by the same ones. Why:
// docs/decisions/0028-change-log.
//
// It never decides what a change is, and never writes a copied table. A transaction that writes the
// log must not take or follow a cursor. Start reading at Write, then Read.
package changes

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgtype"

	"sluice/pipeline"
	"sluice/pipeline/warehouse/postgres"
	"sluice/pipeline/warehouse/rows/copybinary"
)

// Op is what became of records.
type Op string

// The ops. Analysts are shown those up to Rewritten.
const (
	// New had no row.
	New Op = "new"
	// Changed have other values, in the row or in an array.
	Changed Op = "changed"
	// Completed got their single record, which the row waited for.
	Completed Op = "completed"
	// Deleted got a tombstone, or lost the row that had one.
	Deleted Op = "deleted"
	// Restored lost it.
	Restored Op = "revived"
	// Rewritten were made anew out of raw records and have other values since.
	Rewritten Op = "rewritten"
	// Finished says that a run ended; its only identifier is the number of the run.
	Finished Op = "finished"
	// AfterClose changed in a period that the organization has closed; there is a change of another
	// op, too.
	AfterClose Op = "after_close"
)

// ErrCursor says that a cursor cannot be followed; the text says what to do.
var ErrCursor = errors.New("the changes cannot be followed from this cursor")

const (
	sqlWrite = `INSERT INTO sluice.changes (organization_id, table_name, op, record_ids, details) VALUES ($1, $2, $3, $4, $5)`

	// One statement, so that the look at what was pruned and the rows are of one instant. One row
	// more says whether the step goes on.
	sqlRead = `
WITH step AS MATERIALIZED (
	SELECT s.* FROM sluice.change_step($1) s
), here AS MATERIALIZED (
	SELECT c.* FROM step s CROSS JOIN LATERAL (
		SELECT c.seq, c.at, c.organization_id, c.table_name, c.op, c.record_ids, c.details, row_number() OVER (ORDER BY c.seq) AS n
		FROM sluice.changes c
		WHERE c.seq > s.seq AND (c.xact >= s.seen_max OR c.xact = ANY (s.seen_open)) AND pg_visible_in_snapshot(c.xact, s.next)
		ORDER BY c.seq LIMIT $2::bigint + 1
	) c
), behind AS MATERIALIZED (
	SELECT sluice.change_cursor(s.timeline, s.seen, s.next, (
		SELECT CASE WHEN count(*) > $2::bigint THEN max(h.seq) FILTER (WHERE h.n <= $2::bigint) END FROM here h
	)) AS cursor
	FROM step s
)
SELECT b.cursor, coalesce(h.seq, 0), coalesce(h.at, now()), coalesce(h.organization_id, ''), coalesce(h.table_name, ''), coalesce(h.op, ''),
	h.record_ids, h.details
FROM behind b LEFT JOIN here h ON h.n <= $2::bigint ORDER BY h.n`

	// What the end of a run tells, as the row of the run has it by now.
	sqlFinished = `
INSERT INTO sluice.changes (organization_id, table_name, op, record_ids, details)
SELECT r.organization_id, $2, 'finished', ARRAY[r.id::text], jsonb_build_object(
	'run', r.id, 'stream', r.service || '.' || r.resource, 'class', r.class, 'outcome', r.outcome, 'kind', r.kind,
	'started_at', r.started_at, 'ended_at', r.ended_at, 'watermark', r.watermark_after, 'received', r.received,
	'new', r.inserted, 'changed', r.updated, 'unchanged', r.unchanged, 'quarantined', r.quarantined)
FROM sluice.runs r WHERE r.id = $1`

	sqlNow   = `SELECT sluice.new_changes_cursor()`
	sqlRenew = `SELECT sluice.renew_changes()`
	sqlPrune = `SELECT sluice.prune_changes($1)`
	sqlLag   = `SELECT sluice.lake_lag()`
)

// Change is a row of the log: what one transaction did to records of a table.
type Change struct {
	// Seq is the number of the row: of two changes of one record the larger one was made later.
	Seq int64
	// At is when the row was written, by the clock of the database.
	At                  time.Time
	Organization, Table string // Table is schema.table
	Op                  Op
	// Records are the keys; of Finished the number of the run.
	Records []string
	// Details are what Note was given; nil if it was Write.
	Details json.RawMessage
}

// Execer is a transaction.
type Execer interface {
	Exec(ctx context.Context, sql string, args ...any) (pgconn.CommandTag, error)
}

// Write logs what became of records of a table, in the transaction that wrote them. The caller has
// their rows locked, or inserted them. Without identifiers it writes nothing.
func Write(ctx context.Context, tx Execer, organization, table string, op Op, ids []string) error {
	return write(ctx, tx, organization, table, op, ids, nil)
}

// Append does so by a statement of a batch, which costs its transaction no round trip more.
func Append(batch *pgconn.Batch, organization, table string, op Op, ids []string) {
	if len(ids) == 0 {
		return
	}
	keys := copybinary.Texts(len(ids), func(i int) string { return ids[i] })
	batch.ExecParams(sqlWrite, [][]byte{[]byte(organization), []byte(table), []byte(op), keys, nil},
		[]uint32{pgtype.TextOID, pgtype.TextOID, pgtype.TextOID, pgtype.TextArrayOID, pgtype.JSONBOID},
		[]int16{pgtype.TextFormatCode, pgtype.TextFormatCode, pgtype.TextFormatCode, pgtype.BinaryFormatCode, pgtype.TextFormatCode}, nil)
}

// Note writes with what a message tells of the change, as JSON.
func Note(ctx context.Context, tx Execer, organization, table string, op Op, ids []string, details any) error {
	text, err := json.Marshal(details)
	if err != nil {
		return fmt.Errorf("logging changes of %s: %w", table, err)
	}
	return write(ctx, tx, organization, table, op, ids, text)
}

func write(ctx context.Context, tx Execer, organization, table string, op Op, ids []string, details []byte) error {
	if len(ids) == 0 {
		return nil
	}
	_, err := tx.Exec(ctx, sqlWrite, organization, table, string(op), ids, details)
	return postgres.Fail("logging changes of "+table, err)
}

// QueueFinished logs that the run of a claim ended, behind the statement that ends it.
func QueueFinished(batch *pgx.Batch, claim pipeline.Claim) {
	batch.Queue(sqlFinished, claim.Run, TableOf(claim.Stream))
}

// TableOf names the table of a stream as the log does.
func TableOf(stream pipeline.Stream) string {
	return stream.Resource.SchemaName(stream.Service) + "." + stream.Resource.Name
}

// Now returns a cursor behind all that is committed for q.
func Now(ctx context.Context, q postgres.Querier) (string, error) {
	cursor, err := one[string](ctx, q, sqlNow)
	return cursor, refused("taking a cursor of changes", err)
}

// Read returns at most limit rows of the log behind a cursor, and the cursor behind them. The
// cursor moves on even where there are none, and should be saved then, too. Changes of one record
// come in the order in which they were made. It returns ErrCursor for a cursor that cannot be
// followed.
func Read(ctx context.Context, q postgres.Querier, cursor string, limit int) ([]Change, string, error) {
	rows, _ := q.Query(ctx, sqlRead, cursor, limit)
	var found []Change
	var next string
	var c Change
	_, err := pgx.ForEachRow(rows, []any{&next, &c.Seq, &c.At, &c.Organization, &c.Table, &c.Op, &c.Records, &c.Details}, func() error {
		if c.Seq > 0 {
			found = append(found, c)
		}
		c = Change{}
		return nil
	})
	if err != nil {
		return nil, "", refused("reading changes", err)
	}
	return found, next, nil
}

// Renew begins the log anew if it does not have every change: it belongs to another history of the
// database. It says whether it did. All cursors are refused from then on.
func Renew(ctx context.Context, q postgres.Querier) (bool, error) {
	renewed, err := one[bool](ctx, q, sqlRenew)
	return renewed, postgres.Fail("looking whose changes are logged", err)
}

// Prune deletes rows that are older than age, a bounded number at a time; the next call continues.
func Prune(ctx context.Context, pool postgres.Asker, age time.Duration) error {
	return postgres.Prune(ctx, pool, "keeping the log of changes", sqlPrune, age)
}

// LakeLag is how old the oldest change is that is not published to the lake: 0 if all are, nil
// without a lake. Where the log cannot be followed from the last publication, it is the age of that
// one.
func LakeLag(ctx context.Context, q postgres.Querier) (*time.Duration, error) {
	lag, err := one[*time.Duration](ctx, q, sqlLag)
	return lag, postgres.Fail("looking how far the lake is behind", err)
}

func one[T any](ctx context.Context, q postgres.Querier, sql string, args ...any) (T, error) {
	rows, _ := q.Query(ctx, sql, args...)
	return pgx.CollectExactlyOneRow(rows, pgx.RowTo[T])
}

// refused turns the refusal of a cursor into ErrCursor, with its advice.
func refused(op string, err error) error {
	pg, ok := errors.AsType[*pgconn.PgError](err)
	if ok && slices.Contains([]string{"22004", "22023", "55000"}, pg.Code) { // those that the functions of the log raise
		return fmt.Errorf("%s: %w: %s. %s", op, ErrCursor, pg.Message, pg.Hint)
	}
	return postgres.Fail(op, err)
}
