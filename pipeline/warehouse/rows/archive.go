package rows

import (
	"bytes"
	"context"
	"fmt"
	"strconv"
	"unicode/utf8"

	"github.com/jackc/pgx/v5/pgtype"

	"sluice/pipeline/warehouse/postgres"
	"sluice/pipeline/warehouse/raw/archive"
	"sluice/pipeline/warehouse/rows/copybinary"
)

// archiveCopied is from how many bytes on an archive goes by COPY: one round trip more than as a parameter of a statement, but
// nothing is copied together for it, here or for the message. Pages of 200 records gain nothing by it.
const archiveCopied = 1 << 20

// archivePart is how many bytes an array has that goes by COPY, but for its last record: about a page of the usual size. Whoever asks
// for one record unpacks no more than that, and it takes the server no more time than arrays of megabytes.
const archivePart = 256 << 10

// archive keeps the raw records of what is about to be written, as JSON arrays, and tells every record its position: its
// index among all that was kept of the call. Large batches have several arrays, one behind the other, and so has a call that is loaded
// in several batches (an export, a bisected page).
func (w *work) archive(ctx context.Context) error {
	all := make([]*kept, 0, len(w.fresh)+len(w.changed))
	all = append(append(all, w.fresh...), w.changed...)
	size := 0
	for _, k := range all {
		size += len(k.Raw)
	}
	var err error
	var first int32
	if size < archiveCopied {
		raws := storableOf(make([][]byte, 0, len(all)), all)
		form := archive.FormOf(raws)
		first, err = w.place(ctx, w.sql.Archive, []byte(w.batch.Organization), []byte(w.sql.Service), []byte(w.sql.Resource),
			form.Append(make([]byte, 0, form.Size(raws)), raws), strconv.AppendInt(nil, int64(len(raws)), 10))
	} else if first, err = w.place(ctx, w.sql.ArchivePlace); err == nil {
		err = w.copyArchive(ctx, all, first)
	}
	if err != nil {
		return w.fail("archive raw records of", err)
	}
	for i, k := range all {
		k.position = first + int32(i)
	}
	return nil
}

// place asks for the position of the first record that is kept now of the call, by a statement with these parameters behind the
// call, and notes the time of the transaction.
func (w *work) place(ctx context.Context, sql string, values ...[]byte) (int32, error) {
	types := []uint32{pgtype.Int8OID, pgtype.TextOID, pgtype.TextOID, pgtype.TextOID, pgtype.TextOID, pgtype.Int4OID}
	values = append([][]byte{strconv.AppendInt(nil, w.batch.Call, 10)}, values...)
	result := w.conn.ExecParams(ctx, sql, values, types[:len(values)], nil, nil).Read()
	if result.Err != nil {
		return 0, result.Err
	}
	first, err := strconv.ParseInt(string(result.Rows[0][0]), 10, 32)
	if err != nil {
		return 0, fmt.Errorf("first position of call %d: %w", w.batch.Call, err)
	}
	now, err := strconv.ParseInt(string(result.Rows[0][1]), 10, 64)
	if err != nil {
		return 0, fmt.Errorf("the time of call %d: %w", w.batch.Call, err)
	}
	w.now = now - postgresEpoch
	return int32(first), nil
}

// copyArchive sends arrays out of the records' own bytes, the first record in the position given. What there is to see in the bytes of
// an array is looked for when it is its turn, while the server works on the one before.
func (w *work) copyArchive(ctx context.Context, all []*kept, first int32) error {
	var raws [][]byte
	reader := copybinary.NewReader(archiveParts(all), func(buf []byte, part []*kept) ([]byte, error) {
		raws = storableOf(raws[:0], part)
		form := archive.FormOf(raws)
		buf = copybinary.Short(copybinary.Int(copybinary.Row(buf, w.sql.ArchiveFields), w.batch.Call), first)
		buf = copybinary.Text(copybinary.Text(copybinary.Text(buf, w.batch.Organization), w.sql.Service), w.sql.Resource)
		buf = copybinary.Int(copybinary.Short(buf, int32(len(part))), w.now) //nolint:gosec // bounded by the batch
		first += int32(len(part))                                            //nolint:gosec // as above
		return form.Append(copybinary.Size(buf, form.Size(raws)), raws), nil
	})
	_, err := postgres.CopyFrom(ctx, w.conn, reader, w.sql.ArchiveCopy)
	return err
}

// archiveParts cuts records into arrays of about archivePart bytes.
func archiveParts(all []*kept) [][]*kept {
	var parts [][]*kept
	from, size := 0, 0
	for i, k := range all {
		if size += len(k.Raw) + len(",\n"); size >= archivePart || i == len(all)-1 {
			parts = append(parts, all[from:i+1])
			from, size = i+1, 0
		}
	}
	return parts
}

// storableOf adds what records came as, as it is kept.
func storableOf(raws [][]byte, records []*kept) [][]byte {
	for _, k := range records {
		raws = append(raws, storable(k.Raw))
	}
	return raws
}

// storable gives raw bytes as they are kept: they are JSON, for normalize has read them, and what Postgres cannot hold as text is
// replaced, invalid UTF-8 by U+FFFD and NUL by its picture U+2400.
func storable(raw []byte) []byte {
	if len(raw) == 0 {
		return []byte("null")
	}
	if bytes.IndexByte(raw, 0) >= 0 {
		raw = bytes.ReplaceAll(raw, []byte{0}, []byte("\u2400"))
	}
	if utf8.Valid(raw) { // the usual case, asked several times faster than ToValidUTF8 answers it
		return raw
	}
	return bytes.ToValidUTF8(raw, []byte("\uFFFD"))
}
