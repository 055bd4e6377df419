package sandbox

import (
	"fmt"
	"net/http"
	"strings"
	"time"

	"sluice/sandbox/answer"
	"sluice/sandbox/company"
	"sluice/sandbox/endpoints"
	"sluice/sandbox/faults"
	"sluice/sandbox/services"
	"sluice/sandbox/tokens"
)

// token answers POST /oauth/v2/token; the parameters are in the query. A data
// center knows the refresh tokens of its own organizations only.
func (s *Server) token(w http.ResponseWriter, r *http.Request, address services.Address) {
	c, known := s.refreshed(address.DataCenter, r.URL.Query().Get("refresh_token"))
	c.NoteTokenRequest()
	fault := s.nextFault(r.URL.Path, c)
	faults.Misbehave(w, r, fault, func(w http.ResponseWriter) { s.grant(w, r, address, c, known) })
}

// refreshed answers the organization that a refresh token belongs to; false, and the
// first of the data center, if it belongs to none.
func (s *Server) refreshed(dataCenter, token string) (*company.Company, bool) {
	if token == RefreshToken && dataCenter == "" {
		return s.own(), true
	}
	for _, c := range s.companies {
		if c.DataCenter == dataCenter && token == RefreshTokenFor(c.ID, c.DataCenter) {
			return c, true
		}
	}
	return s.first(dataCenter), false
}

func (s *Server) grant(w http.ResponseWriter, r *http.Request, address services.Address, c *company.Company, known bool) {
	if r.Method != http.MethodPost {
		answer.Error(w, http.StatusMethodNotAllowed, answer.NoSuchURL, "method not supported by the resource")
		return
	}
	query := r.URL.Query()
	if query.Get("client_id") != ClientID || query.Get("client_secret") != ClientSecret {
		answer.Body(w, http.StatusOK, answer.JSONType, []byte(`{"error":"invalid_client"}`))
		return
	}
	if query.Get("grant_type") != "refresh_token" || !known {
		answer.Body(w, http.StatusOK, answer.JSONType, []byte(`{"error":"invalid_code"}`))
		return
	}
	token, granted := c.Issue()
	if !granted {
		answer.Body(w, http.StatusBadRequest, answer.JSONType,
			[]byte(`{"error_description":"You have made too many requests continuously.","error":"Access Denied","status":"failure"}`))
		return
	}
	domain := baseOf(r)
	if address.DataCenter != "" {
		domain += services.DataCenterRoot + address.DataCenter
	}
	answer.Body(w, http.StatusOK, answer.JSONType, fmt.Appendf(nil,
		`{"access_token":%q,"scope":%q,"api_domain":%q,"token_type":"Bearer","expires_in":%d}`,
		token, s.scopes(), domain, int(tokens.Life/time.Second)))
}

// scopes lists what the token opens, separated by blanks (upstream facts).
func (s *Server) scopes() string {
	scopes := endpoints.Scopes(s.table)
	for n := range scopes {
		scopes[n] = s.options.Vendor + scopes[n]
	}
	return strings.Join(scopes, " ")
}

// ExpireTokens makes every access token invalid at once.
func (s *Server) ExpireTokens() {
	for _, c := range s.companies {
		c.ExpireTokens()
	}
}
