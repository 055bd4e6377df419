package main

import (
	"net/http"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"sluice/cmd/sluice/coverage"
	"sluice/sandbox"
)

// TestPagesAreCurrent fails when a declaration changed and a generated page did
// not. The dictionary has a test beside the declarations.
func TestPagesAreCurrent(t *testing.T) {
	t.Parallel()
	s := newStage(t, sandbox.Options{Records: 10})
	for command, page := range map[string]string{
		"erd":               "../../docs/erd.md",
		"erd --format dbml": "../../docs/erd.dbml",
		"coverage":          "../../docs/coverage.md",
	} {
		stored, err := os.ReadFile(page)
		must(t, err)
		o := s.run(strings.Fields(command)...)
		if diff := cmp.Diff(string(stored), o.stdout); o.code != codeFine || diff != "" {
			t.Errorf("%s is not current: run make dictionary (exit code %d, -stored +now):\n%s%s", page, o.code, diff, o.stderr)
		}
	}
	if o := s.run("erd", "--format", "svg"); o.code != codeUsage {
		t.Errorf("a format that there is not: exit code %d, want %d", o.code, codeUsage)
	}
}

// TestCoverage: every endpoint of the documents has an answer, every declared one
// is on a document or marked assumed, and the sandbox serves what is read.
func TestCoverage(t *testing.T) {
	t.Parallel()
	s := newStage(t, sandbox.Options{Records: 10})
	c := &cli{env: s.env(&buffer{}, &buffer{})}
	answers, misfits, err := c.laidOut(t.Context())
	must(t, err)
	if len(misfits) > 0 {
		t.Errorf("declarations and documents disagree:\n%s", strings.Join(misfits, "\n"))
	}
	for i := range answers {
		a := &answers[i]
		called := a.Row.Method == http.MethodGet && !strings.Contains(a.Text, "not called") || a.Row.Variant == "refresh_token"
		if called && !a.Served {
			t.Errorf("%s is %s, but the sandbox does not play it: nothing tests it", &a.Row, a.Text)
		}
	}
	if !slices.ContainsFunc(answers, func(a coverage.Answer) bool { return !a.Served }) {
		t.Error("the probe finds that the sandbox plays everything: it cannot tell")
	}
}
