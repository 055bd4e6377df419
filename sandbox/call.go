package sandbox

import (
	"net/http"
	"strconv"
	"strings"

	"sluice/sandbox/answer"
	"sluice/sandbox/faults"
	"sluice/sandbox/services"
)

// call answers one call of a service: count, refuse, misbehave, or serve.
func (s *Server) call(w http.ResponseWriter, r *http.Request, service string) {
	s.mu.Lock()
	arrival := s.options.Now()
	verdict := s.gate.Enter(service, r.URL.Path, arrival, arrival.Add(s.offset))
	var fault *faults.Fault
	if verdict.Code == 0 {
		fault = s.faults.Next(r.URL.Path)
	}
	s.mu.Unlock()
	recorder := answer.NewRecorder(w)
	defer func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.gate.Leave(service, recorder.Label())
	}()

	for name, value := range verdict.Headers {
		w.Header().Set(name, strconv.Itoa(value))
	}
	if verdict.Code != 0 {
		answer.Refuse(recorder, service, verdict.Code)
		return
	}
	if !answer.Wait(r, s.options.PageLatency) {
		return
	}
	faults.Misbehave(recorder, r, fault, func(w http.ResponseWriter) { s.serve(w, r, service, fault) })
}

// serve answers as the documents say, apart from what a fault does to the list.
func (s *Server) serve(w http.ResponseWriter, r *http.Request, service string, fault *faults.Fault) {
	if r.Method != http.MethodGet {
		answer.Fail(w, service, http.StatusMethodNotAllowed, answer.NoSuchURL, "method not supported by the resource")
		return
	}
	if code := s.authorize(r); code != 0 {
		answer.Fail(w, service, http.StatusUnauthorized, code, "You are not authorized to perform this operation")
		return
	}
	if service == services.Chat {
		s.export(w, r, fault)
		return
	}
	path := r.URL.Path
	if path == services.BooksRoot+"/organizations" || path == services.InventoryRoot+"/organizations" {
		s.organizations(w)
		return
	}
	if r.URL.Query().Get("organization_id") != s.options.OrganizationID {
		answer.Error(w, http.StatusBadRequest, answer.NoOrganization,
			"This user is not associated with the CompanyID/CompanyName:"+r.URL.Query().Get("organization_id")+".")
		return
	}
	if path == services.InventoryRoot+"/itemdetails" {
		s.itemDetails(w, r, fault)
		return
	}
	for _, e := range s.endpoints {
		if path == e.Path {
			s.list(w, r, e, fault)
			return
		}
		if id, below := strings.CutPrefix(path, e.Path+"/"); below && id != "" {
			s.single(w, e, id, fault)
			return
		}
	}
	answer.Error(w, http.StatusNotFound, answer.NoSuchURL, "Invalid URL Passed")
}
