// Package jsonscan finds the ends of the values of a JSON document, in one pass over its bytes and
// without memory of its own.
//
// It accepts less than a decoder and never more: every accepted value is valid JSON (RFC 8259) in
// valid UTF-8. It refuses everything else, and some valid values, without a reason: a caller that
// needs the reason asks a decoder. It checks for repeated names only on request (Once).
//
// Start reading at Value.
package jsonscan

import (
	"encoding/binary"
	"math/bits"
	"unicode/utf8"
)

// MaxDepth is the deepest accepted nesting.
const MaxDepth = 64

// Masks for eight bytes at once.
const (
	ones  = 0x0101010101010101
	highs = 0x8080808080808080
	word  = 8
)

// Space returns the index of the first byte from at on that is no white space, len(data) if there
// is none.
func Space(data []byte, at int) int {
	for at < len(data) {
		switch data[at] {
		case ' ', '\n', '\r', '\t':
			at++
		default:
			return at
		}
	}
	return at
}

// String reads the string literal that begins at data[at]. It returns the index behind it, whether
// it has no escapes (so that its text is the bytes between the quotes), and whether it is valid.
func String(data []byte, at int) (int, bool, bool) {
	if at >= len(data) || data[at] != '"' {
		return at, false, false
	}
	from := at + 1
	plain, ascii := true, true
	for at = from; ; {
		at = SkipPlain(data, at)
		if at >= len(data) {
			return at, false, false
		}
		switch c := data[at]; {
		case c == '"':
			return at + 1, plain, ascii || utf8.Valid(data[from:at])
		case c == '\\':
			plain = false
			size := escape(data[at:])
			if size == 0 {
				return at, false, false
			}
			at += size
		case c < ' ':
			return at, false, false
		case c >= utf8.RuneSelf:
			ascii = false
			at++
		default:
			at++
		}
	}
}

// Plain reports whether the inside of a string literal is ASCII with nothing escaped.
func Plain(inner []byte) bool { return SkipPlain(inner, 0) == len(inner) }

// SkipPlain returns the index of the next byte that is a quote, a backslash, a control character or
// outside of ASCII; it reads eight bytes at a time.
func SkipPlain(data []byte, at int) int {
	for ; at+word <= len(data); at += word {
		v := binary.LittleEndian.Uint64(data[at:])
		quote, slash := v^(ones*'"'), v^(ones*'\\')
		if found := ((v - ones*' ') | v | (quote - ones) | (slash - ones)) & highs; found != 0 {
			// A borrow can only mark bytes behind a correctly marked one.
			return at + bits.TrailingZeros64(found)/word
		}
	}
	for at < len(data) && data[at] >= ' ' && data[at] < utf8.RuneSelf && data[at] != '"' && data[at] != '\\' {
		at++
	}
	return at
}

// escape returns the length of the escape sequence at the front, 0 if it is none.
func escape(data []byte) int {
	const long = len(`\u0000`)
	if len(data) < len(`\n`) {
		return 0
	}
	switch data[1] {
	case '"', '\\', '/', 'b', 'f', 'n', 'r', 't':
		return len(`\n`)
	case 'u':
		if len(data) < long {
			return 0
		}
		for _, c := range data[2:long] {
			if (c < '0' || c > '9') && (c < 'a' || c > 'f') && (c < 'A' || c > 'F') {
				return 0
			}
		}
		return long
	default:
		return 0
	}
}

// Number reads the number that begins at data[at] and returns the index behind it.
func Number(data []byte, at int) (int, bool) {
	if at < len(data) && data[at] == '-' {
		at++
	}
	from := at
	at = digits(data, at)
	if at == from || at-from > 1 && data[from] == '0' {
		return at, false
	}
	if at < len(data) && data[at] == '.' {
		from = at + 1
		if at = digits(data, from); at == from {
			return at, false
		}
	}
	if at < len(data) && (data[at] == 'e' || data[at] == 'E') {
		at++
		if at < len(data) && (data[at] == '+' || data[at] == '-') {
			at++
		}
		from = at
		if at = digits(data, from); at == from {
			return at, false
		}
	}
	return at, true
}

func digits(data []byte, at int) int {
	for at < len(data) && data[at] >= '0' && data[at] <= '9' {
		at++
	}
	return at
}

// Literal reads true, false or null.
func Literal(data []byte, at int) (int, bool) {
	rest := data[min(at, len(data)):]
	for _, word := range [...]string{"null", "true", "false"} {
		if len(rest) >= len(word) && string(rest[:len(word)]) == word {
			return at + len(word), true
		}
	}
	return at, false
}
