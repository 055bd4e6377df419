package postgres

import (
	"crypto/tls"
	"encoding/pem"
	"errors"
	"fmt"
	"net"
	"net/url"
	"os"
	"regexp"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"
)

// errAddress says that an address does not parse. The error of pgx is not shown: it quotes the
// address, which may hold a password.
var errAddress = errors.New("database.url does not parse: write it as postgres://user@host:5432/database")

// errPool says that a parameter of the pool has an invalid value.
var errPool = errors.New("database.url: a parameter that begins with pool_ has no value that it takes")

// CheckAddress says what is wrong with the address of a database: which parameter, and why. It
// shows no other part of the address. It always returns an error; call it for an address that
// pgxpool refused.
func CheckAddress(address string) error {
	if _, err := pgx.ParseConfig(address); err == nil {
		if _, err := pgxpool.ParseConfig(address); err != nil {
			return errPool
		}
		return nil
	}
	parameters := parametersOf(address)
	modes := []string{"disable", "allow", "prefer", "require", "verify-ca", "verify-full"}
	if mode, given := parameters["sslmode"]; given && !slices.Contains(modes, mode) {
		return fmt.Errorf("database.url: the parameter sslmode is none of %s", strings.Join(modes, ", "))
	}
	for _, name := range []string{"sslrootcert", "sslcert", "sslkey"} {
		path := parameters[name]
		if path == "" || path == "system" {
			continue
		}
		text, err := os.ReadFile(path)
		if failed, ok := errors.AsType[*os.PathError](err); ok {
			err = failed.Err // without the path
		}
		if err != nil {
			return fmt.Errorf("database.url: the file of the parameter %s cannot be read: %w", name, err)
		}
		if block, _ := pem.Decode(text); block == nil {
			return fmt.Errorf("database.url: the file of the parameter %s holds no certificate or key in PEM form", name)
		}
	}
	return errAddress
}

// keyValue is a parameter of an address in libpq's other form: host=… sslmode=….
var keyValue = regexp.MustCompile(`(\w+)\s*=\s*('(?:[^'\\]|\\.)*'|\S+)`)

// parametersOf reads the parameters of an address, also of one that does not parse.
func parametersOf(address string) map[string]string {
	parameters := map[string]string{}
	if !strings.HasPrefix(address, "postgres://") && !strings.HasPrefix(address, "postgresql://") {
		for _, found := range keyValue.FindAllStringSubmatch(address, -1) {
			parameters[found[1]] = strings.Trim(found[2], "'")
		}
		return parameters
	}
	_, query, _ := strings.Cut(address, "?")
	values, _ := url.ParseQuery(query) // the parameters that parse
	for name := range values {
		parameters[name] = values.Get(name)
	}
	return parameters
}

// Passwords returns the secrets of an address: those in it, and those of the environment
// (PGPASSWORD) and of the password file that a session would use.
func Passwords(address string) []string {
	var found []string
	if parsed, err := pgx.ParseConfig(address); err == nil {
		found = append(found, parsed.Password)
	}
	return append(found, PasswordsWithin(address)...)
}

// PasswordsWithin returns the secrets that stand in an address, in either form, percent escapes
// undone.
func PasswordsWithin(address string) []string {
	var found []string
	if parsed, err := url.Parse(address); err == nil {
		if password, given := parsed.User.Password(); given {
			found = append(found, password)
		}
	}
	for name, value := range parametersOf(address) {
		if strings.Contains(strings.ToLower(name), "password") {
			found = append(found, value)
		}
	}
	return found
}

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
