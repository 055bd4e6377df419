// Package rows brings the records of one batch into the tables of one resource, in a transaction that its caller opened.
//
// It writes only what differs: the stored content hashes of the batch's keys are probed, records with an equal hash cost no
// write at all, new ones go by COPY straight into the tables, changed ones through a staging table into one UPDATE, and
// of the arrays that a record carries the elements that differ are written (package children; promise 5). The raw records of
// what was written are archived beside the rows.
//
// It never commits, never decides about positions or marks, never coerces a value (package record has done that) and
// never decides what becomes of a record that the database refused: LoadBisect hands it back. It relies on its caller to
// hold the stream's row lock, so that the calls of one stream arrive in the order of their numbers: a row that was found
// unchanged keeps the number of the call that wrote it.
//
// Start reading at Loader.Load; the rule about versions is package version's, the SQL is built by package statements, the
// text of COPY by package copytext.
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

	"sluice/pipeline"
	"sluice/pipeline/warehouse/rows/statements"
	"sluice/schema"
	"sluice/schema/record"
)

// ErrBatch says that a batch is not what Load asks for: a programming error of the caller, not a fault of upstream's data.
var ErrBatch = errors.New("batch does not fit the resource")

// Loader loads batches of one resource. It holds statements only and is safe for concurrent use.
type Loader struct {
	sql *statements.Set
	// err is what New found wrong with the declaration; every Load returns it.
	err error
	// shape is what the tables are like; binary COPY depends on it.
	shape   atomic.Int32
	density density
}

// Batch is what one call brought, normalized.
type Batch struct {
	// Organization is the first half of every key.
	Organization string
	// Service and Resource are known to the Loader; Run and Call say who wrote. A larger call number was asked later.
	Run, Call int64
	// CallStarted is when the call left, by the database's clock; zero if unknown. It matters to one rule only: a record
	// whose modification time went back is believed if it was asked for version.RollbackAfter after the row was written.
	CallStarted time.Time
	// Settled is the instant up to which all lists were read: a record that differs although it was not modified since changed
	// in silence. Zero if nobody knows; then none is counted.
	Settled time.Time
	// Read is upstream's clock when the last clean run of the list began: what was modified before and comes only now was late.
	// Zero if nobody knows, or if the records do not come from a list's answer; then none is counted.
	Read time.Time
	// Details says that the records are single records and not a list's: they complete their rows, and what the list brought
	// last stays known. Only resources with details have them.
	Details bool
	// Rewrite says that the records are those that the rows hold, normalized anew: they are written whatever their version is,
	// without archive, and the rows keep their calls. A record without a row is left out.
	Rewrite bool
	// History says that versions of the records are kept.
	History bool
	// Records are unique by ID, in any order. They are only read. Known ones, as Loader.Known says it, count as unchanged.
	Records []record.Record
}

// Result counts what became of the records of a batch; the first four add up to their number.
type Result struct {
	// Inserted had no row, Updated replaced one, Unchanged had an equal content hash (nothing was written), Superseded are
	// older than the stored row (nothing was written either).
	Inserted, Updated, Unchanged, Superseded int
	// Rollbacks counts those of Updated whose modification time went back upstream.
	Rollbacks int
	// Silent counts those of Updated whose modification time stayed what it was.
	Silent int
	// Late is how late versions came that a clean run before should have shown.
	Late pipeline.Lateness
	// Owing counts those inserted and updated that leave a single record to be read.
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

// New builds the statements of a resource. A declaration that cannot be loaded (an identifier that Postgres would cut, a
// key column that is not declared) does not fail here but in every Load, with the reason.
func New(service *schema.Service, resource *schema.Resource) *Loader {
	sql, err := statements.New(service, resource)
	if err != nil {
		err = fmt.Errorf("resource %s.%s cannot be loaded: %w", service.Name, resource.Name, err)
	}
	return &Loader{sql: sql, err: err}
}

// Load writes one batch of 1 to some ten thousand records within tx. A second Load of the same batch finds everything
// unchanged. On an error the transaction is aborted and the caller has to roll back; *RefusedError says that Postgres
// refused a value of some record (LoadBisect finds out of which one), ErrBatch that the batch itself is wrong.
//
// Values go as text here: whatever is wrong with one, it is the server that says so. LoadBisect sends them in the binary
// format first.
func (l *Loader) Load(ctx context.Context, tx pgx.Tx, batch Batch) (Result, error) {
	return l.load(ctx, tx, batch, false)
}

func (l *Loader) load(ctx context.Context, tx pgx.Tx, batch Batch, binary bool) (Result, error) {
	records, err := l.check(batch)
	known := Result{Unchanged: len(batch.Records) - len(records)}
	if err != nil || len(records) == 0 {
		return known, err
	}
	seen, err := l.look(ctx, tx)
	if err != nil {
		return Result{}, err
	}
	work := &work{
		sql: l.sql, form: &l.sql.List, conn: tx.Conn().PgConn(), batch: batch, drafted: seen == drafted, binary: binary && seen == drafted,
		density: &l.density, result: known,
	}
	if batch.Details {
		work.form = l.sql.Single
	}
	if batch.Rewrite {
		if err := work.rewrite(ctx, records); err != nil {
			return work.result, err
		}
		return work.result, work.keepVersions(ctx, tx)
	}
	if err := work.sort(ctx, records); err != nil {
		return Result{}, err
	}
	if err := work.write(ctx); err != nil {
		return Result{}, err
	}
	return work.result, work.keepVersions(ctx, tx)
}

// check gives the batch's records in key order, those that are known left out, which is the order in which rows are locked: two
// transactions that touch the same rows wait for each other instead of deadlocking.
func (l *Loader) check(batch Batch) ([]*record.Record, error) {
	if l.err != nil {
		return nil, l.err
	}
	if batch.Details && l.sql.Single == nil {
		return nil, fmt.Errorf("%w: %s declares no details", ErrBatch, l.sql.Name)
	}
	records := make([]*record.Record, 0, len(batch.Records))
	for i := range batch.Records {
		switch {
		case !batch.Records[i].Known:
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
