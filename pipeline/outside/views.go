package outside

import (
	"slices"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// view is a text whose escapes were decoded. Byte i of it was made of the bytes from at[i] to
// at[i+1] of the original text; a nil at says that it is the original text.
type view struct {
	text string
	at   []int
	// taken is what the decoded escapes took. An escape may be none: a sign that stands for itself,
	// and behind it a secret that begins with digits.
	taken []taken
}

// taken is what stands behind the sign of an escape, with its place in the original text.
type taken struct {
	text     string
	from, to int
}

// place returns where a byte of the view begins in the original text.
func (v view) place(i int) int {
	if v.at == nil {
		return i
	}
	return v.at[i]
}

// depth is how many layers of escapes are decoded.
const depth = 3

// views returns all the ways to read a text: as it is, with percent escapes decoded, with JSON
// escapes decoded, and with both in any order.
func views(text string) []view {
	all := []view{{text: text}}
	for from, round := 0, 0; round < depth; round++ {
		end := len(all)
		for _, v := range all[from:end] {
			for _, one := range []struct {
				sign byte
				undo func(string) (string, int)
			}{{'%', percent}, {'\\', backslash}} {
				if undone, ok := v.undo(one.sign, one.undo); ok {
					all = append(all, undone)
				}
			}
		}
		from = end
	}
	return all
}

// undo decodes every escape that begins with sign. The function escape returns the decoded bytes
// and the length of an escape at the front of its text; a length of 0 means no escape. The result
// is false if nothing was decoded.
func (v view) undo(sign byte, escape func(string) (string, int)) (view, bool) {
	if strings.IndexByte(v.text, sign) < 0 {
		return view{}, false
	}
	out := make([]byte, 0, len(v.text))
	at := make([]int, 0, len(v.text)+1)
	all := slices.Clip(v.taken)
	for i := 0; i < len(v.text); {
		stands, length := v.text[i:i+1], 1
		if v.text[i] == sign {
			if s, n := escape(v.text[i:]); n > 0 {
				stands, length = s, n
				all = append(all, taken{v.text[i+1 : i+n], v.place(i + 1), v.place(i + n)})
			}
		}
		for range len(stands) {
			at = append(at, v.place(i))
		}
		out = append(out, stands...)
		i += length
	}
	return view{text: string(out), at: append(at, v.place(len(v.text))), taken: all}, len(all) > len(v.taken)
}

func percent(text string) (string, int) {
	n, ok := hexOf(text, 1, 2)
	if !ok {
		return "", 0
	}
	return string([]byte{byte(n)}), 3 //nolint:gosec // two digits
}

// backslash decodes a JSON escape, and \x.., which Go writes.
func backslash(text string) (string, int) {
	if len(text) < 2 { //nolint:mnd // the shortest escape
		return "", 0
	}
	switch c := text[1]; c {
	case '"', '\\', '/':
		return text[1:2], 2
	case 'b', 'f', 'n', 'r', 't':
		return string("\b\f\n\r\t"[strings.IndexByte("bfnrt", c)]), 2
	case 'x':
		if n, ok := hexOf(text, 2, 2); ok { //nolint:mnd // \x41
			return string([]byte{byte(n)}), 4 //nolint:gosec // two digits
		}
	case 'u':
		return unicodeOf(text)
	}
	return "", 0
}

// unicodeOf decodes an escape such as \u0041, and a surrogate pair as one character.
func unicodeOf(text string) (string, int) {
	const length = 6
	n, ok := hexOf(text, 2, 4) //nolint:mnd // four digits behind \u
	if !ok {
		return "", 0
	}
	if utf16.IsSurrogate(n) && strings.HasPrefix(text[length:], `\u`) {
		if low, ok := hexOf(text, length+2, 4); ok { //nolint:mnd // as above
			if r := utf16.DecodeRune(n, low); r != utf8.RuneError {
				return string(r), 2 * length
			}
		}
	}
	return string(n), length
}

func hexOf(text string, from, digits int) (rune, bool) {
	if len(text) < from+digits {
		return 0, false
	}
	n, err := strconv.ParseUint(text[from:from+digits], 16, 32)
	return rune(n), err == nil //nolint:gosec // at most four digits
}
