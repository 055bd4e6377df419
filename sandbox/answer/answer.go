// Package answer writes the sandbox's answers: whole bodies, and errors in the envelope of the
// service.
//
// It decides nothing: its callers decide whether a call is served, refused or spoiled. Start
// reading with Fail.
package answer

import (
	"cmp"
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"
	"time"

	"sluice/sandbox/services"
)

// Error codes of the accounting family (docs/upstream.md U62, U64 and U65).
const (
	NotAuthorized  = 9 // any business error inside a 200
	NoSuchURL      = 5
	InvalidValue   = 2
	MissingToken   = 14
	Throttled      = 44
	Exhausted      = 45
	InvalidToken   = 57
	NoSuchRecord   = 1002
	Crowded        = 1070
	NoOrganization = 6041
)

// Content types.
const (
	JSONType = "application/json;charset=UTF-8"
	HTMLType = "text/html;charset=UTF-8"
)

// Body sends a whole answer. It ignores the error of the last write, since a client that left needs
// no answer.
func Body(w http.ResponseWriter, status int, contentType string, body []byte) {
	w.Header().Set("Content-Type", contentType)
	w.Header().Set("Content-Length", strconv.Itoa(len(body)))
	w.WriteHeader(status)
	_, _ = w.Write(body)
}

// Error writes an error of the accounting family: code (an integer) and message.
func Error(w http.ResponseWriter, status, code int, message string) {
	Body(w, status, JSONType, fmt.Appendf(nil, `{"code":%d,"message":%s}`, code, quote(message)))
}

// Fail writes an error of a service. In chat and notifications the code is a text that follows from
// the status (docs/upstream.md U66).
func Fail(w http.ResponseWriter, service string, status, code int, message string) {
	switch service {
	case services.Chat:
		failChat(w, status, message)
	case services.Notifications, services.CRM:
		failNotifications(w, status, message)
	default:
		Error(w, status, code, message)
	}
}

func failNotifications(w http.ResponseWriter, status int, message string) {
	names := map[int]string{
		http.StatusUnauthorized: "INVALID_TOKEN", http.StatusForbidden: "NO_PERMISSION",
		http.StatusTooManyRequests: "TOO_MANY_REQUESTS", http.StatusNotFound: "INVALID_URL_PATTERN",
		http.StatusMethodNotAllowed: "INVALID_REQUEST_METHOD", http.StatusBadRequest: "INVALID_DATA",
	}
	name := cmp.Or(names[status], "INTERNAL_ERROR")
	Body(w, status, JSONType, fmt.Appendf(nil, `{"code":%q,"details":{},"message":%s,"status":"error"}`, name, quote(message)))
}

func failChat(w http.ResponseWriter, status int, message string) {
	names := map[int]string{
		http.StatusUnauthorized: "oauthtoken_invalid", http.StatusForbidden: "operation_not_allowed",
		http.StatusTooManyRequests: "request_rate_exceeded", http.StatusNotAcceptable: "response_type_not_supported",
		http.StatusNotFound: "url_not_found", http.StatusBadRequest: "param_invalid",
	}
	name := cmp.Or(names[status], "operation_failed")
	Body(w, status, JSONType, fmt.Appendf(nil, `{"code":%q,"message":%s}`, name, quote(message)))
}

// Refuse answers 429 with Throttled, Crowded or Exhausted (docs/upstream.md U62). Clients match
// codes, so the texts are free.
func Refuse(w http.ResponseWriter, service string, code int) {
	messages := map[int]string{
		Throttled: "You have been blocked for some time as you have exceeded the maximum number of requests per minute.",
		Exhausted: "You have exceeded the maximum number of API calls that can be made in one day.",
		Crowded:   "The maximum number of concurrent API calls has been exceeded.",
	}
	Fail(w, service, http.StatusTooManyRequests, code, messages[code])
}

// quote returns a JSON text: messages may repeat the caller's input.
func quote(message string) []byte {
	quoted, err := json.Marshal(message)
	if err != nil { // no string makes json fail
		return []byte(`""`)
	}
	return quoted
}

// Wait pauses an answer for a time. It returns false if the client left first.
func Wait(r *http.Request, d time.Duration) bool {
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

// Recorder forwards an answer and notes its status for the statistics.
type Recorder struct {
	http.ResponseWriter

	status  int
	written int
	end     func(label string)
}

// NewRecorder records what is written to w. It calls end once, with the status as text: before the
// last byte of an answer whose length is announced, for the client may call again as soon as it has
// that, or else in End.
func NewRecorder(w http.ResponseWriter, end func(label string)) *Recorder {
	return &Recorder{ResponseWriter: w, end: end}
}

// End says that nothing more is written.
func (w *Recorder) End() {
	if w.end != nil {
		w.end(w.label())
		w.end = nil
	}
}

// WriteHeader notes the status.
func (w *Recorder) WriteHeader(status int) {
	if w.status == 0 {
		w.status = status
	}
	w.ResponseWriter.WriteHeader(status)
}

// Write notes the status that a first write implies.
func (w *Recorder) Write(data []byte) (int, error) {
	if w.status == 0 {
		w.status = http.StatusOK
	}
	w.written += len(data)
	if length, err := strconv.Atoi(w.Header().Get("Content-Length")); err == nil && w.written >= length {
		w.End()
	}
	return w.ResponseWriter.Write(data) // a writer passes errors on as they are.
}

// Unwrap lets http.ResponseController reach the connection.
func (w *Recorder) Unwrap() http.ResponseWriter { return w.ResponseWriter }

// label is the status as text, or "none" where nothing was answered.
func (w *Recorder) label() string {
	if w.status == 0 {
		return "none"
	}
	return strconv.Itoa(w.status)
}
