package rows

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"sluice/pipeline/warehouse/postgres/ctid"
	"sluice/pipeline/warehouse/rows/statements"
	"sluice/schema/record"
)

// work is one load.
type work struct {
	sql    *statements.Set
	tx     pgx.Tx
	conn   *pgconn.PgConn
	batch  Batch
	result Result
	// form is the statements of the list or of single records, by the batch.
	form *statements.Form
	// again says that this is the second attempt at the same records.
	again bool
	// now is the time of the transaction, in microseconds since 2000; place is the position of the
	// first raw record; announce sets both.
	now   int64
	place int32
	// unlogged leaves the log of changes out, to measure what it costs.
	unlogged bool
	// fresh have no row yet; changed replace one, which is locked; both in key order.
	fresh, changed []*rowToWrite
	// equal and older are the addresses of rows for whose single records only the state is written:
	// the record is equal to the last one, or superseded.
	equal, older []ctid.TID
}

// rowToWrite is a record that will be written, with its index in the archive of its call.
type rowToWrite struct {
	*record.Record
	rawRef int32
	ctid   [ctid.Size]byte // of the locked row; zero if there is none
	// completes says that it is the single record that the row waited for.
	completes bool
}

// load executes the steps for one batch. Records are in key order.
func (w *work) load(ctx context.Context, records []*record.Record) error {
	if w.batch.Rewrite {
		return w.inOrder(ctx, func(ctx context.Context) error { return w.lockAll(ctx, records) }, w.update, w.children, w.writeHistory)
	}
	if err := w.separate(ctx, records); err != nil {
		return err
	}
	if err := w.noteTried(ctx); err != nil || len(w.fresh)+len(w.changed) == 0 {
		return err
	}
	return w.inOrder(ctx,
		w.announce,           // while the changed rows are locked; says where raw records go
		w.archive,            // before the rows: a row carries the position of its raw record
		w.insert,             // before the elements, whose foreign keys refer to these rows
		w.update,             // likewise
		w.children,           // after the rows
		w.writeColumnHistory, // reads what was written
		w.writeHistory,       // reads it, too, rows and elements
		w.count,
	)
}

// inOrder executes steps until one fails.
func (*work) inOrder(ctx context.Context, steps ...func(context.Context) error) error {
	for _, step := range steps {
		if err := step(ctx); err != nil {
			return err
		}
	}
	return nil
}

// count sets the counts of the result.
func (w *work) count(context.Context) error {
	for _, k := range w.fresh {
		w.result.Late.See(k.Modified, w.batch.Read)
	}
	w.result.Inserted, w.result.Updated = len(w.fresh), len(w.changed)
	for _, k := range w.written() {
		if w.header(k) {
			w.result.Owing++
		}
	}
	return nil
}

// written returns all records that are written, new ones first.
func (w *work) written() []*rowToWrite {
	return append(append(make([]*rowToWrite, 0, len(w.fresh)+len(w.changed)), w.fresh...), w.changed...)
}

// header says that a record's single record has to be read.
func (w *work) header(k *rowToWrite) bool {
	return w.sql.Single != nil && !w.batch.Details && !k.Carries[w.sql.Marker]
}

// fail adds the action and the table to an error; nil stays nil.
func (w *work) fail(doing string, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%s %s: %w", doing, w.sql.Name, w.guarded(err))
}
