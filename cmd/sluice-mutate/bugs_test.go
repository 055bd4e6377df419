package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Every bug must fit the present code: this test finds out at once, a run of the bugs much later.
func TestEveryBugFitsTheCode(t *testing.T) {
	t.Parallel()
	for _, b := range bugs() {
		if tests, err := filepath.Glob(filepath.Join("..", "..", strings.TrimSuffix(b.Package, "/..."), "*_test.go")); err != nil || len(tests) == 0 {
			t.Errorf("%s: package %s has no tests (%v)", b.Name, b.Package, err)
		}
		for _, e := range b.Edits {
			text, err := os.ReadFile(filepath.Join("..", "..", e.File))
			if err != nil {
				t.Errorf("%s: %v", b.Name, err)
				continue
			}
			if n := strings.Count(string(text), e.Old); n != 1 {
				t.Errorf("%s: %q occurs %d times in %s: adapt the bug to the code as it is now", b.Name, e.Old, n, e.File)
			}
		}
	}
}
