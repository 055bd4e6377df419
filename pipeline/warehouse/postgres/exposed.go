package postgres

import (
	"crypto/tls"
	"net"
	"strings"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
)

// Exposed gives the first host of an address that is another machine and to which a connection is
// possible that is not encrypted, or whose server need not prove that it is that host; "" if there
// is none. The environment (PGHOST, PGSSLMODE, …) counts where the address says nothing.
func Exposed(address string) string {
	config, err := pgx.ParseConfig(address)
	if err != nil {
		return ""
	}
	open := func(host string, secure *tls.Config) bool {
		return !near(host) && (secure == nil || secure.InsecureSkipVerify) // verify-ca is the second: any host of that authority will do
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

// near reports whether what is sent to a host does not leave the machine: it is a folder with a
// socket, or loopback.
func near(host string) bool {
	if network, _ := pgconn.NetworkAddress(host, 0); network == "unix" || strings.EqualFold(host, "localhost") {
		return true
	}
	address := net.ParseIP(host)
	return address != nil && address.IsLoopback()
}
