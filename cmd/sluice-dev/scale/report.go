package scale

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"sluice/pipeline"
)

// verdict is the result of a simulation.
type verdict struct {
	Broken []string // violations; empty if all is well
	Lines  []line
}

// line is one line of the table.
type line struct{ what, allowed, measured string }

// judge checks the simulation.
func (s *simulation) judge() verdict {
	var v verdict
	v.limits(s)
	v.refusals(s)
	v.freshness(s)
	v.backfills(s)
	v.queries(s)
	return v
}

// addf adds a line to the table.
func (v *verdict) addf(what, allowed, format string, args ...any) {
	v.Lines = append(v.Lines, line{what, allowed, fmt.Sprintf(format, args...)})
}

// checkf notes a violation unless the condition holds.
func (v *verdict) checkf(holds bool, format string, args ...any) {
	if !holds {
		v.Broken = append(v.Broken, fmt.Sprintf(format, args...))
	}
}

func (v *verdict) limits(s *simulation) {
	var calls, foreign, exceeded int
	var minute, atOnce, day float64
	for _, o := range s.organizations {
		t := &o.server.tally
		calls, foreign, exceeded = calls+t.Calls, foreign+t.Foreign, exceeded+t.Exceeded
		minute, atOnce, day = max(minute, t.Minute), max(atOnce, t.AtOnce), max(day, t.Day)
		v.checkf(t.Exceeded == 0, "%s: %d calls of ours were more than allowed (most: %.2f of a minute, %.2f at once, %.2f of a day)",
			o.name, t.Exceeded, t.Minute, t.AtOnce, t.Day)
	}
	v.addf("our calls that arrived", "", "%d", calls)
	v.addf("calls of others", "", "%d", foreign)
	v.addf("our calls beyond a limit, seen by upstream", "0", "%d", exceeded)
	v.addf("most in 60 s, of what is allowed", "1.00", "%.2f", minute)
	v.addf("most at once, of what is allowed", "1.00", "%.2f", atOnce)
	v.addf("most in a day, of what is allowed", "1.00", "%.2f", day)
}

// refusals checks upstream's refusals. Without other clients upstream refuses nothing. Where others
// spend unseen, it refuses at most the calls under way, and then no stream asks for the rest of the
// day.
func (v *verdict) refusals(s *simulation) {
	most, refused := 0.0, 0
	for _, o := range s.organizations {
		t := &o.server.tally
		for code, count := range t.Refused {
			if o.others == alone {
				refused += count
			}
			v.checkf(o.others != alone, "%s: upstream refused %d calls with %s, without other clients", o.name, count, code)
		}
		v.checkf(t.Refused[codeCrowded] == 0, "%s: upstream refused calls as too many at once", o.name)
		v.checkf(t.MostOfADay <= o.limits.Concurrent, "%s: %d calls were refused with %s in one day", o.name, t.MostOfADay, codeDay)
		most = max(most, float64(t.MostOfADay)/float64(o.limits.Concurrent))
	}
	v.addf("refusals where no other program spends", "0", "%d", refused)
	v.addf("most code 45 in one day of one organization, of its calls at once", "1.00", "%.2f", most)
}

func (v *verdict) freshness(s *simulation) {
	worst, strain := map[string]time.Duration{}, map[string]float64{}
	for _, o := range s.organizations {
		for _, st := range o.streams {
			if st.class == pipeline.ClassBackfill {
				continue
			}
			st.judge(s.end)
			of := fmt.Sprintf("%s each %d h, alone", st.class, int(st.every.Hours()))
			if o.others != alone {
				of = strings.Replace(of, "alone", "with others", 1)
			}
			worst[of], strain[of] = max(worst[of], st.worst), max(strain[of], st.strain)
			v.checkf(st.strain <= 1, "%s: %s old, %.2f of its bound", st.key, st.worst.Round(time.Second), st.strain)
		}
	}
	for _, of := range slices.Sorted(maps.Keys(worst)) {
		v.addf("oldest "+of+"; of its bound", "1.00", "%s; %.2f", worst[of].Round(time.Minute), strain[of])
	}
}

func (v *verdict) backfills(s *simulation) {
	done := 0
	for _, o := range s.organizations {
		for _, st := range o.streams {
			if st.class != pipeline.ClassBackfill {
				continue
			}
			v.checkf(st.done, "%s: its backfill is at %d of %d calls", o.name, st.page, st.calls)
			if st.done {
				done++
			}
		}
	}
	v.addf("backfills that finished", strconv.Itoa(len(s.organizations)), "%d", done)
}

// queries checks the load of the database: a call costs two statements and its refusals, and a
// refused worker waits at least 250 ms.
func (v *verdict) queries(s *simulation) {
	c := &s.counts
	slots := s.scenario.Workers
	asks := slots * int(time.Minute/(100*time.Millisecond)) * 2
	perCall := float64(c.reservations+c.finishes+c.penalties) / float64(max(1, c.granted))
	v.checkf(c.mostAsked <= asks, "decisions cost up to %d statements a minute, %d are allowed", c.mostAsked, asks)
	v.checkf(perCall <= 3, "a call costs %.2f statements, 3 are allowed", perCall)
	v.addf("statements about calls in a minute, at most", strconv.Itoa(asks), "%d", c.mostAsked)
	v.addf("statements about calls, for each call", "3.00", "%.2f", perCall)
	v.addf("workers busy, on average of all", "", "%.1f of %d", c.busy.Seconds()/s.end.Seconds(), slots)
	v.addf("longest wait of a job for a worker", "", "%s", c.slowest.Round(time.Second))
}

// table prints the verdict in the form of docs/simulation.md.
func (v *verdict) table(w io.Writer) {
	fmt.Fprint(w, "| What | Allowed | Measured |\n|---|---|---|\n")
	for _, l := range v.Lines {
		fmt.Fprintf(w, "| %s | %s | %s |\n", l.what, l.allowed, l.measured)
	}
}
