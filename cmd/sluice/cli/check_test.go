package cli

import (
	"strings"
	"testing"

	"sluice/pipeline/warehouse/warehousetest"
	"sluice/sandbox"
)

// TestOfflineCheckAsksNothing: check --offline makes no call.
func TestOfflineCheckAsksNothing(t *testing.T) {
	t.Parallel()
	s := newFixture(t, sandbox.Options{Seed: 82, Records: 10}).narrow()
	before := s.world.Stats()
	if o := s.run("check", "--offline"); o.code != codeFine || s.world.Stats().Calls != before.Calls || strings.Contains(o.stdout, "identity") {
		t.Errorf("check --offline asks upstream\n%s%s", o.stdout, o.stderr)
	}
}

// TestCheckBeforeMigrate: on a new database check says what it could check, makes no call, and
// names the next step.
func TestCheckBeforeMigrate(t *testing.T) {
	t.Parallel()
	s := newFixture(t, sandbox.Options{Seed: 83, Records: 10})
	s.environment["SLUICE_DATABASE_URL"] = warehousetest.New(t)
	o := s.run("check")
	for _, text := range []string{"ok    configuration", "ok    SLUICE_ENCRYPTION_KEY", "ok    database: reachable", "Next: sluice migrate"} {
		if o.code != codeFine || !strings.Contains(o.stdout, text) {
			t.Errorf("exit code %d, want 0 and %q\n%s%s", o.code, text, o.stdout, o.stderr)
		}
	}
	if strings.Contains(o.stdout, "FAIL") || s.world.Stats().Calls+s.world.Stats().TokenRequests > 0 {
		t.Errorf("something failed, or upstream was asked: %+v\n%s", s.world.Stats(), o.stdout)
	}
	findings := decoded[[]finding](s, codeFine, "check")
	if last := findings[len(findings)-1]; last.Next != "sluice migrate" || !last.OK {
		t.Errorf("for programs it is %+v", last)
	}
	s.prints(codeEnvironment, "FAIL  probe", "check", "--probe")
	key := s.environment["SLUICE_ENCRYPTION_KEY"]
	delete(s.environment, "SLUICE_ENCRYPTION_KEY")
	s.prints(codeUsage, "Next: sluice migrate", "check")
	s.environment["SLUICE_ENCRYPTION_KEY"] = key
	for _, command := range []string{"migrate", "check"} {
		if o := s.run(command); o.code != codeFine || strings.Contains(o.stdout, "Next:") {
			t.Errorf("%s: exit code %d\n%s%s", command, o.code, o.stdout, o.stderr)
		}
	}
}
