package planning_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"sluice/pipeline/planning"
	"sluice/pipeline/warehouse/calls"
)

// TestForecastOfADay: a schedule of 240 a day adds 60 in the six hours until the day turns. Earlier
// days added 60, 90 and 45: they were 0, 30 and 15 off.
func TestForecastOfADay(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 3, 3, 18, 0, 0, 0, time.UTC)
	turn := now.Add(6 * time.Hour)
	got := planning.ForecastOf(&calls.Day{At: now, Turn: &turn}, 240, []calls.Span{{Ago: 1, Calls: 60}, {Ago: 2, Calls: 90}, {Ago: 5, Calls: 45}})
	want := planning.Forecast{Until: turn, Calls: 60, Past: &planning.Hindsight{Days: 3, Off: 15, Least: -15, Most: 30}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("a day that turns (-want +got):\n%s", diff)
	}
	got = planning.ForecastOf(&calls.Day{At: now}, 240, nil)
	if diff := cmp.Diff(planning.Forecast{Until: now.Add(12 * time.Hour), Calls: 120}, got); diff != "" {
		t.Errorf("a day that rolls, without earlier ones (-want +got):\n%s", diff)
	}
}
