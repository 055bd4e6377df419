package pipeline_test

import (
	"testing"
	"time"

	"sluice/pipeline"
)

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
