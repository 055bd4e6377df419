//go:build e2e

package cli

import (
	"net/url"
	"strings"
	"testing"

	"sluice/sandbox"
)

// TestADatabaseOnAnotherHost: if the address names another host without sslmode=verify-full, check
// fails, and sync and serve warn once and go on. All are silent if the configuration allows it.
func TestADatabaseOnAnotherHost(t *testing.T) {
	t.Parallel()
	s := newFixture(t, sandbox.Options{Seed: 83, Records: 20, Limits: sandbox.Limits{Off: true}})
	const check, warning = "connection to the database", "192.0.2.1 is another host, and without sslmode=verify-full"
	near := s.environment["SLUICE_DATABASE_URL"]
	says := func(exposed bool, why string) {
		t.Helper()
		code, times := codeFine, 0
		if exposed {
			code, times = codeFailed, 1
		}
		if o := s.run("check"); o.code != code || strings.Contains(o.stdout, "FAIL  "+check+": 192.0.2.1 is another host, and without sslmode=verify-full") != exposed {
			t.Errorf("%s: check ends with %d, want %d\n%s%s", why, o.code, code, o.stdout, o.stderr)
		}
		if o := s.run("check", "--json"); o.code != code || strings.Contains(o.stdout, `"check": "`+check+`"`) != exposed {
			t.Errorf("%s: check --json ends with %d, want %d\n%s", why, o.code, code, o.stdout)
		}
		if o := s.run("sync", "inventory.taxes"); o.code != codeFine || strings.Count(o.stderr, warning) != times {
			t.Errorf("%s: sync ends with %d and warns other than %d times\n%s", why, o.code, times, o.stderr)
		}
		p := s.start("serve", "--listen", "127.0.0.1:0")
		p.said("serving", "listen")
		p.terminate()
		p.ends(codeFine, stopLimit)
		if n := strings.Count(p.stderr.String(), warning); n != times {
			t.Errorf("%s: serve warns %d times, want %d", why, n, times)
		}
	}
	says(false, "the database of this machine")
	s.environment["SLUICE_DATABASE_URL"] = besides(t, near, "192.0.2.1")
	says(true, "one of two hosts")
	s.rewrite("database:\n", "database:\n  allow_insecure: true\n")
	says(false, "allowed")
}

// besides adds a host that is never contacted, because the first one answers: addresses like
// 192.0.2.1 belong to no machine (RFC 5737).
func besides(t *testing.T, address, host string) string {
	t.Helper()
	u := sure(url.Parse(address))(t)
	query := u.Query()
	if query.Get("host") == "" {
		query.Set("host", u.Hostname())
		query.Set("port", u.Port())
	}
	u.Host = ""
	query.Set("host", query.Get("host")+","+host)
	query.Set("port", query.Get("port")+",5432")
	u.RawQuery = query.Encode()
	return u.String()
}
