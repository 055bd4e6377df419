package forecast_test

import (
	"testing"
	"time"

	"sluice/cmd/sluice/forecast"
	"sluice/pipeline"
)

// Counted by hand: one pass, of which each window has a page at least, and one more where
// its last page is full.
func TestBackfillRun(t *testing.T) {
	t.Parallel()
	byNumber := forecast.Shape{Way: forecast.WayChanges, Page: 200, Full: true}
	parents := forecast.Shape{Way: forecast.WayParents, Each: forecast.WayRows, Page: 200, Full: true}
	for name, test := range map[string]struct {
		shape forecast.Shape
		facts forecast.Facts
		rows  []int64
		calls int
		basis forecast.Basis
	}{
		"an export":             {forecast.Shape{Way: forecast.WayOnce}, forecast.Facts{Rows: unknown()}, nil, 1, forecast.Declared},
		"never read":            {byNumber, forecast.Facts{Rows: unknown()}, nil, 0, forecast.Unknown},
		"20,000 rows":           {byNumber, forecast.Facts{Rows: known(20_000)}, []int64{20_000}, 101, forecast.Measured},
		"three windows":         {byNumber, forecast.Facts{Rows: known(9000)}, []int64{0, 199, 200}, 1 + 1 + 2, forecast.Measured},
		"nobody's parents":      {parents, forecast.Facts{Rows: known(10), Parents: unknown()}, nil, 0, forecast.Unknown},
		"64 parents":            {parents, forecast.Facts{Rows: known(640), Parents: known(64), PerRun: 20}, nil, 64, forecast.Measured},
		"64 parents of 3 pages": {parents, forecast.Facts{Rows: known(64 * 450), Parents: known(64)}, nil, 64 * 3, forecast.Measured},
	} {
		s := stream("x", test.shape, test.facts)
		if run := s.BackfillRun(test.rows); run.Calls != test.calls || run.Basis != test.basis {
			t.Errorf("%s: %d calls, %s; want %d, %s", name, run.Calls, run.Basis, test.calls, test.basis)
		}
	}
}

// Of 1,000 calls a day backfills get half, of which 100 were spent an hour ago, beside 300
// of other work.
func TestUnder(t *testing.T) {
	t.Parallel()
	service := forecast.Service{Organization: "1", Name: "s", Pace: forecast.Pace{PerMinute: 100, Latency: time.Second}}
	service.Day.Limit = 1000
	service.Day.Spent[1] = 400
	class := forecast.Day{Limit: 500}
	class.Spent[1] = 100
	service.Ceilings = map[pipeline.Class]forecast.Day{pipeline.ClassBackfill: class}
	for _, test := range []struct {
		calls, today, remaining int
		days                    float64
		fits                    bool
	}{
		{0, 0, 600, 0, true},
		{400, 400, 200, 0, true},
		{401, 400, 200, 1, false},
		// 400 now, 100 when those spent are a day old, 400 a day after now.
		{900, 400, 200, 1, false},
		{1000, 400, 200, 2, false},
	} {
		s := forecast.Under(&service, forecast.Demand{Calls: test.calls, Chain: test.calls, Schedule: 200})
		if s.Today != test.today || *s.Remaining != test.remaining || s.Fits != test.fits || s.Ceiling != 500 || s.DoneSeconds == nil {
			t.Errorf("%d calls: %+v, want %+v", test.calls, s, test)
			continue
		}
		// Calls leave within minutes of the hour in which they may.
		if left := *s.DoneSeconds - test.days*24*3600; left > 3600 || left < -3600 {
			t.Errorf("%d calls are done in %.1f hours, want %.0f days", test.calls, *s.DoneSeconds/3600, test.days)
		}
	}
	service.Ceilings, service.Day = nil, forecast.Day{}
	if s := forecast.Under(&service, forecast.Demand{Calls: 201, Chain: 201}); !s.Fits || s.Remaining != nil || s.Seconds != 201 {
		t.Errorf("without a limit a day: %+v", s)
	}
}
