package rows

import (
	"context"
	"time"

	"sluice/pipeline/warehouse/postgres/ctid"
	"sluice/pipeline/warehouse/rows/version"
	"sluice/schema/record"
)

// separate separates new, changed and equal records. Rows that differ are locked and compared again
// as they then are. So one place has the rule about versions, and it is safe against any other
// writer. Equal rows are not locked: a lock is a write.
func (w *work) separate(ctx context.Context, records []*record.Record) error {
	rows, err := w.whatIsStored(ctx, records)
	if err != nil {
		return w.fail("look at rows of", err)
	}
	var differ []*record.Record
	var fresh []rowToWrite // one block for all; pointers into it stay valid, since it never grows
	for i, record := range records {
		switch row := at(rows, i); {
		case !row.found:
			if fresh == nil {
				fresh, w.fresh = make([]rowToWrite, 0, len(records)-i), make([]*rowToWrite, 0, len(records)-i)
			}
			fresh = append(fresh, rowToWrite{Record: record})
			w.fresh = append(w.fresh, &fresh[len(fresh)-1])
		case row.settled && row.hash == record.Hash:
			w.result.Unchanged++
		default:
			differ = append(differ, record)
		}
	}
	if len(differ) == 0 {
		return nil
	}
	if rows, err = look(ctx, w.conn, w.form.Lock, w.batch.Organization, differ); err != nil {
		return w.fail("lock rows of", err)
	}
	for i, record := range differ {
		row := at(rows, i)
		if !row.found { // deleted since
			w.fresh = append(w.fresh, &rowToWrite{Record: record})
			continue
		}
		w.judge(record, &row)
	}
	return nil
}

// whatIsStored returns what is stored about records. Records that Unchanged has looked up are not
// looked up again, so a row is read at most twice before it is written: there or here, and when it
// is locked. Both looks may be out of date. If a row was inserted meanwhile, the insert fails, and
// the second attempt looks up all records.
func (w *work) whatIsStored(ctx context.Context, records []*record.Record) ([]stored, error) {
	unseen := make([]*record.Record, 0, len(records))
	for _, record := range records {
		if !record.Seen.Looked || w.again || w.batch.Details {
			unseen = append(unseen, record)
		}
	}
	var found []stored
	if len(unseen) > 0 {
		var err error
		found, err = lookBetween(ctx, w.conn, w.form, w.batch.Organization, unseen)
		if err != nil || len(unseen) == len(records) {
			return found, err
		}
	}
	rows, next := make([]stored, len(records)), 0
	for i, record := range records {
		if next < len(unseen) && unseen[next] == record {
			rows[i] = at(found, next)
			next++
			continue
		}
		rows[i] = stored{found: record.Seen.Row, hash: record.Seen.Hash, settled: true}
	}
	return rows, nil
}

// lockAll locks the existing rows of records, to rewrite them whatever their version is. Records
// without a row are left out.
func (w *work) lockAll(ctx context.Context, records []*record.Record) error {
	rows, err := look(ctx, w.conn, w.form.Lock, w.batch.Organization, records)
	if err != nil {
		return w.fail("lock rows of", err)
	}
	for i, record := range records {
		if row := at(rows, i); row.found {
			w.changed = append(w.changed, &rowToWrite{Record: record, ctid: row.ctid})
		}
	}
	w.result.Updated = len(w.changed)
	return nil
}

// at returns what is stored about the record at an index.
func at(rows []stored, i int) stored {
	if rows == nil {
		return stored{}
	}
	return rows[i]
}

// judge compares a record that differs with its row, which is locked.
func (w *work) judge(record *record.Record, row *stored) {
	if row.hash == record.Hash {
		w.result.Unchanged++
		if w.batch.Details {
			w.equal = append(w.equal, ctid.Read(row.ctid[:]))
		}
		return
	}
	call := w.batch.Call
	if w.batch.Imported {
		call = 0 // its number says nothing about when the record was read upstream
	}
	verdict := version.Judge(
		version.Record{Modified: record.Modified, Call: call, RequestedAt: w.batch.RequestedAt},
		version.Row{Modified: row.modified, Call: row.call, Changed: row.changed},
	)
	if verdict == version.Rollback && w.batch.Details {
		// Only the list decides that upstream was set back. The list's record is in the row, and
		// would not come again if this one, perhaps out of a cache, replaced it.
		verdict = version.Superseded
	}
	modified := record.Modified.Truncate(time.Microsecond)
	switch verdict {
	case version.Superseded:
		w.result.Superseded++
		if w.batch.Details {
			w.older = append(w.older, ctid.Read(row.ctid[:]))
		}
		return
	case version.Rollback:
		w.result.Rollbacks++
	case version.Replace:
		if w.silent(record, modified, row) {
			w.result.Silent++
		}
		if modified.After(row.modified) {
			w.result.Late.See(record.Modified, w.batch.Read)
		}
	}
	w.changed = append(w.changed, &rowToWrite{Record: record, ctid: row.ctid, completes: w.batch.Details && !row.settled})
}

// silent says that a list record that replaces its row changed without a new modification time, as
// balances, stock and lines do upstream. A record that was modified after lists were last read to
// their end is left out. A single record may have brought its time to the row before, or it was
// modified twice within the second to which upstream rounds times.
func (w *work) silent(record *record.Record, modified time.Time, row *stored) bool {
	return !w.batch.Details && !record.Modified.IsZero() && modified.Equal(row.modified) && modified.Before(w.batch.ListsRead)
}
