package main

import (
	"fmt"
	"slices"
	"time"

	"sluice/cmd/sluice-scale/optimum"
	"sluice/cmd/sluice-scale/upstream"
	"sluice/pipeline"
	"sluice/pipeline/planning"
)

// waiting is how long the changes of a window wait.
type waiting struct {
	sum   float64 // seconds
	waits []optimum.Wait
}

func (w *waiting) add(waits ...optimum.Wait) {
	for _, one := range waits {
		w.sum += one.Changes * (one.From + one.To) / 2
	}
	w.waits = append(w.waits, waits...)
}

// bound adds what the best schedule of an organization achieves.
func (w *waiting) bound(b optimum.Bound) {
	w.sum += b.Total
	w.waits = append(w.waits, b.Waits...)
}

// mean and p99 are in seconds.
func (w *waiting) mean() float64 {
	changes := 0.0
	for _, one := range w.waits {
		changes += one.Changes
	}
	return w.sum / max(changes, 1)
}

func (w *waiting) p99() float64 { return optimum.Percentile(w.waits, 0.99) }

// String returns mean and p99.
func (w *waiting) String() string {
	round := func(seconds float64) time.Duration {
		return time.Duration(seconds * float64(time.Second)).Round(time.Second)
	}
	return fmt.Sprintf("%s / %s", round(w.mean()), round(w.p99()))
}

// staleness compares how long changes wait for the warehouse with the best schedules under the same
// calls, on the first day and on the last.
func (v *verdict) staleness(s *simulation) {
	const day = 24 * time.Hour
	end := s.end.Truncate(time.Hour)
	windows := []upstream.Span{{From: 0, To: min(day, end)}}
	if end >= 2*day {
		windows = append(windows, upstream.Span{From: end - day, To: end})
	}
	allowed := ""
	if s.scenario.Adaptive {
		allowed = "1.25 / 2.00"
	}
	for _, window := range windows {
		if window.To == 0 {
			continue
		}
		ours, rates, instants := waited(s.organizations, window)
		when := fmt.Sprintf("hours %.0f to %.0f", window.From.Hours(), window.To.Hours())
		v.addf("a change waits, mean / p99, "+when, "", "%s", ours)
		v.addf("the best schedule that knows the rates, "+when, "", "%s", rates)
		v.addf("of that, mean / p99, "+when, allowed, "%.2f / %.2f", ours.mean()/rates.mean(), ours.p99()/rates.p99())
		ours, rates, _ = waited(slices.DeleteFunc(slices.Clone(s.organizations), func(o *organization) bool { return o.others != alone }), window)
		v.addf("of that, where no other program spends, "+when, allowed, "%.2f / %.2f", ours.mean()/rates.mean(), ours.p99()/rates.p99())
		v.addf("the best schedule that knows the instants, "+when, "", "%s", instants)
	}
}

// waited returns how long the changes of organizations waited in a window, and the two bounds. A
// change that has not arrived at the end of the window counts until then, in all three.
//
//nolint:nonamedreturns // the names say which is which
func waited(organizations []*organization, window upstream.Span) (ours, rates, instants *waiting) {
	ours, rates, instants = new(waiting), new(waiting), new(waiting)
	for _, o := range organizations {
		var stretches []optimum.Stretch
		var streams []optimum.Stream
		var late []float64         // how long an outage goes on after each change
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
			hindsight := optimum.Stream{Calls: float64(st.calls)}
			for i, at := range st.changed {
				if at < window.From || at >= window.To {
					continue
				}
				arrived := window.To
				if i < len(st.arrived) {
					arrived = min(arrived, st.arrived[i])
				}
				wait := (arrived - at).Seconds()
				ours.add(optimum.Wait{Changes: 1, From: wait, To: wait})
				back := min(o.back(at), window.To)
				late = append(late, (back - at).Seconds())
				hindsight.At = append(hindsight.At, (back - window.From).Seconds())
			}
			streams = append(streams, hindsight)
		}
		days := (window.To - window.From).Hours() / hoursADay
		left := float64(o.limits.Daily)*days*(1-o.share) - besides
		calls := max(spent, min(o.allowed()*days, left))
		rates.bound(optimum.Rates(stretches, calls, scheduleFloor.Seconds()))
		best := optimum.Instants(streams, (window.To - window.From).Seconds(), calls)
		for i, more := range late {
			best.Total += more
			best.Waits[i].From, best.Waits[i].To = best.Waits[i].From+more, best.Waits[i].To+more
		}
		instants.bound(best)
	}
	return ours, rates, instants
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
