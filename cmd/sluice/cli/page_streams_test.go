package cli

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"sluice/cmd/sluice/console"
	"sluice/pipeline/warehouse/streams"
)

// TestSentenceOfTheStreams: the worst comes first, in the sentence and in the order of the lines.
func TestSentenceOfTheStreams(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	stream := func(resource string, hoursOld float64, change func(*streamView)) streamView {
		at := now.Add(-time.Duration(hoursOld * float64(time.Hour)))
		s := streamView{Status: streams.Status{Service: "inventory", Resource: resource, Enabled: true, State: "idle", Watermark: &at}, BoundSeconds: 3600}
		if change != nil {
			change(&s)
		}
		return s
	}
	fresh, late, later := stream("items", 0.5, nil), stream("bills", 2, nil), stream("taxes", 5, func(s *streamView) { s.BoundSeconds = 7200 })
	never := stream("locations", 0, func(s *streamView) { s.Watermark = nil })
	denied := stream("items.details", 0, func(s *streamView) { s.Watermark, s.State = nil, "denied" })
	alarming := stream("credit_notes", 0.25, func(s *streamView) { s.Withheld = 3 })
	off := stream("composite_items", 99, func(s *streamView) { s.Enabled = false })
	backfill := stream("bills.backfill", 99, nil)
	for _, c := range []struct {
		shown    []streamView
		sentence string
		mood     console.Mood
		order    []string
	}{
		{nil, "No stream is registered yet: sluice serve or sluice sync registers them.", console.Plain, nil},
		{[]streamView{fresh, off, backfill}, "No list is late: 1 list, the oldest 30 min old.", console.Good, []string{"items"}},
		{[]streamView{fresh, never}, "Never complete yet: 1 of 2 lists. Their first runs go on.", console.Warn, []string{"locations", "items"}},
		{[]streamView{fresh, never, alarming}, "No list is late; the quarantine alarms for 1 stream.", console.Bad, []string{"locations", "items", "credit_notes"}},
		{
			[]streamView{alarming, late, later, fresh}, "Late against their own bounds: 2 of 4 lists; the oldest is 5 h old.", console.Bad,
			[]string{"taxes", "bills", "items", "credit_notes"}, // 2.5 bounds, 2 bounds, half of one, a quarter
		},
		{[]streamView{late, denied}, "Upstream denies 1 stream. Late: 1 of 1 list.", console.Bad, []string{"bills", "items.details"}},
	} {
		lines := latestFirst(c.shown, now, func(s *streams.Status) string {
			if s.Withheld > 0 {
				return "ALARM"
			}
			return ""
		})
		sentence, mood := sentenceOf(lines)
		var order []string
		for i := range lines {
			order = append(order, lines[i].Resource)
		}
		if sentence != c.sentence || mood != c.mood || !cmp.Equal(order, c.order) {
			t.Errorf("%q %q %q\nwant %q %q %q", sentence, mood, order, c.sentence, c.mood, c.order)
		}
	}
}
