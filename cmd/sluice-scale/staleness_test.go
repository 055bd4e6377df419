package main

import (
	"math"
	"strings"
	"testing"
	"time"

	"sluice/cmd/sluice-scale/optimum"
	"sluice/cmd/sluice-scale/upstream"
	"sluice/cmd/sluice-scale/virtual"
	"sluice/pipeline"
	"sluice/pipeline/planning"
	"sluice/pipeline/planning/cadence"
)

// calm is a stream of an upstream without faults: runs begin on time and take no time.
type calm struct {
	*stream

	history cadence.History
	due     virtual.Instant
	every   time.Duration
	last    virtual.Instant
}

// read runs the stream once.
func (c *calm) read(now virtual.Instant) {
	for range c.calls {
		c.spend(now)
	}
	from, before := virtual.Began().Add(c.fresh), c.loaded
	c.started = now
	changes := c.bring(now)
	c.clean(now)
	if before {
		if len(c.history.Runs) == 0 {
			c.history.Since = from
		}
		c.history.Runs = append(c.history.Runs, cadence.Run{Start: virtual.Began().Add(now), Changes: changes, Calls: int64(c.calls)})
		if len(c.history.Runs) > 100 { // as many as the program looks at
			c.history.Since, c.history.Runs = c.history.Runs[0].Start, c.history.Runs[1:]
		}
	}
	c.last, c.due = now, now+c.every
}

// live lets an organization run without faults, other clients and waits until end; plan, if given,
// sets the intervals anew every ten minutes.
func live(o *organization, end virtual.Instant, plan func(o *organization, list []*calm, now time.Time)) {
	o.outages, o.others, o.share = nil, alone, 0
	var list []*calm
	for _, st := range o.streams {
		if st.class == pipeline.ClassIncremental {
			list = append(list, &calm{stream: st, every: st.every})
		}
	}
	for now := virtual.Instant(0); now < end; now += 30 * time.Second {
		for _, c := range list {
			if c.due <= now {
				c.read(now)
			}
		}
		if plan != nil && now%planning.ReplanAfter == 0 {
			plan(o, list, virtual.Began().Add(now))
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

// TestTheScheduleIsNearTheOptimum: without faults, the learned schedule is near the best one that
// knows the rates: on the first day, in which it learns, and after that.
func TestTheScheduleIsNearTheOptimum(t *testing.T) {
	t.Parallel()
	sim := lives(t, 3, learn)
	for _, test := range []struct {
		day       int
		mean, p99 float64
	}{{0, 1.6, 1.6}, {2, 1.25, 2}} {
		ours, rates, instants := waited(sim.organizations, dayOf(test.day))
		mean, p99 := ours.mean()/rates.mean(), ours.p99()/rates.p99()
		if mean > test.mean || p99 > test.p99 {
			t.Errorf("day %d: %.2f and %.2f of the optimum (%s of %s), want at most %.2f and %.2f", test.day+1, mean, p99, ours, rates, test.mean, test.p99)
		}
		if mean < 1 || instants.mean() > rates.mean() {
			t.Errorf("day %d: changes wait %s, and the bounds are %s and %s", test.day+1, ours, rates, instants)
		}
	}
}

// TestDeclaredIntervalsAreFarFromTheOptimum: the comparison sees a schedule that is not good.
func TestDeclaredIntervalsAreFarFromTheOptimum(t *testing.T) {
	t.Parallel()
	sim := lives(t, 1, nil)
	ours, rates, _ := waited(sim.organizations, upstream.Span{From: 0, To: 24 * time.Hour})
	if ratio := ours.mean() / rates.mean(); ratio < 5 {
		t.Errorf("declared intervals are %.2f of the optimum", ratio)
	}
}

// TestStalenessIsReported: one stream with four changes, counted by hand. Runs at 6, 12 and 18
// o'clock bring the first three of them after 60, 60 and 120 minutes; the last one waits for the
// end, 240 minutes. So the mean is 2 h and the 99th percentile nearly 4 h.
func TestStalenessIsReported(t *testing.T) {
	t.Parallel()
	o := &organization{zone: time.UTC, limits: pipeline.Limits{Daily: 10}}
	st := &stream{of: o, class: pipeline.ClassIncremental, calls: 1, perHour: 4.0 / 24, changed: []virtual.Instant{5 * time.Hour, 11 * time.Hour, 16 * time.Hour, 20 * time.Hour}}
	o.streams = []*stream{st}
	for _, at := range []virtual.Instant{6 * time.Hour, 12 * time.Hour, 18 * time.Hour} {
		st.spend(at)
		st.started = at
		st.bring(at)
	}
	v := verdict{}
	v.staleness(&simulation{organizations: []*organization{o}, end: 24 * time.Hour})
	var lines []string
	for _, l := range v.Lines {
		lines = append(lines, l.what+": "+l.measured)
	}
	// Four calls, four tenths of ten, make five gaps: 4.8 h, half of them on average, and 0.99 of
	// one at most. A call for each change leaves no wait where the instants are known.
	want := []string{
		"a change waits, mean / p99, hours 0 to 24: 2h0m0s / 4h0m0s",
		"the best schedule that knows the rates, hours 0 to 24: 2h24m0s / 4h45m7s",
		"of that, mean / p99, hours 0 to 24: 0.83 / 0.84",
		"of that, where no other program spends, hours 0 to 24: 0.83 / 0.84",
		"the best schedule that knows the instants, hours 0 to 24: 0s / 0s",
	}
	if got := strings.Join(lines, "\n"); got != strings.Join(want, "\n") {
		t.Errorf("got\n%s\nwant\n%s", got, strings.Join(want, "\n"))
	}
}

// TestChangesOfAnOutageWait: an outage from 10 to 12 o'clock, and another that goes on until 13.
// Two changes an hour are six in that time, which wait up to 3 h.
func TestChangesOfAnOutageWait(t *testing.T) {
	t.Parallel()
	hour := time.Hour
	o := &organization{zone: time.UTC, outages: []upstream.Span{{From: 10 * hour, To: 12 * hour}, {From: 11 * hour, To: 13 * hour}}}
	st := &stream{of: o, calls: 1, perHour: 2}
	list, waits := st.stretches(upstream.Span{From: 0, To: 24 * hour})
	if len(list) != 2 || list[0].Length != 36000 || list[1].Length != 39600 {
		t.Errorf("stretches %+v, want 10 h and 11 h", list)
	}
	var w waiting
	w.add(waits...)
	if mean, half := w.mean()/3600, optimum.Percentile(waits, 0.5)/3600; math.Abs(mean-1.5) > 1e-9 || math.Abs(half-1.5) > 1e-9 {
		t.Errorf("they wait %f h, half of them at most %f, want 1.5", mean, half)
	}
	// A change at 10 o'clock cannot arrive before 13.
	st.class, st.changed, o.limits = pipeline.ClassIncremental, []virtual.Instant{10 * hour}, pipeline.Limits{Daily: 10}
	o.streams = []*stream{st}
	if _, _, instants := waited([]*organization{o}, upstream.Span{From: 0, To: 24 * hour}); instants.String() != "3h0m0s / 3h0m0s" {
		t.Errorf("with known instants it waits %s, want 3 h", instants)
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
func dayOf(n int) upstream.Span {
	from := time.Duration(n) * 24 * time.Hour
	return upstream.Span{From: from, To: from + 24*time.Hour}
}
