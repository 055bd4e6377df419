package planning_test

import (
	"testing"
	"time"

	"sluice/pipeline"
	"sluice/pipeline/planning"
)

// service is an allowance of a thousand calls a day, of which details may spend 400.
func service(name string, spent int) planning.Service {
	s := planning.Service{
		Organization: "1", Name: name, Shared: "suite", Day: planning.Day{Limit: 1000},
		Pace:     planning.Pace{PerMinute: 100, Concurrent: 5, Latency: time.Second},
		Ceilings: map[pipeline.Class]planning.Day{pipeline.ClassDetails: {Limit: 400}},
	}
	s.Day.Spent[0] = spent
	return s
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
		fresh              time.Duration
		fits               bool
		calls, later, left int
		days               float64 // until all is copied
	}{
		"one list":               {[]planning.Stream{rows("inventory", "taxes", 1000)}, 0, 0, true, 12, 0, 988, 0},
		"the day is spent":       {[]planning.Stream{rows("inventory", "taxes", 1000)}, 990, 0, false, 12, 0, 0, 1},
		"of unknown size":        {[]planning.Stream{rows("inventory", "taxes", 1000), size}, 0, 0, true, 12, 0, 988, 0},
		"2,000 details, 400 a d": {[]planning.Stream{details}, 0, 0, true, 100, 1900, 900, 4},
		"fresh enough":           {[]planning.Stream{rows("inventory", "taxes", 1000)}, 0, time.Hour, true, 12, 0, 988, 0},
		"too fresh for the day":  {[]planning.Stream{rows("inventory", "taxes", 1000)}, 0, 10 * time.Minute, false, 12, 0, 988, 0},
		"too fresh for a run":    {[]planning.Stream{rows("inventory", "taxes", 1000)}, 0, time.Minute, false, 12, 0, 988, 0},
		"fresh, of unknown size": {[]planning.Stream{rows("inventory", "taxes", 1000), size}, 0, time.Hour, true, 12, 0, 988, 0},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			fresh := make(map[pipeline.Key]time.Duration)
			for i := range test.streams {
				if test.fresh > 0 {
					fresh[test.streams[i].Key] = test.fresh
				}
			}
			plan := planning.Make(planning.Input{Streams: test.streams, Services: []planning.Service{service("inventory", test.spent)}, Fresh: fresh})
			of := plan.Services[0]
			if plan.Fits != test.fits || of.Calls != test.calls || of.Later != test.later || *of.Remaining != test.left {
				t.Errorf("fits %v: %+v, %d remain", plan.Fits, of, *of.Remaining)
			}
			if test.fresh == 0 && (of.DoneSeconds == nil || *of.DoneSeconds < test.days*86400 || *of.DoneSeconds > test.days*86400+3600) {
				t.Errorf("done in %v, want %v days", of.DoneSeconds, test.days)
			}
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
		if of.Calls != 152 || of.Seconds < 183 || of.Seconds > 187 {
			t.Errorf("%s: %d calls in %.0f s", of.Service, of.Calls, of.Seconds)
		}
	}
	if of := plan.Services[2]; of.Calls != 502 || of.Seconds < 502 {
		t.Errorf("another organization: %d calls in %.0f s", of.Calls, of.Seconds)
	}
}
