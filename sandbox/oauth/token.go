package oauth

import (
	"encoding/json"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"
)

// Errors of the token endpoint. Only invalid_code and Access Denied are known (docs/upstream.md
// U33); the others follow RFC 6749, section 5.2.
const (
	invalidClient   = "invalid_client"
	invalidCode     = "invalid_code"
	invalidRedirect = "invalid_redirect_uri"
	invalidState    = "invalid_state"
	invalidScope    = "invalid_scope"
	invalidRequest  = "invalid_request"
	invalidType     = "unsupported_grant_type"
	accessDenied    = "Access Denied"
)

// Facts behind answers where the API document is silent (docs/upstream.md U30 and U33).
const (
	factErrors = "token endpoint errors come with HTTP 200, or 400 Access Denied"
	factAnswer = "token answer also has api_domain and scope"
)

// mostBody bounds the form of a request, in bytes.
const mostBody = 64 << 10

// answer is the token answer (docs/upstream.md U26; api_domain and scope are U30).
type answer struct {
	AccessToken  string `json:"access_token"`
	RefreshToken string `json:"refresh_token,omitempty"`
	Scope        string `json:"scope"`
	APIDomain    string `json:"api_domain"`
	TokenType    string `json:"token_type"`
	ExpiresIn    int    `json:"expires_in"` // seconds
}

// token answers POST /oauth/v2/token; parameters come in the query or as a form.
func (s *Server) token(w http.ResponseWriter, r *http.Request) {
	r.Body = http.MaxBytesReader(w, r.Body, mostBody)
	if err := r.ParseForm(); err != nil {
		s.refuse(w, invalidRequest)
		return
	}
	client, found := s.client(r.Form.Get("client_id"))
	if !found || client.Secret != r.Form.Get("client_secret") {
		s.refuse(w, invalidClient)
		return
	}
	var given answer
	var mistake string
	switch r.Form.Get("grant_type") {
	case "authorization_code":
		given, mistake = s.exchange(client, r.Form)
	case "refresh_token":
		given, mistake = s.refresh(client, r.Form)
	default:
		mistake = invalidType
	}
	if mistake != "" {
		s.refuse(w, mistake)
		return
	}
	given.APIDomain, given.TokenType, given.ExpiresIn = base(r)+s.options.Prefix, "Bearer", int(tokenLife/time.Second)
	w.Header().Set(AssumedHeader, factAnswer)
	write(w, http.StatusOK, given)
}

// exchange returns tokens for a code, or the mistake. A mistake leaves the code valid: only its use
// or its age ends it.
func (s *Server) exchange(client Client, form url.Values) (answer, string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	now := s.options.Now()
	code := form.Get("code")
	held, found := s.book.consent(code, now)
	switch {
	case !found || held.Client != client.ID:
		return answer{}, invalidCode
	case form.Get("redirect_uri") != held.Redirect:
		return answer{}, invalidRedirect
	case form.Has("state") && form.Get("state") != held.State:
		return answer{}, invalidState
	case form.Has("scope") && !sameScopes(split(form.Get("scope")), held.Scopes):
		return answer{}, invalidScope
	}
	made := s.book.exchange(code)
	return s.issue(made, made.Scopes, made.Refresh, now), ""
}

// refresh returns an access token for a refresh token, or the mistake. The refresh token stays as
// it is (docs/upstream.md U29: refresh tokens do not rotate). The client may ask for fewer scopes
// than were granted (RFC 6749, section 6).
func (s *Server) refresh(client Client, form url.Values) (answer, string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	now := s.options.Now()
	given, found := s.book.grant(form.Get("refresh_token"))
	if !found || given.Client != client.ID {
		return answer{}, invalidCode
	}
	scopes := given.Scopes
	if asked := split(form.Get("scope")); len(asked) > 0 {
		beyond := func(scope string) bool { return !covers(given.Scopes, scope) }
		if slices.ContainsFunc(asked, beyond) {
			return answer{}, invalidScope
		}
		scopes = asked
	}
	if !given.mayIssue(now, s.options.Minute) {
		return answer{}, accessDenied
	}
	return s.issue(given, scopes, "", now), ""
}

// issue makes an access token and its answer; the caller holds the lock.
func (s *Server) issue(g *granted, scopes []string, refresh string, now time.Time) answer {
	return answer{AccessToken: s.book.issue(g, scopes, now), RefreshToken: refresh, Scope: strings.Join(scopes, " ")}
}

// revoke answers POST /oauth/v2/token/revoke. The document names the parameter refresh_token and
// sends it as token: both are accepted.
func (s *Server) revoke(w http.ResponseWriter, r *http.Request) {
	r.Body = http.MaxBytesReader(w, r.Body, mostBody)
	if err := r.ParseForm(); err != nil {
		s.refuse(w, invalidRequest)
		return
	}
	text := r.Form.Get("token")
	if text == "" {
		text = r.Form.Get("refresh_token")
	}
	s.mu.Lock()
	done := s.book.revoke(text)
	s.mu.Unlock()
	if !done {
		s.refuse(w, invalidCode)
		return
	}
	write(w, http.StatusOK, struct {
		Status string `json:"status"`
	}{"success"})
}

// refuse writes an error: HTTP 200, but 400 for too many tokens (docs/upstream.md U33).
func (s *Server) refuse(w http.ResponseWriter, mistake string) {
	w.Header().Set(AssumedHeader, factErrors)
	refusal := struct {
		Description string `json:"error_description,omitempty"`
		Error       string `json:"error"`
		Status      string `json:"status,omitempty"`
	}{Error: mistake}
	status := http.StatusOK
	if mistake == accessDenied {
		status = http.StatusBadRequest
		refusal.Status = "failure"
		refusal.Description = "You have made too many requests continuously. Please try again after some time."
	}
	write(w, status, refusal)
}

// write sends a JSON answer that no cache stores. A client that left is no error.
func write(w http.ResponseWriter, status int, body any) {
	text, err := json.Marshal(body)
	if err != nil { // texts and numbers can always be encoded
		http.Error(w, "oauth: the answer cannot be written: "+err.Error(), http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "application/json;charset=UTF-8")
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(status)
	_, _ = w.Write(text)
}

// base returns the address of the request.
func base(r *http.Request) string {
	scheme := "http"
	if r.TLS != nil {
		scheme = "https"
	}
	return scheme + "://" + r.Host
}

// sameScopes reports whether two lists hold the same scopes, in any order.
func sameScopes(a, b []string) bool {
	a, b = slices.Clone(a), slices.Clone(b)
	slices.Sort(a)
	slices.Sort(b)
	return slices.Equal(slices.Compact(a), slices.Compact(b))
}
