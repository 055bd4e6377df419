// Package rows writes the records of one batch to the tables of one resource, in a transaction that
// its caller opened.
//
// It writes only what differs. It looks up the stored content hashes of the batch's keys; records
// with an equal hash cost no write. New records go by COPY into the tables, changed ones by COPY
// through a staging table into one UPDATE. Of the arrays that a record carries, only elements that
// differ are written (invariant 5). The raw records of what was written are archived beside the
// rows.
//
// It never commits, never decides about positions or watermarks, and never coerces a value (package
// record has done that). It never decides what happens to a rejected record: LoadBisect returns it.
// The caller has to hold the lock on the stream's row, so that the calls of one stream arrive in
// the order of their numbers: an unchanged row keeps the number of the call that wrote it.
//
// Start reading at Loader.LoadBisect, then work.load, which lists the steps. Package version has
// the rule about versions, package statements builds the SQL, package copybinary the bytes of COPY.
package rows

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"sluice/pipeline"
	"sluice/pipeline/warehouse/rows/statements"
	"sluice/schema"
	"sluice/schema/record"
)

// ErrBatch says that a batch does not meet the requirements of a Loader: a programming error of the
// caller, not a fault of upstream's data.
var ErrBatch = errors.New("batch does not fit the resource")

// Loader loads batches of one resource. It holds only statements and is safe for concurrent use.
type Loader struct {
	sql *statements.Set
	// err is the error of New in the declaration; every load returns it.
	err error
	// checked says that the tables were found to be as declared.
	checked atomic.Bool
	// unlogged leaves the log of changes out: a benchmark measures what it costs.
	unlogged bool
}

// Batch holds the normalized records of one call.
type Batch struct {
	// Organization is the first half of every key.
	Organization string
	// Run and Call say which run and call brought the records. A larger call number was reserved
	// later.
	Run, Call int64
	// RequestedAt is when the call was reserved, just before it left, by the database's clock; zero
	// if unknown. The rule about versions uses it.
	RequestedAt time.Time
	// ListsRead is the instant up to which all lists were read. A record that differs although it
	// was not modified after it is a silent edit. Zero means unknown: then none is counted.
	ListsRead time.Time
	// Read is upstream's clock when the last clean run of the list began. A version that was
	// modified before and comes only now was late. Zero if that is unknown, or if the records do
	// not come from a list's answer: then none is counted.
	Read time.Time
	// Details says that the records are single records and not a list's: they complete their rows,
	// which keep what the list brought last. Only resources with details have them.
	Details bool
	// Rewrite says that the records are those of the rows, normalized anew. They are written
	// whatever their version is, without archive, and the rows keep their calls. A record without a
	// row is left out.
	Rewrite bool
	// Imported says that another program read the records, before the call's number was drawn. They
	// replace only rows that are older by their modification time.
	Imported bool
	// History says that versions of the records are kept.
	History bool
	// Records are unique by ID, in any order. They are only read. Those that Loader.Unchanged
	// marked count as unchanged.
	Records []record.Record
}

// Result counts the results of a batch; the first four add up to the number of its records.
type Result struct {
	// Inserted had no row. Updated replaced one. Unchanged had an equal content hash, so nothing
	// was written. Superseded are older than the stored row, so nothing was written either.
	Inserted, Updated, Unchanged, Superseded int
	// Rollbacks counts those of Updated whose modification time went back upstream.
	Rollbacks int
	// Silent counts those of Updated whose modification time stayed the same.
	Silent int
	// Late says how late versions came that an earlier clean run should have shown.
	Late pipeline.Lateness
	// Owing counts those inserted and updated whose single record has to be read.
	Owing int
}

func (r *Result) add(other Result) {
	r.Inserted += other.Inserted
	r.Updated += other.Updated
	r.Unchanged += other.Unchanged
	r.Superseded += other.Superseded
	r.Rollbacks += other.Rollbacks
	r.Silent += other.Silent
	r.Late.Add(other.Late)
	r.Owing += other.Owing
}

// New builds the statements of a resource. It accepts a declaration that cannot be loaded (an
// identifier that Postgres would truncate, a key column that is not declared). Every load then
// fails with the reason.
func New(service *schema.Service, resource *schema.Resource) *Loader {
	sql, err := statements.New(service, resource)
	if err != nil {
		err = fmt.Errorf("resource %s.%s cannot be loaded: %w", service.Name, resource.Name, err)
	}
	return &Loader{sql: sql, err: err}
}

// LoadBisect writes one batch of 1 to some ten thousand records within tx, and returns the records
// that Postgres refuses (invariant 4). It loads within a savepoint. If a value is refused, it
// halves the batch until each refused record is alone. All other records are loaded. With k refused
// among n records it takes about k·log2(n) more loads. A second load of the same batch finds all
// records unchanged.
//
// Errors that are not about values (connection, lock, resources, tables that are not as declared,
// ErrBatch) are returned unchanged, and the caller has to roll back.
func (l *Loader) LoadBisect(ctx context.Context, tx pgx.Tx, batch Batch) (Result, []Rejected, error) {
	if l.err != nil {
		return Result{}, nil, l.err
	}
	records, err := l.check(batch)
	known := Result{Unchanged: len(batch.Records) - len(records)}
	if err != nil || len(records) == 0 {
		return known, nil, err
	}
	if err := l.checkTables(ctx, tx); err != nil {
		return known, nil, err
	}
	result, refused, err := l.bisect(ctx, tx, batch, records)
	result.add(known)
	return result, refused, err
}

func (l *Loader) bisect(ctx context.Context, tx pgx.Tx, batch Batch, records []*record.Record) (Result, []Rejected, error) {
	result, err := l.attempt(ctx, tx, batch, records, false)
	var refusal *RejectedError
	if err == nil || !errors.As(err, &refusal) {
		return result, nil, err
	}
	if refusal.code == uniqueViolation {
		// The other writer has committed by now: a second look finds its row and compares versions.
		if result, err = l.attempt(ctx, tx, batch, records, true); err == nil || !errors.As(err, &refusal) {
			return result, nil, err
		}
	}
	if len(records) == 1 {
		return Result{}, []Rejected{newRejected(records[0], refusal)}, nil
	}
	var refused []Rejected
	half := len(records) / 2
	for _, part := range [][]*record.Record{records[:half], records[half:]} {
		did, culprits, err := l.bisect(ctx, tx, batch, part)
		if err != nil {
			return Result{}, nil, err
		}
		result.add(did)
		refused = append(refused, culprits...)
	}
	return result, refused, nil
}

// attempt loads within a savepoint, so that a refusal leaves the transaction usable.
func (l *Loader) attempt(ctx context.Context, tx pgx.Tx, batch Batch, records []*record.Record, again bool) (Result, error) {
	savepoint, err := tx.Begin(ctx)
	if err != nil {
		return Result{}, fmt.Errorf("open a savepoint: %w", err)
	}
	work := &work{sql: l.sql, form: &l.sql.List, tx: savepoint, conn: savepoint.Conn().PgConn(), batch: batch, again: again, unlogged: l.unlogged}
	if batch.Details {
		work.form = l.sql.Single
	}
	if err := work.load(ctx, records); err != nil {
		if undo := savepoint.Rollback(ctx); undo != nil {
			// Without the savepoint the transaction is lost, so the error must not look like a
			// refusal.
			return Result{}, fmt.Errorf("roll back to the savepoint: %w; after: %s", undo, err.Error())
		}
		return Result{}, err
	}
	if err := savepoint.Commit(ctx); err != nil {
		return Result{}, fmt.Errorf("release the savepoint: %w", err)
	}
	return work.result, nil
}

// check returns the batch's records in key order, without those already known to be unchanged. Rows
// are locked in this order: two transactions that touch the same rows wait for each other instead
// of deadlocking.
func (l *Loader) check(batch Batch) ([]*record.Record, error) {
	if batch.Details && l.sql.Single == nil {
		return nil, fmt.Errorf("%w: %s declares no details", ErrBatch, l.sql.Name)
	}
	records := make([]*record.Record, 0, len(batch.Records))
	for i := range batch.Records {
		switch {
		case !batch.Records[i].Unchanged:
			records = append(records, &batch.Records[i])
		case batch.Details || batch.Rewrite:
			return nil, fmt.Errorf("%w: only records of lists are known, and only until they are written", ErrBatch)
		}
	}
	slices.SortFunc(records, func(a, b *record.Record) int { return cmp.Compare(a.ID, b.ID) })
	for i, record := range records {
		if i > 0 && records[i-1].ID == record.ID {
			return nil, fmt.Errorf("%w: record %q of %s occurs twice, keep the newest only", ErrBatch, record.ID, l.sql.Name)
		}
		if err := l.sql.Fits(record); err != nil {
			return nil, fmt.Errorf("%w: %w", ErrBatch, err)
		}
	}
	return records, nil
}

const (
	// uniqueViolation is the error of a row that another session inserted between look and COPY.
	uniqueViolation = "23505"
	// noBinaryForm is the error of Postgres for bytes that are no value of a type. This package
	// uses it for texts that package record never makes.
	noBinaryForm = "22P03"
)

// Rejected is a record that Postgres refused, whole, for the quarantine.
type Rejected struct {
	RejectedRecord record.Record
	// Code is the SQLSTATE, five characters.
	Code string
	// Path is the table with its schema and, where Postgres names it, the column: shop.goods.rate.
	Path string
	// Detail explains in words, without the value.
	Detail string
}

// RejectedError says that Postgres refuses a value: SQLSTATE class 22 (the value does not fit its
// type), 23 (a constraint) or 54 (a limit of the server). Its text leaves out the message of
// Postgres, which quotes the value; Unwrap returns the original.
type RejectedError struct {
	code, path, constraint string
	cause                  error
}

// Error implements error.
func (e *RejectedError) Error() string {
	text := "postgres refused a value: SQLSTATE " + e.code
	if e.path != "" {
		text += " at " + e.path
	}
	if e.constraint != "" {
		text += ", constraint " + e.constraint
	}
	return text
}

// Unwrap returns the error of Postgres, which may quote the value.
func (e *RejectedError) Unwrap() error { return e.cause }

// guarded wraps errors about values so that no value reaches a log (records carry personal data).
// It returns other errors unchanged.
func (w *work) guarded(err error) error {
	var pg *pgconn.PgError
	if !errors.As(err, &pg) || len(pg.Code) < 2 {
		return err
	}
	switch pg.Code[:2] {
	case "22", "23", "54":
		return &RejectedError{code: pg.Code, path: w.sql.Place(pg), constraint: pg.ConstraintName, cause: pg}
	default:
		return err
	}
}

func newRejected(record *record.Record, cause *RejectedError) Rejected {
	return Rejected{
		RejectedRecord: *record, Code: cause.code, Path: cause.path,
		Detail: "the database refused the record: " + cause.Error(),
	}
}
