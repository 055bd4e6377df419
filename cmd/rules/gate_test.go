package rules_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"sluice/pipeline/check"
)

// checkout is a repository with the scripts of this one, in which every other command only notes
// that it was called: .ci/run and .ci/nightly are tried without what they take minutes for.
type checkout struct {
	t             *testing.T
	dir, programs string
}

// stubbed are the commands that note their arguments. SLUICE_FAIL is a pattern of calls that fail.
const stubbed = `#!/bin/bash
echo "${0##*/} $*" >>"$SLUICE_CALLS"
echo "ok  $*"
[[ -z ${SLUICE_FAIL:-} || ! "$*" =~ $SLUICE_FAIL ]]
`

func newCheckout(t *testing.T) *checkout {
	t.Helper()
	c := &checkout{t: t, dir: t.TempDir(), programs: t.TempDir()}
	for _, name := range []string{"make", "docker", "go"} {
		c.write(filepath.Join(c.programs, name), stubbed)
	}
	check.Must(t, os.MkdirAll(filepath.Join(c.dir, ".ci"), 0o700))
	for _, name := range []string{"run", "nightly"} {
		text := check.Sure(os.ReadFile(filepath.Join(root(t), ".ci", name)))(t)
		c.write(filepath.Join(c.dir, ".ci", name), string(text))
		for _, called := range regexp.MustCompile(`\.ci/[\w-]+`).FindAllString(string(text), -1) {
			if called != ".ci/run" && called != ".ci/nightly" {
				c.write(filepath.Join(c.dir, called), stubbed)
			}
		}
	}
	c.git("init", "-q")
	c.write(filepath.Join(c.dir, ".gitignore"), "/bin\n")
	c.git("add", ".")
	c.commit("the first one")
	return c
}

func (c *checkout) write(name, text string) {
	c.t.Helper()
	check.Must(c.t, os.WriteFile(name, []byte(text), 0o700))
}

func (c *checkout) git(args ...string) {
	c.t.Helper()
	said, err := c.command("git", args...).CombinedOutput()
	check.FatalIf(c.t, err != nil, "git %v: %v\n%s", args, err, said)
}

func (c *checkout) commit(subject string, args ...string) {
	c.t.Helper()
	c.git(append([]string{"-c", "user.name=A", "-c", "user.email=a@example.org", "commit", "-q", "--allow-empty", "-m", subject}, args...)...)
}

func (c *checkout) command(name string, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(c.t.Context(), name, args...)
	cmd.Dir = c.dir
	return cmd
}

// plays runs a script, and returns what it called, what it printed and its exit code.
func (c *checkout) plays(script string, environment ...string) ([]string, string, int) {
	c.t.Helper()
	calls := filepath.Join(c.t.TempDir(), "calls")
	cmd := c.command("bash", script)
	cmd.Env = append(os.Environ(), "PATH="+c.programs+string(os.PathListSeparator)+os.Getenv("PATH"), "SLUICE_CALLS="+calls)
	cmd.Env = append(cmd.Env, environment...)
	text, _ := cmd.CombinedOutput() // the code says it
	noted, _ := os.ReadFile(calls)  // missing: nothing was called
	return strings.FieldsFunc(string(noted), func(r rune) bool { return r == '\n' }), string(text), cmd.ProcessState.ExitCode()
}

// TestGateIsTheSameForEveryCommit: .ci/run plays the same steps for one commit twice, for another
// hash, and for a further commit. It never asks git, and the clock for durations only.
func TestGateIsTheSameForEveryCommit(t *testing.T) {
	t.Parallel()
	c := newCheckout(t)
	for _, name := range []string{"git", "date"} {
		c.write(filepath.Join(c.programs, name), stubbed)
	}
	first, said, code := c.plays(".ci/run")
	check.FatalIf(t, code != 0 || len(first) < 8, "exit code %d after %q\n%s", code, first, said)
	for _, call := range first {
		check.ErrorIf(t, strings.HasPrefix(call, "git ") || strings.HasPrefix(call, "date "), ".ci/run calls %s", call)
	}
	for _, change := range []func(){
		func() {},
		func() { c.commit("another hash", "--amend") },
		func() { c.commit("a second one") },
	} {
		change()
		again, _, _ := c.plays(".ci/run")
		check.ErrorIf(t, !slices.Equal(first, again), "the steps were\n%q, and are now\n%q", first, again)
	}
	text := check.Sure(os.ReadFile(filepath.Join(c.dir, ".ci", "run")))(t)
	found := regexp.MustCompile(`\$\{?(RANDOM|EPOCH|SRANDOM)|%\([^)]*\)T|/proc/`).Find(text)
	check.ErrorIf(t, found != nil, ".ci/run reads %s", found)
}

// TestTargetsOfTheGateAreTheSame: what make does for the gate depends on the commit no more.
func TestTargetsOfTheGateAreTheSame(t *testing.T) {
	t.Parallel()
	c := newCheckout(t)
	text := check.Sure(os.ReadFile(filepath.Join(root(t), "Makefile")))(t)
	c.write(filepath.Join(c.dir, "Makefile"), string(text))
	steps := func() string {
		said, err := c.command("make", "-n", "demo", "check", "simulate", "kills", "race", "test").CombinedOutput()
		check.FatalIf(t, err != nil, "%v\n%s", err, said)
		return string(said)
	}
	first := steps()
	c.commit("a second one")
	again := steps()
	check.ErrorIf(t, first != again, "make did\n%s\nand does now\n%s", first, again)
}

// TestNightlyGoesOn: a part that fails stops no other; what has passed for a commit is not played
// again without ALL, and is for another commit; ONLY chooses by the beginnings of names.
func TestNightlyGoesOn(t *testing.T) {
	t.Parallel()
	c := newCheckout(t)
	all, said, code := c.plays(".ci/nightly", "SLUICE_FAIL=simulate.*FIRST=1$")
	check.ErrorIf(t, code != 1 || strings.Count(said, " passed ") < 20 || !regexp.MustCompile(`(?m)^schedules-1 +FAILED `).MatchString(said),
		"one part fails: exit code %d, %d calls\n%s", code, len(all), said)
	c.nightly("what failed is played again", 1, 0)
	c.nightly("all has passed", 0, 0)
	c.nightly("all of it again", len(all), 0, "ALL=1")
	c.nightly("parts by their beginnings", 3, 0, "ALL=1", "ONLY=schedules,fuzz")
	c.nightly("no such part", 0, 2, "ONLY=no")
	c.commit("another one")
	c.nightly("another commit", 1, 0, "ONLY=fuzz")
	c.write(filepath.Join(c.dir, "changed"), "")
	c.nightly("what is not committed", 1, 0, "ONLY=fuzz")
	c.nightly("and never passes", 1, 0, "ONLY=fuzz")
}

// nightly plays parts, and checks how many calls they made.
func (c *checkout) nightly(what string, calls, code int, environment ...string) {
	c.t.Helper()
	called, said, got := c.plays(".ci/nightly", environment...)
	check.ErrorIf(c.t, len(called) != calls || got != code,
		"%s: %d calls, want %d, exit code %d, want %d: %q\n%s", what, len(called), calls, got, code, called, said)
}
