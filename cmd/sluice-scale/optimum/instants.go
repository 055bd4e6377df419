package optimum

// Stream is a stream whose changes are known in hindsight.
type Stream struct {
	// At are the instants of its changes, ascending, from zero on.
	At []float64
	// Calls is the number of calls that one run takes at least.
	Calls float64
}

// Instants returns the bound for schedules that know the instant of every change, with so many
// calls until end. Changes that no run brings wait until end. The waits are in the order of the
// streams and of their changes.
//
// A run is best right after a change. So the best runs of one stream at a price for a call are
// found exactly, change by change. The streams share the calls by the price: the sum of their
// optima less the price of all calls is a lower bound for any price (the Lagrangian dual).
func Instants(streams []Stream, end, calls float64) Bound {
	price := priceOf(calls, func(price float64) float64 {
		spent := 0.0
		for i := range streams {
			runs, _ := streams[i].runs(end, price)
			spent += streams[i].Calls * float64(len(runs))
		}
		return spent
	})
	bound := Bound{Total: -price * calls}
	for i := range streams {
		s := &streams[i]
		runs, total := s.runs(end, price)
		bound.Total += total
		next := 0
		for change, at := range s.At {
			for next < len(runs) && runs[next] < change {
				next++
			}
			wait := end - at
			if next < len(runs) {
				wait = s.At[runs[next]] - at
			}
			bound.Waits = append(bound.Waits, Wait{1, wait, wait})
		}
	}
	bound.Total = max(bound.Total, 0)
	return bound
}

// line is the cost of going on from a run, as a function of the instant of the next run: the
// changes between both wait for the next.
type line struct {
	slope, offset float64
	from          int // the number of changes that the run and those before it brought
}

func (l *line) at(x float64) float64 { return l.slope*x + l.offset }

// runs returns the changes after which the stream is best read if a call has this price, and the
// waits and prices in sum.
//
// Of the first j changes, with a run at the last of them, the cost is best(j) = price + the minimum
// over i < j of best(i) + the waits of changes i+1 to j. The waits are (j-i) × at(j) less the sum
// of at(i+1) to at(j): a line in at(j) for each i. The slopes fall and the instants grow, so the
// lowest line is found by moving along a queue (the convex hull).
func (s *Stream) runs(end, price float64) ([]int, float64) {
	before := make([]int, len(s.At)+1)
	hull := []line{{0, 0, 0}}
	sum := 0.0
	step := func(x float64) line {
		for len(hull) > 1 && hull[1].at(x) <= hull[0].at(x) {
			hull = hull[1:]
		}
		return hull[0]
	}
	for j, x := range s.At {
		sum += x
		n := float64(j + 1)
		least := step(x)
		best := price*s.Calls + n*x - sum + least.at(x)
		before[j+1] = least.from
		next := line{-n, best + sum, j + 1}
		for len(hull) > 1 {
			a, b := &hull[len(hull)-2], &hull[len(hull)-1]
			// b is never lowest if the next line meets a before b does.
			if (next.offset-a.offset)*(a.slope-b.slope) > (b.offset-a.offset)*(a.slope-next.slope) {
				break
			}
			hull = hull[:len(hull)-1]
		}
		hull = append(hull, next)
	}
	last := step(end)
	var runs []int
	for j := last.from; j > 0; j = before[j] {
		runs = append(runs, j-1)
	}
	for i, j := 0, len(runs)-1; i < j; i, j = i+1, j-1 {
		runs[i], runs[j] = runs[j], runs[i]
	}
	return runs, float64(len(s.At))*end - sum + last.at(end)
}
