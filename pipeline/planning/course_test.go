package planning_test

import (
	"testing"
	"time"

	"sluice/pipeline"
	"sluice/pipeline/planning"
	"sluice/pipeline/warehouse/calls"
)

func usedAt(at time.Time, class pipeline.Class, n int64) calls.Used {
	return calls.Used{At: at, Class: class, Calls: n}
}

// TestCourseOfARollingDay: calls count for 24 hours, so that those of the night before leave the
// count while the schedule adds to it.
func TestCourseOfARollingDay(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 3, 3, 12, 0, 0, 0, time.UTC)
	day := &calls.Day{At: now}
	needs, begins := planning.CourseFrom(day)
	if !needs.Equal(now.Add(-36*time.Hour)) || !begins.Equal(now.Add(-12*time.Hour)) {
		t.Fatalf("needs the calls since %v and begins at %v", needs, begins)
	}
	used := []calls.Used{
		usedAt(now.Add(-30*time.Hour), pipeline.ClassBackfill, 500), // leaves 6 hours ago
		usedAt(now.Add(-20*time.Hour), pipeline.ClassBackfill, 200), // leaves in 4 hours
		usedAt(now.Add(-2*time.Hour), pipeline.ClassSweep, 30),      // made 2 hours ago
	}
	course := planning.CourseOf(&planning.DayLeft{Limit: 1000}, day, used, 240)
	for hour, want := range map[int]int64{0: 700, 5: 700, 6: 700, 7: 200, 10: 200, 11: 230, 12: 230} {
		if got := course.Past[hour].Total(); got != want {
			t.Errorf("%d hours after the beginning %d calls count, want %d", hour, got, want)
		}
	}
	// The schedule takes 10 an hour.
	for hour, want := range map[int]int64{1: 240, 4: 270, 5: 80, 12: 150} {
		if got := course.Ahead[hour-1].Total(); got != want {
			t.Errorf("in %d hours %d calls are expected to count, want %d", hour, got, want)
		}
	}
	if len(course.Past) != 13 || len(course.Ahead) != 12 || course.RunsOutAt != nil {
		t.Errorf("%d points behind, %d ahead, nothing left at %v", len(course.Past), len(course.Ahead), course.RunsOutAt)
	}
	short := planning.CourseOf(&planning.DayLeft{Limit: 250}, day, used, 240)
	if at := short.RunsOutAt; at == nil || !at.Equal(now.Add(2*time.Hour)) {
		t.Errorf("by the schedule nothing is left at %v, want in two hours", at)
	}
}

// TestCourseOfADayThatTurns: calls count from turn to turn. The calls of others are spread over
// upstream's day, and the pace of the last hour goes before the schedule.
func TestCourseOfADayThatTurns(t *testing.T) {
	t.Parallel()
	turn := time.Date(2026, 3, 4, 0, 0, 0, 0, time.UTC)
	now := turn.Add(-14*time.Hour - 30*time.Minute) // half past nine
	day := &calls.Day{At: now, Turn: &turn, External: new(int64(95))}
	used := []calls.Used{usedAt(turn.Add(-24*time.Hour), pipeline.ClassDetails, 7), usedAt(turn.Add(-15*time.Hour), pipeline.ClassDetails, 4)}
	at := now.Add(time.Hour)
	course := planning.CourseOf(&planning.DayLeft{Limit: 1000, RunsOutAt: &at}, day, used, 0)
	if !course.From.Equal(turn.Add(-24*time.Hour)) || !course.To.Equal(turn) || course.RunsOutAt != &at {
		t.Errorf("the course goes from %v to %v, nothing left at %v", course.From, course.To, course.RunsOutAt)
	}
	// 95 calls of others in 9.5 hours are 10 an hour.
	for hour, want := range map[int][2]int64{0: {0, 0}, 1: {7, 10}, 9: {7, 90}, 10: {11, 95}} {
		got := course.Past[hour]
		if got.ByClass[pipeline.ClassDetails] != want[0] || got.Others != want[1] {
			t.Errorf("point %d at %v has %v and %d of others, want %v", hour, got.At, got.ByClass, got.Others, want)
		}
	}
	last := course.Ahead[len(course.Ahead)-1]
	if !last.At.Equal(turn) || last.Total() != 106 || len(course.Past) != 11 {
		t.Errorf("at the turn, %v, %d calls are expected, behind %d points", last.At, last.Total(), len(course.Past))
	}
}
