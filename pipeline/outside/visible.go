package outside

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"
)

// sign replaces a character that would control the terminal or be invisible.
const sign = '\u2400'

// Visible makes a text safe to show on one line. Control characters, direction marks and invisible
// characters become a sign; bytes that are no UTF-8 become the replacement character.
func Visible(text string) string { return visible(text, "") }

// VisibleLines is Visible for several lines: line ends and tabs stay.
func VisibleLines(text string) string { return visible(text, "\n\t") }

func visible(text, stay string) string {
	return strings.Map(func(r rune) rune {
		if Hidden(r) && !strings.ContainsRune(stay, r) {
			return sign
		}
		return r
	}, strings.ToValidUTF8(text, string(utf8.RuneError))) // both return their argument where there is nothing to replace
}

// Hidden reports whether a reader cannot see a character as what it is. Such characters control the
// terminal (C0, DEL, C1, line separators), change the direction of the text, or take no space.
func Hidden(r rune) bool {
	if r < ' ' || r >= 0x7f && r < 0xa0 {
		return true
	}
	return r > 0x7f && (unicode.In(r, unicode.Cf, unicode.Zl, unicode.Zp) || unicode.Is(fillers, r))
}

// fillers are letters and marks that are invisible.
var fillers = &unicode.RangeTable{ //nolint:gochecknoglobals // a constant table
	R16: []unicode.Range16{
		{Lo: 0x034f, Hi: 0x034f, Stride: 1}, {Lo: 0x115f, Hi: 0x1160, Stride: 1}, {Lo: 0x17b4, Hi: 0x17b5, Stride: 1},
		{Lo: 0x180b, Hi: 0x180f, Stride: 1}, {Lo: 0x3164, Hi: 0x3164, Stride: 1}, {Lo: 0xfe00, Hi: 0xfe0f, Stride: 1}, {Lo: 0xffa0, Hi: 0xffa0, Stride: 1},
	},
	R32: []unicode.Range32{{Lo: 0xe0000, Hi: 0xe0fff, Stride: 1}},
}

// JSON writes the hidden characters of a JSON document as escapes, so every value stays exactly the
// same. Line ends between values stay.
func JSON(document string) string {
	if !strings.ContainsFunc(document, func(r rune) bool { return r >= ' ' && Hidden(r) }) {
		return document
	}
	var out strings.Builder
	for _, r := range document {
		switch {
		case !Hidden(r) || r < ' ': // a JSON document has control characters between its values only
			out.WriteRune(r)
		case r > 0xffff: //nolint:mnd // the last that takes one escape
			high, low := utf16.EncodeRune(r)
			fmt.Fprintf(&out, `\u%04x\u%04x`, high, low)
		default:
			fmt.Fprintf(&out, `\u%04x`, r)
		}
	}
	return out.String()
}
