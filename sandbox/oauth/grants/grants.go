// Package grants is the state of an authorization server: valid codes, refresh tokens and access
// tokens, and how many of them may exist (docs/upstream.md U26 to U32).
//
// It checks no client and answers no call: package oauth does, and holds the lock. Start reading
// with Consent, then Book.
package grants

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
	// TokenLife is the lifetime of an access token.
	TokenLife = time.Hour
	// CodeLife is the lifetime of an authorization code.
	CodeLife = 2 * time.Minute

	spanMinutes = 10
	mostInSpan  = 10 // access tokens of one refresh token
	mostAlive   = 15 // of one refresh token; the sixteenth kills the oldest
	tokenPrefix = "1000."
)

// Access identifies the client, user and organization of a token.
type Access struct{ Client, User, Organization string } // their ids

// Consent is what a user agreed to.
type Consent struct {
	Access

	Scopes   []string // with the vendor's name
	State    string
	Redirect string // where the code went
	Offline  bool   // a refresh token is wanted
	Again    bool   // a new one is wanted, though there is one
}

// Grant is a consent whose code was exchanged.
type Grant struct {
	Access

	Scopes  []string // with the vendor's name
	Refresh string   // the refresh token; "" for online access
	// issued are the instants of the last access tokens, oldest first.
	issued []time.Time
}

// Token is an access token.
type Token struct {
	Access

	Scopes  []string // the grant's, or those asked for
	grant   *Grant
	expires time.Time
	serial  int // orders tokens of the same instant
}

// Book holds what was issued. It is not safe for concurrent use.
type Book struct {
	mark   string // makes the texts of this book unique
	serial int

	codes  map[string]code
	grants map[string]*Grant // by refresh token
	tokens map[string]Token  // by text
	was    map[string]Access // of every token that was issued, dead or alive
}

type code struct {
	Consent

	expires time.Time
}

// New makes an empty book. The seed and the data center fix the texts of what it issues.
func New(seed int64, dataCenter string) *Book {
	return &Book{
		mark:  fmt.Sprintf("%d/%s", seed, dataCenter),
		codes: make(map[string]code), grants: make(map[string]*Grant), tokens: make(map[string]Token),
		was: make(map[string]Access),
	}
}

// text makes the next code or token; equal marks give equal sequences.
func (b *Book) text() string {
	b.serial++
	sum := sha256.Sum256(fmt.Appendf(nil, "%s/%d", b.mark, b.serial))
	text := hex.EncodeToString(sum[:])
	return tokenPrefix + text[:len(text)/2] + "." + text[len(text)/2:]
}

// Give makes a code for a consent.
func (b *Book) Give(consent Consent, now time.Time) string {
	maps.DeleteFunc(b.codes, func(_ string, c code) bool { return !now.Before(c.expires) })
	text := b.text()
	b.codes[text] = code{Consent: consent, expires: now.Add(CodeLife)}
	return text
}

// Consent returns the consent behind a code that can be exchanged now.
func (b *Book) Consent(code string, now time.Time) (Consent, bool) {
	held, found := b.codes[code]
	return held.Consent, found && now.Before(held.expires)
}

// Exchange ends a code and makes its grant. A refresh token comes with offline access only. Without
// prompt=consent it comes once for the same client, user and organization (docs/upstream.md U28 and
// U29).
func (b *Book) Exchange(code string) *Grant {
	used := b.codes[code]
	delete(b.codes, code)
	had := false
	for _, g := range b.grants {
		had = had || g.Access == used.Access
	}
	if !used.Offline || (had && !used.Again) {
		return &Grant{Access: used.Access, Scopes: used.Scopes}
	}
	return b.Keep(b.text(), used.Access, used.Scopes)
}

// Keep stores a grant with its refresh token.
func (b *Book) Keep(refresh string, access Access, scopes []string) *Grant {
	kept := &Grant{Access: access, Scopes: scopes, Refresh: refresh}
	b.grants[refresh] = kept
	return kept
}

// Grant returns the grant of a refresh token.
func (b *Book) Grant(refresh string) (*Grant, bool) {
	held, found := b.grants[refresh]
	return held, found
}

// MayIssue notes a use of the refresh token for an access token. It returns false once the limit of
// the last ten minutes is reached; minute is the length of a minute.
func (g *Grant) MayIssue(now time.Time, minute time.Duration) bool {
	g.issued = slices.DeleteFunc(g.issued, func(at time.Time) bool { return now.Sub(at) >= spanMinutes*minute })
	if len(g.issued) >= mostInSpan {
		return false
	}
	g.issued = append(g.issued, now)
	return true
}

// Issue makes an access token of a grant. The sixteenth live one kills the oldest.
func (b *Book) Issue(g *Grant, scopes []string, now time.Time) string {
	maps.DeleteFunc(b.tokens, func(_ string, t Token) bool { return !now.Before(t.expires) })
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
	b.was[text] = g.Access
	b.tokens[text] = Token{Access: g.Access, Scopes: scopes, grant: g, expires: now.Add(TokenLife), serial: b.serial}
	return text
}

// Token returns an access token that is valid now.
func (b *Book) Token(text string, now time.Time) (Token, bool) {
	held, found := b.tokens[text]
	return held, found && now.Before(held.expires)
}

// Was returns the access of a token that was issued here, dead or alive; the zero Access for
// others.
func (b *Book) Was(text string) Access { return b.was[text] }

// Live counts the access tokens that are valid now, of one refresh token or ("") of all.
func (b *Book) Live(refresh string, now time.Time) int {
	count := 0
	for _, t := range b.tokens {
		if now.Before(t.expires) && (refresh == "" || t.grant.Refresh == refresh) {
			count++
		}
	}
	return count
}

// ExpireAll ends every access token; grants stay.
func (b *Book) ExpireAll() { clear(b.tokens) }

// Revoke deletes a refresh token and its access tokens (RFC 7009, section 2.1), so that the next
// consent is the first one again. It returns false if there is none.
func (b *Book) Revoke(refresh string) bool {
	ended, found := b.grants[refresh]
	delete(b.grants, refresh)
	maps.DeleteFunc(b.tokens, func(_ string, t Token) bool { return found && t.grant == ended })
	return found
}
