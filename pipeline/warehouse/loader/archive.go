package loader

import (
	"bytes"
	"context"
	"fmt"
	"strconv"
	"unicode/utf8"

	"github.com/jackc/pgx/v5/pgtype"
)

// archive keeps the raw records of what is about to be written, as one JSON array, and tells every record its position: its
// index among all that was kept of the call. A call that is loaded in several batches (an export, a bisected page) has several
// arrays, one behind the other.
//
// Raw bytes are JSON, for normalize has read them; what Postgres cannot hold as text is replaced: invalid UTF-8 by U+FFFD
// and NUL by its picture U+2400.
func (w *work) archive(ctx context.Context) error {
	size, n := len("[]"), int32(0)
	for _, group := range [][]*kept{w.fresh, w.changed} {
		for _, k := range group {
			size += len(k.Raw) + len(",")
		}
	}
	text := append(make([]byte, 0, size), '[')
	for _, group := range [][]*kept{w.fresh, w.changed} {
		for _, k := range group {
			if n > 0 {
				text = append(text, ',')
			}
			k.position, n = n, n+1
			text = appendRaw(text, k.Raw)
		}
	}
	call, count := strconv.AppendInt(nil, w.batch.Call, 10), strconv.AppendInt(nil, int64(n), 10)
	result := w.conn.ExecParams(ctx, w.sql.Archive,
		[][]byte{call, []byte(w.batch.Organization), []byte(w.sql.Service), []byte(w.sql.Resource), append(text, ']'), count},
		[]uint32{pgtype.Int8OID, pgtype.TextOID, pgtype.TextOID, pgtype.TextOID, pgtype.TextOID, pgtype.Int4OID}, nil, nil).Read()
	if result.Err != nil {
		return w.fail("archive raw records of", result.Err)
	}
	first, err := strconv.ParseInt(string(result.Rows[0][0]), 10, 32)
	if err != nil {
		return w.fail("archive raw records of", fmt.Errorf("first position of call %s: %w", call, err))
	}
	now, err := strconv.ParseInt(string(result.Rows[0][1]), 10, 64)
	if err != nil {
		return w.fail("archive raw records of", fmt.Errorf("the time of call %s: %w", call, err))
	}
	w.now = now - postgresEpoch
	for _, group := range [][]*kept{w.fresh, w.changed} {
		for _, k := range group {
			k.position += int32(first)
		}
	}
	return nil
}

func appendRaw(text, raw []byte) []byte {
	if len(raw) == 0 {
		return append(text, "null"...)
	}
	if bytes.IndexByte(raw, 0) >= 0 {
		raw = bytes.ReplaceAll(raw, []byte{0}, []byte("\u2400"))
	}
	if utf8.Valid(raw) { // the usual case, asked several times faster than ToValidUTF8 answers it
		return append(text, raw...)
	}
	return append(text, bytes.ToValidUTF8(raw, []byte("\uFFFD"))...)
}
