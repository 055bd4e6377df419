package planning_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"sluice/pipeline/planning"
)

// TestWeekOf: of ten days the 90th percentile is the ninth smallest, of a week the largest.
func TestWeekOf(t *testing.T) {
	t.Parallel()
	if got := planning.WeekOf(nil); got != nil {
		t.Errorf("of no day: %+v", got)
	}
	for _, c := range []struct {
		days []int64
		want planning.Week
	}{
		{[]int64{7}, planning.Week{Days: 1, Mean: 7, P90: 7}},
		{[]int64{5, 90, 10, 20, 30, 40, 50}, planning.Week{Days: 7, Mean: 35, P90: 90}},
		{[]int64{100, 1, 2, 3, 4, 5, 6, 7, 8, 9}, planning.Week{Days: 10, Mean: 14.5, P90: 9}},
	} {
		if diff := cmp.Diff(&c.want, planning.WeekOf(c.days)); diff != "" {
			t.Errorf("%v (-want +got):\n%s", c.days, diff)
		}
	}
}
