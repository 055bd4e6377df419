package rules_test

import (
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"sluice/pipeline/check"
)

var (
	// namedTest and namedCheck are what docs/security.md names to try a promise.
	namedTest  = regexp.MustCompile("`(Test[A-Z][A-Za-z0-9]*)`")
	namedCheck = regexp.MustCompile("`(\\.ci/[a-z-]+)`")
	// testFunction is a test in a source, with whatever build tag.
	testFunction = regexp.MustCompile(`(?m)^func (Test[A-Z][A-Za-z0-9]*)\(`)
)

// TestPromisesAreTried demands that each promise of docs/security.md names a test or a check, and
// that all of these exist: a promise that nothing tries any more is worse than none.
func TestPromisesAreTried(t *testing.T) {
	t.Parallel()
	tests := map[string]bool{}
	page := ""
	walk(t, func(name string, text []byte) {
		if name == "docs/security.md" {
			page = string(text)
		}
		if strings.HasSuffix(name, "_test.go") {
			for _, found := range testFunction.FindAllSubmatch(text, -1) {
				tests[string(found[1])] = true
			}
		}
	})
	_, promises, found := strings.Cut(page, "| Promise | Tried by |\n|---|---|\n")
	promises, _, ended := strings.Cut(promises, "\n\n")
	check.FatalIf(t, !found || !ended || strings.Count(promises, "\n") < 15, "docs/security.md has no table of promises:\n%s", promises)
	dir := root(t)
	for promise := range strings.Lines(promises) {
		named := namedTest.FindAllStringSubmatch(promise, -1)
		for _, name := range named {
			check.ErrorIf(t, !tests[name[1]], "docs/security.md names %s, and no such test exists: %s", name[1], promise)
		}
		checks := namedCheck.FindAllStringSubmatch(promise, -1)
		for _, name := range checks {
			if _, err := os.Stat(filepath.Join(dir, filepath.FromSlash(path.Clean(name[1])))); err != nil {
				t.Errorf("docs/security.md names %s, which does not exist: %s", name[1], promise)
			}
		}
		check.ErrorIf(t, len(named)+len(checks) == 0, "nothing tries this promise of docs/security.md: %s", promise)
	}
}
