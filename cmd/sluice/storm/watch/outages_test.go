package watch

import (
	"testing"
	"time"
)

func TestOutagesCountAsFarAsTheyLieBetween(t *testing.T) {
	t.Parallel()
	start := time.Date(2026, time.March, 1, 10, 0, 0, 0, time.UTC)
	at := func(seconds int) time.Time { return start.Add(time.Duration(seconds) * time.Second) }
	var o outages
	for _, look := range []struct {
		began, ended int
		answered     bool
	}{{0, 1, true}, {10, 11, false}, {12, 13, false}, {14, 15, true}, {16, 17, true}, {30, 31, false}, {39, 40, true}, {50, 51, false}} {
		o.looked(at(look.began), at(look.ended), look.answered)
	}
	// From 10 to 15, from 30 to 40, and one from 50 on that has not ended.
	for _, c := range []struct{ from, to, want int }{{0, 60, 15}, {0, 9, 0}, {12, 20, 3}, {12, 35, 8}, {31, 32, 1}, {15, 30, 0}, {40, 60, 0}} {
		if got := o.between(at(c.from), at(c.to)); got != time.Duration(c.want)*time.Second {
			t.Errorf("between %d and %d: %v, want %d s", c.from, c.to, got, c.want)
		}
	}
}
