package optimum_test

import (
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"sluice/cmd/sluice-scale/optimum"
)

func near(a, b float64) bool { return math.Abs(a-b) <= 1e-6*max(1, math.Abs(b)) }

// TestRates: the waits are computed by hand.
func TestRates(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		stretches    []optimum.Stretch
		calls, floor float64
		total        float64
	}{
		// Ten changes wait 50 s on average.
		"no calls": {[]optimum.Stretch{{100, 0.1, 1}}, 0, 0, 500},
		// Three runs make four gaps of 25 s.
		"three calls":            {[]optimum.Stretch{{100, 0.1, 1}}, 3, 0, 125},
		"three runs of two each": {[]optimum.Stretch{{100, 0.1, 2}}, 6, 0, 125},
		// Four times the changes get twice the gaps: 6 and 3. 40 changes wait 25/3 s and 10 wait
		// 50/3 s on average.
		"two streams": {[]optimum.Stretch{{100, 0.4, 1}, {100, 0.1, 1}}, 7, 0, 500},
		// 50 s apart, at most 3 runs and 4 gaps.
		"a floor": {[]optimum.Stretch{{100, 0.1, 1}}, 1000, 50, 125},
	} {
		got := optimum.Rates(test.stretches, test.calls, test.floor)
		if !near(got.Total, test.total) {
			t.Errorf("%s: the sum is %f, want %f", name, got.Total, test.total)
		}
	}
}

// TestNoScheduleBeatsRates: expected waits of random schedules, gap by gap, never fall below the
// bound for the calls that they take.
func TestNoScheduleBeatsRates(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		const end = 1000.0
		waits, calls := 0.0, 0.0
		var stretches []optimum.Stretch
		for range rapid.IntRange(1, 4).Draw(t, "streams") {
			cost := float64(rapid.IntRange(1, 3).Draw(t, "cost"))
			// The rate changes once.
			turn := rapid.Float64Range(1, end-1).Draw(t, "turn")
			first, second := rapid.Float64Range(0, 1).Draw(t, "first"), rapid.Float64Range(0, 1).Draw(t, "second")
			stretches = append(stretches, optimum.Stretch{turn, first, cost}, optimum.Stretch{end - turn, second, cost})
			runs := append(rapid.SliceOfN(rapid.Float64Range(0, end), 0, 5).Draw(t, "runs"), end)
			calls += cost * float64(len(runs)-1)
			// The changes from a to b at one rate wait for the next run: rate × ((run-a)² -
			// (run-b)²) / 2.
			slices.Sort(runs)
			from := 0.0
			for _, run := range runs {
				for _, part := range []struct{ a, b, rate float64 }{{from, min(run, turn), first}, {max(from, turn), run, second}} {
					if part.a < part.b {
						waits += part.rate * ((run-part.a)*(run-part.a) - (run-part.b)*(run-part.b)) / 2
					}
				}
				from = run
			}
		}
		if bound := optimum.Rates(stretches, calls, 0); bound.Total > waits*(1+1e-9) {
			t.Fatalf("a schedule of %g calls lets changes wait %f, below the bound %f", calls, waits, bound.Total)
		}
	})
}

// least tries all subsets of runs right after changes, over all streams, and returns the least sum
// of waits with so many calls.
func least(streams []optimum.Stream, end, calls float64) float64 {
	if len(streams) == 0 {
		return 0
	}
	s := streams[0]
	best := math.Inf(1)
	for set := range 1 << len(s.At) {
		spent, waits, next := 0.0, 0.0, end
		for i, at := range slices.Backward(s.At) {
			if set>>i&1 == 1 {
				next, spent = at, spent+s.Calls
			}
			waits += next - at
		}
		if spent <= calls {
			best = min(best, waits+least(streams[1:], end, calls-spent))
		}
	}
	return best
}

// TestInstantsAgainstAllSchedules: the bound is never above the best of all schedules, its own
// schedule takes no more calls than there are, and for the calls that it takes it is the best.
func TestInstantsAgainstAllSchedules(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		const end = 100.0
		var streams []optimum.Stream
		for range rapid.IntRange(1, 2).Draw(t, "streams") {
			s := optimum.Stream{Calls: float64(rapid.IntRange(1, 2).Draw(t, "cost"))}
			at := 0.0
			for range rapid.IntRange(0, 6).Draw(t, "changes") {
				at += float64(rapid.IntRange(0, 16).Draw(t, "pause"))
				s.At = append(s.At, at)
			}
			streams = append(streams, s)
		}
		calls := float64(rapid.IntRange(0, 24).Draw(t, "calls"))
		bound := optimum.Instants(streams, end, calls)
		best := least(streams, end, calls)
		if bound.Total > best+1e-6 {
			t.Fatalf("the bound %f is above the best schedule, %f", bound.Total, best)
		}
		achieved := 0.0
		for _, w := range bound.Waits {
			achieved += w.Changes * w.From
		}
		if achieved < best-1e-6 {
			t.Fatalf("its schedule achieves %f with at most %g calls, and the best is %f", achieved, calls, best)
		}
		if calls >= 24 && bound.Total > 1e-6 {
			t.Fatalf("with a call for every change the bound is %f", bound.Total)
		}
	})
}

// TestInstants: computed by hand. Of changes at 0, 10 and 90, one run is best after the second.
func TestInstants(t *testing.T) {
	t.Parallel()
	streams := []optimum.Stream{{At: []float64{0, 10, 90}, Calls: 1}}
	for calls, want := range map[float64]float64{0: 200, 1: 20, 2: 10, 3: 0, 9: 0} {
		if got := optimum.Instants(streams, 100, calls); !near(got.Total, want) {
			t.Errorf("%g calls: %f, want %f", calls, got.Total, want)
		}
	}
}

// TestPercentile: of 99 changes that wait up to 10 s and one that waits a minute.
func TestPercentile(t *testing.T) {
	t.Parallel()
	waits := []optimum.Wait{{99, 0, 10}, {1, 60, 60}}
	for share, want := range map[float64]float64{0.495: 5, 0.99: 10, 0.995: 60} {
		if got := optimum.Percentile(waits, share); !near(got, want) {
			t.Errorf("%g of them wait at most %f, want %f", share, got, want)
		}
	}
}
