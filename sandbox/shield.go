package sandbox

import (
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"strings"
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
