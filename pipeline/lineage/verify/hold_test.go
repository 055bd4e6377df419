package verify

import (
	"testing"

	"sluice/pipeline"
	"sluice/schema/record"
)

// TestWhatClashesIsNotTakenForTheRecord: if several records of one answer have the same identifier,
// the answer does not say which of them is right. That also holds if one of them does not fit.
func TestWhatClashesIsNotTakenForTheRecord(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		raws     []string
		clashing bool
	}{
		"one":                        {[]string{"1 a"}, false},
		"the same twice":             {[]string{"1 a", "1 a"}, false},
		"two":                        {[]string{"1 a", "1 b"}, true},
		"one that does not fit":      {[]string{"1 a", "1 !"}, true},
		"one before, does not fit":   {[]string{"1 !", "1 a"}, true},
		"another that does not fit":  {[]string{"1 a", "2 !"}, false},
		"none that fits":             {[]string{"1 !", "1 !"}, false},
		"others without identifiers": {[]string{"1 a", " !", " !"}, false},
	} {
		s := &subject{clashing: map[string]bool{}, normalize: func(raw []byte, _ string) (upstreamRecord, error) {
			id := string(raw[:len(raw)-2])
			if raw[len(raw)-1] == '!' {
				return upstreamRecord{}, &record.RejectedError{ID: id}
			}
			return upstreamRecord{ID: id, Raw: raw}, nil
		}}
		page := pipeline.Page{}
		for _, raw := range tc.raws {
			page.Records = append(page.Records, []byte(raw))
		}
		s.read(page, "")
		if s.clashing["1"] != tc.clashing || s.clashing[""] {
			t.Errorf("%s: %v", name, s.clashing)
		}
	}
}
