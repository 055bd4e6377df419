// Package outside cleans the words of others before the program shows or stores them. Errors, the
// call log, notes, the log and terminals take what upstream, the network and the database say as a
// Text. Only this package makes a Text.
//
// It imports no other package of sluice, so every package may import it. It never changes data:
// records are loaded and stored byte for byte.
//
// Start reading at Scrubber.Text. The search for secrets is in scrubber.go and views.go, the
// replacement of control characters in visible.go.
package outside

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
)

// Text is text that may be stored, logged and printed. It holds no secret in force and no control
// character. The program's own words are constants in its source; the words of others become a Text
// by a Scrubber.
//
// A conversion from string to Text outside of this package breaks a rule of the repository
// (cmd/rules).
type Text string

// MaxText is the largest length of a composed Text, in bytes.
const MaxText = 2000

// redacted replaces a secret.
const redacted = "[redacted]"

// Text makes a Text of the words of others. It removes secrets, then control characters, then cuts
// the text to most bytes and adds "…". It cuts last, because a secret that is cut in two could no
// longer be found.
func (s *Scrubber) Text(raw string, most int) Text {
	// The text far behind the cut need not be searched. The text near it has to be, because a
	// secret may begin before the cut.
	const near = 4096
	cut := len(raw) > most+near
	if cut {
		raw = raw[:most+near]
	}
	text := Visible(s.Scrub(raw))
	if len(text) <= most && !cut {
		return Text(text)
	}
	return Text(strings.ToValidUTF8(text[:min(most, len(text))], "") + "…")
}

// Textf makes a Text of a format whose arguments are words of others.
func (s *Scrubber) Textf(format Text, args ...any) Text {
	return s.Text(fmt.Sprintf(string(format), args...), MaxText)
}

// Error makes a Text of an error's message, on one line.
func (s *Scrubber) Error(err error) Text {
	return s.Text(strings.ReplaceAll(err.Error(), "\n", "; "), MaxText)
}

// Plain makes a Text without a search for secrets. It is for words that hold nothing of a record,
// an answer or an address by the rules of the package that wrote them. The schema's reasons for a
// rejected record are an example. A rule of the repository (cmd/rules) says where Plain may be
// used.
func Plain(text string) Text { return (*Scrubber)(nil).Text(text, MaxText) }

// Plainf is Plain with a format.
func Plainf(format Text, args ...any) Text { return Plain(fmt.Sprintf(string(format), args...)) }

// Number returns a number as a Text.
func Number[N ~int | ~int64](n N) Text { return Text(strconv.FormatInt(int64(n), 10)) }

// Cause is an error of others with a text that may be stored and shown.
type Cause struct { //nolint:errname // named for the field that it is in
	text Text
	err  error
}

// Cause cleans the text of an error; nil gives nil. errors.Is and errors.As still find the wrapped
// error.
func (s *Scrubber) Cause(err error) *Cause {
	if err == nil {
		return nil
	}
	return &Cause{text: s.Error(err), err: err}
}

// Error implements error.
func (c *Cause) Error() string { return string(c.text) }

// Text returns the text of Error as a Text.
func (c *Cause) Text() Text { return c.text }

// Unwrap returns the original error.
func (c *Cause) Unwrap() error { return c.err }

// excerpts finds what Excerpt marked.
var excerpts = regexp.MustCompile("‹[^›]*›")

// Excerpt marks a text as a part of an answer. It may be of a person: the database deletes it in
// time, and nothing deletes it from a log.
func Excerpt(text Text) Text {
	return "‹" + Text(strings.NewReplacer("‹", "<", "›", ">").Replace(string(text))) + "›"
}

// WithoutExcerpts returns a text for a log.
func WithoutExcerpts(text string) string {
	return excerpts.ReplaceAllString(text, "‹not logged: see sluice runs›")
}
