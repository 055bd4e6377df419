package planning //nolint:testpackage // how a day is divided among learned intervals is decided inside

import (
	"math"
	"testing"
	"time"

	"sluice/pipeline"
	"sluice/pipeline/planning/cadence"
)

// TestScheduledCalls: the part of a day for scheduled runs is computed by hand.
func TestScheduledCalls(t *testing.T) {
	t.Parallel()
	own := pipeline.Shares{pipeline.ClassIncremental: {Floor: 0.25}, pipeline.ClassSweep: {}}
	for name, test := range map[string]struct {
		limits   pipeline.Limits
		class    pipeline.Class
		external int64
		want     float64
	}{
		"what is kept for lists":        {pipeline.Limits{Daily: 1000}, pipeline.ClassIncremental, 0, 400},
		"half of what scans may take":   {pipeline.Limits{Daily: 1000}, pipeline.ClassSweep, 0, 200},
		"others spend half of the day":  {pipeline.Limits{Daily: 1000}, pipeline.ClassIncremental, 500, 200},
		"others spend it all, and more": {pipeline.Limits{Daily: 1000}, pipeline.ClassIncremental, 1200, 0},
		"shares of the configuration":   {pipeline.Limits{Daily: 1000, Shares: own}, pipeline.ClassIncremental, 0, 250},
		"neither floor nor ceiling":     {pipeline.Limits{Daily: 1000, Shares: own}, pipeline.ClassSweep, 0, 500},
		"no limit":                      {pipeline.Limits{}, pipeline.ClassSweep, 7, math.Inf(1)},
	} {
		if got := ScheduledCalls(test.limits, test.class, test.external); got != test.want {
			t.Errorf("%s: %g, want %g", name, got, test.want)
		}
	}
}

// TestCeilingOf: a change waits for the interval, the tick of fifteen seconds and two runs.
func TestCeilingOf(t *testing.T) {
	t.Parallel()
	pace := Pace{PerMinute: 100, Concurrent: 5, Latency: time.Second}
	for _, test := range []struct {
		target time.Duration
		calls  float64
		want   time.Duration
	}{
		{time.Hour, 0, time.Hour - 17*time.Second},
		{time.Hour, 9.5, time.Hour - 35*time.Second},
		{5 * time.Minute, 1, 5 * time.Minute}, // the floor
	} {
		if got := ceilingOf(test.target, cadence.Seen{Calls: test.calls}, 5*time.Minute, pace); got != test.want {
			t.Errorf("target %s, %g calls: %s, want %s", test.target, test.calls, got, test.want)
		}
	}
}
