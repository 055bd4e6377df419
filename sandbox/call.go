package sandbox

import (
	"net/http"
	"strconv"
	"strings"

	"sluice/sandbox/answer"
	"sluice/sandbox/company"
	"sluice/sandbox/endpoints"
	"sluice/sandbox/faults"
	"sluice/sandbox/services"
)

// call answers one call of a service: count, refuse, misbehave, or serve.
func (s *Server) call(w http.ResponseWriter, r *http.Request, address services.Address) {
	c := s.caller(r, address)
	verdict := c.Enter(address.Service, address.Path)
	var fault *faults.Fault
	if verdict.Code == 0 {
		fault = s.nextFault(r.URL.Path, c)
	}
	recorder := answer.NewRecorder(w)
	defer func() { c.Leave(address.Service, recorder.Label()) }()

	for name, value := range verdict.Headers {
		w.Header().Set(name, strconv.Itoa(value))
	}
	if verdict.Code != 0 {
		answer.Refuse(recorder, address.Service, verdict.Code)
		return
	}
	if !answer.Wait(r, s.options.PageLatency) {
		return
	}
	faults.Misbehave(recorder, r, fault, func(w http.ResponseWriter) { s.serve(w, r, address, c, fault) })
}

// caller answers whose allowance a call draws on: of the organization that its
// token was given out for, else of the one that it names, else of the first one of
// the data center.
func (s *Server) caller(r *http.Request, address services.Address) *company.Company {
	token, _ := s.bearer(r)
	named := services.Organization(address.Service, s.options.Vendor, r)
	for _, c := range s.companies {
		if c.DataCenter == address.DataCenter && c.Issued(token) {
			return c
		}
	}
	if c, err := s.find(named, address.DataCenter); err == nil {
		return c
	}
	return s.first(address.DataCenter)
}

// bearer reads the access token; false if there is none of the vendor's scheme.
func (s *Server) bearer(r *http.Request) (string, bool) {
	return strings.CutPrefix(r.Header.Get("Authorization"), s.options.Vendor+"-oauthtoken ")
}

// serve answers as the documents say, apart from what a fault does to records.
func (s *Server) serve(w http.ResponseWriter, r *http.Request, address services.Address, c *company.Company, fault *faults.Fault) {
	e, values, status := endpoints.Find(s.table, r.Method, address.Path)
	if status == http.StatusMethodNotAllowed {
		answer.Fail(w, address.Service, status, answer.NoSuchURL, "method not supported by the resource")
		return
	}
	if code := s.authorize(r, c); code != 0 {
		answer.Fail(w, address.Service, http.StatusUnauthorized, code, "You are not authorized to perform this operation")
		return
	}
	named := services.Organization(address.Service, s.options.Vendor, r)
	if address.Service != services.Chat && e.Resource.Name != "organizations" && named != c.ID {
		answer.Error(w, http.StatusBadRequest, answer.NoOrganization, "This user is not associated with the CompanyID/CompanyName:"+named+".")
		return
	}
	if status != http.StatusOK {
		answer.Fail(w, address.Service, status, answer.NoSuchURL, "Invalid URL Passed")
		return
	}
	if e.Assumed != "" {
		w.Header().Set(endpoints.AssumedHeader, e.Assumed)
	}
	e.Serve(&endpoints.Call{
		ResponseWriter: w, Request: r, Endpoint: e, Values: values, Company: c, Fault: fault,
		Manner: endpoints.Manner{HeadersOnly: s.options.HeadersOnly, NoCSVHeader: s.options.NoCSVHeader, ChatPage: s.options.ChatPage},
	})
}

// authorize answers 0, or the code of a 401.
func (s *Server) authorize(r *http.Request, c *company.Company) int {
	token, found := s.bearer(r)
	switch {
	case !found:
		return answer.MissingToken
	case !c.Opens(token):
		return answer.InvalidToken
	default:
		return 0
	}
}
