package access

import (
	"net/http"
	"net/netip"
	"slices"
	"strings"
)

// ipv6Network is the prefix that one subscriber has, so addresses within it count as one sender.
const ipv6Network = 64

// sender returns the address that a request comes from: that of the connection, or behind trusted
// proxies the last address of X-Forwarded-For that none of them has. The addresses before it are
// claims of the sender.
func (a *Access) sender(r *http.Request) netip.Addr {
	peer := address(r.RemoteAddr)
	forwarded := strings.Join(r.Header.Values("X-Forwarded-For"), ",")
	if !a.proxied(peer) || strings.TrimSpace(forwarded) == "" {
		return peer
	}
	for _, hop := range slices.Backward(strings.Split(forwarded, ",")) {
		peer = address(strings.TrimSpace(hop))
		if !a.proxied(peer) {
			return peer
		}
	}
	return peer
}

// proxied reports whether an address is that of a trusted proxy.
func (a *Access) proxied(peer netip.Addr) bool {
	return slices.ContainsFunc(a.settings.TrustedProxies, func(network netip.Prefix) bool { return network.Contains(peer) })
}

// address reads an address with or without a port; the zero address if it is none.
func address(text string) netip.Addr {
	if withPort, err := netip.ParseAddrPort(text); err == nil {
		return withPort.Addr().Unmap().WithZone("")
	}
	bare, err := netip.ParseAddr(trimBrackets(text))
	if err != nil {
		return netip.Addr{}
	}
	return bare.Unmap().WithZone("")
}

func trimBrackets(host string) string { return strings.Trim(host, "[]") }

// subscriber is the sender that an address counts for.
func subscriber(at netip.Addr) string {
	if at.Is6() {
		if network, err := at.Prefix(ipv6Network); err == nil {
			return network.String()
		}
	}
	return at.String()
}
