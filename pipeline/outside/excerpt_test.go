package outside_test

import (
	"testing"

	"sluice/pipeline/outside"
)

// TestNoLogShowsAnExcerpt: whatever the excerpt holds, and however often one is in a text.
func TestNoLogShowsAnExcerpt(t *testing.T) {
	t.Parallel()
	const hidden = "‹not logged: see sluice runs›"
	for text, want := range map[string]string{
		"no excerpt": "no excerpt",
		"begins " + string(outside.Excerpt("Anna › x ‹ y")) + ": more": "begins " + hidden + ": more",
		string(outside.Excerpt("a") + " and " + outside.Excerpt("b")):  hidden + " and " + hidden,
		string(outside.Excerpt("")):                                    hidden,
	} {
		if got := outside.WithoutExcerpts(text); got != want {
			t.Errorf("%q became %q, want %q", text, got, want)
		}
	}
}
