package sandbox

import (
	"net/http"

	"sluice/sandbox/company"
	"sluice/sandbox/faults"
	"sluice/sandbox/oauth"
	"sluice/sandbox/services"
)

// authorization answers the paths of a data center's authorization server. It knows only the
// clients and refresh tokens of that data center's organizations. Calls of the token endpoint count
// for the organization that they name, and faults strike them.
func (s *Server) authorization(w http.ResponseWriter, r *http.Request, address services.Address) {
	st := s.stage.Load()
	door := st.doors[address.DataCenter]
	if address.Path != services.TokenPath {
		door.ServeHTTP(w, below(r, address.Path))
		return
	}
	c := st.holder(door, r, address.DataCenter)
	c.NoteTokenRequest()
	fault := s.nextFault(r, c)
	faults.Misbehave(w, r, fault, func(w http.ResponseWriter) { door.ServeHTTP(w, below(r, address.Path)) })
}

// holder returns the organization that a token is asked for, or the first of the data center if the
// request names none.
func (st *stage) holder(door *oauth.Server, r *http.Request, dataCenter string) *company.Company {
	if access, known := door.Holder(r); known {
		if c, err := st.find(access.Organization, dataCenter); err == nil {
			return c
		}
	}
	return st.first(dataCenter)
}

// ExpireTokens makes every access token invalid at once.
func (s *Server) ExpireTokens() {
	for _, door := range s.stage.Load().doors {
		door.ExpireAll()
	}
}
