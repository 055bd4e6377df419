// Package outside is the ground under everything that shows or keeps words of others: what
// upstream, the network and the database say goes into errors, the call log, notes, the log and
// onto terminals as a Text, and a Text is made here only.
//
// It imports nothing of ours, so every floor may import it. Data is not its matter: records are
// loaded and kept byte for byte.
//
// Start reading at Scrubber.Text; what secrets are looked for is in spellings.go and views.go, what
// control characters become in visible.go.
package outside

import (
	"fmt"
	"strconv"
	"strings"
)

// Text is words that may be kept, logged and printed: the program's own, which are constants in its
// source and need no making, or those of others, which a Scrubber made one of. It holds no secret
// in force and no control character.
//
// A string becomes a Text by a Scrubber only; a conversion elsewhere breaks a rule of the
// repository.
type Text string

// MaxText bounds a Text that is put together of others.
const MaxText = 2000

// redacted stands where a secret would.
const redacted = "[redacted]"

// Text makes the words of others fit to be kept: without secrets, then without control characters,
// then at most so many bytes long. Cutting comes last, for a secret that is cut in two is not found
// any more.
func (s *Scrubber) Text(raw string, most int) Text {
	// What is far behind the cut is not worth looking at; what is near it is, for a secret may
	// begin before it.
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

// Textf makes a Text of a sentence with words of others in it.
func (s *Scrubber) Textf(format Text, args ...any) Text {
	return s.Text(fmt.Sprintf(string(format), args...), MaxText)
}

// Error makes a Text of what an error says, on one line.
func (s *Scrubber) Error(err error) Text {
	return s.Text(strings.ReplaceAll(err.Error(), "\n", "; "), MaxText)
}

// Plain makes a Text of words that hold nothing of a record, an answer or an address by the rules
// of the room that wrote them: of the schema's reasons for a misfit, for instance. A rule of the
// repository says where that may be done.
func Plain(text string) Text { return (*Scrubber)(nil).Text(text, MaxText) }

// Plainf is Plain of a sentence.
func Plainf(format Text, args ...any) Text { return Plain(fmt.Sprintf(string(format), args...)) }

// Number returns a number as a Text.
func Number[N ~int | ~int64](n N) Text { return Text(strconv.FormatInt(int64(n), 10)) }

// Cause is an error of others with a text that may be kept and shown.
type Cause struct { //nolint:errname // named for the field that it is in
	text Text
	err  error
}

// Cause makes the text of an error fit to be kept, nil of nil. What it wraps is still found by
// errors.Is and errors.As.
func (s *Scrubber) Cause(err error) *Cause {
	if err == nil {
		return nil
	}
	return &Cause{text: s.Error(err), err: err}
}

// Error implements error.
func (c *Cause) Error() string { return string(c.text) }

// Text returns what Error says.
func (c *Cause) Text() Text { return c.text }

// Unwrap gives the error as it was.
func (c *Cause) Unwrap() error { return c.err }
