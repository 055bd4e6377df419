package connectors_test

import (
	"os"
	"testing"

	"github.com/google/go-cmp/cmp"

	"sluice/connectors"
	"sluice/schema/docs"
)

// TestDictionaryIsCurrent fails when a declaration changed and the dictionary did not: write it
// anew by the command dictionary.
func TestDictionaryIsCurrent(t *testing.T) {
	t.Parallel()
	stored, err := os.ReadFile("../docs/dictionary.md")
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(stored), docs.Dictionary(connectors.All())); diff != "" {
		t.Errorf("docs/dictionary.md is not current; run sluice dictionary > docs/dictionary.md (-stored +now):\n%s", diff)
	}
}
