package scale

import (
	"math"
	"testing"
	"time"

	"sluice/pipeline"
	"sluice/pipeline/planning"
	"sluice/pipeline/planning/cadence"
)

// calm is a stream of an upstream without faults: runs begin on time and take no time.
type calm struct {
	*stream

	history cadence.History
	due     instant
	every   time.Duration
	last    instant
}

// read runs the stream once.
func (c *calm) read(now instant) {
	for range c.calls {
		c.spend(now)
	}
	from, before := epoch().Add(c.fresh), c.loaded
	c.started = now
	changes := c.bring(now)
	c.clean(now)
	if before {
		if len(c.history.Runs) == 0 {
			c.history.Since = from
		}
		c.history.Runs = append(c.history.Runs, cadence.Run{Start: epoch().Add(now), Changes: changes, Calls: int64(c.calls)})
		if len(c.history.Runs) > 100 { // as many as the program looks at
			c.history.Since, c.history.Runs = c.history.Runs[0].Start, c.history.Runs[1:]
		}
	}
	c.last, c.due = now, now+c.every
}

// live lets an organization run without faults, other clients and waits until end; plan, if given,
// sets the intervals anew every ten minutes.
func live(o *organization, end instant, plan func(o *organization, list []*calm, now time.Time)) {
	o.outages, o.others, o.share = nil, alone, 0
	var list []*calm
	for _, st := range o.streams {
		if st.class == pipeline.ClassIncremental {
			list = append(list, &calm{stream: st, every: st.every})
		}
	}
	for now := instant(0); now < end; now += 30 * time.Second {
		for _, c := range list {
			if c.due <= now {
				c.read(now)
			}
		}
		if plan != nil && now%planning.ReplanAfter == 0 {
			plan(o, list, epoch().Add(now))
			for _, c := range list {
				c.due = min(c.due, max(now, c.last+c.every))
			}
		}
	}
}

// learn plans as the program does.
func learn(o *organization, list []*calm, now time.Time) {
	histories := make([]cadence.History, len(list))
	for i, c := range list {
		histories[i] = c.history
	}
	usual := cadence.UsualHours(histories)
	streams := make([]cadence.Stream, len(list))
	for i, c := range list {
		streams[i] = cadence.Stream{
			Seen: c.history.Seen(now, usual), Every: c.stream.every, Ceiling: c.ceiling, First: c.loaded && len(c.history.Runs) == 0,
		}
	}
	for i, interval := range cadence.Plan(streams, scheduleFloor, o.allowed(), usual.Part(now)) {
		list[i].every = interval.Every
	}
}

// lives returns a fleet after some days.
func lives(t *testing.T, days int, plan func(*organization, []*calm, time.Time)) *simulation {
	t.Helper()
	s := usual()
	s.Organizations, s.Days, s.Adaptive = 20, days, true
	all, err := fleet(s)
	if err != nil {
		t.Fatal(err)
	}
	end := time.Duration(days) * 24 * time.Hour
	for _, o := range all {
		live(o, end, plan)
	}
	return &simulation{scenario: s, organizations: all, end: end}
}

// waiting is how long the changes of a window wait.
type waiting struct {
	sum   float64 // seconds
	waits []wait
}

func (w *waiting) add(waits ...wait) {
	for _, one := range waits {
		w.sum += one.Changes * (one.From + one.To) / 2
	}
	w.waits = append(w.waits, waits...)
}

// mean and p99 are in seconds.
func (w *waiting) mean() float64 {
	changes := 0.0
	for _, one := range w.waits {
		changes += one.Changes
	}
	return w.sum / max(changes, 1)
}

func (w *waiting) p99() float64 { return percentile(w.waits, 0.99) }

// waited returns how long the changes of organizations waited in a window, and the bound for
// schedules that know the rates. A change that has not arrived at the end of the window counts until
// then, in both.
//
//nolint:nonamedreturns // the names say which is which
func waited(organizations []*organization, window span) (ours, rates *waiting) {
	ours, rates = new(waiting), new(waiting)
	for _, o := range organizations {
		for _, seconds := range o.waits(window) {
			ours.add(wait{1, seconds, seconds})
		}
		var stretches []stretch
		spent, besides := 0.0, 0.0 // calls of incremental runs, and others of ours
		for _, st := range o.streams {
			if st.class != pipeline.ClassIncremental {
				besides += st.spentIn(window)
				continue
			}
			spent += st.spentIn(window)
			list, out := st.stretches(window)
			stretches = append(stretches, list...)
			rates.add(out...)
		}
		days := (window.To - window.From).Hours() / hoursADay
		left := float64(o.limits.Daily)*days*(1-o.share) - besides
		b := bestByRates(stretches, max(spent, min(o.allowed()*days, left)), scheduleFloor.Seconds())
		rates.sum += b.Total
		rates.waits = append(rates.waits, b.Waits...)
	}
	return ours, rates
}

// allowed returns the calls of a day for incremental runs. What other clients spend in sight is not
// among them.
func (o *organization) allowed() float64 {
	external := 0.0
	if o.others == seen {
		external = o.share * float64(o.limits.Daily)
	}
	return planning.ScheduledCalls(o.limits, pipeline.ClassIncremental, int64(external))
}

// back returns the end of the outages at an instant, or the instant itself if upstream is there.
func (o *organization) back(at instant) instant {
	for i := 0; i < len(o.outages); i++ {
		if o.outages[i].From <= at && at < o.outages[i].To {
			at, i = o.outages[i].To, -1 // another outage may go on
		}
	}
	return at
}

// next returns the next instant in a window at which a rate may change, or an outage begin or end.
func (o *organization) next(at instant, window span) instant {
	next := min(window.To, at.Truncate(time.Hour)+time.Hour)
	for _, outage := range o.outages {
		for _, edge := range []instant{outage.From, outage.To} {
			if edge > at {
				next = min(next, edge)
			}
		}
	}
	return next
}

// stretches divides a window into times of one rate, and returns them with the changes during
// outages: these wait for the end of their outage at least.
func (s *stream) stretches(window span) ([]stretch, []wait) {
	var list []stretch
	var waits []wait
	joined := false
	for at := window.From; at < window.To; {
		to := s.of.next(at, window)
		rate := s.rate(at) / time.Hour.Seconds()
		length := (to - at).Seconds()
		switch back := min(s.of.back(at), window.To); {
		case back > at:
			waits = append(waits, wait{Changes: rate * length, From: (back - to).Seconds(), To: (back - at).Seconds()})
			joined = false
		case joined && list[len(list)-1].Rate == rate:
			list[len(list)-1].Length += length
		default:
			list = append(list, stretch{Length: length, Rate: rate, Calls: float64(s.calls)})
			joined = true
		}
		at = to
	}
	return list, waits
}

// spentIn returns the calls in a window of whole hours.
func (s *stream) spentIn(window span) float64 {
	sum := 0
	for hour, calls := range s.spent {
		if at := time.Duration(hour) * time.Hour; at >= window.From && at < window.To {
			sum += calls
		}
	}
	return float64(sum)
}

// TestTheScheduleIsNearTheOptimum: without faults, the learned schedule is near the best one that
// knows the rates: on the first day, in which it learns, and after that.
func TestTheScheduleIsNearTheOptimum(t *testing.T) {
	t.Parallel()
	sim := lives(t, 3, learn)
	for _, test := range []struct {
		day       int
		mean, p99 float64
	}{{0, 1.6, 1.6}, {2, 1.25, 2}} {
		ours, rates := waited(sim.organizations, dayOf(test.day))
		mean, p99 := ours.mean()/rates.mean(), ours.p99()/rates.p99()
		if mean > test.mean || p99 > test.p99 {
			t.Errorf("day %d: %.2f and %.2f of the optimum, want at most %.2f and %.2f", test.day+1, mean, p99, test.mean, test.p99)
		}
		if mean < 1 {
			t.Errorf("day %d: changes wait %.0f s, and the bound is %.0f s", test.day+1, ours.mean(), rates.mean())
		}
	}
}

// TestDeclaredIntervalsAreFarFromTheOptimum: the comparison sees a schedule that is not good.
func TestDeclaredIntervalsAreFarFromTheOptimum(t *testing.T) {
	t.Parallel()
	sim := lives(t, 1, nil)
	ours, rates := waited(sim.organizations, span{From: 0, To: 24 * time.Hour})
	if ratio := ours.mean() / rates.mean(); ratio < 5 {
		t.Errorf("declared intervals are %.2f of the optimum", ratio)
	}
}

// TestWaitsAreReported: one stream with four changes, counted by hand. Runs at 6, 12 and 18 o'clock
// bring the first three of them after 60, 60 and 120 minutes; the last one waits for the end, 240
// minutes. So the mean is 2 h and the 99th percentile 4 h.
func TestWaitsAreReported(t *testing.T) {
	t.Parallel()
	o := &organization{zone: time.UTC, limits: pipeline.Limits{Daily: 10}}
	st := &stream{of: o, class: pipeline.ClassIncremental, calls: 1, perHour: 4.0 / 24, changed: []instant{5 * time.Hour, 11 * time.Hour, 16 * time.Hour, 20 * time.Hour}}
	o.streams = []*stream{st}
	for _, at := range []instant{6 * time.Hour, 12 * time.Hour, 18 * time.Hour} {
		st.spend(at)
		st.started = at
		st.bring(at)
	}
	v := verdict{}
	v.waits(&simulation{organizations: []*organization{o}, end: 24 * time.Hour})
	if len(v.Lines) != 1 || v.Lines[0] != (line{"a change waits, mean / p99, hours 0 to 24", "", "2h0m0s / 4h0m0s"}) {
		t.Errorf("got %q", v.Lines)
	}
	// Four calls, four tenths of ten, make five gaps: 4.8 h, half of them on average, and 0.99 of
	// one at most.
	if _, rates := waited([]*organization{o}, span{0, 24 * time.Hour}); !near(rates.mean(), 2.4*3600) || !near(rates.p99(), 0.99*4.8*3600) {
		t.Errorf("the best schedule lets changes wait %f s, 99 of 100 at most %f", rates.mean(), rates.p99())
	}
}

// TestChangesOfAnOutageWait: an outage from 10 to 12 o'clock, and another that goes on until 13.
// Two changes an hour are six in that time, which wait up to 3 h.
func TestChangesOfAnOutageWait(t *testing.T) {
	t.Parallel()
	hour := time.Hour
	o := &organization{zone: time.UTC, outages: []span{{From: 10 * hour, To: 12 * hour}, {From: 11 * hour, To: 13 * hour}}}
	st := &stream{of: o, calls: 1, perHour: 2}
	list, waits := st.stretches(span{From: 0, To: 24 * hour})
	if len(list) != 2 || list[0].Length != 36000 || list[1].Length != 39600 {
		t.Errorf("stretches %+v, want 10 h and 11 h", list)
	}
	var w waiting
	w.add(waits...)
	if mean, half := w.mean()/3600, percentile(waits, 0.5)/3600; math.Abs(mean-1.5) > 1e-9 || math.Abs(half-1.5) > 1e-9 {
		t.Errorf("they wait %f h, half of them at most %f, want 1.5", mean, half)
	}
}

// TestOfficeHours: of 24 changes a day, 80 % come from 8 to 18 in the organization's zone.
func TestOfficeHours(t *testing.T) {
	t.Parallel()
	berlin, err := time.LoadLocation("Europe/Berlin")
	if err != nil {
		t.Fatal(err)
	}
	st := &stream{of: &organization{zone: berlin, office: true}, perHour: 1}
	sum := 0.0
	for hour := range 24 {
		rate := st.rate(time.Duration(hour) * time.Hour)
		sum += rate
		if office := hour >= 7 && hour < 17; office != (rate > 1.5) { // an hour behind Berlin
			t.Errorf("%d o'clock UTC brings %f changes", hour, rate)
		}
	}
	if noon := st.rate(12 * time.Hour); math.Abs(noon-1.92) > 1e-9 || math.Abs(sum-24) > 1e-9 {
		t.Errorf("noon brings %f and the day %f, want 1.92 and 24", noon, sum)
	}
}

// dayOf is a day of a simulation, counted from 0.
func dayOf(n int) span {
	from := time.Duration(n) * 24 * time.Hour
	return span{From: from, To: from + 24*time.Hour}
}
