package planning_test

import (
	"testing"
	"time"

	"sluice/pipeline"
	"sluice/pipeline/planning"
)

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

// Backfills get half of 1,000 calls a day. An hour ago backfills spent 100 calls and other work
// 300.
func TestUnder(t *testing.T) {
	t.Parallel()
	service := planning.Service{Organization: "1", Name: "s", Pace: planning.Pace{PerMinute: 100, Latency: time.Second}}
	service.Day.Limit = 1000
	service.Day.Spent[1] = 400
	class := planning.Day{Limit: 500}
	class.Spent[1] = 100
	service.Ceilings = map[pipeline.Class]planning.Day{pipeline.ClassBackfill: class}
	for _, test := range []struct {
		calls, today, remaining int
		days                    float64
		fits                    bool
	}{
		{0, 0, 600, 0, true},
		{400, 400, 200, 0, true},
		{401, 400, 200, 1, false},
		// 400 leave now, 100 when the calls of an hour ago are a day old, 400 a day from now.
		{900, 400, 200, 1, false},
		{1000, 400, 200, 2, false},
	} {
		s := planning.Under(&service, planning.BackfillCost{Calls: test.calls, Chain: test.calls, Schedule: 200})
		if s.Today != test.today || *s.Remaining != test.remaining || s.Fits != test.fits || s.Ceiling != 500 || s.DoneSeconds == nil {
			t.Errorf("%d calls: %+v, want %+v", test.calls, s, test)
			continue
		}
		// Calls leave within minutes after the beginning of an hour.
		if left := *s.DoneSeconds - test.days*24*3600; left > 3600 || left < -3600 {
			t.Errorf("%d calls are done in %.1f hours, want %.0f days", test.calls, *s.DoneSeconds/3600, test.days)
		}
	}
	service.Ceilings, service.Day = nil, planning.Day{}
	if s := planning.Under(&service, planning.BackfillCost{Calls: 201, Chain: 201}); !s.Fits || s.Remaining != nil || s.Seconds != 201 {
		t.Errorf("without a limit a day: %+v", s)
	}
}
