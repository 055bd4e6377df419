package places

import (
	"strconv"
	"unicode/utf16"
	"unicode/utf8"
)

// lengths of escapes in JSON: \n and \u000a.
const (
	shortEscape = 2
	longEscape  = 6
)

// decoded returns the text of the inside of a JSON string. What is no escape stays as it is, so
// that no byte of what upstream sent is lost.
func decoded(inside []byte) []byte {
	text := make([]byte, 0, len(inside))
	for at := 0; at < len(inside); {
		if inside[at] != '\\' || at+1 == len(inside) {
			text = append(text, inside[at])
			at++
			continue
		}
		short, known := shortEscapes(inside[at+1])
		unit, unicode := codeUnit(inside[at:])
		switch {
		case known:
			text = append(text, short)
			at += shortEscape
		case unicode && utf16.IsSurrogate(unit):
			second, _ := codeUnit(inside[at+longEscape:])
			if both := utf16.DecodeRune(unit, second); both != utf8.RuneError {
				text = utf8.AppendRune(text, both)
				at += 2 * longEscape
				continue
			}
			text = append(text, inside[at:at+longEscape]...) // half a pair means no character
			at += longEscape
		case unicode:
			text = utf8.AppendRune(text, unit)
			at += longEscape
		default:
			text = append(text, inside[at])
			at++
		}
	}
	return text
}

func shortEscapes(c byte) (byte, bool) {
	switch c {
	case '"', '\\', '/':
		return c, true
	case 'b':
		return '\b', true
	case 'f':
		return '\f', true
	case 'n':
		return '\n', true
	case 'r':
		return '\r', true
	case 't':
		return '\t', true
	default:
		return 0, false
	}
}

// codeUnit reads the escape \uXXXX at the front.
func codeUnit(text []byte) (rune, bool) {
	const hex, unit = 16, 16
	if len(text) < longEscape || text[0] != '\\' || text[1] != 'u' {
		return 0, false
	}
	code, err := strconv.ParseUint(string(text[shortEscape:longEscape]), hex, unit)
	return rune(code), err == nil
}
