package declared

import (
	"bytes"
	"encoding/json"
	"io"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"sluice/schema"
	normalizer "sluice/schema/record"
)

// TestLiveValuesHaveColumns: of the values in samples of live answers at least 97 % have a column.
// What the page counts as going to _extra is what a record leaves there.
func TestLiveValuesHaveColumns(t *testing.T) {
	t.Parallel()
	live, err := samples()
	must(t, err)
	all, columns := 0, 0
	for _, one := range live {
		v := one.values
		all += v.columns + v.json + v.ignored + v.extra
		columns += v.columns + v.json
		if left := leftInExtra(t, one); left != v.extra {
			t.Errorf("%s.%s: %d values counted as extra, a record leaves %d in _extra", one.service, one.resource.Name, v.extra, left)
		}
	}
	if all == 0 || columns*100 < all*97 {
		t.Errorf("%d of %d values of live answers have a column, want at least 97 %%", columns, all)
	}
}

// leftInExtra normalizes a sample and counts the values in _extra.
func leftInExtra(t *testing.T, sample sample) int {
	t.Helper()
	n, err := normalizer.New(sample.resource, time.UTC)
	must(t, err)
	parent := ""
	if _, ok := sample.resource.Cursor.(schema.PerParent); ok {
		parent = "1"
	}
	normalized, err := n.RecordUnder(sample.record, parent)
	must(t, err)
	if normalized.Extra == "" {
		return 0
	}
	var extra any
	must(t, json.Unmarshal([]byte(normalized.Extra), &extra))
	return filled(extra)
}

// TestPagesAreCurrent fails when a declaration changed and a generated page did not.
func TestPagesAreCurrent(t *testing.T) {
	t.Parallel()
	for page, write := range map[string]func(out io.Writer) error{
		"../../../docs/erd.md":      func(out io.Writer) error { return ERD(t.Context(), nil, out, t.Output()) },
		"../../../docs/erd.dbml":    func(out io.Writer) error { return ERD(t.Context(), []string{"-format", "dbml"}, out, t.Output()) },
		"../../../docs/coverage.md": func(out io.Writer) error { return Coverage(t.Context(), nil, out, t.Output()) },
	} {
		stored, err := os.ReadFile(page)
		must(t, err)
		var now bytes.Buffer
		must(t, write(&now))
		if diff := cmp.Diff(string(stored), now.String()); diff != "" {
			t.Errorf("%s is not current: run make dictionary (-stored +now):\n%s", page, diff)
		}
	}
	if err := ERD(t.Context(), []string{"-format", "svg"}, io.Discard, io.Discard); err == nil {
		t.Error("a format that does not exist is printed")
	}
}

// TestCoverage: every endpoint of the documents has an answer, every declared one is in a document
// or marked assumed, and the sandbox serves them all.
func TestCoverage(t *testing.T) {
	t.Parallel()
	answers, misfits, err := laidOut(t.Context())
	must(t, err)
	if len(misfits) > 0 {
		t.Errorf("declarations and documents disagree:\n%s", strings.Join(misfits, "\n"))
	}
	for i := range answers {
		if a := &answers[i]; !a.Served {
			t.Errorf("%s is %s, but the sandbox does not play it: nothing tests it", &a.Row, a.Text)
		}
	}
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
