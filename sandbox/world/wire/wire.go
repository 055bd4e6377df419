// Package wire writes JSON as the services write it: money with two decimals, rates with six,
// characters beyond ASCII as they are.
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

// Writer appends one JSON value; it sets the commas itself.
type Writer struct {
	B []byte // what was written
	// For callers: Wide asks for the keys of the single record as well, Single omits the keys of
	// lists alone.
	Wide, Single bool
}

// Comma separates the next element or key from the previous one.
func (w *Writer) Comma() { w.B = comma(w.B) }

func comma(b []byte) []byte {
	if n := len(b); n > 0 && b[n-1] != '{' && b[n-1] != '[' && b[n-1] != ':' {
		return append(b, ',')
	}
	return b
}

// key appends a name; its value is next.
func key(b []byte, name string) []byte {
	b = append(comma(b), '"')
	b = append(b, name...)
	return append(b, '"', ':')
}

// Key writes a name; its value is next.
func (w *Writer) Key(name string) { w.B = key(w.B, name) }

// Open begins an object.
func (w *Writer) Open() {
	w.Comma()
	w.B = append(w.B, '{')
}

// Close ends an object or array with its bracket.
func (w *Writer) Close(bracket byte) { w.B = append(w.B, bracket) }

// Text writes a text.
func (w *Writer) Text(name, value string) { w.B = AppendText(key(w.B, name), value) }

// ID writes an identifier: the text of a number.
func (w *Writer) ID(name string, number int64) {
	w.B = append(strconv.AppendInt(append(key(w.B, name), '"'), number, base), '"')
}

// Numbered writes a text that ends with a number. The text before the number needs no escape.
func (w *Writer) Numbered(name, before string, number int) { w.Padded(name, before, number, 1) }

// Padded is Numbered with zeroes before the number, up to a number of digits.
func (w *Writer) Padded(name, before string, number, digits int) {
	w.B = appendPadded(key(w.B, name), before, number, digits)
}

// PaddedText is Padded for an element of an array.
func (w *Writer) PaddedText(before string, number, digits int) {
	w.B = appendPadded(comma(w.B), before, number, digits)
}

func appendPadded(b []byte, before string, number, digits int) []byte {
	const zeroes = "0000000000"
	b = append(append(b, '"'), before...)
	for below := base; digits > 1; digits-- {
		if number < below {
			b = append(b, zeroes[:digits-1]...)
			break
		}
		below *= base
	}
	return append(strconv.AppendInt(b, int64(number), base), '"')
}

// Flag writes true or false.
func (w *Writer) Flag(name string, value bool) {
	w.B = strconv.AppendBool(key(w.B, name), value)
}

// Whole writes a whole number.
func (w *Writer) Whole(name string, value int) {
	w.B = strconv.AppendInt(key(w.B, name), int64(value), base)
}

// Money writes an amount in cents with two decimals: 1000.00.
func (w *Writer) Money(name string, value int64) {
	b := key(w.B, name)
	if value < 0 {
		b = append(b, '-')
		value = -value
	}
	b = strconv.AppendInt(b, value/cents, base)
	rest := value % cents
	b = append(b, '.', byte('0'+rest/base), byte('0'+rest%base))
	w.B = b
}

// Rate writes millionths with six decimals: 1.000000.
func (w *Writer) Rate(name string, value int64) {
	w.B = append(strconv.AppendInt(key(w.B, name), value/millionth, base), '.')
	for rest, place := value%millionth, int64(millionth/base); place > 0; place /= base {
		w.B = append(w.B, byte('0'+rest/place%base))
	}
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

// AppendText quotes a string for JSON; characters beyond ASCII stay unescaped.
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

// plain reports whether a string is UTF-8 without a need for escapes, as most are.
func plain(value string) bool {
	beyond := false
	for n := range len(value) {
		c := value[n]
		if c < ' ' || c == '"' || c == '\\' {
			return false
		}
		beyond = beyond || c >= utf8.RuneSelf
	}
	return !beyond || utf8.ValidString(value)
}
