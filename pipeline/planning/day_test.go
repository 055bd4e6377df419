package planning_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"sluice/pipeline"
	"sluice/pipeline/planning"
	"sluice/pipeline/warehouse/calls"
)

func TestLeftOf(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 3, 3, 12, 0, 0, 0, time.UTC)
	shares := pipeline.Shares{pipeline.ClassIncremental: {Floor: 0.4}, pipeline.ClassProbe: {Floor: 0.1}, pipeline.ClassDetails: {Ceiling: 0.25}}
	limits := pipeline.Limits{Daily: 1000, Shares: shares}
	day := calls.Day{At: now, Spent: 800, LastHour: 400, ByClass: map[pipeline.Class]int64{
		pipeline.ClassIncremental: 100, pipeline.ClassBackfill: 700,
	}}
	got := planning.LeftOf(limits, &day)
	// 300 of the incremental floor and 100 of the probes' are reserved; 200 are left, so half of
	// each is lent.
	want := []planning.ClassDay{
		{Class: "incremental", Spent: 100, Floor: 400, Ceiling: 1000, Reserved: 300, Lent: 150},
		{Class: "details", Ceiling: 250},
		{Class: "sweep", Ceiling: 1000},
		{Class: "backfill", Spent: 700, Ceiling: 1000},
		{Class: "probe", Floor: 100, Ceiling: 1000, Reserved: 100, Lent: 50},
		{Class: "hinted", Ceiling: 1000},
	}
	if diff := cmp.Diff(want, got.Classes); diff != "" {
		t.Errorf("classes (-want +got):\n%s", diff)
	}
	if got.Left != 200 || got.RunsOutAt == nil || !got.RunsOutAt.Equal(now.Add(30*time.Minute)) {
		t.Errorf("%d left until %v, want 200 for half an hour", got.Left, got.RunsOutAt)
	}
	// Upstream knows of others; and what comes back before it is gone does not run out.
	day.SeenLeft, day.External, day.LastHour = new(int64(24)), new(int64(176)), 1
	got = planning.LeftOf(limits, &day)
	if got.Left != 24 || got.RunsOutAt != nil {
		t.Errorf("%d left until %v, want 24 that last", got.Left, got.RunsOutAt)
	}
	turn := now.Add(25 * time.Hour)
	day.Turn = &turn
	if at := planning.LeftOf(limits, &day).RunsOutAt; at == nil || !at.Equal(now.Add(24*time.Hour)) {
		t.Errorf("runs out at %v, want in a day: the day turns later", at)
	}
}
