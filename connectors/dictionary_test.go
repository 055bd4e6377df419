package connectors_test

import (
	"os"
	"testing"

	"github.com/google/go-cmp/cmp"

	"sluice/connectors"
	"sluice/schema/docs"
)

// TestDictionaryIsCurrent fails when a declaration changed and the pages did not: write them anew
// by make dictionary.
func TestDictionaryIsCurrent(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]string{
		"dictionary.md": docs.Dictionary(connectors.All()), "personal-data.md": docs.Personal(connectors.All()),
	} {
		stored, err := os.ReadFile("../docs/" + name)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(string(stored), want); diff != "" {
			t.Errorf("docs/%s is not current; run make dictionary (-stored +now):\n%s", name, diff)
		}
	}
}
