package cli

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// TestEveryInvariantIsKeptSomewhere looks for the number of each invariant of docs/invariants.md
// beside the lines that keep it.
func TestEveryInvariantIsKeptSomewhere(t *testing.T) {
	t.Parallel()
	document, err := os.ReadFile("../../../docs/invariants.md")
	if err != nil {
		t.Fatal(err)
	}
	var promised []string
	for _, heading := range regexp.MustCompile(`(?m)^## (\d+)\.`).FindAllSubmatch(document, -1) {
		promised = append(promised, string(heading[1]))
	}
	if len(promised) != 10 {
		t.Fatalf("docs/invariants.md numbers %d invariants, want 10", len(promised))
	}
	cited := regexp.MustCompile(`[Ii]nvariants? (\d+)`)
	var kept []string
	walk := func(path string, entry fs.DirEntry, err error) error {
		source := strings.HasSuffix(path, ".go") && !strings.HasSuffix(path, "_test.go") || strings.HasSuffix(path, ".sql")
		if err != nil || entry.IsDir() || !source {
			return err
		}
		text, err := os.ReadFile(path)
		for _, citation := range cited.FindAllSubmatch(text, -1) {
			kept = append(kept, string(citation[1]))
		}
		return err
	}
	for _, folder := range []string{"../../../pipeline", "../../../schema", "../../../migrations", "../../../cmd"} {
		if err := filepath.WalkDir(folder, walk); err != nil {
			t.Fatal(err)
		}
	}
	for _, number := range promised {
		if !slices.Contains(kept, number) {
			t.Errorf("invariant %s stands at no line of code", number)
		}
	}
}
