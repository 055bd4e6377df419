package rows

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5/pgconn"

	"sluice/pipeline/warehouse/rows/statements"
	"sluice/pipeline/warehouse/rows/version"
	"sluice/schema/record"
)

// kept is a record that will be written, with its index in the archive of its call.
type kept struct {
	*record.Record
	position int32
	place    [6]byte // of the locked row; zero if there is none
}

// work is one Load under way.
type work struct {
	sql    *statements.Set
	conn   *pgconn.PgConn
	batch  Batch
	result Result
	// form is the list's or the single record's, as the batch says.
	form *statements.Form
	// drafted says that the tables are as migrations are drafted, binary that values are sent so. Now is the time of the
	// transaction, in microseconds since 2000; archive finds it out.
	drafted, binary bool
	now             int64
	density         *density
	// fresh have no row yet; changed replace one, which is locked; both in key order.
	fresh, changed []*kept
	// equal and older are single records that change no more than the state of their row: as the last one, or superseded.
	equal, older []*record.Record
}

// sort finds out what is new and what differs. Rows that differ are locked and judged by what they hold then, so that the
// rule about versions stands in one place and holds against any other writer.
func (w *work) sort(ctx context.Context, records []*record.Record) error {
	rows, err := w.probe(ctx, records)
	if err != nil {
		return w.fail("probe", err)
	}
	var differ []*record.Record
	var fresh []kept // one block for all: pointers into it stay, for it never grows
	for i, record := range records {
		switch row := at(rows, i); {
		case !row.found:
			if fresh == nil {
				fresh, w.fresh = make([]kept, 0, len(records)-i), make([]*kept, 0, len(records)-i)
			}
			fresh = append(fresh, kept{Record: record})
			w.fresh = append(w.fresh, &fresh[len(fresh)-1])
		case row.hash == record.Hash:
			w.result.Unchanged++
		default:
			differ = append(differ, record)
		}
	}
	if len(differ) == 0 {
		return nil
	}
	if rows, err = read(ctx, w.conn, w.form.Lock, len(differ), w.batch.Organization, keyArray(differ)); err != nil {
		return w.fail("lock rows of", err)
	}
	for i, record := range differ {
		row := at(rows, i)
		if !row.found { // deleted since the probe
			w.fresh = append(w.fresh, &kept{Record: record})
			continue
		}
		w.judge(record, &row)
	}
	return nil
}

// at gives what is stored about the record in a place.
func at(rows []stored, i int) stored {
	if rows == nil {
		return stored{}
	}
	return rows[i]
}

func (w *work) judge(record *record.Record, row *stored) {
	if row.hash == record.Hash {
		w.result.Unchanged++
		if w.batch.Details {
			w.equal = append(w.equal, record)
		}
		return
	}
	verdict := judge(&w.batch, record, *row)
	if verdict == version.Rollback && w.batch.Details {
		// That upstream was set back is for the list to say: its record is in the row, and would not come again if this one,
		// out of a cache perhaps, replaced it.
		verdict = version.Superseded
	}
	switch verdict {
	case version.Superseded:
		w.result.Superseded++
		if w.batch.Details {
			w.older = append(w.older, record)
		}
		return
	case version.Rollback:
		w.result.Rollbacks++
	case version.Replace:
		w.result.Silent += silent(&w.batch, record, *row)
		if record.Modified.Truncate(time.Microsecond).After(row.modified) {
			w.result.Late.See(record.Modified, w.batch.Read)
		}
	}
	w.changed = append(w.changed, &kept{Record: record, place: row.place})
}

// write brings what was sorted into the tables: parents before children.
func (w *work) write(ctx context.Context) error {
	if err := w.settle(ctx); err != nil {
		return err
	}
	if len(w.fresh)+len(w.changed) == 0 {
		return nil
	}
	if err := w.archive(ctx); err != nil {
		return err
	}
	insert := w.insert
	if w.binary {
		insert = w.insertBinary
	}
	if err := insert(ctx); err != nil {
		return err
	}
	if err := w.replace(ctx); err != nil {
		return err
	}
	if err := w.remember(ctx); err != nil {
		return err
	}
	for _, k := range w.fresh {
		w.result.Late.See(k.Modified, w.batch.Read)
	}
	w.result.Inserted, w.result.Updated = len(w.fresh), len(w.changed)
	w.result.Owing = w.headers(w.fresh) + w.headers(w.changed)
	return nil
}

// replace brings changed records into their rows, and the arrays of all.
func (w *work) replace(ctx context.Context) error {
	if err := w.update(ctx); err != nil {
		return err
	}
	return w.children(ctx)
}

// rewrite brings records into the rows that hold them already, without a word about where they came from.
func (w *work) rewrite(ctx context.Context, records []*record.Record) error {
	rows, err := read(ctx, w.conn, w.form.Lock, len(records), w.batch.Organization, keyArray(records))
	if err != nil {
		return w.fail("lock rows of", err)
	}
	for i, record := range records {
		if row := at(rows, i); row.found {
			w.changed = append(w.changed, &kept{Record: record, place: row.place})
		}
	}
	w.result.Updated = len(w.changed)
	if len(w.changed) == 0 {
		return nil
	}
	return w.replace(ctx)
}

// fail names what was being done to which table; nil stays nil.
func (w *work) fail(doing string, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%s %s: %w", doing, w.sql.Name, w.guarded(err))
}
