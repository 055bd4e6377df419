package bench

import (
	"fmt"
	"time"
)

// mode is one way to hear of changes: by runs at an interval, or by callbacks and rarer runs.
type mode struct {
	// every is the interval, told that of runs while notifications are trusted; 0 without them.
	every, told time.Duration
	// share is the share of the measurement's days that is enough.
	share float64
}

// name returns the name of the mode's line.
func (m mode) name() string {
	if m.told > 0 {
		return fmt.Sprintf("waits told, and every %.0f h", m.told.Hours())
	}
	return fmt.Sprintf("waits every %.0f min", m.every.Minutes())
}

// The modes whose calls are compared, and all modes.
var (
	hourly   = mode{every: time.Hour, share: 1}
	notified = mode{every: time.Hour, told: wholeDay, share: 1}
)

func modes() []mode {
	return []mode{
		{every: 5 * time.Minute, share: 0.1}, {every: 15 * time.Minute, share: 0.2}, hourly, {every: time.Hour, told: wholeDay / 4, share: 1}, notified,
	}
}
