package cli

import (
	"net/http"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"sluice/connectors"
	"sluice/sandbox"
	"sluice/schema/docs/coverage"
)

// TestPagesAreCurrent fails when a declaration changed and a generated page did not. The dictionary
// has its own test beside the declarations.
func TestPagesAreCurrent(t *testing.T) {
	t.Parallel()
	s := newFixture(t, sandbox.Options{Records: 10})
	for command, page := range map[string]string{
		"erd":               "../../../docs/erd.md",
		"erd --format dbml": "../../../docs/erd.dbml",
		"coverage":          "../../../docs/coverage.md",
		"metrics":           "../../../docs/metrics.md",
	} {
		stored, err := os.ReadFile(page)
		must(t, err)
		o := s.run(strings.Fields(command)...)
		if diff := cmp.Diff(string(stored), o.stdout); o.code != codeFine || diff != "" {
			t.Errorf("%s is not current: run make dictionary (exit code %d, -stored +now):\n%s%s", page, o.code, diff, o.stderr)
		}
	}
	if o := s.run("erd", "--format", "svg"); o.code != codeUsage {
		t.Errorf("a format that there is not: exit code %d, want %d", o.code, codeUsage)
	}
}

// TestCoverage: every endpoint of the documents has an answer, every declared one is in a document
// or marked assumed, and the sandbox serves them all.
func TestCoverage(t *testing.T) {
	t.Parallel()
	s := newFixture(t, sandbox.Options{Records: 10})
	c := &cli{env: s.env(&buffer{}, &buffer{})}
	answers, misfits, err := c.laidOut(t.Context())
	must(t, err)
	if len(misfits) > 0 {
		t.Errorf("declarations and documents disagree:\n%s", strings.Join(misfits, "\n"))
	}
	for i := range answers {
		if a := &answers[i]; !a.Served {
			t.Errorf("%s is %s, but the sandbox does not play it: nothing tests it", &a.Row, a.Text)
		}
	}
	played, err := c.player(connectors.All())
	must(t, err)
	for _, row := range []coverage.Row{
		{Service: "inventory", Method: http.MethodGet, Path: "/unicorns"},
		{Service: "inventory", Method: http.MethodPatch, Path: "/items"},
		{Service: "authorization", Method: http.MethodPost, Path: "/oauth/v2/token", Variant: "password"},
	} {
		if served, err := played.Probe(t.Context(), &row); err != nil || served {
			t.Errorf("the probe finds that the sandbox plays %s, which is in no document: it cannot tell (%v)", &row, err)
		}
	}
}
