package oauth

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"maps"
	"slices"
	"time"
)

// Lifetimes and limits (docs/upstream.md U27 for the access token, U29 to U32 for the rest).
const (
	tokenLife   = time.Hour
	codeLife    = 2 * time.Minute
	spanMinutes = 10
	mostInSpan  = 10 // access tokens of one refresh token
	mostAlive   = 15 // of one refresh token; the sixteenth kills the oldest
	tokenPrefix = "1000."
)

// Access identifies the client, user and organization of a token.
type Access struct{ Client, User, Organization string } // their ids

// consent is what a user agreed to.
type consent struct {
	Access

	Scopes   []string // with the vendor's name
	State    string
	Redirect string // where the code went
	Offline  bool   // a refresh token is wanted
	Again    bool   // a new one is wanted, though there is one
}

// granted is a consent whose code was exchanged.
type granted struct {
	Access

	Scopes  []string // with the vendor's name
	Refresh string   // the refresh token; "" for online access
	// issued are the instants of the last access tokens, oldest first.
	issued []time.Time
}

// held is an access token.
type held struct {
	Access

	Scopes  []string // the grant's, or those asked for
	grant   *granted
	expires time.Time
	serial  int // orders tokens of the same instant
}

// book holds what was issued. The server's lock guards it.
type book struct {
	mark   string // makes the texts of this book unique
	serial int

	codes  map[string]code
	grants map[string]*granted // by refresh token
	tokens map[string]held     // by text
	issued map[string]Access   // of every token that was issued, dead or alive
}

type code struct {
	consent

	expires time.Time
}

// newBook makes an empty book. The seed and the data center fix the texts of what it issues.
func newBook(seed int64, dataCenter string) *book {
	return &book{
		mark:  fmt.Sprintf("%d/%s", seed, dataCenter),
		codes: make(map[string]code), grants: make(map[string]*granted), tokens: make(map[string]held),
		issued: make(map[string]Access),
	}
}

// text makes the next code or token; equal marks give equal sequences.
func (b *book) text() string {
	b.serial++
	sum := sha256.Sum256(fmt.Appendf(nil, "%s/%d", b.mark, b.serial))
	text := hex.EncodeToString(sum[:])
	return tokenPrefix + text[:len(text)/2] + "." + text[len(text)/2:]
}

// give makes a code for a consent.
func (b *book) give(agreed consent, now time.Time) string {
	maps.DeleteFunc(b.codes, func(_ string, c code) bool { return !now.Before(c.expires) })
	text := b.text()
	b.codes[text] = code{consent: agreed, expires: now.Add(codeLife)}
	return text
}

// consent returns the consent behind a code that can be exchanged now.
func (b *book) consent(code string, now time.Time) (consent, bool) {
	known, found := b.codes[code]
	return known.consent, found && now.Before(known.expires)
}

// exchange ends a code and makes its grant. A refresh token comes with offline access only. Without
// prompt=consent it comes once for the same client, user and organization (docs/upstream.md U28 and
// U29).
func (b *book) exchange(code string) *granted {
	used := b.codes[code]
	delete(b.codes, code)
	had := false
	for _, g := range b.grants {
		had = had || g.Access == used.Access
	}
	if !used.Offline || (had && !used.Again) {
		return &granted{Access: used.Access, Scopes: used.Scopes}
	}
	return b.keep(b.text(), used.Access, used.Scopes)
}

// keep stores a grant with its refresh token.
func (b *book) keep(refresh string, access Access, scopes []string) *granted {
	kept := &granted{Access: access, Scopes: scopes, Refresh: refresh}
	b.grants[refresh] = kept
	return kept
}

// grant returns the grant of a refresh token.
func (b *book) grant(refresh string) (*granted, bool) {
	known, found := b.grants[refresh]
	return known, found
}

// mayIssue notes a use of the refresh token for an access token. It returns false once the limit of
// the last ten minutes is reached; minute is the length of a minute.
func (g *granted) mayIssue(now time.Time, minute time.Duration) bool {
	g.issued = slices.DeleteFunc(g.issued, func(at time.Time) bool { return now.Sub(at) >= spanMinutes*minute })
	if len(g.issued) >= mostInSpan {
		return false
	}
	g.issued = append(g.issued, now)
	return true
}

// issue makes an access token of a grant. The sixteenth live one kills the oldest.
func (b *book) issue(g *granted, scopes []string, now time.Time) string {
	maps.DeleteFunc(b.tokens, func(_ string, t held) bool { return !now.Before(t.expires) })
	alive, oldest, serial := 0, "", b.serial+1
	for text, t := range b.tokens {
		if t.grant != g {
			continue
		}
		alive++
		if t.serial < serial {
			oldest, serial = text, t.serial
		}
	}
	if alive >= mostAlive {
		delete(b.tokens, oldest)
	}
	text := b.text()
	b.issued[text] = g.Access
	b.tokens[text] = held{Access: g.Access, Scopes: scopes, grant: g, expires: now.Add(tokenLife), serial: b.serial}
	return text
}

// token returns an access token that is valid now.
func (b *book) token(text string, now time.Time) (held, bool) {
	known, found := b.tokens[text]
	return known, found && now.Before(known.expires)
}

// was returns the access of a token that was issued here, dead or alive; the zero Access for
// others.
func (b *book) was(text string) Access { return b.issued[text] }

// expireAll ends every access token; grants stay.
func (b *book) expireAll() { clear(b.tokens) }

// revoke deletes a refresh token and its access tokens (RFC 7009, section 2.1), so that the next
// consent is the first one again. It returns false if there is none.
func (b *book) revoke(refresh string) bool {
	ended, found := b.grants[refresh]
	delete(b.grants, refresh)
	maps.DeleteFunc(b.tokens, func(_ string, t held) bool { return found && t.grant == ended })
	return found
}
