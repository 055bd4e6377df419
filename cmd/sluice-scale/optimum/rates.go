// Package optimum computes how long changes wait under the best possible schedules, in hindsight:
// lower bounds for every schedule with the same calls. It is pure and knows nothing of sluice's own
// schedule.
//
// All times are in seconds. Start reading at Rates and Instants;
// docs/decisions/0013-schedules says why these are bounds.
package optimum

import "math"

// Stretch is a time in which changes of one stream arrive at one rate.
type Stretch struct {
	// Length is how long it is; Rate is the number of changes a second.
	Length, Rate float64
	// Calls is the number of calls that one run takes at least.
	Calls float64
}

// Wait says that so many changes wait between From and To, spread evenly.
type Wait struct{ Changes, From, To float64 }

// Bound is what the best schedule achieves: the sum of the waits of all changes, and how they are
// distributed.
type Bound struct {
	Total float64
	Waits []Wait
}

// halvings is the number of bisection steps for the price of a call.
const halvings = 100

// Rates returns the bound for schedules that know the rates of all streams but not the instants of
// the changes, with so many calls and no two runs of a stream closer than floor.
//
// In a stretch of length L with n runs, changes wait at least rate × L² / 2(n+1): n runs make n+1
// gaps, equal gaps are best, and the changes of the last gap wait at least for the end of the
// stretch. The sum over all stretches is minimized over all n, whole or not, by a price for a call.
// The value for any price is a lower bound (the Lagrangian dual), so the bisection cannot make it
// too high.
func Rates(stretches []Stretch, calls, floor float64) Bound {
	gaps := func(s Stretch, price float64) float64 {
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
	bound := Bound{Total: -price * calls}
	for _, s := range stretches {
		n := gaps(s, price)
		gap := s.Length / n
		bound.Total += s.Rate*s.Length*gap/2 + price*s.Calls*(n-1) //nolint:mnd // half a gap on average
		bound.Waits = append(bound.Waits, Wait{s.Rate * s.Length, 0, gap})
	}
	return bound
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

// Percentile returns how long so large a share of the changes waits at most.
func Percentile(waits []Wait, share float64) float64 {
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
