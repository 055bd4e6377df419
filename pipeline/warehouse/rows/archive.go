package rows

import (
	"bytes"
	"context"
	"fmt"
	"unicode/utf8"

	"github.com/jackc/pgx/v5"

	"sluice/pipeline"
	"sluice/pipeline/warehouse/raw"
	"sluice/pipeline/warehouse/raw/archive"
	"sluice/pipeline/warehouse/rows/copybinary"
	"sluice/pipeline/warehouse/rows/statements"
)

// archivePart is how many bytes an array that goes by COPY has, not counting its last record: about
// a page of the usual size. A reader of one record decompresses no more than that, and the server
// writes such arrays as fast as arrays of megabytes.
const archivePart = 256 << 10

//nolint:gochecknoglobals // a constant
var archiveColumns = []string{"call_id", "first_position", "organization_id", "service", "resource", "record_count", "kept_at", "records"}

// archive stores the raw records of what is about to be written, as JSON arrays, and sets the
// position of each record: its index among all stored records of the call. Large batches make
// several arrays. So does a call that is loaded in several batches (an export, a bisected page).
// Arrays are written directly from the records' bytes; each is prepared while the server processes
// the one before.
func (w *work) archive(ctx context.Context) error {
	all := w.written()
	for i, k := range all {
		k.rawRef = w.place + int32(i)
	}
	var raws [][]byte
	parts := archiveParts(all)
	into := statements.CopyInto("sluice.raw_records", archiveColumns)
	return copyInto(ctx, w, into, parts, len(parts), func(buf []byte, part []*rowToWrite) ([]byte, error) {
		raws = storableOf(raws[:0], part)
		form := archive.FormOf(raws)
		buf = copybinary.Short(copybinary.Int(copybinary.Row(buf, len(archiveColumns)), w.batch.Call), part[0].rawRef)
		buf = copybinary.Text(copybinary.Text(copybinary.Text(buf, w.batch.Organization), w.sql.Service), w.sql.Resource)
		buf = copybinary.Int(copybinary.Short(buf, int32(len(part))), w.now) //nolint:gosec // bounded by the batch
		return form.Append(copybinary.Size(buf, form.Size(raws)), raws), nil
	})
}

// archiveParts splits records into arrays of about archivePart bytes.
func archiveParts(all []*rowToWrite) [][]*rowToWrite {
	var parts [][]*rowToWrite
	from, size := 0, 0
	for i, k := range all {
		if size += len(k.Raw) + len(",\n"); size >= archivePart || i == len(all)-1 {
			parts = append(parts, all[from:i+1])
			from, size = i+1, 0
		}
	}
	return parts
}

// storableOf appends the raw bytes of records in their stored form.
func storableOf(raws [][]byte, records []*rowToWrite) [][]byte {
	for _, k := range records {
		raws = append(raws, storable(k.Raw))
	}
	return raws
}

// storable returns raw bytes in the form in which they are stored. They are JSON, since normalize
// has read them. What Postgres cannot hold as text is replaced: invalid UTF-8 by U+FFFD and NUL by
// its picture U+2400.
func storable(raw []byte) []byte {
	if len(raw) == 0 {
		return []byte("null")
	}
	if bytes.IndexByte(raw, 0) >= 0 {
		raw = bytes.ReplaceAll(raw, []byte{0}, []byte("\u2400"))
	}
	if utf8.Valid(raw) { // the usual case; this check is several times faster than ToValidUTF8
		return raw
	}
	return bytes.ToValidUTF8(raw, []byte("\uFFFD"))
}

const (
	sqlNextArchives = `
SELECT call_id, first_position, records FROM sluice.raw_records
WHERE (organization_id, service, resource) = ($1, $2, $3) AND (call_id, first_position) > ($4, $5)
ORDER BY call_id, first_position LIMIT $6 FOR UPDATE`

	sqlNewArchive = `UPDATE sluice.raw_records SET records = $3 WHERE (call_id, first_position) = ($1, $2)`
)

// LeaveOut leaves columns out of the next archives of raw records behind one, as the stream says.
// Records stay in their positions. It returns the last archive, nil if there is no further one, and
// how many it wrote anew. With dry it writes none.
func LeaveOut(ctx context.Context, tx pgx.Tx, stream pipeline.Stream, after raw.Ref, limit int, dry bool) (*raw.Ref, int, error) {
	key := stream.ListKey()
	found, _ := tx.Query(ctx, sqlNextArchives, key.Organization, key.Service, key.Resource, after.Call, after.Position, limit)
	var last *raw.Ref
	var at raw.Ref
	var text []byte
	queue := new(pgx.Batch)
	_, err := pgx.ForEachRow(found, []any{&at.Call, &at.Position, &text}, func() error {
		now, changed, err := archive.Rewrite(text, stream.LeaveOut.Record)
		if err != nil {
			return fmt.Errorf("call %d: %w", at.Call, err)
		}
		if changed > 0 {
			queue.Queue(sqlNewArchive, at.Call, at.Position, string(now))
		}
		last, text = &raw.Ref{Call: at.Call, Position: at.Position}, nil
		return nil
	})
	if err != nil {
		return nil, 0, fmt.Errorf("reading raw records of %s: %w", key, err)
	}
	if written := queue.Len(); written == 0 || dry {
		return last, written, nil
	}
	if err := tx.SendBatch(ctx, queue).Close(); err != nil {
		return nil, 0, fmt.Errorf("writing raw records of %s: %w", key, err)
	}
	return last, queue.Len(), nil
}
