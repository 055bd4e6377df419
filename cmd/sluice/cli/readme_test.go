package cli

import (
	"bytes"
	"os"
	"regexp"
	"strings"
	"testing"

	"sluice/cmd/sluice-sandbox/demo"
	"sluice/sandbox"
)

// TestReadmeShowsWhatTheDemoPrints runs the demo and looks for every line that the README shows as
// its output. It ignores what differs between two runs (addresses, times, moments of load) and
// between two days, on which the company has other figures: numbers and the rows of answers.
func TestReadmeShowsWhatTheDemoPrints(t *testing.T) {
	t.Parallel()
	readme, err := os.ReadFile("../../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	_, rest, found := strings.Cut(string(readme), "## What the demo prints")
	_, rest, fenced := strings.Cut(rest, "```text\n")
	shown, _, closed := strings.Cut(rest, "```")
	if !found || !fenced || !closed {
		t.Fatal("README.md has no block that shows the demo")
	}
	var out, errs bytes.Buffer
	if err := demo.Run(t.Context(), demoOptions(t, &out, &errs, 400)); err != nil {
		t.Fatalf("the demo failed: %v\n%s\n%s", err, out.String(), errs.String())
	}
	printed := make(map[string]bool)
	for line := range strings.Lines(out.String()) {
		printed[steady(line)] = true
	}
	lines := 0
	for line := range strings.Lines(shown) {
		if strings.TrimSpace(line) == "…" {
			continue
		}
		lines++
		if strings.HasPrefix(line, sandbox.DefaultOrganizationID+" ") || strings.HasPrefix(line, "and ") {
			continue
		}
		if !printed[steady(line)] {
			t.Errorf("README.md shows a line that the demo does not print:\n%s", line)
		}
	}
	if lines < 8 {
		t.Errorf("README.md shows %d lines of the demo: that is not what it is like", lines)
	}
}

// steady masks what differs between two runs.
func steady(line string) string {
	for _, mask := range []string{
		`127\.0\.0\.1:\d+`, `\d+(\.\d+)? (s|min)\b`, `at most \d+ (in any|at once)`, `\b\d[\d,.]*`, ` +`, `~( ~)+`,
	} {
		line = regexp.MustCompile(mask).ReplaceAllString(line, " ~ ")
	}
	return strings.TrimSpace(line)
}
