package sandbox

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"
)

// Of the token endpoint (document 1 A1, upstream facts).
const (
	tokenLife     = time.Hour
	tokenWindow   = 10 * time.Minute
	tokensAWindow = 10
	tokensAlive   = 15
)

// tokenBook holds the live access tokens of the one refresh token.
type tokenBook struct {
	live   []accessToken // oldest first
	asked  window
	issued int
}

type accessToken struct {
	text    string
	expires time.Time
}

// issue makes a token; the sixteenth live one kills the oldest.
func (b *tokenBook) issue(seed int64, now time.Time) string {
	b.issued++
	sum := sha256.Sum256(fmt.Appendf(nil, "%d/%d", seed, b.issued))
	text := hex.EncodeToString(sum[:])
	half := len(text) / 2 // half of it.
	text = "1000." + text[:half] + "." + text[half:]
	b.live = slices.DeleteFunc(b.live, func(t accessToken) bool { return !now.Before(t.expires) })
	b.live = append(b.live, accessToken{text, now.Add(tokenLife)})
	if surplus := len(b.live) - tokensAlive; surplus > 0 {
		b.live = slices.Delete(b.live, 0, surplus)
	}
	return text
}

func (b *tokenBook) valid(text string, now time.Time) bool {
	return slices.ContainsFunc(b.live, func(t accessToken) bool { return t.text == text && now.Before(t.expires) })
}

// token answers POST /oauth/v2/token; the parameters are in the query.
func (s *Server) token(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	s.gate.stats.TokenRequests++
	fault := s.faults.next(r.URL.Path)
	s.mu.Unlock()
	s.misbehave(w, r, fault, func(w http.ResponseWriter) { s.grant(w, r) })
}

func (s *Server) grant(w http.ResponseWriter, r *http.Request) {
	if r.Method != http.MethodPost {
		writeError(w, http.StatusMethodNotAllowed, codeNoSuchURL, "method not supported by the resource")
		return
	}
	query := r.URL.Query()
	s.mu.Lock()
	defer s.mu.Unlock()
	now := s.now()
	switch {
	case query.Get("client_id") != ClientID || query.Get("client_secret") != ClientSecret:
		writeBody(w, http.StatusOK, jsonType, []byte(`{"error":"invalid_client"}`))
	case query.Get("grant_type") != "refresh_token" || query.Get("refresh_token") != RefreshToken:
		writeBody(w, http.StatusOK, jsonType, []byte(`{"error":"invalid_code"}`))
	case s.tokens.asked.add(now, tokenWindow) > tokensAWindow:
		writeBody(w, http.StatusBadRequest, jsonType,
			[]byte(`{"error_description":"You have made too many requests continuously.","error":"Access Denied","status":"failure"}`))
	default:
		scheme := "http"
		if r.TLS != nil {
			scheme = "https"
		}
		writeBody(w, http.StatusOK, jsonType, fmt.Appendf(nil,
			`{"access_token":%q,"scope":%q,"api_domain":%q,"token_type":"Bearer","expires_in":%d}`,
			s.tokens.issue(s.options.Seed, now), s.scopes(), scheme+"://"+r.Host, int(tokenLife/time.Second)))
	}
}

// scopes lists what the token opens, separated by blanks (upstream facts).
func (s *Server) scopes() string {
	scopes := []string{
		"Books.accountants.READ", "Books.vendorpayments.READ", "Inventory.items.READ", "Inventory.bills.READ",
		"Inventory.creditnotes.READ", "Chat.OrganizationChats.READ",
	}
	for n := range scopes {
		scopes[n] = s.options.Vendor + scopes[n]
	}
	return strings.Join(scopes, " ")
}

// authorize answers 0, or the code of a 401.
func (s *Server) authorize(r *http.Request) int {
	text, found := strings.CutPrefix(r.Header.Get("Authorization"), s.options.Vendor+"-oauthtoken ")
	if !found {
		return codeMissingToken
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.tokens.valid(text, s.now()) {
		return codeInvalidToken
	}
	return 0
}

// ExpireTokens makes every access token invalid at once.
func (s *Server) ExpireTokens() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.tokens.live = nil
}
