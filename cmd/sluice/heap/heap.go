// Package heap decides when garbage is collected: when the heap has reached a floor, or twice what is live where that is more
// (docs/decisions/0021-loading-at-copy-speed). Below the floor Go's own rule, twice what is live, makes the peak depend on what happened to be live at
// the collection before, so that a long run takes more memory than a short one; and it collects more often than 40 MB are worth.
//
// Start reading at Steady.
package heap

import (
	"runtime"
	"runtime/debug"
	"runtime/metrics"
)

const (
	// floor is what the heap may always grow to, in bytes. Copying a list has up to some 19 MB live, so that it is what counts there.
	floor = 40 << 20
	// usual is Go's own rule: as much garbage as there is that is live, in percent.
	usual = 100
	// ceiling is what the program keeps below where that can be done by collecting, in bytes; room is left above what is live in any case.
	ceiling, room = 96 << 20, 24 << 20
	// most bounds how far the heap grows behind a collection that found far more live than the one before, until it is decided anew.
	most = 400
)

// Steady keeps the process to the floor from now on. Whoever sets GOGC or GOMEMLIMIT has decided otherwise, and nothing happens.
func Steady(lookupEnv func(string) (string, bool)) {
	for _, name := range []string{"GOGC", "GOMEMLIMIT"} {
		if _, set := lookupEnv(name); set {
			return
		}
	}
	collected(new(cycle))
}

// cycle is garbage from the beginning, so that a collection finds it and calls for what comes at its end.
type cycle struct{ _ *byte }

// collected decides about the next collection, and sees to it that it is called at the end of that one, too.
func collected(c *cycle) {
	now := []metrics.Sample{{Name: "/gc/heap/live:bytes"}, {Name: "/gc/scan/stack:bytes"}, {Name: "/gc/scan/globals:bytes"}}
	metrics.Read(now)
	live, roots := now[0].Value.Uint64(), now[1].Value.Uint64()+now[2].Value.Uint64()
	debug.SetGCPercent(percent(live, roots))
	debug.SetMemoryLimit(limit(live))
	runtime.SetFinalizer(c, collected)
}

// limit is what all memory of the program is kept below by collecting more often: what one answer takes for a moment is given back before
// more is asked of the system. Where so much is live that the limit would be met again and again, it gives way.
func limit(live uint64) int64 {
	return int64(max(ceiling, live+live/4+room)) //nolint:gosec // no machine has that much
}

// percent makes the heap grow to the floor. Source: "A Guide to the Go Garbage Collector", GOGC: the target is
// live heap + (live heap + roots) * GOGC / 100.
func percent(live, roots uint64) int {
	if live >= floor {
		return usual
	}
	return int(min(max((floor-live)*100/max(live+roots, 1), usual), most))
}
