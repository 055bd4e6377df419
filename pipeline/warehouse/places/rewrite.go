package places

import (
	"bytes"
	"encoding/json"
	"slices"
	"strconv"
	"strings"
)

// Erased stands where a string was that an operator erased.
const Erased = "[erased]"

// Rewrite returns JSON without the strings, keys and numbers of which hit is true, and how many
// these were. A string becomes Erased, a number null, and a key Erased with a number, since names
// are unique. Everything else keeps its bytes. Text is what the token means: escapes are decoded.
// Bytes that are no JSON are returned as they are.
func Rewrite(raw []byte, hit func(text []byte, number bool) bool) ([]byte, int) {
	if !json.Valid(raw) {
		return raw, 0
	}
	var written []byte
	hits, keys, copied := 0, 0, 0
	replace := func(from, to int, by string) {
		written = append(append(written, raw[copied:from]...), by...)
		copied = to
		hits++
	}
	for at := 0; at < len(raw); {
		switch c := raw[at]; {
		case c == '"':
			end := stringEnd(raw, at)
			if text := raw[at+1 : end-1]; hit(decodedOnce(text), false) {
				by := strconv.Quote(Erased)
				if isKey(raw[end:]) {
					keys++
					by = strconv.Quote("[erased " + strconv.Itoa(keys) + "]")
				}
				replace(at, end, by)
			}
			at = end
		case c == '-' || c >= '0' && c <= '9':
			end := numberEnd(raw, at)
			if hit(raw[at:end], true) {
				replace(at, end, "null")
			}
			at = end
		default:
			at++
		}
	}
	if hits == 0 {
		return raw, 0
	}
	return append(written, raw[copied:]...), hits
}

// Erases reports whether a string or a number has to go for the text to be gone. A number that
// merely contains the digits of the text is an amount.
func (n *Needle) Erases(text []byte, number bool) bool {
	if number {
		return slices.Contains(n.spellings, strings.ToLower(string(text)))
	}
	return n.In(text) || bytes.IndexByte(text, '\\') >= 0 && n.inString(text, true)
}

// stringEnd is the index behind the string literal that begins at an index of valid JSON.
func stringEnd(raw []byte, at int) int {
	for at++; raw[at] != '"'; at++ {
		if raw[at] == '\\' {
			at++
		}
	}
	return at + 1
}

func numberEnd(raw []byte, at int) int {
	for at++; at < len(raw) && strings.IndexByte("+-.eE0123456789", raw[at]) >= 0; at++ {
	}
	return at
}

func decodedOnce(inside []byte) []byte {
	if bytes.IndexByte(inside, '\\') < 0 {
		return inside
	}
	return decoded(inside)
}

// isKey says whether what follows a string makes it a key.
func isKey(after []byte) bool {
	after = bytes.TrimLeft(after, " \t\r\n")
	return len(after) > 0 && after[0] == ':'
}

// Structured says that a value of the column, as Value selects it, is JSON.
func (c Column) Structured() bool {
	return slices.Contains(jsonTypes, c.Type) || slices.Contains(listTypes, c.Type)
}
