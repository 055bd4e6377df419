package mutate

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Every bug must fit the present code: this test finds out at once, a run of the bugs much later.
func TestEveryBugFitsTheCode(t *testing.T) {
	t.Parallel()
	root := filepath.Join("..", "..", "..")
	for _, b := range bugs {
		folder := filepath.Join(root, strings.TrimSuffix(b.Package, "/..."))
		files, err := filepath.Glob(filepath.Join(folder, "*_test.go"))
		if folder != filepath.Join(root, b.Package) {
			below, unread := filepath.Glob(filepath.Join(folder, "*", "*_test.go"))
			files, err = append(files, below...), errors.Join(err, unread)
		}
		var tests strings.Builder
		for _, file := range files {
			text, unread := os.ReadFile(file)
			tests.Write(text)
			err = errors.Join(err, unread)
		}
		for name := range strings.SplitSeq(strings.Trim(b.Run, "^()$"), "|") {
			if err != nil || !strings.Contains(tests.String(), "\nfunc "+name+"(") {
				t.Errorf("%s: package %s has no test %s (%v)", b.Name, b.Package, name, err)
			}
		}
		if len(b.Edits) == 0 {
			t.Errorf("%s changes nothing", b.Name)
		}
		for _, e := range b.Edits {
			text, err := os.ReadFile(filepath.Join(root, e.File))
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

func TestEachInvariantHasBugs(t *testing.T) {
	t.Parallel()
	seen, count := map[string]bool{}, map[string]int{}
	for _, b := range bugs {
		if seen[b.Name] {
			t.Errorf("two bugs are called %q", b.Name)
		}
		seen[b.Name] = true
		count[b.Breaks]++
	}
	for i := range 10 {
		if name := fmt.Sprintf("invariant %d", i+1); count[name] < 5 {
			t.Errorf("%d bugs break %s, want 5 at least", count[name], name)
		}
	}
}
