package scale

import (
	"testing"
	"time"

	"sluice/pipeline"
)

func testServer(t *testing.T, rolls, shows bool, perMinute, concurrent, daily int) *server {
	t.Helper()
	zone, err := time.LoadLocation("Asia/Kolkata")
	must(t, err)
	limits := pipeline.Limits{PerMinute: perMinute, Concurrent: concurrent, Daily: daily}
	o := &organization{limits: limits, zone: zone, rolls: rolls}
	if shows {
		o.others = seen
	}
	return &server{of: o}
}

// call makes a call and returns the code of the answer.
func call(s *server, at instant) string {
	result := s.Arrive(at)
	s.End()
	return string(result.Code)
}

func TestTheJudgeCountsAnySixtySeconds(t *testing.T) {
	t.Parallel()
	s := testServer(t, true, false, 2, 5, 100)
	for _, test := range []struct {
		at   time.Duration
		want string
	}{
		{0, ""}, {59 * time.Second, ""}, {60*time.Second - 1, codeMinute}, {119*time.Second + 2, ""}, {120 * time.Second, ""}, {120 * time.Second, codeMinute},
	} {
		same(t, call(s, test.at), test.want, test.at)
	}
	if s.tally.Exceeded != 2 {
		t.Errorf("tally %+v, want 2 calls beyond", s.tally)
	}
}

func TestTheJudgeCountsCallsUnderWay(t *testing.T) {
	t.Parallel()
	s := testServer(t, true, false, 100, 2, 100)
	for i, want := range []string{"", "", codeCrowded} {
		same(t, string(s.Arrive(0).Code), want, i)
	}
}

func TestTheJudgesDayRollsOrTurnsAtMidnight(t *testing.T) {
	t.Parallel()
	rolling := testServer(t, true, false, 100, 5, 1)
	for _, test := range []struct {
		at   time.Duration
		want string
	}{{time.Hour, ""}, {24 * time.Hour, codeDay}, {49 * time.Hour, ""}} {
		same(t, call(rolling, test.at), test.want, test.at)
	}
	// Midnight in India is at 18:30 UTC.
	turning := testServer(t, false, false, 100, 5, 1)
	for _, test := range []struct {
		at   time.Duration
		want string
	}{{18 * time.Hour, ""}, {18*time.Hour + 29*time.Minute, codeDay}, {18*time.Hour + 30*time.Minute, ""}, {42 * time.Hour, codeDay}} {
		same(t, call(turning, test.at), test.want, test.at)
	}
}

// TestTheJudgeTellsOthersFromUs: calls of other clients are in upstream's count and its headers,
// and are no fault of the fleet.
func TestTheJudgeTellsOthersFromUs(t *testing.T) {
	t.Parallel()
	s := testServer(t, false, true, 100, 5, 10)
	s.Spend(0, 8)
	result := s.Arrive(time.Minute)
	if result.Status != 200 || result.DayLimit != 10 || result.DayRemaining != 1 || result.DayReset != 18*time.Hour+29*time.Minute+time.Second {
		t.Errorf("headers %+v, want 1 left of 10 and a bit more than 18 h 29 min to the turn", result)
	}
	s.Spend(2*time.Minute, 8)
	same(t, call(s, 3*time.Minute), codeDay)
	if s.tally.Exceeded != 0 || s.tally.Foreign != 9 || s.tally.MostOfADay != 1 {
		t.Errorf("tally %+v, want nothing exceeded by us, 9 calls of others and 1 refusal", s.tally)
	}
}
