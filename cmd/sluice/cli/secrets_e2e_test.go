//go:build e2e

package cli

import (
	"context"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"sluice/sandbox"
)

// TestSecrets tests invariant 10: with everything that goes wrong around secrets, none is printed,
// logged or stored in clear.
func TestSecrets(t *testing.T) {
	t.Parallel()
	s := newFixture(t, sandbox.Options{Seed: 91, Records: 300, Limits: sandbox.Limits{Off: true}})
	const database = "canary-of-the-database"
	s.environment["SLUICE_DATABASE_URL"] = withPassword(t, s.environment["SLUICE_DATABASE_URL"], database)
	var said strings.Builder
	run := func(args ...string) {
		o := s.run(append([]string{"--log-level", "debug"}, args...)...)
		said.WriteString(o.stdout + o.stderr)
	}
	run("check")
	run("sync")
	for _, kind := range []string{"unauthorized", "redirect", "reset", "cut", "html", "error_in_200", "forbidden"} {
		for _, path := range []string{"/inventory/v1/bills", "/oauth/v2/token"} {
			s.pass(2 * time.Hour) // the token is dead by then
			must(t, s.world.SetFaults([]sandbox.Fault{{Path: path, Kind: kind}}))
			said.WriteString(s.impatiently("--log-level", "debug", "sync", "bills"))
		}
	}
	must(t, s.world.SetFaults(nil))
	s.pass(2 * time.Hour)
	s.exec(`UPDATE sluice.tokens SET reason = ''`) // as if the operator had authorized anew
	p := s.start("--log-level", "debug", "sync", "--json")
	p.ends(codeFine, time.Minute)
	said.WriteString(p.stdout.String() + p.stderr.String())
	s.upstream.Close()
	s.pass(2 * time.Hour)
	said.WriteString(s.impatiently("--log-level", "debug", "sync", "bills"))
	for _, command := range []string{"status", "runs", "check", "quarantine list"} {
		run(strings.Fields(command)...)
	}
	right := s.environment["SLUICE_DATABASE_URL"]
	noDatabase(s)
	s.environment["SLUICE_DATABASE_URL"] = withPassword(t, s.environment["SLUICE_DATABASE_URL"], database)
	run("sync")
	run("migrate")
	s.environment["SLUICE_DATABASE_URL"] = right

	places := map[string]string{"what was printed and logged": said.String()}
	for name, text := range s.dump() {
		places["table "+name] = text
	}
	canaries := map[string]string{
		"the client secret": sandbox.ClientSecret, "the refresh token": sandbox.RefreshToken, "the encryption key": testKey,
		"the database's password": database,
	}
	for token := range s.arrivals.tokens {
		canaries["an access token"+token[len(token)-4:]] = token
	}
	if len(canaries) < 4+3 || len(places["table sluice.tokens"]) < 100 || !strings.Contains(said.String(), "oauth/v2/token") {
		t.Errorf("%d secrets, %d bytes of tokens: too few to find anything", len(canaries), len(places["table sluice.tokens"]))
	}
	for what, secret := range canaries {
		for where, text := range places {
			for _, form := range forms(secret) {
				if strings.Contains(text, form) {
					at := strings.Index(text, form)
					t.Errorf("%s is in %s: …%s", what, where, text[max(0, at-200):at])
				}
			}
		}
	}
}

// impatiently runs a command until it ends. It interrupts a command that waits for a token, a
// minute away. It gives the output.
func (s *fixture) impatiently(args ...string) string {
	s.t.Helper()
	const waits = `SELECT EXISTS (SELECT FROM river.river_job WHERE state = 'scheduled' AND scheduled_at > clock_timestamp() + interval '10 seconds')`
	s.exec(`UPDATE sluice.tokens SET reason = ''`)
	s.exec(`DELETE FROM river.river_job WHERE state <> 'running'`)
	ctx, interrupt := context.WithCancel(s.t.Context())
	defer interrupt()
	ended := make(chan outcome, 1)
	go func() { ended <- s.runContext(ctx, args...) }()
	ticker := time.NewTicker(20 * time.Millisecond)
	defer ticker.Stop()
	for {
		select {
		case o := <-ended:
			return o.stdout + o.stderr
		case <-ticker.C:
			if one[bool](s, waits) {
				interrupt()
			}
		}
	}
}

// forms are eight spellings of a secret.
func forms(secret string) []string {
	every := ""
	for i := range len(secret) {
		every += fmt.Sprintf("%%%02X", secret[i])
	}
	return []string{
		secret, url.QueryEscape(secret), hex.EncodeToString([]byte(secret)),
		base64.StdEncoding.EncodeToString([]byte(secret)), base64.RawURLEncoding.EncodeToString([]byte(secret)),
		strings.ToUpper(secret), strings.ToUpper(hex.EncodeToString([]byte(secret))), every,
	}
}

// withPassword adds a password to an address; a server with trust authentication does not ask for
// it.
func withPassword(t *testing.T, address, password string) string {
	t.Helper()
	u := sure(url.Parse(address))(t)
	if _, has := u.User.Password(); !has {
		u.User = url.UserPassword(u.User.Username(), password)
	}
	return u.String()
}

// dump gives every table of the database as text.
func (s *fixture) dump() map[string]string {
	s.t.Helper()
	rows, err := s.conn.Query(s.t.Context(), `SELECT table_schema, table_name FROM information_schema.tables
		WHERE table_type = 'BASE TABLE' AND table_schema NOT IN ('pg_catalog', 'information_schema')`)
	must(s.t, err)
	names, err := pgx.CollectRows(rows, func(row pgx.CollectableRow) (pgx.Identifier, error) {
		name := make(pgx.Identifier, 2)
		return name, row.Scan(&name[0], &name[1])
	})
	must(s.t, err)
	tables := make(map[string]string, len(names))
	for _, name := range names {
		tables[strings.Join(name, ".")] = one[string](s, `SELECT coalesce(string_agg(t::text, E'\n'), '') FROM `+name.Sanitize()+` t`)
	}
	return tables
}
