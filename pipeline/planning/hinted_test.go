package planning_test

import (
	"testing"
	"time"

	"sluice/pipeline/planning"
)

// TestHintsAreReadTheCheaperWay has the figures by hand: calls for single records against those of
// the list, which a header list needs besides.
func TestHintsAreReadTheCheaperWay(t *testing.T) {
	t.Parallel()
	usual := func(change func(*planning.Hints)) planning.Hints {
		h := planning.Hints{Records: 1, AtOnce: 1, ListCalls: 2, SinceList: time.Hour, PerMinute: 20, ListRest: 5 * time.Minute}
		change(&h)
		return h
	}
	for name, test := range map[string]struct {
		hints planning.Hints
		want  planning.Reading
	}{
		"one record":                       {usual(func(*planning.Hints) {}), planning.ReadSingles},
		"as many calls as the list":        {usual(func(h *planning.Hints) { h.Records = 2 }), planning.ReadSingles},
		"more calls than the list":         {usual(func(h *planning.Hints) { h.Records = 3 }), planning.ReadList},
		"a list of headers":                {usual(func(h *planning.Hints) { h.Records, h.Headers = 20, true }), planning.ReadSingles},
		"many at once":                     {usual(func(h *planning.Hints) { h.Records, h.AtOnce = 200, 100 }), planning.ReadSingles},
		"one more than many at once":       {usual(func(h *planning.Hints) { h.Records, h.AtOnce = 201, 100 }), planning.ReadList},
		"a flood":                          {usual(func(h *planning.Hints) { h.Records, h.Headers = 21, true }), planning.ReadList},
		"the last call of the minute":      {usual(func(h *planning.Hints) { h.Recent = 19 }), planning.ReadSingles},
		"no call of the minute is left":    {usual(func(h *planning.Hints) { h.Recent = 20 }), planning.ReadList},
		"a list that was never read":       {usual(func(h *planning.Hints) { h.Records, h.ListCalls = 2, 0 }), planning.ReadList},
		"no call for single records":       {usual(func(h *planning.Hints) { h.AtOnce = 0 }), planning.ReadList},
		"the list itself":                  {usual(func(h *planning.Hints) { h.List = true }), planning.ReadList},
		"a flood while the list rests":     {usual(func(h *planning.Hints) { h.Records, h.SinceList = 21, time.Minute }), planning.ReadListLater},
		"one record while the list rests":  {usual(func(h *planning.Hints) { h.SinceList = 0 }), planning.ReadSingles},
		"the list at the end of its pause": {usual(func(h *planning.Hints) { h.List, h.SinceList = true, 5*time.Minute }), planning.ReadList},
	} {
		if got := test.hints.Read(); got != test.want {
			t.Errorf("%s: %d, want %d", name, got, test.want)
		}
	}
}
