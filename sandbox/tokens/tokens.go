// Package tokens keeps the access tokens of one refresh token: how long one
// lives, how many live at once, how many are given out in a while (document 1
// A1, upstream facts).
//
// It checks no credentials and answers no call: the token endpoint of package
// sandbox does, and holds the lock. Start reading with Book.
package tokens

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"time"

	"sluice/sandbox/limits"
)

// Life is how long an access token opens.
const Life = time.Hour

const (
	span       = 10 * time.Minute
	mostInSpan = 10
	mostAlive  = 15
)

// Book holds the live access tokens. Its zero value holds none; it is not safe
// for concurrent use.
type Book struct {
	live   []token         // oldest first
	known  map[string]bool // every token ever issued
	asked  limits.Window
	issued int
}

type token struct {
	text    string
	expires time.Time
}

// TooMany notes that a token was asked for, and tells whether that was once too
// often: more than ten times in ten minutes.
func (b *Book) TooMany(now time.Time) bool { return b.asked.Add(now, span) > mostInSpan }

// Issue makes a token, the same ones for the same seed, which is a text of the
// organization's own; the sixteenth live one kills the oldest.
func (b *Book) Issue(seed string, now time.Time) string {
	b.issued++
	sum := sha256.Sum256(fmt.Appendf(nil, "%s/%d", seed, b.issued))
	text := hex.EncodeToString(sum[:])
	half := len(text) / 2 // half of it.
	text = "1000." + text[:half] + "." + text[half:]
	if b.known == nil {
		b.known = map[string]bool{}
	}
	b.known[text] = true
	b.live = slices.DeleteFunc(b.live, func(t token) bool { return !now.Before(t.expires) })
	b.live = append(b.live, token{text, now.Add(Life)})
	if surplus := len(b.live) - mostAlive; surplus > 0 {
		b.live = slices.Delete(b.live, 0, surplus)
	}
	return text
}

// Valid tells whether a token opens now.
func (b *Book) Valid(text string, now time.Time) bool {
	return slices.ContainsFunc(b.live, func(t token) bool { return t.text == text && now.Before(t.expires) })
}

// Knows tells whether a token was ever issued here, dead or alive.
func (b *Book) Knows(text string) bool { return b.known[text] }

// Expire makes every token invalid at once.
func (b *Book) Expire() { b.live = nil }
