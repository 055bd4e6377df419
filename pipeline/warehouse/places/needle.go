// Package places finds every place of the warehouse in which a text stands: rows and their arrays,
// versions, raw records, quarantine and the notes of the program.
//
// Which places there are is read from the catalog of the database: a table that a migration adds is
// searched without a change here. Objects of other roles are never read. The package only reads, and
// compares here: the text never reaches the database, which may log its statements.
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
	"strings"
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
// Letters match in any case, and whether accents are characters of their own or not. Nothing else is
// folded: accents, spaces and punctuation count.
//
// It prints as a placeholder, so that no log and no error can show the text.
type Needle struct {
	// forms are the text with accents composed and decomposed, in lower case.
	forms [][]byte
	// special says that JSON spells a character of the text with a backslash.
	special bool
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
	n := &Needle{special: strings.ContainsFunc(text, func(c rune) bool { return c == '"' || c == '\\' || c == '/' || c < ' ' })}
	for _, form := range []string{norm.NFC.String(text), norm.NFD.String(text)} {
		n.forms = append(n.forms, []byte(strings.ToLower(form)))
	}
	return n, nil
}

// Format prints a placeholder for every verb.
func (n *Needle) Format(to fmt.State, _ rune) { _, _ = io.WriteString(to, "(the text)") }

// In reports whether the text stands in a text as it is.
func (n *Needle) In(text []byte) bool {
	lower := bytes.ToLower(text)
	return slices.ContainsFunc(n.forms, func(form []byte) bool { return bytes.Contains(lower, form) })
}

// mayHold reports whether the text can stand in JSON: as it is, or behind escapes.
func (n *Needle) mayHold(raw []byte) bool {
	return bytes.Contains(raw, []byte(`\u`)) || n.special && bytes.IndexByte(raw, '\\') >= 0 || n.In(raw)
}

// InJSON reports whether the text stands in a string, a key or a number of JSON, also of JSON within
// a string. Bytes that are no JSON are searched as they are.
func (n *Needle) InJSON(raw []byte) bool {
	if !n.mayHold(raw) {
		return false
	}
	var value any
	decoder := json.NewDecoder(bytes.NewReader(raw))
	decoder.UseNumber()
	if err := decoder.Decode(&value); err != nil || decoder.More() {
		return n.In(raw)
	}
	return n.within(value)
}

func (n *Needle) within(value any) bool {
	switch v := value.(type) {
	case string:
		return n.In([]byte(v)) || strings.Contains(v, `\`) && n.InJSON([]byte(v))
	case json.Number:
		return n.In([]byte(v))
	case []any:
		return slices.ContainsFunc(v, n.within)
	case map[string]any:
		for key, inner := range v {
			if n.within(key) || n.within(inner) {
				return true
			}
		}
	}
	return false
}
