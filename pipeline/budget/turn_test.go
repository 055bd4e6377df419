package budget_test

import (
	"testing"
	"time"

	"sluice/pipeline"
	"sluice/pipeline/budget"
)

// TestASpentDayIsAskedAboutAtEachTurn: after code 45 the service pauses until the next instant at
// which a new day may begin. If the day is still spent then, it pauses until the instant after
// that. The instants are computed by hand, with a minute added to each.
func TestASpentDayIsAskedAboutAtEachTurn(t *testing.T) {
	t.Parallel()
	zone := func(name string) *time.Location {
		location, err := time.LoadLocation(name)
		if err != nil {
			t.Fatal(err)
		}
		return location
	}
	for name, test := range map[string]struct {
		zone   string
		limits pipeline.Limits
		now    string
		turns  []string
	}{
		// Midnight in India is 18:30 UTC.
		"midnight there, then in UTC": {"Asia/Kolkata", pipeline.Limits{}, "2026-03-03T12:00:00Z",
			[]string{"2026-03-03T18:31:00Z", "2026-03-04T00:01:00Z", "2026-03-04T18:31:00Z"}},
		"UTC":                {"UTC", pipeline.Limits{}, "2026-03-03T12:00:00Z", []string{"2026-03-04T00:01:00Z", "2026-03-05T00:01:00Z"}},
		"a moment before it": {"UTC", pipeline.Limits{}, "2026-03-03T23:59:59Z", []string{"2026-03-04T00:01:00Z"}},
		"as configured": {"Asia/Kolkata", pipeline.Limits{ResetZone: "Europe/Rome", ResetHour: 6}, "2026-03-03T05:00:00Z",
			[]string{"2026-03-04T05:01:00Z", "2026-03-05T05:01:00Z"}},
		// In the night of 29 March the clocks in Rome go forward by an hour.
		"on the day of summer time": {"UTC", pipeline.Limits{ResetZone: "Europe/Rome", ResetHour: 6}, "2026-03-28T12:00:00Z",
			[]string{"2026-03-29T04:01:00Z"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			now, err := time.Parse(time.RFC3339, test.now)
			if err != nil {
				t.Fatal(err)
			}
			ledger := &script{}
			gate, err := budget.New(budget.Options{Ledger: ledger, Now: func() time.Time { return now }})
			if err != nil {
				t.Fatal(err)
			}
			for i, want := range test.turns {
				if err := gate.Leave(t.Context(), limited(bills, test.limits, zone(test.zone)), int64(i), pipeline.CallResult{Kind: pipeline.Exhausted, Code: "45"}); err != nil {
					t.Fatal(err)
				}
				now = now.Add(ledger.penalties[i].d)
				if got := now.UTC().Format(time.RFC3339); got != want {
					t.Errorf("turn %d: asked again at %s, want %s", i, got, want)
				}
			}
		})
	}
}
