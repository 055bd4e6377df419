package access

import (
	"strconv"
	"testing"
	"time"
)

// TestLimiterRemembersLittle: a flood of senders does not fill the memory, and turns come back with
// time.
func TestLimiterRemembersLittle(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 11, 1, 12, 0, 0, 0, time.UTC)
	l := newLimiter(func() time.Time { return now }, 2, time.Minute)
	turns := func(what string, want int) {
		t.Helper()
		got := 0
		for range 5 {
			if l.take("a") {
				got++
			}
		}
		if got != want {
			t.Errorf("%s: %d turns, want %d", what, got, want)
		}
	}
	turns("at first", 2)
	for i := range 3 * mostKnown {
		if !l.take(strconv.Itoa(i)) {
			t.Fatalf("sender %d has no turn", i)
		}
	}
	if len(l.free) > mostKnown {
		t.Errorf("%d senders are remembered, at most %d", len(l.free), mostKnown)
	}
	now = now.Add(time.Hour)
	turns("an hour later", 2)
	l.give("a")
	turns("given back", 1)
	now = now.Add(time.Minute)
	turns("a minute later", 1)
	if len(l.free) > mostKnown {
		t.Errorf("%d senders are remembered, at most %d", len(l.free), mostKnown)
	}
}
