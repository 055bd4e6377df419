package planning

import (
	"fmt"
	"math"
	"time"

	"sluice/pipeline"
)

// result sums a rehearsal up.
func (r *rehearsal) result() Rehearsal {
	out := Rehearsal{Streams: []RehearsedStream{}, Services: []RehearsedDay{}, Backfills: []RehearsedEnd{}}
	days := float64(r.in.Days)
	for _, st := range r.streams {
		if st.backlog >= 0 {
			end := RehearsedEnd{Key: st.Key}
			if st.ends != nil {
				end.Seconds = new(st.ends.Seconds())
			}
			out.Backfills = append(out.Backfills, end)
			continue
		}
		worst := time.Duration(0)
		for _, s := range st.seen {
			worst = max(worst, s.to)
		}
		switch { // what is not shown at the end is as old as it is
		case st.Way != WayDetails:
			worst = max(worst, r.end-st.mark)
		case st.waiting > 0:
			worst = max(worst, r.end-st.oldest)
		}
		out.Streams = append(out.Streams, RehearsedStream{
			Key: st.Key, EverySeconds: st.Every.Seconds(), Runs: st.runs, MedianSeconds: middle(st.seen).Seconds(), WorstSeconds: worst.Seconds(),
			BoundSeconds: r.in.Bounds[st.Key].Seconds(), CallsPerDay: float64(st.calls) / days, Waits: st.waits, Basis: st.basis(),
		})
	}
	for i := range r.in.Services {
		b := r.services[[2]string{r.in.Services[i].Organization, r.in.Services[i].Name}]
		of := RehearsedDay{Organization: b.of.Organization, Service: b.of.Name, ByClass: make(map[pipeline.Class]float64), Limit: b.of.Limits.Daily}
		for hour := hoursADay; hour < (r.in.Days+1)*hoursADay; hour++ {
			of.Others += b.others[hour] / days
			for class, spent := range b.spent {
				of.ByClass[class] += float64(spent[hour]) / days
				of.CallsPerDay += float64(spent[hour]) / days
			}
		}
		out.Services = append(out.Services, of)
	}
	return out
}

// basis is what the calls of a stream rest on.
func (st *rehearsed) basis() Basis {
	switch st.Way {
	case WayChanges:
		return st.Changes.Basis
	case WayDetails:
		return st.Waiting.Basis
	default:
		return st.turn(st.Every, st.PerRun).basis
	}
}

// middle returns the age that half of the changes had at most, of changes that come evenly.
func middle(seen []stretch) time.Duration {
	low, high, all := time.Duration(0), time.Duration(0), 0.0
	for _, s := range seen {
		high, all = max(high, s.to), all+float64(s.to-s.from)
	}
	for high-low > time.Second {
		at := (low + high) / 2 //nolint:mnd // the middle
		below := 0.0
		for _, s := range seen {
			below += float64(min(max(at-s.from, 0), s.to-s.from))
		}
		if below < all/2 { //nolint:mnd // the half
			low = at
		} else {
			high = at
		}
	}
	return high.Round(time.Second)
}

// Tolerance is how much worse a rehearsal may be.
type Tolerance struct {
	// Fresh and Calls are parts; FreshLeast and CallsLeast are always tolerated.
	Fresh, Calls float64
	FreshLeast   time.Duration
	CallsLeast   float64
}

// DefaultTolerance is a tenth and a minute of freshness, a twentieth and one call a day of calls.
func DefaultTolerance() Tolerance {
	return Tolerance{Fresh: 0.1, FreshLeast: time.Minute, Calls: 0.05, CallsLeast: 1}
}

// Verdict is a closed set: how a figure compares with that of before.
type Verdict string

// The verdicts.
const (
	Same    Verdict = "same"
	Better  Verdict = "better"
	Worse   Verdict = "worse"
	Added   Verdict = "added"
	LeftOut Verdict = "left out"
)

// verdict compares a figure of which less is better.
func verdict(before, after, part, least float64) Verdict {
	switch width := math.Max(part*before, least); {
	case after > before+width:
		return Worse
	case after < before-width:
		return Better
	default:
		return Same
	}
}

// Comparison is one stream before and after.
type Comparison struct {
	pipeline.Key

	Before *RehearsedStream `json:"before"`
	After  *RehearsedStream `json:"after"`
	// Fresh compares the worst age of a change, Calls the calls of a day.
	Fresh Verdict `json:"fresh"`
	Calls Verdict `json:"calls"`
}

// Comparisons are a rehearsal of the present configuration and of another one.
type Comparisons struct {
	Streams []Comparison `json:"streams"`
	// Before and After are the days of the services, and the ends of backfills.
	Before Rehearsal `json:"before"`
	After  Rehearsal `json:"after"`
	// CallsBefore and CallsAfter are the sums of a day.
	CallsBefore float64 `json:"calls_per_day_before"`
	CallsAfter  float64 `json:"calls_per_day_after"`
	// Worse names what became worse beyond the tolerance: the freshness of streams, the sum of
	// calls.
	Worse []string `json:"worse"`
}

// Compare compares two rehearsals.
func Compare(before, after *Rehearsal, tolerance Tolerance) Comparisons {
	c := Comparisons{Before: *before, After: *after, Streams: []Comparison{}, Worse: []string{}}
	old := make(map[pipeline.Key]*RehearsedStream)
	for i := range before.Streams {
		old[before.Streams[i].Key] = &before.Streams[i]
	}
	for i := range after.Streams {
		s := &after.Streams[i]
		of := Comparison{Key: s.Key, Before: old[s.Key], After: s, Fresh: Added, Calls: Added}
		delete(old, s.Key)
		if of.Before != nil {
			of.Fresh = verdict(of.Before.WorstSeconds, s.WorstSeconds, tolerance.Fresh, tolerance.FreshLeast.Seconds())
			of.Calls = verdict(of.Before.CallsPerDay, s.CallsPerDay, tolerance.Calls, tolerance.CallsLeast)
		}
		if of.Fresh == Worse {
			c.Worse = append(c.Worse, fmt.Sprintf("%s: a change is up to %s old, instead of %s", s.Key, age(s.WorstSeconds), age(of.Before.WorstSeconds)))
		}
		c.Streams = append(c.Streams, of)
	}
	for i := range before.Streams { // in their order
		if s := &before.Streams[i]; old[s.Key] != nil {
			c.Streams = append(c.Streams, Comparison{Key: s.Key, Before: s, Fresh: LeftOut, Calls: LeftOut})
			c.Worse = append(c.Worse, s.String()+": it is not copied any more")
		}
	}
	for i := range before.Services {
		c.CallsBefore += before.Services[i].CallsPerDay
	}
	for i := range after.Services {
		c.CallsAfter += after.Services[i].CallsPerDay
	}
	if verdict(c.CallsBefore, c.CallsAfter, tolerance.Calls, tolerance.CallsLeast) == Worse {
		c.Worse = append(c.Worse, fmt.Sprintf("all streams: %.0f calls a day, instead of %.0f", c.CallsAfter, c.CallsBefore))
	}
	return c
}

func age(seconds float64) string {
	return (time.Duration(seconds) * time.Second).String()
}
