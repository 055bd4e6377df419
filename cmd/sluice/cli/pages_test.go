package cli

import (
	"os"
	"testing"

	"github.com/google/go-cmp/cmp"

	"sluice/sandbox"
)

// TestMetricsPageIsCurrent fails when a metric changed and its page did not.
func TestMetricsPageIsCurrent(t *testing.T) {
	t.Parallel()
	s := newFixture(t, sandbox.Options{Records: 10})
	stored, err := os.ReadFile("../../../docs/metrics.md")
	must(t, err)
	o := s.run("metrics")
	if diff := cmp.Diff(string(stored), o.stdout); o.code != codeFine || diff != "" {
		t.Errorf("docs/metrics.md is not current: run make dictionary (exit code %d, -stored +now):\n%s%s", o.code, diff, o.stderr)
	}
}
