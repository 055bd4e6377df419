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

// work is one load under way.
type work struct {
	sql    *statements.Set
	tx     pgx.Tx
	conn   *pgconn.PgConn
	batch  Batch
	result Result
	// form is the list's or the single record's, as the batch says.
	form *statements.Form
	// again says that this is the second attempt at the same records.
	again bool
	// now is the time of the transaction, in microseconds since 2000; archive finds it out.
	now int64
	// fresh have no row yet; changed replace one, which is locked; both in key order.
	fresh, changed []*rowToWrite
	// equal and older are where rows stand of whose single records no more than the state is
	// written: as the last one, or superseded.
	equal, older []ctid.TID
}

// rowToWrite is a record that will be written, with its index in the archive of its call.
type rowToWrite struct {
	*record.Record
	rawRef int32
	ctid   [ctid.Size]byte // of the locked row; zero if there is none
}

// load takes the steps of one batch. Records are in key order.
func (w *work) load(ctx context.Context, records []*record.Record) error {
	if w.batch.Rewrite {
		return w.inOrder(ctx, func(ctx context.Context) error { return w.lockAll(ctx, records) }, w.update, w.children, w.writeHistory)
	}
	if err := w.sort(ctx, records); err != nil {
		return err
	}
	if err := w.noteTried(ctx); err != nil || len(w.fresh)+len(w.changed) == 0 {
		return err
	}
	return w.inOrder(ctx,
		w.archive,      // first: a row carries the position of its raw record
		w.insert,       // parents before
		w.update,       //
		w.children,     // their elements, whose foreign keys lead to them
		w.keepColumns,  // read what was written
		w.writeHistory, // as this does, rows and elements
		w.count,
	)
}

// inOrder takes steps until one fails.
func (*work) inOrder(ctx context.Context, steps ...func(context.Context) error) error {
	for _, step := range steps {
		if err := step(ctx); err != nil {
			return err
		}
	}
	return nil
}

// count says what was written.
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

// written are all that are written, new ones first.
func (w *work) written() []*rowToWrite {
	return append(append(make([]*rowToWrite, 0, len(w.fresh)+len(w.changed)), w.fresh...), w.changed...)
}

// header says that a record leaves a single record to be read.
func (w *work) header(k *rowToWrite) bool {
	return w.sql.Single != nil && !w.batch.Details && !k.Carries[w.sql.Marker]
}

// fail names what was being done to which table; nil stays nil.
func (w *work) fail(doing string, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%s %s: %w", doing, w.sql.Name, w.guarded(err))
}
