package planning_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"sluice/pipeline"
	"sluice/pipeline/planning"
	"sluice/pipeline/planning/cadence"
)

// How long changes wait under learned intervals, beside the best possible schedule in hindsight: a
// lower bound for every schedule with the same calls that knows the rates of changes and not their
// instants (docs/decisions/0013-schedules). Upstream has no faults, and runs take no time.

// company is an organization with lists that are read incrementally.
type company struct {
	limits pipeline.Limits
	zone   *time.Location
	// office says that most changes happen from 8 to 18 o'clock.
	office bool
	lists  []*changing
}

// changing is a list with its changes and its runs. Times are since began.
type changing struct {
	of               *company
	declared, every  time.Duration
	calls            int
	perHour          float64
	changed, arrived []time.Duration
	spent            []time.Duration
	last, due        time.Duration
	history          cadence.History
}

var began = time.Date(2026, time.January, 5, 0, 0, 0, 0, time.UTC)

const (
	floor = 5 * time.Minute
	// ceilingFactor is how many times the declared interval a learned one may be.
	ceilingFactor = 4
	day           = 24 * time.Hour
)

// rate returns the changes an hour in the hour that begins at an instant.
func (c *changing) rate(at time.Duration) float64 {
	if !c.of.office {
		return c.perHour
	}
	const share, inside = 0.8, 10.0
	if hour := began.Add(at).In(c.of.zone).Hour(); hour >= 8 && hour < 18 {
		return c.perHour * share * 24 / inside
	}
	return c.perHour * (1 - share) * 24 / (24 - inside)
}

// companies draws companies of all plans, whose lists have between 0.02 and 10 changes an hour.
func companies(t *testing.T, days int) []*company {
	t.Helper()
	chance := rand.New(rand.NewPCG(1, 3)) // it has to be repeatable
	var all []*company
	for i := range 20 {
		zone, err := time.LoadLocation([]string{"UTC", "Asia/Kolkata", "Europe/Berlin", "America/New_York"}[i%4])
		if err != nil {
			t.Fatal(err)
		}
		o := &company{zone: zone, office: chance.IntN(2) == 0, limits: pipeline.Limits{
			PerMinute: 100, Concurrent: 10, Daily: []int{1000, 1000, 1000, 1000, 1000, 2500, 2500, 5000, 5000, 10000}[i%10],
		}}
		for n := range 16 {
			c := &changing{of: o, declared: day, calls: 1, perHour: 0.02 * math.Pow(500, chance.Float64())}
			switch {
			case n < 1:
				c.declared = time.Hour
			case n < 6:
				c.declared = 8 * time.Hour
			case n >= 14: // without a filter: a run reads two pages twice
				c.calls = 4
			}
			c.every = c.declared
			for hour := range days * 24 {
				from := time.Duration(hour) * time.Hour
				for at := chance.ExpFloat64() / c.rate(from); at < 1; at += chance.ExpFloat64() / c.rate(from) {
					c.changed = append(c.changed, from+time.Duration(at*float64(time.Hour)))
				}
			}
			o.lists = append(o.lists, c)
		}
		all = append(all, o)
	}
	return all
}

// read runs a list once.
func (c *changing) read(now time.Duration) {
	for range c.calls {
		c.spent = append(c.spent, now)
	}
	before := len(c.arrived)
	for len(c.arrived) < len(c.changed) && c.changed[len(c.arrived)] < now {
		c.arrived = append(c.arrived, now)
	}
	if now > 0 {
		if len(c.history.Runs) == 0 {
			c.history.Since = began.Add(c.last)
		}
		c.history.Runs = append(c.history.Runs, cadence.Run{Start: began.Add(now), Changes: int64(len(c.arrived) - before), Calls: int64(c.calls)})
		if len(c.history.Runs) > 100 { // as many as the program looks at
			c.history.Since, c.history.Runs = c.history.Runs[0].Start, c.history.Runs[1:]
		}
	}
	c.last, c.due = now, now+c.every
}

// live lets a company run until end; learns says that it plans as the program does.
func (o *company) live(end time.Duration, learns bool) {
	for now := time.Duration(0); now < end; now += 30 * time.Second {
		for _, c := range o.lists {
			if c.due <= now {
				c.read(now)
			}
		}
		if !learns || now%planning.ReplanAfter != 0 {
			continue
		}
		histories := make([]cadence.History, len(o.lists))
		for i, c := range o.lists {
			histories[i] = c.history
		}
		usual := cadence.UsualHours(histories)
		streams := make([]cadence.Stream, len(o.lists))
		for i, c := range o.lists {
			streams[i] = cadence.Stream{
				Seen: c.history.Seen(began.Add(now), usual), Every: c.declared, Ceiling: ceilingFactor * c.declared, First: len(c.history.Runs) == 0,
			}
		}
		for i, interval := range cadence.Plan(streams, floor, o.allowed(), usual.Part(began.Add(now))) {
			c := o.lists[i]
			c.every = interval.Every
			c.due = min(c.due, max(now, c.last+c.every))
		}
	}
}

func (o *company) allowed() float64 {
	return planning.ScheduledCalls(o.limits, pipeline.ClassIncremental, 0)
}

// waiting holds how long the changes of a day wait, in seconds.
type waiting struct {
	sum   float64
	waits []wait
}

func (w *waiting) mean() float64 {
	changes := 0.0
	for _, one := range w.waits {
		changes += one.Changes
	}
	return w.sum / changes
}

func (w *waiting) p99() float64 { return percentile(w.waits, 0.99) }

// waited returns how long changes waited on a day, counted from 0, and the bound. A change that has
// not arrived at the end of the day counts until then, in both.
//
//nolint:nonamedreturns // the names say which is which
func waited(all []*company, number int) (ours, rates waiting) {
	from, to := time.Duration(number)*day, time.Duration(number+1)*day
	for _, o := range all {
		var stretches []stretch
		spent := 0.0
		for _, c := range o.lists {
			for i, at := range c.changed {
				if at < from || at >= to {
					continue
				}
				arrived := to
				if i < len(c.arrived) {
					arrived = min(arrived, c.arrived[i])
				}
				seconds := (arrived - at).Seconds()
				ours.sum += seconds
				ours.waits = append(ours.waits, wait{1, seconds, seconds})
			}
			for _, at := range c.spent {
				if at >= from && at < to {
					spent++
				}
			}
			joined := false
			for hour := from; hour < to; hour += time.Hour {
				rate := c.rate(hour) / time.Hour.Seconds()
				if joined && stretches[len(stretches)-1].Rate == rate {
					stretches[len(stretches)-1].Length += time.Hour.Seconds()
				} else {
					stretches = append(stretches, stretch{time.Hour.Seconds(), rate, float64(c.calls)})
				}
				joined = true
			}
		}
		b := bestByRates(stretches, max(spent, o.allowed()), floor.Seconds())
		rates.sum += b.Total
		rates.waits = append(rates.waits, b.Waits...)
	}
	return ours, rates
}

// TestTheScheduleIsNearTheOptimum: the learned schedule is near the best one that knows the rates:
// on the first day, in which it learns, and after that. Declared intervals are far from it, so the
// comparison sees a schedule that is not good.
func TestTheScheduleIsNearTheOptimum(t *testing.T) {
	t.Parallel()
	const days = 3
	learned, declared := companies(t, days), companies(t, days)
	for i := range learned {
		learned[i].live(days*day, true)
		declared[i].live(days*day, false)
	}
	for _, test := range []struct {
		day       int
		mean, p99 float64
	}{{0, 1.6, 1.6}, {2, 1.25, 2}} {
		ours, rates := waited(learned, test.day)
		mean, p99 := ours.mean()/rates.mean(), ours.p99()/rates.p99()
		t.Logf("day %d: changes wait %.0f s and at most %.0f s, %.2f and %.2f of the optimum", test.day+1, ours.mean(), ours.p99(), mean, p99)
		if mean < 1 || mean > test.mean || p99 > test.p99 {
			t.Errorf("day %d: %.2f and %.2f of the optimum, want 1 to %.2f and at most %.2f", test.day+1, mean, p99, test.mean, test.p99)
		}
	}
	if ours, rates := waited(declared, 0); ours.mean() < 5*rates.mean() {
		t.Errorf("declared intervals are %.2f of the optimum", ours.mean()/rates.mean())
	}
}

// TestWaitsAreCounted: one list with four changes, counted by hand. Runs at 6, 12 and 18 o'clock
// bring the first three of them after 60, 60 and 120 minutes; the last one waits for the end, 240
// minutes. The company may spend four calls, which make five gaps of 4.8 h: half of them on average.
func TestWaitsAreCounted(t *testing.T) {
	t.Parallel()
	o := &company{zone: time.UTC, limits: pipeline.Limits{Daily: 10}}
	c := &changing{of: o, calls: 1, perHour: 4.0 / 24, changed: []time.Duration{5 * time.Hour, 11 * time.Hour, 16 * time.Hour, 20 * time.Hour}}
	o.lists = []*changing{c}
	for _, at := range []time.Duration{6 * time.Hour, 12 * time.Hour, 18 * time.Hour} {
		c.read(at)
	}
	ours, rates := waited([]*company{o}, 0)
	got := fmt.Sprintf("%.2f h, %.2f h; %.2f h, %.2f h", ours.mean()/3600, ours.p99()/3600, rates.mean()/3600, rates.p99()/3600)
	if want := "2.00 h, 4.00 h; 2.40 h, 4.75 h"; got != want {
		t.Errorf("changes wait %s, want %s", got, want)
	}
}

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
