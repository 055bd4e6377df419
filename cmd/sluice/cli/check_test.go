package cli

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/crypto/bcrypt"

	"sluice/pipeline/engine"
	"sluice/pipeline/warehouse/warehousetest"
	"sluice/sandbox"
)

// TestCheckOfUsers: check looks at the file of the console's users, and names file and line. The
// page Health shows the same.
func TestCheckOfUsers(t *testing.T) {
	t.Parallel()
	s := newFixture(t, sandbox.Options{Seed: 82, Records: 10}).narrow()
	file := filepath.Join(t.TempDir(), "users")
	s.configured("console: {auth: basic, users: " + file + ", operators: [ann, zoe]}\n")
	hash, err := bcrypt.GenerateFromPassword([]byte("secret"), 10)
	must(t, err)
	line := "ann:" + string(hash) + "\n"
	for _, c := range []struct {
		text string
		mode os.FileMode
		code int
		says []string
		// commands says that the commands are run, too, and not only their check of the file.
		commands bool
	}{
		{"", 0, codeFailed, []string{"FAIL  console.users", file, "no such file"}, true},
		{line, 0o644, codeFailed, []string{"FAIL  console.users", file, "chmod o-rwx"}, false},
		{line + "bob\n" + line + "carl:plain\n", 0o600, codeFailed, []string{
			"FAIL  console.users: " + file + ", line 2 has no bcrypt hash", file + ", line 3 has a name that another line has", file + ", line 4 has no bcrypt hash",
		}, false},
		{"# none\n", 0o600, codeFailed, []string{file + " has no user"}, false},
		{line, 0o600, codeFine, []string{"ok    console.users: " + file + " has 1 user, and a warning: console.operators and console.viewers name zoe, which it lacks"}, true},
		{line + strings.Replace(line, "ann", "zoe", 1), 0o600, codeFine, []string{"ok    console.users: " + file + " has 2 users\n"}, false},
	} {
		if c.mode != 0 {
			must(t, os.WriteFile(file, []byte(c.text), 0o600))
			must(t, os.Chmod(file, c.mode))
		}
		says := func(what string, code int, shown string) {
			t.Helper()
			for _, text := range c.says {
				if code != c.code || !strings.Contains(shown, text) {
					t.Errorf("%s of %q: exit code %d, want %d and %q\n%s", what, c.text, code, c.code, text, shown)
				}
			}
			if strings.Contains(shown, "plain") || strings.Contains(shown, string(hash)) {
				t.Errorf("%s quotes the file\n%s", what, shown)
			}
		}
		var out buffer
		command := &cli{env: s.env(&out, &buffer{}), config: s.config}
		app, err := engine.Load(command.offline())
		must(t, err)
		findings := checkConsole(app)
		must(t, command.show(findings, findingLines(findings)))
		says("the finding", worst(findings), out.String())
		if !c.commands {
			continue
		}
		for _, line := range []string{"check --offline", "check"} {
			o := s.run(strings.Fields(line)...)
			says(line, o.code, o.stdout)
		}
	}
	if o := s.run("check", "--offline"); s.world.Stats().Calls == 0 || strings.Contains(o.stdout, "identity") {
		t.Errorf("check --offline asks upstream\n%s", o.stdout)
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
	var findings []finding
	s.document(&findings, "check")
	if last := findings[len(findings)-1]; last.Next != "sluice migrate" || !last.OK {
		t.Errorf("for programs it is %+v", last)
	}
	if o := s.run("check", "--probe"); o.code != codeEnvironment || !strings.Contains(o.stdout, "FAIL  probe") {
		t.Errorf("a measurement that cannot be made: exit code %d, want %d\n%s", o.code, codeEnvironment, o.stdout)
	}
	key := s.environment["SLUICE_ENCRYPTION_KEY"]
	delete(s.environment, "SLUICE_ENCRYPTION_KEY")
	if o := s.run("check"); o.code != codeUsage || !strings.Contains(o.stdout, "Next: sluice migrate") {
		t.Errorf("without the key: exit code %d, want %d\n%s", o.code, codeUsage, o.stdout)
	}
	s.environment["SLUICE_ENCRYPTION_KEY"] = key
	for _, command := range []string{"migrate", "check"} {
		if o := s.run(command); o.code != codeFine || strings.Contains(o.stdout, "Next:") {
			t.Errorf("%s: exit code %d\n%s%s", command, o.code, o.stdout, o.stderr)
		}
	}
}
