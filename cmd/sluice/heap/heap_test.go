package heap

import (
	"context"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"testing"
	"time"
)

const megabyte = 1 << 20

func TestTheHeapGrowsToTheFloorOrToTwiceWhatIsLive(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name        string
		live, roots uint64
		want        int
	}{
		{"what a list has live", 10 * megabyte, 0, 300},
		{"roots count as live does", 8 * megabyte, 2 * megabyte, 320},
		{"half of the floor", 20 * megabyte, 0, 100},
		{"more than half of it", 30 * megabyte, 0, 100},
		{"the floor", 40 * megabyte, 0, 100},
		{"a large page", 70 * megabyte, 0, 100},
		{"hardly anything", megabyte, 0, 400},
		{"nothing", 0, 0, 400},
	} {
		if got := percent(c.live, c.roots); got != c.want {
			t.Errorf("%s: %d %%, want %d %%", c.name, got, c.want)
		}
	}
}

// TestEachCollectionDecidesAboutTheNext has nobody beside it: what it is about is the whole process's.
func TestEachCollectionDecidesAboutTheNext(t *testing.T) { //nolint:paralleltest // see above
	Steady(func(string) (string, bool) { return "", false })
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	var kept []byte
	for _, size := range []int{10, 100, 10, 100} {
		kept = make([]byte, size*megabyte)
		want := max(2*len(kept), floor)
		runtime.GC()
		for goal() < want*9/10 || goal() > want*12/10 { // the decision comes a moment behind the collection
			if ctx.Err() != nil {
				t.Fatalf("with %d MB live the heap grows to %d bytes, want %d or a little more", size, goal(), want)
			}
			runtime.Gosched()
		}
		runtime.KeepAlive(kept)
	}
}

func goal() int {
	now := []metrics.Sample{{Name: "/gc/heap/goal:bytes"}}
	metrics.Read(now)
	return int(now[0].Value.Uint64())
}

func TestWhoSetsItHasDecided(t *testing.T) { //nolint:paralleltest // as above
	before := debug.SetGCPercent(70)
	t.Cleanup(func() { debug.SetGCPercent(before) })
	for _, name := range []string{"GOGC", "GOMEMLIMIT"} {
		Steady(func(asked string) (string, bool) { return "", asked == name })
		if now := debug.SetGCPercent(70); now != 70 {
			t.Errorf("with %s set it is %d %%, want the 70 of before", name, now)
		}
	}
}
