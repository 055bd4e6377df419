package conformance

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"sluice/sandbox"
)

// The page for other clients shows commands; they are run as they stand there, by a
// shell that ends at the first one that fails. curl fails on each status from 400 on.
func TestClientsPage(t *testing.T) {
	t.Parallel()
	shell, err := exec.LookPath("bash") // the end of a pipe must not hide its beginning: -o pipefail.
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

// commands joins the blocks of a page that are for a shell.
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
	if len(blocks) < 2 { // how to begin, and a call.
		t.Fatalf("%d blocks of commands", len(blocks))
	}
	return script.String()
}

func tail(output string) string {
	const enough = 2000
	return output[max(0, len(output)-enough):]
}
