package postgres

import (
	"crypto/tls"
	"net"
	"strings"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
)

// Exposed returns the first host of an address on another machine to which the connection may be
// unencrypted, or whose server need not prove its identity. It returns "" if there is none. The
// environment (PGHOST, PGSSLMODE, …) counts where the address says nothing.
func Exposed(address string) string {
	config, err := pgx.ParseConfig(address)
	if err != nil {
		return ""
	}
	open := func(host string, secure *tls.Config) bool {
		return !near(host) && (secure == nil || secure.InsecureSkipVerify) // verify-ca is such a case: it accepts any host of that authority
	}
	if open(config.Host, config.TLSConfig) {
		return config.Host
	}
	for _, other := range config.Fallbacks {
		if open(other.Host, other.TLSConfig) {
			return other.Host
		}
	}
	return ""
}

// near reports whether data for a host stays on this machine: the host is a folder with a socket,
// or loopback.
func near(host string) bool {
	if network, _ := pgconn.NetworkAddress(host, 0); network == "unix" || strings.EqualFold(host, "localhost") {
		return true
	}
	address := net.ParseIP(host)
	return address != nil && address.IsLoopback()
}
