//go:build e2e

package cli

import (
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"sluice/sandbox"
)

// logged waits until a process has logged a line with this message and this text so many times.
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
	if was, now := s.hook(hookSecret, rule, `{"item_id":"3"}`), s.hook(otherHook, rule, `{"item_id":"4"}`); was != http.StatusUnauthorized || now != http.StatusOK {
		t.Errorf("after a reading the old secret gets %d, the new one %d", was, now)
	}
	s.until("the organization goes on", `SELECT EXISTS (SELECT FROM inventory.items) AND NOT EXISTS (SELECT FROM sluice.streams WHERE state = 'denied')`)
	p.terminate()
	p.ends(codeFine, stopLimit)
	said := p.stdout.String() + p.stderr.String()
	for _, secret := range []string{"canary", sandbox.RefreshToken, sandbox.ClientSecret, hookSecret, otherHook} {
		if strings.Contains(said, secret) {
			t.Errorf("%q is in the log:\n%s", secret, said)
		}
	}
}
