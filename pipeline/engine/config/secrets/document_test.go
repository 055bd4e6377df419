package secrets_test

import (
	"os"
	"regexp"
	"strings"
	"testing"
)

// TestLinesOfTheDocument copies each line of docs/securing.md that runs a program, with another
// program in its place that shows its arguments: each arrives as it stands there, as one word.
func TestLinesOfTheDocument(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile("../../../../docs/securing.md")
	if err != nil {
		t.Fatal(err)
	}
	shows := script(t, `for word in "$@"; do printf '<%s>' "$word"; done`)
	lines := regexp.MustCompile("exec:(/usr/bin/[a-z]+) ([^`\n]+)").FindAllStringSubmatch(string(page), -1)
	const platforms = 4 // Vault, and three clouds
	if len(lines) != platforms {
		t.Fatalf("the document has %d lines, want %d", len(lines), platforms)
	}
	for _, line := range lines {
		want := "<" + strings.Join(strings.Fields(line[2]), "><") + ">"
		if got, err := environment(nil).Secret("exec:" + shows + " " + line[2]); err != nil || got.Reveal() != want {
			t.Errorf("%s: %q, %v, want %q", line[0], got.Reveal(), err, want)
		}
	}
}
