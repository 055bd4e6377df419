package cli

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"sluice/schema"
	normalizer "sluice/schema/record"
)

// TestLiveValuesHaveColumns: of the values in samples of live answers at least 97 % have a column.
// What the page counts as going to _extra is what a record leaves there.
func TestLiveValuesHaveColumns(t *testing.T) {
	t.Parallel()
	samples, err := liveSamples()
	must(t, err)
	counted, err := liveValues()
	must(t, err)
	all, columns := 0, 0
	for i, sample := range samples {
		v := &counted[i]
		all += v.Columns + v.JSON + v.Ignored + v.Extra
		columns += v.Columns + v.JSON
		if left := leftInExtra(t, sample); left != v.Extra {
			t.Errorf("%s.%s: %d values counted as extra, a record leaves %d in _extra", v.Service, v.Resource, v.Extra, left)
		}
	}
	if all == 0 || columns*100 < all*97 {
		t.Errorf("%d of %d values of live answers have a column, want at least 97 %%", columns, all)
	}
}

// leftInExtra normalizes a sample and counts the values in _extra.
func leftInExtra(t *testing.T, sample liveSample) int {
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
	return notEmpty(extra)
}

// notEmpty counts the bare values that are neither null nor blank.
func notEmpty(value any) int {
	count := 0
	switch value := value.(type) {
	case map[string]any:
		for _, member := range value {
			count += notEmpty(member)
		}
	case []any:
		for _, element := range value {
			count += notEmpty(element)
		}
	case string:
		if strings.TrimSpace(value) != "" {
			count++
		}
	case bool, float64:
		count++
	}
	return count
}
