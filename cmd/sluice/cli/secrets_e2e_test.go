//go:build e2e

package cli

import (
	"context"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"sluice/cmd/sluice-sandbox/local"
	"sluice/pipeline"
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
	errorIf(t, len(canaries) < 4+3 || len(places["table sluice.tokens"]) < 100 || !strings.Contains(said.String(), "oauth/v2/token"),
		"%d secrets, %d bytes of tokens: too few to find anything", len(canaries), len(places["table sluice.tokens"]))
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

func (s *fixture) dump() map[string]string {
	s.t.Helper()
	rows := sure(s.conn.Query(s.t.Context(), `SELECT table_schema, table_name FROM information_schema.tables
		WHERE table_type = 'BASE TABLE' AND table_schema NOT IN ('pg_catalog', 'information_schema')`))(s.t)
	names := sure(pgx.CollectRows(rows, func(row pgx.CollectableRow) (pgx.Identifier, error) {
		name := make(pgx.Identifier, 2)
		return name, row.Scan(&name[0], &name[1])
	}))(s.t)
	tables := make(map[string]string, len(names))
	for _, name := range names {
		tables[strings.Join(name, ".")] = one[string](s, `SELECT coalesce(string_agg(t::text, E'\n'), '') FROM `+name.Sanitize()+` t`)
	}
	return tables
}

func (p *process) logged(s *fixture, message, text string, times int) {
	s.t.Helper()
	s.waitUntil("it logs "+message, func() bool {
		n := 0
		for line := range strings.Lines(p.stderr.String()) {
			if strings.Contains(line, message) && strings.Contains(line, text) {
				n++
			}
		}
		return n >= times
	})
}

// TestSecretsAreReadAnew: at SIGHUP, serve reads secrets again from files and commands. Those of
// credentials let the organization go on that upstream had refused, and those of notifications open
// to callbacks that are signed with the new one. A reading that fails changes nothing. No secret,
// and nothing that a command says, is logged.
func TestSecretsAreReadAnew(t *testing.T) {
	t.Parallel()
	s := newFixture(t, sandbox.Options{Seed: 131, Records: 20, Limits: sandbox.Limits{Off: true}}).narrow()
	s.notified("http://127.0.0.1:1")
	dir := t.TempDir()
	hook, token, program := filepath.Join(dir, "hook"), filepath.Join(dir, "token"), filepath.Join(dir, "program")
	replace(t, hook, hookSecret)
	replace(t, token, "1000.wrong-canary-token")
	must(t, os.WriteFile(program, []byte("#!/bin/sh\necho canary-on-stderr >&2\ncat \"$1\"\n"), 0o700))
	text := sure(os.ReadFile(s.config))(t)
	changed := strings.NewReplacer("${HOOK_SECRET}", "file:"+hook, "${SANDBOX_REFRESH_TOKEN}", "exec:"+program+" "+token).Replace(string(text))
	must(t, os.WriteFile(s.config, []byte(changed), 0o600))

	p := s.start("serve", "--listen", "127.0.0.1:0")
	rule := "http://" + p.said("receiving callbacks", "listen") + "/rule/" + businessKey + "/inventory.items"
	p.said("serving", "listen")
	s.until("the streams are denied", `SELECT count(*) > 4 AND NOT EXISTS (SELECT FROM river.river_job WHERE state <> 'completed')
		FROM sluice.streams WHERE state = 'denied'`)
	const anew, kept = "the secrets were read anew", "those before stay in force"
	p.logged(s, anew, "upstream refused a credential", 1)

	// A file that cannot be read changes nothing.
	replace(t, hook, otherHook)
	must(t, os.Remove(token))
	must(t, p.cmd.Process.Signal(syscall.SIGHUP))
	p.logged(s, kept, "ended with exit status 1", 1)
	if was, now := s.hook(hookSecret, rule, `{"item_id":"1"}`), s.hook(otherHook, rule, `{"item_id":"2"}`); was != http.StatusOK || now != http.StatusUnauthorized {
		t.Errorf("after a reading that failed the old secret gets %d, the new one %d", was, now)
	}

	replace(t, token, sandbox.RefreshToken)
	must(t, os.WriteFile(s.config, []byte("broken: ["), 0o600)) // secrets are read by the references of the start
	must(t, p.cmd.Process.Signal(syscall.SIGHUP))
	p.logged(s, anew, `"changed":2`, 1)
	was, now := s.hook(hookSecret, rule, `{"item_id":"3"}`), s.hook(otherHook, rule, `{"item_id":"4"}`)
	errorIf(t, was != http.StatusUnauthorized || now != http.StatusOK, "after a reading the old secret gets %d, the new one %d", was, now)
	s.until("the organization goes on", `SELECT EXISTS (SELECT FROM inventory.items) AND NOT EXISTS (SELECT FROM sluice.streams WHERE state = 'denied')`)
	p.stops()
	said := p.stdout.String() + p.stderr.String()
	for _, secret := range []string{"canary", sandbox.RefreshToken, sandbox.ClientSecret, hookSecret, otherHook} {
		errorIf(t, strings.Contains(said, secret), "%q is in the log:\n%s", secret, said)
	}
}

func (s *fixture) atWork() int {
	s.t.Helper()
	return one[int](s, `SELECT count(*) FROM sluice.streams WHERE state = 'running'`)
}

// ownPostgres is a server that a test may stop; the other tests share theirs.
type ownPostgres struct {
	s   *fixture
	dir string
	// server is the one that was started last.
	server *local.Server
}

// ownPostgres gives the fixture its own server and database.
func (s *fixture) ownPostgres() *ownPostgres {
	s.t.Helper()
	// Not t.TempDir: the account that a server of root runs as cannot enter it.
	folder := sure(os.MkdirTemp("", "sluice-test-"))(s.t)
	s.t.Cleanup(func() { _ = os.RemoveAll(folder) })
	must(s.t, os.Chmod(folder, 0o711))
	o := &ownPostgres{s: s, dir: filepath.Join(folder, "pg")}
	o.start()
	must(s.t, migrated(s.t.Context(), s.environment["SLUICE_DATABASE_URL"]))
	return o
}

func (o *ownPostgres) start() {
	o.s.t.Helper()
	if o.server != nil {
		must(o.s.t, o.server.Stop(o.s.t.Context()))
	}
	server := sure(local.Start(o.s.t.Context(), local.Options{Dir: o.dir, Durable: true}))(o.s.t)
	o.server = server
	o.s.t.Cleanup(func() { _ = server.Stop(context.WithoutCancel(o.s.t.Context())) })
	o.s.environment["SLUICE_DATABASE_URL"] = server.URL()
	_ = o.s.conn.Close(o.s.t.Context()) // the old one
	conn := sure(pgx.Connect(o.s.t.Context(), server.URL()))(o.s.t)
	o.s.conn = conn
}

// crash stops the server like pg_ctl stop -m immediate: it writes nothing out, and all sessions
// break.
func (o *ownPostgres) crash() {
	o.s.t.Helper()
	state := sure(os.ReadFile(filepath.Join(o.dir, "data", "postmaster.pid")))(o.s.t)
	first, _, _ := strings.Cut(string(state), "\n")
	pid := sure(strconv.Atoi(strings.TrimSpace(first)))(o.s.t)
	must(o.s.t, syscall.Kill(pid, syscall.SIGQUIT))
	deadline := time.NewTimer(patience)
	defer deadline.Stop()
	ticker := time.NewTicker(10 * time.Millisecond)
	defer ticker.Stop()
	for syscall.Kill(pid, 0) == nil {
		select {
		case <-ticker.C:
		case <-deadline.C:
			o.s.t.Fatal("the server does not end")
		}
	}
}

// oneAnswers are the faults whose single answer once stopped an organization for a day or for ever.
func oneAnswers() []string {
	return []string{"token_denied", "token_slow_down", "token_unknown", "token_unauthorized", "rate_spent", "retry_after"}
}

// oneAnswer is a fixture whose next call to a path goes wrong, once.
func oneAnswer(t *testing.T, kind string, known bool) *faultFixture {
	t.Helper()
	f := &faultFixture{
		fixture: newFixture(t, sandbox.Options{Seed: 93, Records: small, Limits: sandbox.Limits{Off: true}}).narrow(),
		name:    "inventory.bills", short: "bills", path: "/inventory/v1/bills",
	}
	if known { // there was a token, which is dead by now
		f.sync(codeFine, "inventory.items")
		f.pass(2 * time.Hour)
	}
	if strings.HasPrefix(kind, "token_") {
		f.struck = "/oauth/v2/token"
	}
	f.once(kind)
	return f
}

// once lets the next call go wrong.
func (f *faultFixture) once(kind string) {
	f.t.Helper()
	path := f.path
	if f.struck != "" {
		path = f.struck
	}
	must(f.t, f.world.SetFaults([]sandbox.Fault{{Path: path, Kind: kind, Count: 1, Seconds: 86_400}}))
}

// heals syncs without help: only sluice has written to the database.
func (f *faultFixture) heals(after string) {
	f.t.Helper()
	f.comesTo(after, codeFine)
	f.equal(f.name)
}

// TestOneWordOfTheTokenEndpoint: a word that does not say for certain that the credential is dead
// leads to another attempt. Where the endpoint is full, the gate closes for ten minutes, longer than
// a sync waits.
func TestOneWordOfTheTokenEndpoint(t *testing.T) {
	t.Parallel()
	for kind, code := range map[string]int{"token_unknown": codeFine, "token_slow_down": codeBudget, "token_denied": codeBudget} {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			f := oneAnswer(t, kind, false)
			ended := make(chan outcome, 1)
			go func(ctx context.Context) { ended <- f.runContext(ctx, "sync", "--json", f.name) }(t.Context())
			// Its details may wait, too, or may have ended.
			f.until("the stream waits", `SELECT EXISTS (SELECT FROM sluice.streams WHERE resource = 'bills' AND state = 'retrying')
				AND EXISTS (SELECT FROM river.river_job WHERE state = 'scheduled' AND scheduled_at > clock_timestamp() + interval '20 seconds')
				AND NOT EXISTS (SELECT FROM river.river_job WHERE state IN ('available', 'pending', 'running'))`)
			f.pass(2 * time.Minute)
			f.synced(code, <-ended)
			f.pass(11 * time.Minute)
			f.heals("ten minutes later")
		})
	}
}

// TestADeniedCredentialComesBack: a denied credential is tried again a day later, and at once by a
// command, but not by every sync.
func TestADeniedCredentialComesBack(t *testing.T) {
	t.Parallel()
	f := oneAnswer(t, "token_unauthorized", false)
	denied := f.sync(codeFailed, f.name)
	state, _ := f.stands()
	fatalIf(t, state != pipeline.StateDenied, "the stream is %s", state)
	command := "sluice organizations retry " + sandbox.DefaultOrganizationID
	reason := denied.Streams[0].Reason
	errorIf(t, !strings.Contains(reason, command), "the reason names no command: %s", reason)
	f.prints(codeFine, command, "status")
	asked := f.world.Stats().TokenRequests
	f.pass(2 * time.Hour)
	f.sync(codeFailed, f.name)
	same(t, "tokens were asked for within a day", 0, f.world.Stats().TokenRequests-asked)
	f.pass(22 * time.Hour)
	f.heals("a day later")

	f.exec(`TRUNCATE sluice.tokens`) // as new
	f.once("token_unauthorized")
	f.sync(codeFailed, f.name)
	f.pass(time.Minute) // between two tokens
	retried := decoded[retriedView](f.fixture, codeFine, "organizations", "retry", sandbox.DefaultOrganizationID)
	errorIf(t, !retried.Authorized || retried.Streams != 1, "retry says %+v", retried)
	state, _ = f.stands()
	errorIf(t, state != pipeline.StateIdle, "the stream is %s after retry", state)
	f.heals("after organizations retry")

	// A refusal that is still true is reported, with its own exit code.
	f.exec(`TRUNCATE sluice.tokens`)
	must(t, f.world.SetFaults([]sandbox.Fault{{Path: f.struck, Kind: "token_error"}}))
	f.complains(codeFailed, "invalid_code", "organizations", "retry", sandbox.DefaultOrganizationID)
}

// TestOneAnswerClosesForAnHour: an answer that asks for a day closes the gate for an hour. No sync
// waits for it, and a command opens it.
func TestOneAnswerClosesForAnHour(t *testing.T) {
	t.Parallel()
	for kind, allowance := range map[string]struct{ gate, day string }{"retry_after": {gate: "suite"}, "rate_spent": {day: "inventory"}} {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			f := oneAnswer(t, kind, true)
			suffers := func() {
				t.Helper()
				if kind == "rate_spent" { // the answer itself is good
					f.comesTo(kind, codeFine)
				}
				result := f.sync(codeBudget, f.name)
				waits := result.Streams[0].Until
				errorIf(t, waits == nil || waits.After(time.Now().Add(time.Hour+time.Minute)) || waits.Before(time.Now().Add(30*time.Minute)),
					"it goes on at %v: %+v", waits, result.Streams)
			}
			suffers()
			f.pass(62 * time.Minute)
			f.heals("an hour later")
			f.once(kind)
			suffers()
			f.prints(codeBudget, f.name, "sync", f.name)
			if kind == "retry_after" {
				for _, command := range []string{"status", "budget"} {
					// It says what is closed, why and what opens it.
					f.run(command).prints(t, codeFine, "HTTP 429 code 44", "sluice budget reopen "+sandbox.DefaultOrganizationID)
				}
			}
			f.reopens(allowance.gate, allowance.day)
			f.heals("after budget reopen")
			f.prints(codeFine, "nothing", "budget", "reopen", sandbox.DefaultOrganizationID)
		})
	}
}

// reopens has the operator open what upstream closed: this gate or this day, and no other.
func (f *faultFixture) reopens(gate, day string) {
	f.t.Helper()
	opened := decoded[reopenedView](f.fixture, codeFine, "budget", "reopen", sandbox.DefaultOrganizationID, "inventory")
	got := strings.Join(opened.Gates, " ") + "/" + strings.Join(opened.Days, " ")
	errorIf(f.t, got != gate+"/"+day || opened.Streams != 1, "opened %s, %d streams go on; want %s/%s and 1", got, opened.Streams, gate, day)
}

// TestHostileAnswersDoNotHoldUpTheEnd: SIGTERM ends a process, whatever it is doing.
func TestHostileAnswersDoNotHoldUpTheEnd(t *testing.T) {
	t.Parallel()
	var keys, lines strings.Builder
	for n := range 1_000_000 {
		fmt.Fprintf(&keys, `,"k%d":1`, n)
	}
	for n := range 2_000 {
		fmt.Fprintf(&lines, "%d,title,2026-01-01T00:00:00Z,2026-01-01T00:00:00Z,1,1,2\n", n)
	}
	const list, chats = "/inventory/v1/settings/taxes", "/maintenanceapi/v2/chats"
	for _, c := range []struct {
		name, stream, path string
		body               []byte
		endless            bool
	}{
		{"31 MB of small elements", "inventory.taxes", list, taxes(strings.Repeat("{},", 10_300_000)), false},
		{"a record of a million keys", "inventory.taxes", list, taxes(`{"tax_id":"1"` + keys.String() + `}`), false},
		{"an export without an end", "chat.conversations", chats, []byte(lines.String()), true},
	} {
		for _, command := range [][]string{{"sync", c.stream}, {"serve"}} {
			t.Run(c.name+", "+command[0], func(t *testing.T) {
				if c.endless { // the others take much memory
					t.Parallel()
				}
				s := newFixture(t, sandbox.Options{Seed: 73, Records: small, Limits: sandbox.Limits{Off: true}})
				answered := make(chan struct{}, 1)
				defer s.attack(&evil{bodies: map[string][]byte{c.path: c.body}, endless: c.endless, answered: answered})()
				p := s.start(command...)
				s.wait("upstream is asked", answered)
				p.terminate()
				p.ends(map[string]int{"sync": codeFailed, "serve": codeFine}[command[0]], patience)
				errorIf(t, strings.Contains(p.stderr.String(), "panic"), "%v", p.stderr.String())
			})
		}
	}
}
