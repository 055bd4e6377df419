// Package copytext writes rows in the text format of COPY.
//
// It is pure: values in, bytes out. Which row goes where is for package rows to say.
//
// Start reading at Reader.
package copytext

import (
	"encoding/binary"
	"encoding/hex"
	"io"
	"strconv"

	"sluice/schema/record"
)

// fillTo is how much text is collected before it is handed to the connection, which sends at most 64 KiB a message.
const fillTo = 60 << 10

// Reader streams rows in the text format of COPY. It encodes while the server reads, so the text of a batch is never in
// memory whole.
type Reader[T any] struct {
	records []T
	rows    func(buf []byte, record T) []byte
	buf     []byte
	sent    int
}

// NewReader streams the rows that encode makes of each record.
func NewReader[T any](records []T, encode func(buf []byte, record T) []byte) *Reader[T] {
	return &Reader[T]{records: records, rows: encode}
}

// Read implements io.Reader.
func (c *Reader[T]) Read(p []byte) (int, error) {
	if c.sent == len(c.buf) {
		c.buf, c.sent = c.buf[:0], 0
		for len(c.buf) < fillTo && len(c.records) > 0 {
			c.buf = c.rows(c.buf, c.records[0])
			c.records = c.records[1:]
		}
		if len(c.buf) == 0 {
			return 0, io.EOF
		}
	}
	n := copy(p, c.buf[c.sent:])
	c.sent += n
	return n, nil
}

// Text adds one field and the tab behind it. Tab, line ends and the backslash are what the format reserves; with the
// backslash escaped, a text that says \N is not taken for a null.
func Text(buf []byte, text string) []byte {
	from := 0
	for i := range len(text) {
		var escape byte
		switch text[i] {
		case '\t':
			escape = 't'
		case '\n':
			escape = 'n'
		case '\r':
			escape = 'r'
		case '\\':
			escape = '\\'
		default:
			continue
		}
		buf = append(buf, text[from:i]...)
		buf = append(buf, '\\', escape)
		from = i + 1
	}
	buf = append(buf, text[from:]...)
	return append(buf, '\t')
}

func null(buf []byte) []byte { return append(buf, '\\', 'N', '\t') }

// Values adds the fields of one row. An absent key of a new row is a null: there is nothing stored that could stay.
func Values(buf []byte, values []record.Value) []byte {
	for i := range values {
		if values[i].State == record.Set {
			buf = Text(buf, values[i].Text)
		} else {
			buf = null(buf)
		}
	}
	return buf
}

// Optional adds a field that is null where the text is empty.
func Optional(buf []byte, text string) []byte {
	if text == "" {
		return null(buf)
	}
	return Text(buf, text)
}

// Int adds a whole number.
func Int(buf []byte, n int64) []byte {
	return append(strconv.AppendInt(buf, n, 10), '\t')
}

// Place adds a ctid: the number of the block and of the row in it.
func Place(buf []byte, place [6]byte) []byte {
	buf = strconv.AppendUint(append(buf, '('), uint64(binary.BigEndian.Uint32(place[:4])), 10)
	buf = strconv.AppendUint(append(buf, ','), uint64(binary.BigEndian.Uint16(place[4:])), 10)
	return append(buf, ')', '\t')
}

// Hash adds a bytea of 16 bytes.
func Hash(buf []byte, hash [16]byte) []byte {
	buf = append(buf, '\\', '\\', 'x')
	buf = hex.AppendEncode(buf, hash[:])
	return append(buf, '\t')
}

// Mark adds a fingerprint, the bits of it as a signed number; 0 is none.
func Mark(buf []byte, fingerprint uint64) []byte {
	if fingerprint == 0 {
		return null(buf)
	}
	return Int(buf, int64(fingerprint)) //nolint:gosec // the bits of it
}

// EndRow turns the last field's tab into the end of the line.
func EndRow(buf []byte) []byte {
	buf[len(buf)-1] = '\n'
	return buf
}
