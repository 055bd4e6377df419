package sandbox

import (
	"fmt"
	"net/http"
	"strings"
	"time"

	"sluice/sandbox/answer"
	"sluice/sandbox/faults"
	"sluice/sandbox/tokens"
)

// token answers POST /oauth/v2/token; the parameters are in the query.
func (s *Server) token(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	s.gate.NoteTokenRequest()
	fault := s.faults.Next(r.URL.Path)
	s.mu.Unlock()
	faults.Misbehave(w, r, fault, func(w http.ResponseWriter) { s.grant(w, r) })
}

func (s *Server) grant(w http.ResponseWriter, r *http.Request) {
	if r.Method != http.MethodPost {
		answer.Error(w, http.StatusMethodNotAllowed, answer.NoSuchURL, "method not supported by the resource")
		return
	}
	query := r.URL.Query()
	s.mu.Lock()
	defer s.mu.Unlock()
	now := s.now()
	switch {
	case query.Get("client_id") != ClientID || query.Get("client_secret") != ClientSecret:
		answer.Body(w, http.StatusOK, answer.JSONType, []byte(`{"error":"invalid_client"}`))
	case query.Get("grant_type") != "refresh_token" || query.Get("refresh_token") != RefreshToken:
		answer.Body(w, http.StatusOK, answer.JSONType, []byte(`{"error":"invalid_code"}`))
	case s.tokens.TooMany(now):
		answer.Body(w, http.StatusBadRequest, answer.JSONType,
			[]byte(`{"error_description":"You have made too many requests continuously.","error":"Access Denied","status":"failure"}`))
	default:
		answer.Body(w, http.StatusOK, answer.JSONType, fmt.Appendf(nil,
			`{"access_token":%q,"scope":%q,"api_domain":%q,"token_type":"Bearer","expires_in":%d}`,
			s.tokens.Issue(s.options.Seed, now), s.scopes(), baseOf(r), int(tokens.Life/time.Second)))
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
		return answer.MissingToken
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.tokens.Valid(text, s.now()) {
		return answer.InvalidToken
	}
	return 0
}

// ExpireTokens makes every access token invalid at once.
func (s *Server) ExpireTokens() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.tokens.Expire()
}
