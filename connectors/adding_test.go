package connectors_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestAddingAResourceShowsTheRealOne: what the page shows as added stands in the files that it
// names, line for line.
func TestAddingAResourceShowsTheRealOne(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile("../docs/adding-a-resource.md")
	if err != nil {
		t.Fatal(err)
	}
	blocks := strings.Split(string(page), "```diff\n+++ b/")[1:]
	const shown = 2 // declaration, line of the list
	if len(blocks) != shown {
		t.Fatalf("the page shows %d differences, want %d", len(blocks), shown)
	}
	for _, block := range blocks {
		block, _, _ = strings.Cut(block, "```")
		name, lines, _ := strings.Cut(block, "\n")
		file, err := os.ReadFile(filepath.Join("..", filepath.FromSlash(name)))
		if err != nil {
			t.Fatal(err)
		}
		var added strings.Builder
		for line := range strings.Lines(lines) {
			if text, ok := strings.CutPrefix(line, "+"); ok {
				added.WriteString(text)
			}
		}
		if added.Len() == 0 || !strings.Contains(string(file), added.String()) {
			t.Errorf("%s no longer holds what the page shows of it:\n%s", name, added.String())
		}
	}
}
