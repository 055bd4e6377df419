package oauth

import (
	"net/netip"
	"net/url"
	"slices"
)

// mayGet reports whether an address may receive a code.
func (c Client) mayGet(address string) bool {
	if c.AnyLoopback && onLoopback(address) {
		return true
	}
	return slices.ContainsFunc(c.RedirectURIs, func(registered string) bool {
		return registered == address || (c.AnyLoopbackPort && sameButPort(registered, address))
	})
}

// onLoopback reports whether an address is one of this machine.
func onLoopback(address string) bool {
	parsed, err := url.Parse(address)
	if err != nil || (parsed.Scheme != "http" && parsed.Scheme != "https") {
		return false
	}
	ip, err := netip.ParseAddr(parsed.Hostname())
	return parsed.Hostname() == "localhost" || err == nil && ip.IsLoopback()
}

// sameButPort reports whether two loopback addresses differ in their ports at most.
func sameButPort(a, b string) bool {
	one, err := url.Parse(a)
	if err != nil {
		return false
	}
	other, err := url.Parse(b)
	if err != nil {
		return false
	}
	ip, err := netip.ParseAddr(one.Hostname())
	if err != nil || !ip.IsLoopback() || one.Hostname() != other.Hostname() {
		return false
	}
	one.Host, other.Host = "", ""
	return one.String() == other.String()
}
