package access

import (
	"net/http"
	"net/netip"
	"slices"
	"strings"
	"sync"
	"time"
)

// limiter gives each key a number of turns at once, and then one turn after each interval. It
// remembers a bounded number of keys.
type limiter struct {
	now      func() time.Time
	most     int
	interval time.Duration

	mu sync.Mutex
	// free is the instant at which a key has all its turns again.
	free map[string]time.Time
}

func newLimiter(now func() time.Time, most int, interval time.Duration) *limiter {
	return &limiter{now: now, most: most, interval: interval, free: make(map[string]time.Time)}
}

// take takes a turn, and reports whether there was one.
func (l *limiter) take(key string) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	now := l.now()
	at, known := l.free[key]
	if !known && len(l.free) >= mostKnown {
		l.forget(now)
	}
	if at.Before(now) {
		at = now
	}
	if at = at.Add(l.interval); at.Sub(now) > time.Duration(l.most)*l.interval {
		return false
	}
	l.free[key] = at
	return true
}

// give returns a turn that was taken.
func (l *limiter) give(key string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if at, known := l.free[key]; known {
		l.free[key] = at.Add(-l.interval)
	}
}

// forget drops the keys that have all their turns, or any one if there is none.
func (l *limiter) forget(now time.Time) {
	for key, at := range l.free {
		if !at.After(now) {
			delete(l.free, key)
		}
	}
	for key := range l.free {
		if len(l.free) < mostKnown {
			return
		}
		delete(l.free, key)
	}
}

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
