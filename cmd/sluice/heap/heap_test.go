package heap

import (
	"context"
	"fmt"
	"os"
	"os/exec"
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

// heapEnv makes the test program one that only begins, and says what was decided: what a process's environment says is the runtime's, too.
const heapEnv = "HEAP_TEST_CHILD"

func TestMain(m *testing.M) {
	if os.Getenv(heapEnv) == "" {
		os.Exit(m.Run())
	}
	Steady(os.LookupEnv)
	fmt.Print(debug.SetGCPercent(usual))
}

func TestWhoSetsItHasDecided(t *testing.T) {
	t.Parallel()
	for setting, want := range map[string]string{"GOGC=70": "70", "GOGC=off": "-1", "GOMEMLIMIT=70MiB": "100", "OTHER=1": "400"} {
		child := exec.CommandContext(t.Context(), os.Args[0])
		child.Env = []string{heapEnv + "=1", setting}
		if got, err := child.Output(); err != nil || string(got) != want {
			t.Errorf("with %s it is %s %%, want %s: %v", setting, got, want, err)
		}
	}
}

// TestEachCollectionDecidesAboutTheNext has nobody beside it: what it is about is the whole process's.
func TestEachCollectionDecidesAboutTheNext(t *testing.T) { //nolint:paralleltest // see above
	Steady(func(string) (string, bool) { return "", false })
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	var kept []byte
	// As much again as is live, as far as the ceiling leaves room for it.
	goals := map[int]int{10: 40 * megabyte, 100: 149 * megabyte}
	for _, size := range []int{10, 100, 10, 100} {
		kept = make([]byte, size*megabyte)
		want := goals[size]
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
