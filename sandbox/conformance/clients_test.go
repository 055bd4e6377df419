package conformance

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"sluice/sandbox"
)

// The page for other clients shows commands. The test runs them unchanged, in a shell that stops at
// the first failure. curl fails on each status from 400 on.
func TestClientsPage(t *testing.T) {
	t.Parallel()
	shell, err := exec.LookPath("bash") // -o pipefail: a failure at the start of a pipe counts.
	if err != nil {
		t.Fatal("bash is missing: install it")
	}
	if _, err := exec.LookPath("curl"); err != nil {
		t.Fatal("curl is missing: run .ci/setup, or install it")
	}
	page, err := os.ReadFile(filepath.Join("..", "..", "docs", "sandbox-clients.md"))
	if err != nil {
		t.Fatal(err)
	}
	caller := newCallerOf(t, sandbox.Options{Records: records, Demo: true}, "")
	command := exec.CommandContext(t.Context(), shell, "-eu", "-o", "pipefail", "-c", commands(t, string(page)))
	command.Env = append(os.Environ(), "SANDBOX="+caller.base, "TMPDIR="+t.TempDir(), "no_proxy=*")
	if output, err := command.CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, tail(string(output)))
	}
}

// commands joins the shell blocks of a page.
func commands(t *testing.T, page string) string {
	t.Helper()
	var script strings.Builder
	blocks := strings.Split(page, "```sh\n")[1:]
	for _, block := range blocks {
		inside, _, closed := strings.Cut(block, "\n```\n")
		if !closed {
			t.Fatalf("a block is not closed: %.80s", block)
		}
		script.WriteString(inside + "\n")
	}
	if len(blocks) < 2 { // the start, and a call.
		t.Fatalf("%d blocks of commands", len(blocks))
	}
	return script.String()
}

func tail(output string) string {
	const enough = 2000
	return output[max(0, len(output)-enough):]
}
