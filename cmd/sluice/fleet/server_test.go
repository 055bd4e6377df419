package main

import (
	"testing"
	"time"

	"sluice/pipeline"
)

func testOrganization(t *testing.T, rolls bool, perMinute, concurrent, daily int) *organization {
	t.Helper()
	zone, err := time.LoadLocation("Asia/Kolkata")
	if err != nil {
		t.Fatal(err)
	}
	o := &organization{zone: zone, limits: pipeline.Limits{PerMinute: perMinute, Concurrent: concurrent, Daily: daily}}
	o.server = newServer(o, rolls)
	return o
}

// call lets a call arrive and end, and gives the code of the answer.
func call(o *organization, at instant) string {
	result := o.server.arrive(at)
	o.server.end()
	return result.Code
}

func TestTheJudgeCountsAnySixtySeconds(t *testing.T) {
	t.Parallel()
	o := testOrganization(t, true, 2, 5, 100)
	for _, test := range []struct {
		at   time.Duration
		want string
	}{
		{0, ""}, {59 * time.Second, ""}, {60*time.Second - 1, codeMinute}, {119*time.Second + 2, ""}, {120 * time.Second, ""}, {120 * time.Second, codeMinute},
	} {
		if got := call(o, test.at); got != test.want {
			t.Errorf("a call at %s got %q, want %q", test.at, got, test.want)
		}
	}
	if o.server.tally.exceeded != 2 || o.server.tally.minute != 1.5 {
		t.Errorf("tally %+v, want 2 calls beyond and 1.5 of a minute", o.server.tally)
	}
}

func TestTheJudgeCountsCallsUnderWay(t *testing.T) {
	t.Parallel()
	o := testOrganization(t, true, 100, 2, 100)
	for i, want := range []string{"", "", codeCrowded} {
		if got := o.server.arrive(0).Code; got != want {
			t.Errorf("call %d got %q, want %q", i, got, want)
		}
	}
}

func TestTheJudgesDayRollsOrTurnsAtMidnight(t *testing.T) {
	t.Parallel()
	rolling := testOrganization(t, true, 100, 5, 1)
	for _, test := range []struct {
		at   time.Duration
		want string
	}{{time.Hour, ""}, {24 * time.Hour, codeDay}, {49 * time.Hour, ""}} {
		if got := call(rolling, test.at); got != test.want {
			t.Errorf("rolling: a call at %s got %q, want %q", test.at, got, test.want)
		}
	}
	// Midnight in India is at 18:30 UTC.
	turning := testOrganization(t, false, 100, 5, 1)
	for _, test := range []struct {
		at   time.Duration
		want string
	}{{18 * time.Hour, ""}, {18*time.Hour + 29*time.Minute, codeDay}, {18*time.Hour + 30*time.Minute, ""}, {42 * time.Hour, codeDay}} {
		if got := call(turning, test.at); got != test.want {
			t.Errorf("turning: a call at %s got %q, want %q", test.at, got, test.want)
		}
	}
}

// What others spend is in upstream's count and in its headers, and is no fault of ours.
func TestTheJudgeTellsOthersFromUs(t *testing.T) {
	t.Parallel()
	o := testOrganization(t, false, 100, 5, 10)
	o.others = seen
	o.server.spend(0, 8)
	result := o.server.arrive(time.Minute)
	if result.Status != 200 || result.DayLimit != 10 || result.DayRemaining != 1 || result.DayReset != 18*time.Hour+29*time.Minute+time.Second {
		t.Errorf("headers %+v, want 1 left of 10 and a bit more than 18 h 29 min to the turn", result)
	}
	o.server.spend(2*time.Minute, 8)
	if got := call(o, 3*time.Minute); got != codeDay {
		t.Errorf("got %q, want %q", got, codeDay)
	}
	if o.server.tally.exceeded != 0 || o.server.tally.foreign != 9 || o.server.tally.mostOfADay != 1 {
		t.Errorf("tally %+v, want nothing exceeded by us, 9 calls of others and 1 refusal", o.server.tally)
	}
}

// A bound is what the table says it is.
func TestBoundsAreStated(t *testing.T) {
	t.Parallel()
	o := &organization{outages: []span{{10 * time.Hour, 12 * time.Hour}}}
	st := &stream{of: o, every: time.Hour}
	for _, test := range []struct {
		from, to, want time.Duration
		others         others
	}{
		{0, time.Hour, 90 * time.Minute, nobody},
		{9 * time.Hour, 11 * time.Hour, 90*time.Minute + 3*time.Hour, nobody},
		{12 * time.Hour, 13 * time.Hour, 90 * time.Minute, nobody},
		{0, time.Hour, 90*time.Minute + 24*time.Hour, unseen},
	} {
		o.others = test.others
		if got := st.bound(test.from, test.to); got != test.want {
			t.Errorf("the bound from %s to %s is %s, want %s", test.from, test.to, got, test.want)
		}
	}
}
