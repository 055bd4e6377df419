package access

import (
	"net"
	"net/http"
	"net/netip"
	"net/url"
)

// none lets everyone in who reaches the listener from this machine, as an operator. It does not
// trust the listener to be out of reach: a page of another site may name this machine by a name of
// its own (DNS rebinding), and a proxy may lead others here.
type none struct{ *Access }

func (n none) own(http.ResponseWriter, *http.Request) bool { return false }

func (n none) who(w http.ResponseWriter, r *http.Request) (person, bool) {
	var reason string
	switch {
	case !address(r.RemoteAddr).IsLoopback():
		reason = "with console.auth none only this machine is let in, and the request came from another"
	case r.Header.Get("X-Forwarded-For") != "" || r.Header.Get("Forwarded") != "":
		reason = "with console.auth none only this machine is let in, and a proxy passed the request on"
	case !n.ours(r.Host):
		reason = "with console.auth none the console answers to localhost only, and the request named another host"
	default:
		return person{name: Local}, true
	}
	n.refused(r, reason)
	n.show(w, r, http.StatusForbidden, answer{Title: "Refused", Text: "The console refused the request: " + reason + "."})
	return person{}, false
}

// ours reports whether a host is this machine, by a name that no other site can have.
func (n none) ours(host string) bool {
	if name, _, err := net.SplitHostPort(host); err == nil {
		host = name
	}
	if public, err := url.Parse(n.settings.PublicURL); err == nil && public.Hostname() != "" && host == public.Hostname() {
		return true
	}
	at, err := netip.ParseAddr(trimBrackets(host))
	return host == "localhost" || err == nil && at.IsLoopback()
}
