package sandbox

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// Error codes of the accounting family (document 2 Errors, upstream facts).
const (
	codeNotAuthorized  = 9 // any business error inside a 200
	codeNoSuchURL      = 5
	codeInvalidValue   = 2
	codeMissingToken   = 14
	codeThrottled      = 44
	codeExhausted      = 45
	codeInvalidToken   = 57
	codeNoSuchRecord   = 1002
	codeCrowded        = 1070
	codeNoOrganization = 6041
)

const jsonType = "application/json;charset=UTF-8"

// call answers one call of a service: count, refuse, misbehave, or serve.
func (s *Server) call(w http.ResponseWriter, r *http.Request, service string) {
	s.mu.Lock()
	arrival := s.options.Now()
	verdict := s.gate.enter(service, normalPath(r.URL.Path), arrival, arrival.Add(s.offset))
	var fault *Fault
	if verdict.code == 0 {
		fault = s.faults.next(r.URL.Path)
	}
	s.mu.Unlock()
	answer := &statusWriter{ResponseWriter: w}
	defer func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.gate.leave(service, answer.label())
	}()

	for name, value := range verdict.headers {
		w.Header().Set(name, strconv.Itoa(value))
	}
	if verdict.code != 0 {
		refuse(answer, service, verdict.code)
		return
	}
	if !wait(r, s.options.PageLatency) {
		return
	}
	s.misbehave(answer, r, fault, func(w http.ResponseWriter) { s.serve(w, r, service, fault) })
}

// serve answers as the documents say, apart from what a fault does to the list.
func (s *Server) serve(w http.ResponseWriter, r *http.Request, service string, fault *Fault) {
	if r.Method != http.MethodGet {
		fail(w, service, http.StatusMethodNotAllowed, codeNoSuchURL, "method not supported by the resource")
		return
	}
	if code := s.authorize(r); code != 0 {
		fail(w, service, http.StatusUnauthorized, code, "You are not authorized to perform this operation")
		return
	}
	if service == serviceChat {
		s.export(w, r, fault)
		return
	}
	path := r.URL.Path
	if path == booksRoot+"/organizations" || path == inventoryRoot+"/organizations" {
		s.organizations(w)
		return
	}
	if r.URL.Query().Get("organization_id") != s.options.OrganizationID {
		writeError(w, http.StatusBadRequest, codeNoOrganization,
			"This user is not associated with the CompanyID/CompanyName:"+r.URL.Query().Get("organization_id")+".")
		return
	}
	if path == inventoryRoot+"/itemdetails" {
		s.itemDetails(w, r, fault)
		return
	}
	for _, e := range s.endpoints {
		if path == e.path {
			s.list(w, r, e, fault)
			return
		}
		if id, below := strings.CutPrefix(path, e.path+"/"); below && id != "" {
			s.single(w, e, id, fault)
			return
		}
	}
	writeError(w, http.StatusNotFound, codeNoSuchURL, "Invalid URL Passed")
}

// refuse answers 429 (document 2 and 3, Errors). The texts are only texts:
// clients match codes.
func refuse(w http.ResponseWriter, service string, code int) {
	messages := map[int]string{
		codeThrottled: "You have been blocked for some time as you have exceeded the maximum number of requests per minute.",
		codeExhausted: "You have exceeded the maximum number of API calls that can be made in one day.",
		codeCrowded:   "The maximum number of concurrent API calls has been exceeded.",
	}
	fail(w, service, http.StatusTooManyRequests, code, messages[code])
}

// fail answers an error; in chat the code is a string (upstream facts).
func fail(w http.ResponseWriter, service string, status, code int, message string) {
	if service != serviceChat {
		writeError(w, status, code, message)
		return
	}
	names := map[int]string{
		http.StatusUnauthorized: "oauthtoken_invalid", http.StatusForbidden: "operation_not_allowed",
		http.StatusTooManyRequests: "request_rate_exceeded", http.StatusNotAcceptable: "response_type_not_supported",
		http.StatusNotFound: "url_not_found", http.StatusBadRequest: "param_invalid",
	}
	name := names[status]
	if name == "" {
		name = "operation_failed"
	}
	writeBody(w, status, jsonType, fmt.Appendf(nil, `{"code":%q,"message":%s}`, name, quote(message)))
}

func writeError(w http.ResponseWriter, status, code int, message string) {
	writeBody(w, status, jsonType, fmt.Appendf(nil, `{"code":%d,"message":%s}`, code, quote(message)))
}

// quote writes a JSON text: messages may repeat what a caller sent.
func quote(message string) []byte {
	quoted, err := json.Marshal(message)
	if err != nil { // no string makes json fail
		return []byte(`""`)
	}
	return quoted
}

// writeBody sends a whole answer. A client that went away is its own affair:
// the error of the last write tells nobody anything.
func writeBody(w http.ResponseWriter, status int, contentType string, body []byte) {
	w.Header().Set("Content-Type", contentType)
	w.Header().Set("Content-Length", strconv.Itoa(len(body)))
	w.WriteHeader(status)
	_, _ = w.Write(body)
}

// wait lets some time pass, unless the client leaves first.
func wait(r *http.Request, d time.Duration) bool {
	if d <= 0 {
		return true
	}
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-r.Context().Done():
		return false
	}
}

// statusWriter remembers the status for the statistics.
type statusWriter struct {
	http.ResponseWriter

	status int
}

// WriteHeader notes the status.
func (w *statusWriter) WriteHeader(status int) {
	if w.status == 0 {
		w.status = status
	}
	w.ResponseWriter.WriteHeader(status)
}

// Write notes the status that a first write implies.
func (w *statusWriter) Write(data []byte) (int, error) {
	if w.status == 0 {
		w.status = http.StatusOK
	}
	return w.ResponseWriter.Write(data) // a writer passes errors on as they are.
}

// Unwrap lets http.ResponseController reach the connection.
func (w *statusWriter) Unwrap() http.ResponseWriter { return w.ResponseWriter }

func (w *statusWriter) label() string {
	if w.status == 0 {
		return "none"
	}
	return strconv.Itoa(w.status)
}
