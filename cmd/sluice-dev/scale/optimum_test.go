package scale

import (
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// How long changes wait under the best possible schedules, in hindsight: lower bounds for every
// schedule with the same calls. All times are in seconds. Start reading at bestByRates;
// docs/decisions/0013-schedules says why these are bounds.

// stretch is a time in which changes of one stream arrive at one rate.
type stretch struct {
	// Length is how long it is; Rate is the number of changes a second.
	Length, Rate float64
	// Calls is the number of calls that one run takes at least.
	Calls float64
}

// wait says that so many changes wait between From and To, spread evenly.
type wait struct{ Changes, From, To float64 }

// best is what the best schedule achieves: the sum of the waits of all changes, and how they are
// distributed.
type best struct {
	Total float64
	Waits []wait
}

// halvings is the number of bisection steps for the price of a call.
const halvings = 100

// bestByRates returns the bound for schedules that know the rates of all streams but not the instants of
// the changes, with so many calls and no two runs of a stream closer than floor.
//
// In a stretch of length L with n runs, changes wait at least rate × L² / 2(n+1): n runs make n+1
// gaps, equal gaps are best, and the changes of the last gap wait at least for the end of the
// stretch. The sum over all stretches is minimized over all n, whole or not, by a price for a call.
// The value for any price is a lower bound (the Lagrangian dual), so the bisection cannot make it
// too high.
func bestByRates(stretches []stretch, calls, floor float64) best {
	gaps := func(s stretch, price float64) float64 {
		most := math.Inf(1)
		if floor > 0 {
			most = s.Length/floor + 2 //nolint:mnd // n runs span n-1 floors and make n+1 gaps
		}
		return min(max(s.Length*math.Sqrt(s.Rate/(2*s.Calls*price)), 1), most) //nolint:mnd // the root of the derivative
	}
	price := priceOf(calls, func(price float64) float64 {
		spent := 0.0
		for _, s := range stretches {
			spent += s.Calls * (gaps(s, price) - 1)
		}
		return spent
	})
	b := best{Total: -price * calls}
	for _, s := range stretches {
		n := gaps(s, price)
		gap := s.Length / n
		b.Total += s.Rate*s.Length*gap/2 + price*s.Calls*(n-1) //nolint:mnd // half a gap on average
		b.Waits = append(b.Waits, wait{s.Rate * s.Length, 0, gap})
	}
	return b
}

// priceOf returns the lowest price of a call at which no more calls are spent than there are.
func priceOf(calls float64, spent func(price float64) float64) float64 {
	const free = 1e-12 // seconds of waiting; a price of zero would divide by zero
	if spent(free) <= calls {
		return free
	}
	low, high := free, 1.0
	for spent(high) > calls {
		low, high = high, 2*high //nolint:mnd // the next power
	}
	for range halvings {
		if middle := low + (high-low)/2; spent(middle) > calls { //nolint:mnd // the half
			low = middle
		} else {
			high = middle
		}
	}
	return high
}

// percentile returns how long so large a share of the changes waits at most.
func percentile(waits []wait, share float64) float64 {
	all, high := 0.0, 0.0
	for _, w := range waits {
		all, high = all+w.Changes, max(high, w.To)
	}
	low := 0.0
	for range halvings {
		middle, longer := low+(high-low)/2, 0.0 //nolint:mnd // the half
		for _, w := range waits {
			switch {
			case w.From > middle:
				longer += w.Changes
			case w.To > middle:
				longer += w.Changes * (w.To - middle) / (w.To - w.From)
			}
		}
		if longer > all*(1-share) {
			low = middle
		} else {
			high = middle
		}
	}
	return high
}

func near(a, b float64) bool { return math.Abs(a-b) <= 1e-6*max(1, math.Abs(b)) }

// TestRates: the waits are computed by hand.
func TestRates(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		stretches    []stretch
		calls, floor float64
		total        float64
	}{
		// Ten changes wait 50 s on average.
		"no calls": {[]stretch{{100, 0.1, 1}}, 0, 0, 500},
		// Three runs make four gaps of 25 s.
		"three calls":            {[]stretch{{100, 0.1, 1}}, 3, 0, 125},
		"three runs of two each": {[]stretch{{100, 0.1, 2}}, 6, 0, 125},
		// Four times the changes get twice the gaps: 6 and 3. 40 changes wait 25/3 s and 10 wait
		// 50/3 s on average.
		"two streams": {[]stretch{{100, 0.4, 1}, {100, 0.1, 1}}, 7, 0, 500},
		// 50 s apart, at most 3 runs and 4 gaps.
		"a floor": {[]stretch{{100, 0.1, 1}}, 1000, 50, 125},
	} {
		got := bestByRates(test.stretches, test.calls, test.floor)
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
		var stretches []stretch
		for range rapid.IntRange(1, 4).Draw(t, "streams") {
			cost := float64(rapid.IntRange(1, 3).Draw(t, "cost"))
			// The rate changes once.
			turn := rapid.Float64Range(1, end-1).Draw(t, "turn")
			first, second := rapid.Float64Range(0, 1).Draw(t, "first"), rapid.Float64Range(0, 1).Draw(t, "second")
			stretches = append(stretches, stretch{turn, first, cost}, stretch{end - turn, second, cost})
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
		if bound := bestByRates(stretches, calls, 0); bound.Total > waits*(1+1e-9) {
			t.Fatalf("a schedule of %g calls lets changes wait %f, below the bound %f", calls, waits, bound.Total)
		}
	})
}

// TestPercentile: of 99 changes that wait up to 10 s and one that waits a minute.
func TestPercentile(t *testing.T) {
	t.Parallel()
	waits := []wait{{99, 0, 10}, {1, 60, 60}}
	for share, want := range map[float64]float64{0.495: 5, 0.99: 10, 0.995: 60} {
		if got := percentile(waits, share); !near(got, want) {
			t.Errorf("%g of them wait at most %f, want %f", share, got, want)
		}
	}
}
