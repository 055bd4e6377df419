package oauth

import (
	"net/http"
	"slices"
	"strings"
)

// Verdict says how far a token reaches.
type Verdict int

// Verdicts, from the best to the one that is checked first.
const (
	Granted      Verdict = iota
	MissingScope         // the token is valid, but not for this scope
	DeadToken            // unknown, expired, revoked or pushed out by newer ones
	MissingToken         // no Authorization header of the vendor's scheme
)

// Authorize returns the verdict on a request that needs one of some scopes (without the vendor's
// name), and the access of its token. It reads the token from the header alone (docs/upstream.md
// U20). Without scopes every live token passes.
func (s *Server) Authorize(r *http.Request, scopes ...string) (Access, Verdict) {
	text, found := strings.CutPrefix(r.Header.Get("Authorization"), s.options.Vendor+"-oauthtoken ")
	if !found {
		return Access{}, MissingToken
	}
	return s.Check(text, scopes...)
}

// Check is Authorize for the bare text of a token. For a dead token that was issued here it returns
// the former access.
func (s *Server) Check(token string, scopes ...string) (Access, Verdict) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if token == "" {
		return Access{}, MissingToken
	}
	live, found := s.book.Token(token, s.options.Now())
	if !found {
		return s.book.Was(token), DeadToken
	}
	opens := func(scope string) bool { return covers(live.Scopes, s.options.Vendor+scope) }
	if len(scopes) > 0 && !slices.ContainsFunc(scopes, opens) {
		return live.Access, MissingScope
	}
	return live.Access, Granted
}

// Holder returns the access behind a request to the token endpoint, by its refresh token or its
// code. It returns false if the request names no valid one.
func (s *Server) Holder(r *http.Request) (Access, bool) {
	r.Body = http.MaxBytesReader(nil, r.Body, mostBody)
	if err := r.ParseForm(); err != nil {
		r.Form, r.PostForm = nil, nil // the endpoint reports the mistake again.
		return Access{}, false
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if granted, found := s.book.Grant(r.Form.Get("refresh_token")); found {
		return granted.Access, true
	}
	consent, found := s.book.Consent(r.Form.Get("code"), s.options.Now())
	return consent.Access, found
}
