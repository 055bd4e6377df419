package sandbox

import (
	"net/http"
	"strconv"

	"sluice/sandbox/answer"
	"sluice/sandbox/company"
	"sluice/sandbox/endpoints"
	"sluice/sandbox/faults"
	"sluice/sandbox/limits"
	"sluice/sandbox/oauth"
	"sluice/sandbox/openapi"
	"sluice/sandbox/services"
)

// Facts behind refusals where the documents are silent.
const (
	factChat       = "chat answers about 30 calls a minute, then locks for 5 minutes"
	factRetryAfter = "Retry-After sometimes comes with 429"
	factToken      = "401 code 14 for no token, 57 for a dead one or a missing scope"
	factPath       = "404 code 5 for no such path"
	factWhose      = "400 code 6041 for an organization that is missing or wrong"
	factChatError  = "shape of the error body of chat"
	factStrict     = "a query parameter that no document shows is refused, by option"
)

// call answers one call of a service: it counts, then refuses, misbehaves or serves.
func (s *Server) call(w http.ResponseWriter, r *http.Request, address services.Address) {
	st := s.stage.Load()
	access, _ := st.doors[address.DataCenter].Authorize(r)
	c := s.caller(st, r, address, access)
	verdict := c.Enter(limits.Arrival{Service: address.Service, Path: address.Path, Client: access.Client})
	var fault *faults.Fault
	if verdict.Code == 0 {
		fault = s.nextFault(r, c)
	}
	recorder := answer.NewRecorder(w, func(label string) { c.Leave(address.Service, label) })
	defer recorder.End()

	for name, value := range verdict.Headers {
		w.Header().Set(name, strconv.Itoa(value))
	}
	if verdict.Code != 0 {
		refuse(recorder, address.Service, verdict)
		return
	}
	if !answer.Wait(r, s.latency()) {
		return
	}
	faults.Misbehave(recorder, r, fault, func(w http.ResponseWriter) {
		s.serve(w, r, st, address, c, fault)
	})
}

// refuse writes an answer 429.
func refuse(w http.ResponseWriter, service string, verdict limits.Verdict) {
	if service == services.Chat {
		w.Header().Add(endpoints.AssumedHeader, factChat)
	}
	if verdict.RetryAfter > 0 {
		w.Header().Set("Retry-After", strconv.Itoa(verdict.RetryAfter))
		w.Header().Add(endpoints.AssumedHeader, factRetryAfter)
	}
	answer.Refuse(w, service, verdict.Code)
}

// caller returns the organization whose allowance a call draws on. It is that of the token, dead or
// alive, else the one that the call names, else the first of the data center.
func (s *Server) caller(st *stage, r *http.Request, address services.Address, access oauth.Access) *company.Company {
	named := services.Organization(address.Service, s.options.Vendor, s.options.Strict, r)
	for _, id := range []string{access.Organization, named} {
		if c, err := st.find(id, address.DataCenter); err == nil {
			return c
		}
	}
	return st.first(address.DataCenter)
}

// serve answers as the documents describe, apart from what a fault does to records.
func (s *Server) serve(w http.ResponseWriter, r *http.Request, st *stage, address services.Address, c *company.Company, fault *faults.Fault) {
	e, values, status := endpoints.Find(s.table, r.Method, address.Path)
	if status == http.StatusMethodNotAllowed {
		fail(w, address.Service, status, answer.NoSuchURL, "method not supported by the resource", factPath)
		return
	}
	if address.Service == services.Notifications && status == http.StatusOK {
		respond := st.watchers[c].ServeHTTP
		if fault.Is("silent_channel") {
			respond = st.watchers[c].ServeSilent
		}
		respond(w, below(r, address.Path))
		return
	}
	if !admit(w, r, st.doors[address.DataCenter], address.Service, e.Scope) {
		return
	}
	named := services.Organization(address.Service, s.options.Vendor, s.options.Strict, r)
	if belongs(address.Service) && e.Resource.Name != "organizations" && named != c.ID {
		message := "This user is not associated with the CompanyID/CompanyName:" + named + "."
		fail(w, address.Service, http.StatusBadRequest, answer.NoOrganization, message, factWhose)
		return
	}
	if status != http.StatusOK {
		fail(w, address.Service, status, answer.NoSuchURL, "Invalid URL Passed", factPath)
		return
	}
	if unknown := s.unknown(e, r); len(unknown) > 0 {
		fail(w, address.Service, http.StatusBadRequest, answer.InvalidValue, "Unknown query parameter: "+unknown[0], factStrict)
		return
	}
	if e.Assumed != "" {
		w.Header().Add(endpoints.AssumedHeader, e.Assumed)
	}
	e.Serve(&endpoints.Call{
		ResponseWriter: w, Request: r, Endpoint: e, Values: values, Company: c, Fault: fault,
		Manner: endpoints.Manner{
			Habits: s.options.habits(), NoCSVHeader: s.options.NoCSVHeader, ChatPage: s.options.ChatPage, Strict: s.options.Strict,
		},
	})
}

// unknown lists the query parameters that a strict sandbox refuses.
func (s *Server) unknown(e endpoints.Endpoint, r *http.Request) []string {
	if !s.options.Strict {
		return nil
	}
	return openapi.Unknown(e, r.URL.Query())
}

// belongs reports whether calls of a service name an organization (docs/upstream.md U10).
func belongs(service string) bool {
	return service != services.Chat && service != services.Notifications && service != services.CRM
}

// admit reports whether a call may pass, and answers a refused one itself: 401 code 14 without a
// token, 401 code 57 with a dead token or a missing scope. Chat answers 401 without a good token
// and 403 without the scope (docs/upstream.md U64, U65 and U69).
func admit(w http.ResponseWriter, r *http.Request, door *oauth.Server, service, scope string) bool {
	var scopes []string
	if scope != "" {
		scopes = append(scopes, scope)
	}
	status, code, message := http.StatusUnauthorized, answer.InvalidToken, "You are not authorized to perform this operation"
	switch _, verdict := door.Authorize(r, scopes...); verdict {
	case oauth.Granted:
		return true
	case oauth.MissingToken:
		code = answer.MissingToken
	case oauth.DeadToken:
	case oauth.MissingScope:
		message += ": the access token lacks the scope " + scope
		if service == services.Chat {
			status = http.StatusForbidden
		}
	}
	fail(w, service, status, code, message, factToken)
	return false
}

// fail writes an error and names the fact that it rests on: the documents show the codes of rate
// errors alone.
func fail(w http.ResponseWriter, service string, status, code int, message, fact string) {
	if service == services.Chat {
		fact = factChatError
	}
	w.Header().Set(endpoints.AssumedHeader, fact)
	answer.Fail(w, service, status, code, message)
}

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
