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

func TestLatenessIsSeen(t *testing.T) {
	t.Parallel()
	read := time.Date(2026, 3, 1, 8, 0, 0, 0, time.UTC)
	var late pipeline.Lateness
	for _, before := range []time.Duration{-time.Second, 0, time.Second, 40 * time.Minute, time.Minute, time.Hour, time.Hour + 1} {
		late.See(read.Add(-before), read)
	}
	late.See(time.Time{}, read)
	late.See(read.Add(-time.Minute), time.Time{})
	if want := (pipeline.Lateness{Records: 4, Beyond: 1, Most: time.Hour}); late != want {
		t.Errorf("%+v, want %+v", late, want)
	}
	late.Add(pipeline.Lateness{Records: 1, Beyond: 2, Most: time.Minute})
	if want := (pipeline.Lateness{Records: 5, Beyond: 3, Most: time.Hour}); late != want {
		t.Errorf("added: %+v, want %+v", late, want)
	}
}

func TestLagFollowsLateness(t *testing.T) {
	t.Parallel()
	rules := pipeline.Rules{Lag: 5 * time.Minute}
	for late, want := range map[time.Duration]time.Duration{
		0: 5 * time.Minute, 2 * time.Minute: 5 * time.Minute, 150 * time.Second: 5 * time.Minute, 3 * time.Minute: 6 * time.Minute,
		20 * time.Minute: 40 * time.Minute, 30 * time.Minute: time.Hour, time.Hour: time.Hour,
	} {
		if got := rules.LagFor(late); got != want {
			t.Errorf("seen late by %s: lag %s, want %s", late, got, want)
		}
	}
}

func TestLacks(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		verdict pipeline.Verdict
		want    bool
	}{
		"nothing known":      {pipeline.Verdict{}, false},
		"yes":                {pipeline.Verdict{Answer: pipeline.AnswerYes, Source: pipeline.SourceObserved}, false},
		"unknown":            {pipeline.Verdict{Answer: pipeline.AnswerUnknown, Source: pipeline.SourceProbed}, false},
		"observed today":     {pipeline.Verdict{Answer: pipeline.AnswerNo, Source: pipeline.SourceObserved, Age: 24*time.Hour - 1}, true},
		"observed yesterday": {pipeline.Verdict{Answer: pipeline.AnswerNo, Source: pipeline.SourceObserved, Age: 24 * time.Hour}, false},
		"probed a month ago": {pipeline.Verdict{Answer: pipeline.AnswerNo, Source: pipeline.SourceProbed, Age: 30 * 24 * time.Hour}, true},
	} {
		known := pipeline.Capabilities{pipeline.CapabilityFilter: test.verdict}
		if got := known.Lacks(pipeline.CapabilityFilter); got != test.want {
			t.Errorf("%s: %t, want %t", name, got, test.want)
		}
	}
}

func TestTheZoneIsTheConfiguredOneOrUpstreams(t *testing.T) {
	t.Parallel()
	rome, err := time.LoadLocation("Europe/Rome")
	if err != nil {
		t.Fatal(err)
	}
	told, configured := new(pipeline.Organization), &pipeline.Organization{Location: rome}
	for _, step := range []struct{ name, want string }{
		{"", "UTC"}, {"Asia/Kolkata", "Asia/Kolkata"}, {"Asia/Kolkata", "Asia/Kolkata"}, {"Nowhere/Atall", "UTC"}, {"Local", "UTC"}, {"Asia/Tokyo", "Asia/Tokyo"},
	} {
		known := told.FollowZone(step.name)
		if got := told.Zone().String(); got != step.want || (known == nil) != (step.want == "UTC") {
			t.Errorf("upstream names %q: the zone is %s, want %s", step.name, got, step.want)
		}
		configured.FollowZone(step.name)
		if configured.Zone() != rome {
			t.Errorf("upstream names %q, and the configured zone is %s", step.name, configured.Zone())
		}
	}
	if zone := (*pipeline.Organization)(nil).Zone(); zone != time.UTC {
		t.Errorf("no organization is in %s", zone)
	}
}

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
