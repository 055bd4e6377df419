// Package endpoints is the table of what can be called, one row for each documented
// endpoint, and how each row answers out of a company's world
// (docs/upstream.md).
//
// It neither counts nor refuses calls and knows no token: package sandbox does.
// Start reading with Table, then Find.
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

// AssumedHeader is the header of an answer of which the documents do not show
// everything; its value names what.
const AssumedHeader = "X-Sandbox-Assumed"

// ErrorsAssumed is what the header says of business errors of the accounting family:
// the documents show none but those of rates (docs/upstream.md U63).
const ErrorsAssumed = "status, code and message of this error"

// Endpoint is one row.
type Endpoint struct {
	Method string
	// Path has {name} for a segment that the caller chooses. A row for /networks
	// begins with {network}'s prefix.
	Path string
	// Scope is what a token needs, without the vendor's name before it; "" if any
	// token opens the endpoint.
	Scope string
	// Assumed says in a few words what the documents do not show; "" if nothing.
	Assumed string
	// Resource is what the row reads or writes; its zero value for what is no resource.
	Resource lists.Resource
	// Note is what a caller has to know.
	Note string
	// Serve answers a call.
	Serve func(*Call)
}

// Service returns the service of the row.
func (e Endpoint) Service() string { return services.Of(e.Path) }

// Manner says in which ways services answer that the documents leave to them.
type Manner struct {
	// HeadersOnly makes wide lists leave out what live services give with the
	// single record alone.
	HeadersOnly bool
	// SortsModified makes lists that filter by modification time sort by it, too.
	SortsModified bool
	// NoCSVHeader leaves out the first line of the conversation export.
	NoCSVHeader bool
	// ChatPage is how many chats one answer of the export holds; 0 gives all.
	ChatPage int
	// Strict refuses what live services accept beyond the documents.
	Strict bool
}

// Call is one call of an endpoint, allowed and for a known organization.
type Call struct {
	http.ResponseWriter

	Request  *http.Request
	Endpoint Endpoint
	Values   map[string]string // of the path's {names}
	Company  *company.Company
	Manner   Manner
	Fault    *faults.Fault // nil for none
}

// fail answers an error in the envelope of the service.
func (c *Call) fail(status, code int, message string) {
	if c.Endpoint.Service() != services.Chat { // docs/upstream.md U69 has the statuses of chat, U62 of the others those of rate errors only.
		c.Header().Set(AssumedHeader, ErrorsAssumed)
	}
	answer.Fail(c, c.Endpoint.Service(), status, code, message)
}

// missing answers that there is no such record.
func (c *Call) missing() {
	c.fail(http.StatusNotFound, answer.NoSuchRecord, "Resource does not exist.")
}

// Find returns the row for a method and a path, with the values of the path's
// names. With no row for the path the status is 404, with none for the method 405.
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

// match compares segment by segment. No name stands for an empty segment.
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

// Scopes lists what a token needs for the whole table, each once.
func Scopes(table []Endpoint) []string {
	var scopes []string
	for _, e := range table {
		if e.Scope != "" && !slices.Contains(scopes, e.Scope) {
			scopes = append(scopes, e.Scope)
		}
	}
	return scopes
}
