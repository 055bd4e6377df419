package planning_test

import (
	"testing"
	"time"

	"sluice/pipeline"
	"sluice/pipeline/planning"
)

// service is an allowance of a thousand calls a day, of which details may spend 400.
func service(name string, spent int) planning.Service {
	return planning.Service{
		Organization: "1", Name: name, Shared: "suite", Spent: spent, Day: planning.Day{Limit: 1000, Left: 1000 - spent},
		Pace:     planning.Pace{PerMinute: 100, Concurrent: 5, Latency: time.Second},
		Ceilings: map[pipeline.Class]planning.Day{pipeline.ClassDetails: {Limit: 400, Left: 400}},
	}
}

// rows is a full scan, once a day.
func rows(of, name string, n float64) planning.Stream {
	s := stream(name, planning.Shape{Way: planning.WayRows, Page: 200, Full: true}, planning.Facts{Rows: known(n), Every: 24 * time.Hour})
	s.Service, s.Class = of, pipeline.ClassSweep
	return s
}

func TestMake(t *testing.T) {
	t.Parallel()
	details := stream("bills.details", planning.Shape{Way: planning.WayDetails, Batch: 1}, planning.Facts{
		Waiting: known(2000), PerRun: 100, Every: time.Hour,
	})
	details.Service, details.Class = "inventory", pipeline.ClassDetails
	size := stream("items", planning.Shape{Way: planning.WayRows, Page: 200, Full: true}, planning.Facts{Rows: unknown(), Every: time.Hour})
	size.Service = "inventory"
	for name, test := range map[string]struct {
		streams            []planning.Stream
		spent              int
		every              time.Duration
		fits               bool
		calls, later, left int
		days               float64 // until all is copied
	}{
		"one list":               {[]planning.Stream{rows("inventory", "taxes", 1000)}, 0, 24 * time.Hour, true, 12, 0, 988, 0},
		"the day is spent":       {[]planning.Stream{rows("inventory", "taxes", 1000)}, 990, 24 * time.Hour, false, 12, 0, 0, 1},
		"of unknown size":        {[]planning.Stream{rows("inventory", "taxes", 1000), size}, 0, 24 * time.Hour, true, 12, 0, 988, 0},
		"2,000 details, 400 a d": {[]planning.Stream{details}, 0, time.Hour, true, 100, 1900, 900, 4},
		"often":                  {[]planning.Stream{rows("inventory", "taxes", 1000)}, 0, time.Hour, true, 12, 0, 988, 0},
		"too often for the day":  {[]planning.Stream{rows("inventory", "taxes", 1000)}, 0, 10 * time.Minute, false, 12, 0, 988, 0},
		"often, of unknown size": {[]planning.Stream{rows("inventory", "taxes", 1000), size}, 0, time.Hour, true, 12, 0, 988, 0},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for i := range test.streams {
				test.streams[i].Every = test.every
			}
			plan := planning.Make(planning.Input{Streams: test.streams, Services: []planning.Service{service("inventory", test.spent)}})
			of := plan.Services[0]
			errorIf(t, plan.Fits != test.fits || of.Calls != test.calls || of.Later != test.later || *of.Remaining != test.left,
				"fits %v: %+v, %d remain", plan.Fits, of, *of.Remaining)
			errorIf(t, of.DoneSeconds == nil || *of.DoneSeconds < test.days*86400 || *of.DoneSeconds > test.days*86400+3600,
				"done in %v, want %v days", of.DoneSeconds, test.days)
		})
	}
}

// TestSharedMinute: two services of one allowance take the time of their calls together. A service
// of another organization takes only its own.
func TestSharedMinute(t *testing.T) {
	t.Parallel()
	other := service("accounting", 0)
	other.Organization = "2"
	foreign := rows("accounting", "taxes", 50_000)
	foreign.Organization = "2"
	plan := planning.Make(planning.Input{
		Streams:  []planning.Stream{rows("inventory", "taxes", 15_000), rows("accounting", "accounts", 15_000), foreign},
		Services: []planning.Service{service("inventory", 0), service("accounting", 0), other},
	})
	// 76 pages twice are 152 calls each, 304 together: three full minutes and their answers, and
	// the last four calls.
	for _, of := range plan.Services[:2] {
		errorIf(t, of.Calls != 152 || of.Seconds < 183 || of.Seconds > 187, "%s: %d calls in %.0f s", of.Service, of.Calls, of.Seconds)
	}
	of := plan.Services[2]
	errorIf(t, of.Calls != 502 || of.Seconds < 502, "another organization: %d calls in %.0f s", of.Calls, of.Seconds)
}

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
		got := test.hints.Read()
		errorIf(t, got != test.want, "%s: %d, want %d", name, got, test.want)
	}
}

// The figures are counted by hand: one pass; each window has at least one page, and one more where
// its last page is full.
func TestBackfillRun(t *testing.T) {
	t.Parallel()
	byNumber := planning.Shape{Way: planning.WayChanges, Page: 200, Full: true}
	parents := planning.Shape{Way: planning.WayParents, Each: planning.WayRows, Page: 200, Full: true}
	for name, test := range map[string]struct {
		shape planning.Shape
		facts planning.Facts
		rows  []int64
		calls int
		basis planning.Basis
	}{
		"an export":             {planning.Shape{Way: planning.WayOnce}, planning.Facts{Rows: unknown()}, nil, 1, planning.Declared},
		"never read":            {byNumber, planning.Facts{Rows: unknown()}, nil, 0, planning.Unknown},
		"20,000 rows":           {byNumber, planning.Facts{Rows: known(20_000)}, []int64{20_000}, 101, planning.Measured},
		"three windows":         {byNumber, planning.Facts{Rows: known(9000)}, []int64{0, 199, 200}, 1 + 1 + 2, planning.Measured},
		"unknown parents":       {parents, planning.Facts{Rows: known(10), Parents: unknown()}, nil, 0, planning.Unknown},
		"64 parents":            {parents, planning.Facts{Rows: known(640), Parents: known(64), PerRun: 20}, nil, 64, planning.Measured},
		"64 parents of 3 pages": {parents, planning.Facts{Rows: known(64 * 450), Parents: known(64)}, nil, 64 * 3, planning.Measured},
	} {
		s := stream("x", test.shape, test.facts)
		if run := s.BackfillRun(test.rows); run.Calls != test.calls || run.Basis != test.basis {
			t.Errorf("%s: %d calls, %s; want %d, %s", name, run.Calls, run.Basis, test.calls, test.basis)
		}
	}
}

// Backfills get half of 1,000 calls a day. Backfills spent 100 calls of it and other work 300.
func TestUnder(t *testing.T) {
	t.Parallel()
	service := planning.Service{Organization: "1", Name: "s", Pace: planning.Pace{PerMinute: 100, Latency: time.Second}}
	service.Day = planning.Day{Limit: 1000, Left: 600}
	service.Ceilings = map[pipeline.Class]planning.Day{pipeline.ClassBackfill: {Limit: 500, Left: 400}}
	for _, test := range []struct {
		calls, today, remaining int
		days                    float64
		fits                    bool
	}{
		{0, 0, 600, 0, true},
		{400, 400, 200, 0, true},
		{401, 400, 200, 1, false},
		// 400 leave now, and 500 in the day behind this one.
		{900, 400, 200, 1, false},
		{1000, 400, 200, 2, false},
	} {
		s := planning.Under(&service, planning.BackfillCost{Calls: test.calls, Chain: test.calls, Schedule: 200})
		if s.Today != test.today || *s.Remaining != test.remaining || s.Fits != test.fits || s.Ceiling != 500 || s.DoneSeconds == nil {
			t.Errorf("%d calls: %+v, want %+v", test.calls, s, test)
			continue
		}
		// Calls leave within minutes after the beginning of an hour.
		left := *s.DoneSeconds - test.days*24*3600
		errorIf(t, left > 3600 || left < -3600, "%d calls are done in %.1f hours, want %.0f days", test.calls, *s.DoneSeconds/3600, test.days)
	}
	service.Ceilings, service.Day = nil, planning.Day{}
	s := planning.Under(&service, planning.BackfillCost{Calls: 201, Chain: 201})
	errorIf(t, !s.Fits || s.Remaining != nil || s.Seconds != 201, "without a limit a day: %+v", s)
}
