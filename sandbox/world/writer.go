package world

import (
	"fmt"
	"strconv"
	"unicode/utf8"
)

const (
	cents        = 100
	rateDecimals = 1_000_000
)

// writer appends one JSON value; commas look after themselves. A field that is
// headers-only leaves out is written inside a wide block by its caller.
type writer struct {
	b    []byte
	wide bool // also what only the single record carries
}

func (w *writer) comma() {
	if n := len(w.b); n > 0 && w.b[n-1] != '{' && w.b[n-1] != '[' && w.b[n-1] != ':' {
		w.b = append(w.b, ',')
	}
}

func (w *writer) key(name string) {
	w.comma()
	w.b = append(w.b, '"')
	w.b = append(w.b, name...)
	w.b = append(w.b, '"', ':')
}

func (w *writer) open() {
	w.comma()
	w.b = append(w.b, '{')
}

func (w *writer) close(bracket byte) { w.b = append(w.b, bracket) }

func (w *writer) text(name, value string) {
	w.key(name)
	w.b = appendText(w.b, value)
}

func (w *writer) flag(name string, value bool) {
	w.key(name)
	w.b = strconv.AppendBool(w.b, value)
}

func (w *writer) whole(name string, value int) {
	w.key(name)
	w.b = strconv.AppendInt(w.b, int64(value), 10)
}

// money writes an amount in cents with two decimals: 1000.00.
func (w *writer) money(name string, value int64) {
	w.key(name)
	if value < 0 {
		w.b = append(w.b, '-')
		value = -value
	}
	w.b = fmt.Appendf(w.b, "%d.%02d", value/cents, value%cents)
}

// rate writes millionths with six decimals: 1.000000.
func (w *writer) rate(name string, millionths int64) {
	w.key(name)
	w.b = fmt.Appendf(w.b, "%d.%06d", millionths/rateDecimals, millionths%rateDecimals)
}

// array writes elements 0..n-1 under a name.
func (w *writer) array(name string, n int, element func(int)) {
	w.key(name)
	w.b = append(w.b, '[')
	for i := range n {
		element(i)
	}
	w.close(']')
}

// appendText quotes a string for JSON; characters beyond ASCII stay as they are.
func appendText(b []byte, value string) []byte {
	b = append(b, '"')
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
