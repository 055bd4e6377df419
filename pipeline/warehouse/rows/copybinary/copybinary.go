// Package copybinary writes rows in the binary format of COPY, which saves the server parsing
// numbers and times.
//
// It takes canonical texts only (package record makes them), each of which has a binary form;
// another text is an error. It is pure: values in, bytes out.
//
// Start reading at Reader, then Value.
package copybinary

import (
	"encoding/binary"
	"errors"
	"io"

	"sluice/schema"
	"sluice/schema/record"
)

// ErrText says that a value has no binary form, because it is no text that package record makes.
var ErrText = errors.New("the value has no binary form")

// fillTo is how many bytes are collected before they go to the connection, which sends at most 64
// KiB a message.
const fillTo = 60 << 10

// header is the signature, no flags, and no extension. Source: PostgreSQL documentation, COPY,
// "Binary Format".
const header = "PGCOPY\n\xff\r\n\x00" + "\x00\x00\x00\x00" + "\x00\x00\x00\x00"

// Reader streams rows in the binary format. It encodes while the server reads, so a batch is never
// in memory twice.
type Reader[T any] struct {
	records []T
	rows    func(buf []byte, record T) ([]byte, error)
	buf     []byte
	sent    int
	ended   bool
	err     error
}

// NewReader streams the rows that encode makes of each record.
func NewReader[T any](records []T, encode func(buf []byte, record T) ([]byte, error)) *Reader[T] {
	return &Reader[T]{records: records, rows: encode, buf: append(make([]byte, 0, fillTo+fillTo/2), header...)}
}

// Read implements io.Reader.
func (c *Reader[T]) Read(p []byte) (int, error) {
	if c.sent > 0 && c.sent == len(c.buf) {
		if c.ended {
			return 0, io.EOF
		}
		c.buf, c.sent = c.buf[:0], 0
	}
	for c.sent == 0 && !c.ended && len(c.buf) < fillTo {
		if len(c.records) == 0 {
			c.buf, c.ended = binary.BigEndian.AppendUint16(c.buf, 0xffff), true
			break
		}
		if c.buf, c.err = c.rows(c.buf, c.records[0]); c.err != nil {
			return 0, c.err
		}
		c.records = c.records[1:]
	}
	n := copy(p, c.buf[c.sent:])
	c.sent += n
	return n, nil
}

// Err returns the error of encoding a record, if there was one.
func (c *Reader[T]) Err() error { return c.err }

// Row begins a row of so many fields.
func Row(buf []byte, fields int) []byte {
	return binary.BigEndian.AppendUint16(buf, uint16(fields)) //nolint:gosec // no table has more than 1,600 columns
}

// Null adds a field without a value.
func Null(buf []byte) []byte { return append(buf, 0xff, 0xff, 0xff, 0xff) }

// Text adds a field of type text.
func Text(buf []byte, text string) []byte {
	return append(Size(buf, len(text)), text...)
}

// Hash adds a bytea of 16 bytes.
func Hash(buf []byte, hash [16]byte) []byte { return append(Size(buf, len(hash)), hash[:]...) }

// Int adds a bigint, or a timestamptz in microseconds since 2000.
func Int(buf []byte, n int64) []byte {
	return binary.BigEndian.AppendUint64(Size(buf, 8), uint64(n)) //nolint:gosec,mnd // the bits of a signed number
}

// PayloadHash adds a payload hash as a signed number with the same bits; 0 means none.
func PayloadHash(buf []byte, fingerprint uint64) []byte {
	if fingerprint == 0 {
		return Null(buf)
	}
	return Int(buf, int64(fingerprint)) //nolint:gosec // the bits of it
}

// Short adds an integer.
func Short(buf []byte, n int32) []byte {
	return binary.BigEndian.AppendUint32(Size(buf, 4), uint32(n)) //nolint:gosec,mnd // the bits of a signed number
}

// JSON adds a jsonb, null where the text is empty.
func JSON(buf []byte, text string) []byte {
	if text == "" {
		return Null(buf)
	}
	const version = 1
	return append(append(Size(buf, len(text)+1), version), text...)
}

// Place adds a tid in the form in which the server sends it.
func Place(buf []byte, place [6]byte) []byte { return append(Size(buf, len(place)), place[:]...) }

// Size begins a field of n bytes, which the caller appends.
func Size(buf []byte, n int) []byte {
	return binary.BigEndian.AppendUint32(buf, uint32(n)) //nolint:gosec // bounded by the record
}

// Value adds a field of a kind. In a new row an absent key is a null: there is no stored value that
// could stay.
func Value(buf []byte, kind schema.Kind, value *record.Value) ([]byte, error) {
	if value.State != record.Set {
		return Null(buf), nil
	}
	switch text := value.Text; kind {
	case schema.KindID, schema.KindText:
		return Text(buf, text), nil
	case schema.KindDecimal:
		return decimal(buf, text)
	case schema.KindBool:
		return boolean(buf, text)
	case schema.KindTime:
		return instant(buf, text)
	case schema.KindDate:
		return date(buf, text)
	case schema.KindInt:
		return whole(buf, text)
	case schema.KindJSON:
		if text == "" {
			return buf, ErrText
		}
		return JSON(buf, text), nil
	default:
		return buf, ErrText
	}
}
