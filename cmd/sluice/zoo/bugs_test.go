package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Every bug can be made of the code as it is: to find out takes no time here, and a run of the zoo otherwise.
func TestEveryBugFitsTheCode(t *testing.T) {
	t.Parallel()
	for _, b := range bugs() {
		for _, e := range b.Edits {
			text, err := os.ReadFile(filepath.Join("..", "..", "..", e.File))
			if err != nil {
				t.Errorf("%s: %v", b.Name, err)
				continue
			}
			if n := strings.Count(string(text), e.Old); n != 1 {
				t.Errorf("%s: %q stands %d times in %s: adapt the bug to the code as it is now", b.Name, e.Old, n, e.File)
			}
		}
	}
}
