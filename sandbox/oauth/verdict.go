package oauth

import (
	"net/http"
	"slices"
	"strings"
)

// Verdict is what a token opens.
type Verdict int

// Verdicts, from the best to the one that is found out first.
const (
	Granted      Verdict = iota
	MissingScope         // the token lives, but opens something else
	DeadToken            // unknown, expired, revoked or pushed out by newer ones
	MissingToken         // no Authorization header of the vendor's scheme
)

// Authorize tells whether a request may pass that needs one of some scopes
// (without the vendor's name), and on whose behalf. The token is taken from the
// header alone (docs/upstream.md U20). No scopes means that any live token will do.
func (s *Server) Authorize(r *http.Request, scopes ...string) (Access, Verdict) {
	text, found := strings.CutPrefix(r.Header.Get("Authorization"), s.options.Vendor+"-oauthtoken ")
	if !found {
		return Access{}, MissingToken
	}
	return s.Check(text, scopes...)
}

// Check is Authorize for the bare text of a token. A dead token that was issued here
// says on whose behalf that was.
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

// Holder tells on whose behalf a request to the token endpoint comes: by its refresh
// token or its code. It answers false if it names neither that lives.
func (s *Server) Holder(r *http.Request) (Access, bool) {
	r.Body = http.MaxBytesReader(nil, r.Body, mostBody)
	if err := r.ParseForm(); err != nil {
		r.Form, r.PostForm = nil, nil // the endpoint finds the mistake again.
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
