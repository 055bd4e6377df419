//go:build e2e

package cli

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"sluice/sandbox"
)

// TestFaultsOfBoundsHeal: an answer that exceeds a bound is refused, and all records are loaded
// when upstream is healthy again.
func TestFaultsOfBoundsHeal(t *testing.T) {
	t.Parallel()
	for _, kind := range []string{"many_elements", "many_keys", "huge_token", "all_poison"} {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			f := newFaultFixtureOf(t, false, large)
			code := codeFailed
			switch kind {
			case "all_poison":
				f.name, f.short, f.path = "chat.conversations", "conversations", "/maintenanceapi/v2/chats"
			case "huge_token": // only lists that go on by token read it
				f.rewrite("  chat.channels: {enabled: false}\n", "")
				f.name, f.short, f.path = "chat.channels", "channels", "/api/v2/channels"
			case "many_keys":
				code = codeFine // one record of a page, which is in quarantine
			}
			f.fault(kind, 0, 0)
			f.comesTo("upstream exceeds a bound", code)
			f.clear()
			f.minutes()
			f.pass(25 * time.Hour)
			f.comesTo("upstream is well again", codeFine)
			if gone, _ := f.equal(f.name); gone > 0 {
				t.Errorf("%d rows without a record upstream", gone)
			}
		})
	}
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
				if strings.Contains(p.stderr.String(), "panic") {
					t.Error(p.stderr.String())
				}
			})
		}
	}
}
