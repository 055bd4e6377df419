package pipeline_test

import (
	"testing"
	"time"

	"sluice/pipeline"
)

// TestMarkAhead: upstream's clock decides. Where that is unknown, the clock of this process
// decides, with a day to spare.
func TestMarkAhead(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 11, 23, 12, 0, 0, 0, time.UTC)
	for name, c := range map[string]struct {
		watermark, read time.Time
		want            bool
	}{
		"never read":                                {},
		"behind":                                    {now.Add(-time.Hour), now.Add(-time.Minute), false},
		"as a run without a lag leaves it":          {now, now, false},
		"moved by a minute":                         {now.Add(-time.Minute), now.Add(-2 * time.Minute), true},
		"upstream's clock is ahead of this":         {now.Add(48 * time.Hour), now.Add(48 * time.Hour), false},
		"not known when it was read":                {now.Add(23 * time.Hour), time.Time{}, false},
		"not known when it was read, too far":       {now.Add(25 * time.Hour), time.Time{}, true},
		"known to be read, and no watermark so far": {time.Time{}, now, false},
	} {
		if got := (pipeline.Position{Watermark: c.watermark, ScannedUntil: c.read}).WatermarkAhead(now); got != c.want {
			t.Errorf("%s: %v, want %v", name, got, c.want)
		}
	}
}
