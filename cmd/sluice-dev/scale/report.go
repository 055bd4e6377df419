package scale

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"sluice/pipeline"
)

// verdict is the result of a simulation.
type verdict struct {
	Broken []string // violations; empty if all is well
	table  string   // the rows of docs/simulation.md
}

// addf adds a row to the table.
func (v *verdict) addf(what, allowed, format string, args ...any) {
	v.table += fmt.Sprintf("| %s | %s | %s |\n", what, allowed, fmt.Sprintf(format, args...))
}

// checkf notes a violation unless the condition holds.
func (v *verdict) checkf(holds bool, format string, args ...any) {
	if !holds {
		v.Broken = append(v.Broken, fmt.Sprintf(format, args...))
	}
}

// judge checks the simulation.
func (s *simulation) judge() verdict {
	var v verdict
	v.upstream(s)
	v.freshness(s)
	// A call costs two statements and its refusals.
	perCall := float64(s.counts.statements) / float64(max(1, s.counts.granted))
	v.checkf(perCall <= 3, "a call costs %.2f statements, 3 are allowed", perCall)
	v.addf("statements about calls, for each call", "3.00", "%.2f", perCall)
	v.addf("workers busy, on average of all", "", "%.1f of %d", s.counts.busy.Seconds()/s.end.Seconds(), workers)
	v.addf("longest wait of a job for a worker", "", "%s", s.counts.slowest.Round(time.Second))
	return v
}

// upstream checks the calls and refusals. Without other clients upstream refuses nothing. Where
// others spend unseen, it refuses at most the calls under way, and then no stream asks for the rest
// of the day.
func (v *verdict) upstream(s *simulation) {
	var calls, foreign, exceeded, refused int
	for _, o := range s.organizations {
		t := &o.server.tally
		calls, foreign, exceeded = calls+t.Calls, foreign+t.Foreign, exceeded+t.Exceeded
		v.checkf(t.Exceeded == 0, "%s: %d calls of ours were more than allowed", o.name, t.Exceeded)
		if o.others == alone {
			refused += t.Refused
			v.checkf(t.Refused == 0, "%s: upstream refused %d calls, without other clients", o.name, t.Refused)
		}
		v.checkf(t.Crowded == 0, "%s: upstream refused %d calls as too many at once", o.name, t.Crowded)
		v.checkf(t.MostOfADay <= o.limits.Concurrent, "%s: %d calls were refused with %s in one day", o.name, t.MostOfADay, codeDay)
	}
	v.addf("our calls that arrived", "", "%d", calls)
	v.addf("calls of others", "", "%d", foreign)
	v.addf("our calls beyond a limit, seen by upstream", "0", "%d", exceeded)
	v.addf("refusals where no other program spends", "0", "%d", refused)
}

// freshness checks the age of the streams, and that backfills finished.
func (v *verdict) freshness(s *simulation) {
	backfills := 0
	worst, strain := map[string]time.Duration{}, map[string]float64{}
	for _, st := range s.byKey {
		if st.class == pipeline.ClassBackfill {
			v.checkf(st.done, "%s: its backfill is at %d of %d calls", st.of.name, st.page, st.calls)
			if st.done {
				backfills++
			}
			continue
		}
		st.judge(s.end)
		of := fmt.Sprintf("%s each %d h, alone", st.class, int(st.every.Hours()))
		if st.of.others != alone {
			of = strings.Replace(of, "alone", "with others", 1)
		}
		worst[of], strain[of] = max(worst[of], st.worst), max(strain[of], st.strain)
		v.checkf(st.strain <= 1, "%s: %s old, %.2f of its bound", st.key, st.worst.Round(time.Second), st.strain)
	}
	for _, of := range slices.Sorted(maps.Keys(worst)) {
		v.addf("oldest "+of+"; of its bound", "1.00", "%s; %.2f", worst[of].Round(time.Minute), strain[of])
	}
	v.addf("backfills that finished", "all", "%d", backfills)
}
