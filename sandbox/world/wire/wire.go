// Package wire writes JSON as the services write it: money with two decimals,
// rates with six, characters beyond ASCII as they are.
//
// It knows no record and checks no order of keys. Start reading with Writer.
package wire

import (
	"fmt"
	"strconv"
	"unicode/utf8"
)

const (
	cents     = 100
	millionth = 1_000_000
	base      = 10
)

// Writer appends one JSON value; commas look after themselves.
type Writer struct {
	B []byte // what was written
	// For callers to ask: Wide also writes what only the single record carries,
	// Single leaves out what lists alone carry.
	Wide, Single bool
}

// Comma separates the next element or key from what is before it.
func (w *Writer) Comma() {
	if n := len(w.B); n > 0 && w.B[n-1] != '{' && w.B[n-1] != '[' && w.B[n-1] != ':' {
		w.B = append(w.B, ',')
	}
}

// Key writes a name; its value is next.
func (w *Writer) Key(name string) {
	w.Comma()
	w.B = append(w.B, '"')
	w.B = append(w.B, name...)
	w.B = append(w.B, '"', ':')
}

// Open begins an object.
func (w *Writer) Open() {
	w.Comma()
	w.B = append(w.B, '{')
}

// Close ends an object or array with its bracket.
func (w *Writer) Close(bracket byte) { w.B = append(w.B, bracket) }

// Text writes a text.
func (w *Writer) Text(name, value string) {
	w.Key(name)
	w.B = AppendText(w.B, value)
}

// Flag writes true or false.
func (w *Writer) Flag(name string, value bool) {
	w.Key(name)
	w.B = strconv.AppendBool(w.B, value)
}

// Whole writes a whole number.
func (w *Writer) Whole(name string, value int) {
	w.Key(name)
	w.B = strconv.AppendInt(w.B, int64(value), 10)
}

// Money writes an amount in cents with two decimals: 1000.00.
func (w *Writer) Money(name string, value int64) {
	w.Key(name)
	if value < 0 {
		w.B = append(w.B, '-')
		value = -value
	}
	w.B = strconv.AppendInt(w.B, value/cents, base)
	w.B = append(w.B, '.')
	w.B = appendDigits(w.B, value%cents, cents)
}

// Rate writes millionths with six decimals: 1.000000.
func (w *Writer) Rate(name string, value int64) {
	w.Key(name)
	w.B = strconv.AppendInt(w.B, value/millionth, base)
	w.B = append(w.B, '.')
	w.B = appendDigits(w.B, value%millionth, millionth)
}

// appendDigits appends a number below a power of ten with all its places.
func appendDigits(b []byte, value, below int64) []byte {
	for place := below / base; place > 0; place /= base {
		b = append(b, byte('0'+value/place%base))
	}
	return b
}

// Texts writes an array of texts.
func (w *Writer) Texts(name string, values ...string) {
	w.Array(name, len(values), func(n int) {
		w.Comma()
		w.B = AppendText(w.B, values[n])
	})
}

// Array writes elements 0..n-1 under a name.
func (w *Writer) Array(name string, n int, element func(int)) {
	w.Key(name)
	w.B = append(w.B, '[')
	for i := range n {
		element(i)
	}
	w.Close(']')
}

// AppendText quotes a string for JSON; characters beyond ASCII stay as they are.
func AppendText(b []byte, value string) []byte {
	b = append(b, '"')
	if plain(value) {
		b = append(b, value...)
		return append(b, '"')
	}
	for _, r := range value {
		switch {
		case r == '"' || r == '\\':
			b = append(b, '\\', byte(r))
		case r == '\n':
			b = append(b, '\\', 'n')
		case r < ' ':
			b = fmt.Appendf(b, "\\u%04x", r)
		default:
			b = utf8.AppendRune(b, r)
		}
	}
	return append(b, '"')
}

// plain tells whether a string is ASCII that needs no escape, as most are.
func plain(value string) bool {
	for n := range len(value) {
		if c := value[n]; c < ' ' || c >= utf8.RuneSelf || c == '"' || c == '\\' {
			return false
		}
	}
	return true
}
