package sandbox

import (
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"strings"

	"sluice/sandbox/endpoints"
	"sluice/sandbox/services"
)

// shield returns why a call of the controls is refused, or "". Controls need no token, so that a
// test can use curl, but a page in a browser of this machine must gain nothing from that. Its calls
// carry its Origin. If its name was made to resolve to this machine (DNS rebinding), they carry
// that name as Host.
func (s *Server) shield(r *http.Request, pages *http.CrossOriginProtection) string {
	origin := r.Header.Get("Origin")
	switch {
	case !s.options.ControlAnywhere && !fromHere(r):
		return "sandbox: the controls answer on this machine only: see --control-anywhere"
	case !s.options.ControlAnywhere && !namesHere(r):
		return "sandbox: the controls answer by the address of this machine only, as http://127.0.0.1: see --control-anywhere"
	case origin != "" && !ownOrigin(origin, r.Host), pages.Check(r) != nil:
		return "sandbox: the controls do not answer the pages of other sites"
	}
	return ""
}

// fromHere reports whether a call comes from this machine.
func fromHere(r *http.Request) bool {
	from, err := netip.ParseAddrPort(r.RemoteAddr)
	return err == nil && from.Addr().Unmap().IsLoopback()
}

// namesHere reports whether a call names this machine: by localhost, a loopback address, or the
// address at which it arrived.
func namesHere(r *http.Request) bool {
	host := (&url.URL{Host: r.Host}).Hostname()
	if strings.EqualFold(host, "localhost") {
		return true
	}
	named, err := netip.ParseAddr(host)
	if err != nil {
		return false
	}
	if named.Unmap().IsLoopback() {
		return true
	}
	at, known := r.Context().Value(http.LocalAddrContextKey).(net.Addr)
	if !known {
		return false
	}
	own, err := netip.ParseAddrPort(at.String())
	return err == nil && own.Addr().Unmap() == named.Unmap()
}

// ownOrigin reports whether an Origin is that of the sandbox's own pages.
func ownOrigin(origin, host string) bool {
	from, err := url.Parse(origin)
	return err == nil && (from.Scheme == "http" || from.Scheme == "https") && strings.EqualFold(from.Host, host)
}

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
