// Package endpoints is the table of calls, one row for each documented endpoint, and the answer of
// each row from a company's world (docs/upstream.md).
//
// It neither counts nor refuses calls and knows no token: package sandbox does. Start reading with
// Table, then Find.
package endpoints

import (
	"net/http"
	"net/url"
	"slices"
	"strings"

	"sluice/sandbox/answer"
	"sluice/sandbox/company"
	"sluice/sandbox/faults"
	"sluice/sandbox/lists"
	"sluice/sandbox/services"
)

// AssumedHeader is the header of an answer with undocumented parts; its value names them.
const AssumedHeader = "X-Sandbox-Assumed"

// ErrorsAssumed is the header's value for business errors of the accounting family: the documents
// show errors of rates only (docs/upstream.md U63).
const ErrorsAssumed = "status, code and message of this error"

// Endpoint is one row.
type Endpoint struct {
	Method string
	// Path has {name} for a segment of the caller's choice. A row for /networks begins with
	// {network}'s prefix.
	Path string
	// Scope is the scope that a token needs, without the vendor's name; "" if any token opens the
	// endpoint.
	Scope string
	// Assumed names the undocumented parts in a few words; "" if there are none.
	Assumed string
	// Resource is the resource that the row reads or writes; the zero value if there is none.
	Resource lists.Resource
	// Note is what a caller has to know.
	Note string
	// Serve answers a call.
	Serve func(*Call)
}

// Service returns the service of the row.
func (e Endpoint) Service() string { return services.Of(e.Path) }

// Manner chooses between the ways of answering that the documents leave open.
type Manner struct {
	lists.Habits

	// NoCSVHeader omits the first line of the conversation export.
	NoCSVHeader bool
	// ChatPage is the number of chats in one answer of the export; 0 gives all.
	ChatPage int
	// Strict refuses forms that live services accept beyond the documents.
	Strict bool
}

// Call is one call of an endpoint, permitted and for a known organization.
type Call struct {
	http.ResponseWriter

	Request  *http.Request
	Endpoint Endpoint
	Values   map[string]string // of the path's {names}
	Company  *company.Company
	Manner   Manner
	Fault    *faults.Fault // nil for none
}

// fail writes an error in the envelope of the service.
func (c *Call) fail(status, code int, message string) {
	if c.Endpoint.Service() != services.Chat { // docs/upstream.md U69 has chat's statuses; for the others U62 has those of rate errors only.
		c.Header().Set(AssumedHeader, ErrorsAssumed)
	}
	answer.Fail(c, c.Endpoint.Service(), status, code, message)
}

// missing answers that the record does not exist.
func (c *Call) missing() {
	c.fail(http.StatusNotFound, answer.NoSuchRecord, "Resource does not exist.")
}

// Find returns the row for a method and a path, with the values of the path's names. Without a row
// for the path the status is 404, without one for the method 405.
func Find(table []Endpoint, method, path string) (Endpoint, map[string]string, int) {
	status := http.StatusNotFound
	for _, e := range table {
		values, fits := match(e.Path, path)
		if !fits {
			continue
		}
		if e.Method == method {
			return e, values, http.StatusOK
		}
		status = http.StatusMethodNotAllowed
	}
	return Endpoint{}, nil, status
}

// match compares segment by segment. A name never matches an empty segment.
func match(pattern, path string) (map[string]string, bool) {
	parts, segments := strings.Split(pattern, "/"), strings.Split(path, "/")
	if len(parts) != len(segments) {
		return nil, false
	}
	values := map[string]string{}
	for n, part := range parts {
		name, named := strings.CutPrefix(part, "{")
		switch {
		case named && segments[n] != "":
			value, err := url.PathUnescape(segments[n])
			if err != nil {
				return nil, false
			}
			values[strings.TrimSuffix(name, "}")] = value
		case part != segments[n]:
			return nil, false
		}
	}
	return values, true
}

// Scopes returns the scopes of the whole table, each once.
func Scopes(table []Endpoint) []string {
	var scopes []string
	for _, e := range table {
		if e.Scope != "" && !slices.Contains(scopes, e.Scope) {
			scopes = append(scopes, e.Scope)
		}
	}
	return scopes
}
