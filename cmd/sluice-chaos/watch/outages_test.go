package watch

import (
	"testing"
	"time"
)

func TestAnOutageLastsFromTheFirstLookInVainToTheNextAnswer(t *testing.T) {
	t.Parallel()
	start := time.Date(2026, time.March, 1, 10, 0, 0, 0, time.UTC)
	at := func(seconds int) time.Time { return start.Add(time.Duration(seconds) * time.Second) }
	var o outages
	for _, look := range []struct {
		began, ended int
		answered     bool
		longest      int
	}{
		{0, 1, true, 0}, {10, 11, false, 0}, {12, 13, false, 0}, {14, 15, true, 5}, {16, 17, true, 5},
		{30, 31, false, 5}, {39, 40, true, 10}, {50, 51, false, 10}, {52, 53, true, 10},
	} {
		if o.looked(at(look.began), at(look.ended), look.answered); o.longest != time.Duration(look.longest)*time.Second {
			t.Errorf("after the look at %d: %v, want %d s", look.began, o.longest, look.longest)
		}
	}
}
