package sandbox

import (
	"net/http"
	"net/url"
	"strings"

	"sluice/sandbox/endpoints"
	"sluice/sandbox/services"
)

// Habits of live services beyond the documents (docs/upstream.md U17 and U39). A strict sandbox has
// none.
const (
	habitSlashes      = "live services tolerate a slash at the end and doubled slashes"
	habitBearer       = "live services of accounting accept Bearer beside the vendor's scheme"
	habitOrganization = "live services of invoicing and billing take the organization in the query, too"
)

// tolerate translates a call in a form that live services accept beyond the documents into the
// documented form, and marks the answer.
func (s *Server) tolerate(w http.ResponseWriter, r *http.Request) (*http.Request, services.Address) {
	address := services.Parse(r.URL.EscapedPath())
	if s.options.Strict {
		return r, address
	}
	path := services.Tidy(r.URL.EscapedPath())
	tidy := services.Parse(path)
	plain, err := url.PathUnescape(path)
	if tidy.Service == "" {
		return r, address
	}
	if err == nil && path != r.URL.EscapedPath() {
		r, address = below(r, plain), tidy
		r.URL.RawPath = path
		w.Header().Add(endpoints.AssumedHeader, habitSlashes)
	}
	const scheme = "Authorization"
	if token, found := strings.CutPrefix(r.Header.Get(scheme), "Bearer "); found && address.Service == services.Accounting {
		inner := *r
		inner.Header = r.Header.Clone()
		inner.Header.Set(scheme, s.options.Vendor+"-oauthtoken "+token)
		r = &inner
		w.Header().Add(endpoints.AssumedHeader, habitBearer)
	}
	if vendor := s.options.Vendor; services.Organization(address.Service, vendor, true, r) != services.Organization(address.Service, vendor, false, r) {
		w.Header().Add(endpoints.AssumedHeader, habitOrganization)
	}
	return r, address
}
