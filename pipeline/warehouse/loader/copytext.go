package loader

import (
	"encoding/binary"
	"encoding/hex"
	"io"
	"strconv"

	"sluice/schema/normalize"
)

// fillTo is how much text is collected before it is handed to the connection, which sends at most 64 KiB a message.
const fillTo = 60 << 10

// copyText streams the rows of records in the text format of COPY. It encodes while the server reads, so the text of a
// batch is never in memory whole.
type copyText struct {
	records []*kept
	rows    func(buf []byte, k *kept) []byte
	buf     []byte
	sent    int
}

// Read implements io.Reader.
func (c *copyText) Read(p []byte) (int, error) {
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

// appendText adds one field and the tab behind it. Tab, line ends and the backslash are what the format reserves; with the
// backslash escaped, a text that says \N is not taken for a null.
func appendText(buf []byte, text string) []byte {
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

func appendNull(buf []byte) []byte { return append(buf, '\\', 'N', '\t') }

// appendValues adds the fields of one row. An absent key of a new row is a null: there is nothing stored that could stay.
func appendValues(buf []byte, values []normalize.Value) []byte {
	for i := range values {
		if values[i].State == normalize.Set {
			buf = appendText(buf, values[i].Text)
		} else {
			buf = appendNull(buf)
		}
	}
	return buf
}

// appendOptional adds a field that is null where the text is empty.
func appendOptional(buf []byte, text string) []byte {
	if text == "" {
		return appendNull(buf)
	}
	return appendText(buf, text)
}

func appendInt(buf []byte, n int64) []byte {
	return append(strconv.AppendInt(buf, n, 10), '\t')
}

// appendPlace adds a ctid: the number of the block and of the row in it.
func appendPlace(buf []byte, place [6]byte) []byte {
	buf = strconv.AppendUint(append(buf, '('), uint64(binary.BigEndian.Uint32(place[:4])), 10)
	buf = strconv.AppendUint(append(buf, ','), uint64(binary.BigEndian.Uint16(place[4:])), 10)
	return append(buf, ')', '\t')
}

func appendHash(buf []byte, hash [16]byte) []byte {
	buf = append(buf, '\\', '\\', 'x')
	buf = hex.AppendEncode(buf, hash[:])
	return append(buf, '\t')
}

// endRow turns the last field's tab into the end of the line.
func endRow(buf []byte) []byte {
	buf[len(buf)-1] = '\n'
	return buf
}
