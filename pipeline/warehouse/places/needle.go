// Package places finds every place of the warehouse in which a text stands: rows and their arrays,
// versions, raw records, quarantine and the notes of the program.
//
// Which places there are is read from the catalog of the database: a table that a migration adds is
// searched without a change here. Objects of other roles are never read. The package only reads.
//
// Start reading at Needle, which says what "contains" means, then Find.
package places

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// MaxText is the length of the longest text that is searched for, in bytes.
const MaxText = 1000

// ErrText says that a text cannot be searched for. No error quotes the text.
var ErrText = errors.New("the text cannot be searched for")

// Needle is a text that is searched for, such as a name or an address of a person. It is the one
// definition of "contains": what a Needle finds is what is counted.
//
// ASCII letters match in any case. With other letters, the text as given, its lower-case and its
// upper-case spelling match, whether accents are characters of their own or not. Nothing else is
// folded: accents, spaces and punctuation count.
//
// It prints as a placeholder, so that no log and no error can show the text.
type Needle struct {
	// spellings are the alternatives, with small ASCII letters.
	spellings []string
}

// NewNeedle makes a needle of a text: 1 to MaxText bytes of UTF-8 without NUL, which no column can
// hold. Otherwise it returns ErrText.
func NewNeedle(text string) (*Needle, error) {
	switch {
	case text == "":
		return nil, fmt.Errorf("%w: it is empty", ErrText)
	case len(text) > MaxText:
		return nil, fmt.Errorf("%w: it is longer than %d bytes", ErrText, MaxText)
	case !utf8.ValidString(text) || strings.ContainsRune(text, 0):
		return nil, fmt.Errorf("%w: it is not UTF-8 text", ErrText)
	}
	n := &Needle{}
	for _, form := range []string{text, norm.NFC.String(text), norm.NFD.String(text)} {
		for _, spelling := range []string{form, strings.ToLower(form), strings.ToUpper(form)} {
			if spelling = folded(spelling); !slices.Contains(n.spellings, spelling) {
				n.spellings = append(n.spellings, spelling)
			}
		}
	}
	return n, nil
}

// Format prints a placeholder for every verb.
func (n *Needle) Format(to fmt.State, _ rune) { _, _ = io.WriteString(to, "(the text)") }

// In reports whether the text stands in a text as it is.
func (n *Needle) In(text []byte) bool {
	if len(text) <= tokenSize {
		return n.within(make([]byte, tokenSize), text)
	}
	return n.within(make([]byte, windowSize), text)
}

const (
	// tokenSize is the size of most strings, in bytes.
	tokenSize = 256
	// windowSize is more than the longest spelling, in bytes: one is at most some five times as
	// long as the text.
	windowSize = 8 * MaxText
	// mostEscaped is how often a text is decoded that is escaped again and again.
	mostEscaped = 4
)

// within searches a text. The window receives the folded text, a part at a time. Parts overlap, so
// that each match is whole in one of them.
func (n *Needle) within(window, text []byte) bool {
	overlap := 0
	for _, spelling := range n.spellings {
		overlap = max(overlap, len(spelling)-1)
	}
	for {
		part := window[:min(len(window), len(text))]
		for i := range part {
			part[i] = small[text[i]]
		}
		for _, spelling := range n.spellings {
			if bytes.Contains(part, []byte(spelling)) {
				return true
			}
		}
		if len(part) == len(text) {
			return false
		}
		text = text[len(part)-overlap:]
	}
}

// InJSON reports whether the text stands in a string, a key or a number of JSON, as upstream
// spelled it: escapes are decoded first. A string that has escapes once decoded may itself be JSON:
// they are decoded, too, mostEscaped times in all. Bytes that are no JSON are searched as they are,
// as well.
func (n *Needle) InJSON(raw []byte) bool {
	plain := n.In(raw)
	if !plain && !n.mayHide(raw) {
		return false
	}
	return n.inTokens(raw, plain) || plain && !json.Valid(raw)
}

// mayHide reports whether JSON has an escape that can spell a character of the text: then it may
// hold the text, and not show it.
func (n *Needle) mayHide(raw []byte) bool {
	for _, escape := range n.escapes() {
		if bytes.Contains(raw, []byte(escape)) {
			return true
		}
	}
	return false
}

// escapes returns the beginnings of those escapes.
func (n *Needle) escapes() []string {
	special := func(c rune) bool { return c == '"' || c == '\\' || c < ' ' }
	switch given := n.spellings[0]; {
	case strings.ContainsFunc(given, special):
		return []string{`\`}
	case strings.Contains(given, "/"):
		return []string{`\u`, `\/`}
	default:
		return []string{`\u`}
	}
}

// inTokens searches the strings, keys and numbers; without plain, those strings that have escapes.
// It does not check the JSON: a string that has no end reaches to the end.
func (n *Needle) inTokens(raw []byte, plain bool) bool {
	for at := 0; at < len(raw); {
		switch c := raw[at]; {
		case c == '"':
			end, escaped := at+1, false
			for ; end < len(raw) && raw[end] != '"'; end++ {
				if raw[end] == '\\' {
					escaped = true
					end++
				}
			}
			if (plain || escaped) && n.inString(raw[at+1:min(end, len(raw))], escaped) {
				return true
			}
			at = end + 1
		case c == '-' || c >= '0' && c <= '9':
			end := at + 1
			for end < len(raw) && strings.IndexByte("+-.eE0123456789", raw[end]) >= 0 {
				end++
			}
			if plain && n.In(raw[at:end]) {
				return true
			}
			at = end
		default:
			at++
		}
	}
	return false
}

func (n *Needle) inString(text []byte, escaped bool) bool {
	if !escaped {
		return n.In(text)
	}
	for range mostEscaped {
		if text = decoded(text); n.In(text) {
			return true
		}
		if bytes.IndexByte(text, '\\') < 0 {
			break
		}
	}
	return false
}

// small maps bytes to small ASCII letters. Postgres does the same with lower(… COLLATE "C").
var small = smallLetters() //nolint:gochecknoglobals // a constant

func smallLetters() [256]byte {
	var table [256]byte
	for i := range table {
		table[i] = byte(i)
		if i >= 'A' && i <= 'Z' {
			table[i] += 'a' - 'A'
		}
	}
	return table
}

func folded(text string) string {
	folded := []byte(text)
	for i, c := range folded {
		folded[i] = small[c]
	}
	return string(folded)
}

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
