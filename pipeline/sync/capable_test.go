package sync_test

import (
	"strings"
	"testing"
	"time"

	"sluice/pipeline"
	"sluice/pipeline/sync/scan"
)

// TestPlanFollowsWhatIsKnown: a list that is known to lack what its cursor needs is read whole, and
// the scan's note says why.
func TestPlanFollowsWhatIsKnown(t *testing.T) {
	t.Parallel()
	watermark := time.Date(2026, 3, 1, 8, 0, 0, 0, time.UTC)
	no := func(c pipeline.Capability) pipeline.Capabilities {
		return pipeline.Capabilities{c: {Capability: c, Answer: pipeline.AnswerNo, Source: pipeline.SourceObserved, SeenAt: watermark}}
	}
	for name, test := range map[string]struct {
		cursor string
		work   pipeline.Work
		known  pipeline.Capabilities
		want   pipeline.Mode
	}{
		"a filter of which nothing is known":    {"since", pipeline.WorkList, nil, pipeline.ModeSince},
		"no filter":                             {"since", pipeline.WorkList, no(pipeline.CapabilityFilter), pipeline.ModeFull},
		"a filter, and no order":                {"since", pipeline.WorkList, no(pipeline.CapabilityDescending), pipeline.ModeSince},
		"an order of which nothing is known":    {"newest", pipeline.WorkList, nil, pipeline.ModeNewest},
		"no order":                              {"newest", pipeline.WorkList, no(pipeline.CapabilityDescending), pipeline.ModeFull},
		"an order, and no filter":               {"newest", pipeline.WorkList, no(pipeline.CapabilityFilter), pipeline.ModeNewest},
		"what neither filters nor sorts anyway": {"full", pipeline.WorkList, no(pipeline.CapabilityFilter), pipeline.ModeFull},
	} {
		stream := newFixture(newWorld(0), cursors()[test.cursor]).stream
		stream.Work = test.work
		claim := pipeline.Claim{Stream: stream, Position: pipeline.Position{Watermark: watermark}, Capabilities: test.known}
		scan := scan.Plan(&claim, pipeline.DefaultRules())
		demoted := test.want == pipeline.ModeFull && test.cursor != "full"
		errorIf(t, scan.Mode != test.want || strings.Contains(string(scan.Note), "(observed 2026-03-01)") != demoted,
			"%s: %s %q, want %s", name, scan.Mode, scan.Note, test.want)
	}
}

// TestALagThatGrewCountsAtOnce: the watermark does not move back, but the request reaches further
// back.
func TestALagThatGrewCountsAtOnce(t *testing.T) {
	t.Parallel()
	read := time.Date(2026, 3, 1, 8, 0, 0, 0, time.UTC)
	rules := pipeline.DefaultRules()
	watermark := read.Add(-5 * time.Minute)
	for name, test := range map[string]struct {
		read time.Time
		late time.Duration
		want time.Time
	}{
		"as ever":                  {read, 0, watermark.Add(-2 * time.Second)},
		"late within the lag":      {read, 2 * time.Minute, watermark.Add(-2 * time.Second)},
		"later than half of it":    {read, 4 * time.Minute, read.Add(-8*time.Minute - 2*time.Second)},
		"later than any lag":       {read, time.Hour, read.Add(-time.Hour - 2*time.Second)},
		"when it began is unknown": {time.Time{}, time.Hour, watermark.Add(-2 * time.Second)},
	} {
		for _, cursor := range []string{"since", "newest"} {
			claim := pipeline.Claim{
				Stream: newFixture(newWorld(0), cursors()[cursor]).stream, Position: pipeline.Position{Watermark: watermark, ScannedUntil: test.read}, Late: test.late,
			}
			scan := scan.Plan(&claim, rules)
			errorIf(t, !scan.Bound.Equal(test.want), "%s, %s: from %s, want %s", name, cursor, scan.Bound, test.want)
		}
	}
}

// TestTheMarkLagsAsLateAsWritesAre runs a list in which writes were seen twenty minutes late.
func TestTheMarkLagsAsLateAsWritesAre(t *testing.T) {
	t.Parallel()
	w := newWorld(5)
	r := newFixture(w, cursors()["since"])
	r.late = 20 * time.Minute
	must(t, r.run(t.Context()))
	position, now := r.memory.position, w.now.Truncate(time.Second)
	errorIf(t, !position.ScannedUntil.Equal(now) || !position.Watermark.Equal(now.Add(-40*time.Minute)),
		"read until %s with the watermark at %s, want %s and 40 minutes before", position.ScannedUntil, position.Watermark, now)
	// When the lateness has faded, the watermark moves on from where it is.
	r.late = 0
	w.now = w.now.Add(time.Hour)
	must(t, r.run(t.Context()))
	want := w.now.Truncate(time.Second).Add(-r.runner.Rules.Lag)
	errorIf(t, !r.memory.position.Watermark.Equal(want), "the watermark is at %s, want %s", r.memory.position.Watermark, want)
}

// TestObservedVerdicts: the batch of an answer carries the verdicts that the answer shows, once. A
// clean run takes them back.
func TestObservedVerdicts(t *testing.T) {
	t.Parallel()
	for cursor, needed := range map[string]pipeline.Capability{
		"since": pipeline.CapabilityFilter, "newest": pipeline.CapabilityDescending,
	} {
		w := newWorld(9)
		r := newFixture(w, cursors()[cursor])
		said := func(ask string) string {
			t.Helper()
			w.now = w.now.Add(time.Hour)
			w.edit(2)
			w.now = w.now.Add(time.Minute)
			r.memory.observed, w.asked = nil, nil
			must(t, r.run(t.Context()))
			if asked := w.asked[0]; (asked.Since.IsZero() && asked.Sort == "") != (ask == "whole") || asked.Class != map[string]pipeline.Class{
				"whole": pipeline.ClassSweep, "narrow": pipeline.ClassIncremental,
			}[ask] {
				t.Errorf("%s: the first call of class %s since %s sorted by %q, want the list %s", cursor, asked.Class, asked.Since, asked.Sort, ask)
			}
			var words []string
			for _, v := range r.memory.observed {
				if r.known == nil {
					r.known = pipeline.Capabilities{}
				}
				r.known[v.Capability] = v
				words = append(words, string(v.Capability)+" "+string(v.Answer)+" "+string(v.Source))
			}
			return strings.Join(words, ", ")
		}
		must(t, r.run(t.Context()))
		same(t, cursor+": as asked for, and said", "", said("narrow"))
		w.ignoreFilter, w.ignoreSort = true, true
		same(t, cursor, string(needed)+" no observed", said("narrow"))
		same(t, cursor+": known, and said again", "", said("whole"))
		old := r.known[needed]
		old.Age = pipeline.RetryAfter
		r.known[needed] = old
		same(t, cursor+", tried again", string(needed)+" no observed", said("narrow"))
		w.ignoreFilter, w.ignoreSort = false, false
		old = r.known[needed]
		old.Age = pipeline.RetryAfter
		r.known[needed] = old
		same(t, cursor+", taken back", string(needed)+" yes observed", said("narrow"))
		same(t, cursor+": after it was taken back", "", said("narrow"))
	}
}
