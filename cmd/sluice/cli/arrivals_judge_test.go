package cli

import (
	"testing"
	"time"
)

// TestTheJudgeOfArrivals: a call that upstream handles late is no excess, and no lateness hides an
// excess.
func TestTheJudgeOfArrivals(t *testing.T) {
	t.Parallel()
	began := time.Date(2026, 3, 1, 8, 0, 0, 0, time.UTC)
	at := func(acknowledged, late time.Duration) reached {
		return reached{acknowledged: began.Add(acknowledged), handled: began.Add(acknowledged + late)}
	}
	const margin = 500 * time.Millisecond
	for _, c := range []struct {
		name  string
		calls []reached
		want  int
	}{
		{"a minute apart", []reached{at(0, 0), at(time.Minute, 0)}, 1},
		{"the first one handled two seconds late", []reached{at(0, 2*time.Second), at(time.Minute+margin, 0)}, 1},
		{"acknowledged within a minute", []reached{at(0, 0), at(time.Minute-time.Millisecond, 2*time.Second)}, 2},
		{"handled within a minute", []reached{at(0, margin/2), at(time.Minute+margin/4, 0)}, 2},
		{"a slot that is free before the margin", []reached{at(0, 2*time.Second), at(time.Minute+margin/2, 0)}, 2},
		{"none", nil, 0},
	} {
		if got, _ := (&arrivals{at: c.calls}).worst(time.Minute); got != c.want {
			t.Errorf("%s: %d in a minute, want %d", c.name, got, c.want)
		}
	}
}
