//go:build e2e

package cli

import (
	"strings"
	"testing"
	"time"

	"sluice/sandbox"
)

// TestAnOlderProgramAndANewerDatabase: a process at work when a newer version migrates goes on to
// its end, and one that starts after that works as well. Once the floor is above it, a process that
// starts gets an error, and neither calls upstream nor writes.
func TestAnOlderProgramAndANewerDatabase(t *testing.T) {
	t.Parallel()
	s := newFixture(t, sandbox.Options{Seed: 62, Records: 300, Limits: sandbox.Limits{Off: true}, PageLatency: 10 * time.Millisecond}).narrow()
	atWork := s.arrivals.after(2)
	p := s.start("serve", "--listen", "127.0.0.1:0")
	select {
	case <-atWork:
	case <-p.done:
		t.Fatalf("serve ended with %d\n%s", p.code, p.stderr.String())
	}
	s.exec(`INSERT INTO sluice.schema_version (version_id, is_applied) VALUES (99999, true)`)
	s.allDone(1)
	s.equal()
	p.terminate()
	p.ends(codeFine, stopLimit)

	for _, args := range [][]string{{"migrate"}, {"sync", "inventory.items"}, {"verify", "--local"}} {
		if o := s.run(args...); o.code != codeFine {
			t.Errorf("on a newer database %v ended with %d\n%s\n%s", args, o.code, o.stdout, o.stderr)
		}
	}
	s.equal()

	s.exec(`SELECT sluice.raise_floor(99999)`)
	calls := s.arrivals.total()
	const written = `SELECT (SELECT count(*) FROM sluice.calls) + (SELECT count(*) FROM sluice.processes) + (SELECT count(*) FROM river.river_job)`
	rows := one[int](s, written)
	for _, args := range [][]string{{"sync"}, {"serve", "--listen", "127.0.0.1:0"}, {"migrate"}, {"backfill", "inventory.bills"}} {
		if o := s.run(args...); o.code != codeEnvironment || !strings.Contains(o.stderr, "needs a program of version 99999") {
			t.Errorf("%v ended with %d, want %d\n%s\n%s", args, o.code, codeEnvironment, o.stdout, o.stderr)
		}
	}
	if now := s.arrivals.total(); now != calls {
		t.Errorf("%d calls by a program that is too old", now-calls)
	}
	if now := one[int](s, written); now != rows {
		t.Errorf("%d rows by a program that is too old", now-rows)
	}
}
