//go:build e2e

package cli

import (
	"fmt"
	"strings"
	"testing"

	"sluice/sandbox"
)

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
