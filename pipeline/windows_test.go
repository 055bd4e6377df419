package pipeline_test

import (
	"fmt"
	"testing"
	"time"

	"pgregory.net/rapid"

	"sluice/pipeline"
)

func date(text string) time.Time {
	if text == "" {
		return time.Time{}
	}
	day, err := time.Parse(time.DateOnly, text)
	if err != nil {
		panic(err)
	}
	return day
}

func days(at time.Time) string {
	if at.IsZero() {
		return ""
	}
	return at.Format(time.DateOnly)
}

func TestWindows(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		from, to string
		months   int
		want     string
	}{
		{"2025-01-15", "2025-03-10", 1, "[2025-01-15 2025-01-31] [2025-02-01 2025-02-28] [2025-03-01 2025-03-10]"},
		{"2024-11-30", "2025-02-01", 2, "[2024-11-30 2024-12-31] [2025-01-01 2025-02-01]"},
		{"2024-01-31", "2024-03-31", 1, "[2024-01-31 2024-01-31] [2024-02-01 2024-02-29] [2024-03-01 2024-03-31]"},
		{"2025-01-15", "2025-01-20", 12, "[2025-01-15 2025-01-20]"},
		{"2025-01-15", "2025-01-15", 1, "[2025-01-15 2025-01-15]"},
		// Today is the 21st of November 2026.
		{"2026-10-02", "", 1, "[2026-10-02 2026-10-31] [2026-11-01 ]"},
		{"2027-01-01", "", 1, "[2027-01-01 ]"},
		{"", "2025-01-20", 1, "[ 2025-01-20]"},
		{"", "", 1, "[ ]"},
	} {
		w := pipeline.NewWindows(date(tc.from), date(tc.to), date("2026-11-21"), tc.months)
		got := ""
		for more := true; more; more = w.Next() {
			from, to := w.Bounds()
			got += fmt.Sprintf(" [%s %s]", days(from), days(to))
		}
		if got[1:] != tc.want {
			t.Errorf("%s to %s by %d: %s, want %s", tc.from, tc.to, tc.months, got[1:], tc.want)
		}
	}
	var none *pipeline.Windows
	if from, to := none.Bounds(); !from.IsZero() || !to.IsZero() || none.Next() {
		t.Error("no windows have bounds, or a next one")
	}
}

// Every day of a range is in exactly one window.
func TestEveryDayIsInOneWindow(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		from := date("2019-01-01").AddDate(0, 0, rapid.IntRange(0, 800).Draw(t, "from"))
		to := from.AddDate(0, 0, rapid.IntRange(0, 800).Draw(t, "length"))
		w := pipeline.NewWindows(from, to, to, rapid.IntRange(1, 14).Draw(t, "months"))
		next := from
		for at := range w.Of {
			first, last := w.BoundsOf(at)
			if !first.Equal(next) || last.Before(first) {
				t.Fatalf("window %d is %s to %s, want it to begin on %s", at, days(first), days(last), days(next))
			}
			next = last.AddDate(0, 0, 1)
		}
		if !next.Equal(to.AddDate(0, 0, 1)) {
			t.Fatalf("the last window ends before %s, want %s in it", days(next), days(to))
		}
	})
}
