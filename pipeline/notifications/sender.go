package notifications

import (
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"strings"
)

// allowed reports whether the sender of a request may send at all.
func (r *Receiver) allowed(q *http.Request) bool {
	from := r.options.Settings.AllowFrom
	return len(from) == 0 || within(from, r.sender(q))
}

// sender returns the address of the sender: that of the connection, or behind trusted proxies the
// last address of X-Forwarded-For that none of them has. The addresses before it are claims of the
// sender. It returns the zero address, which is in no network, if the header cannot be read.
func (r *Receiver) sender(q *http.Request) netip.Addr {
	peer := address(q.RemoteAddr)
	if !within(r.options.Settings.TrustedProxies, peer) {
		return peer
	}
	forwarded := strings.Join(q.Header.Values("X-Forwarded-For"), ",")
	if strings.TrimSpace(forwarded) == "" {
		return peer
	}
	for _, hop := range slices.Backward(strings.Split(forwarded, ",")) {
		peer = address(strings.TrimSpace(hop))
		if !within(r.options.Settings.TrustedProxies, peer) {
			return peer
		}
	}
	return peer
}

// address reads an address with or without a port.
func address(text string) netip.Addr {
	if withPort, err := netip.ParseAddrPort(text); err == nil {
		return withPort.Addr().Unmap().WithZone("")
	}
	bare, err := netip.ParseAddr(strings.Trim(text, "[]"))
	if err != nil {
		return netip.Addr{}
	}
	return bare.Unmap().WithZone("")
}

func within(networks []netip.Prefix, address netip.Addr) bool {
	return slices.ContainsFunc(networks, func(network netip.Prefix) bool { return network.Contains(address) })
}

// pathOf returns the path of an address, "" if it cannot be read.
func pathOf(text string) string {
	parsed, err := url.Parse(text)
	if err != nil {
		return ""
	}
	return strings.TrimRight(parsed.Path, "/")
}
