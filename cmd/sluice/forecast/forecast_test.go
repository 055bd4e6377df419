package forecast_test

import (
	"testing"
	"time"

	"pgregory.net/rapid"

	"sluice/cmd/sluice/forecast"
	"sluice/connectors"
	"sluice/pipeline"
)

// known makes a measured figure.
func known(value float64) forecast.Figure {
	return forecast.Figure{Value: value, Basis: forecast.Measured}
}

func unknown() forecast.Figure { return forecast.Figure{Basis: forecast.Unknown} }

func stream(resource string, shape forecast.Shape, facts forecast.Facts) forecast.Stream {
	return forecast.Stream{Key: pipeline.Key{Organization: "1", Service: "s", Resource: resource}, Shape: shape, Facts: facts}
}

// The figures of this table are counted by hand from docs/decisions/0007: a list of one
// page is read once, any other in two equal passes, and a full last page is followed by
// an empty one where pages go by number.
func TestNext(t *testing.T) {
	t.Parallel()
	byNumber := forecast.Shape{Way: forecast.WayRows, Page: 200, Full: true}
	since := forecast.Shape{Way: forecast.WayChanges, Page: 200, Full: true}
	byToken := forecast.Shape{Way: forecast.WayRows, Page: 100}
	details := forecast.Shape{Way: forecast.WayDetails, Batch: 1}
	batches := forecast.Shape{Way: forecast.WayDetails, Batch: 100}
	parents := forecast.Shape{Way: forecast.WayParents, Each: forecast.WayRows, Page: 200, Full: true}
	exports := forecast.Shape{Way: forecast.WayParents, Each: forecast.WayOnce}
	nobody := forecast.Facts{Rows: unknown(), Changes: unknown(), Waiting: known(0), Parents: unknown()}
	for name, test := range map[string]struct {
		shape       forecast.Shape
		facts       forecast.Facts
		calls, left int
		basis       forecast.Basis
	}{
		"an export":                   {forecast.Shape{Way: forecast.WayOnce}, nobody, 1, 0, forecast.Declared},
		"no rows":                     {byNumber, forecast.Facts{Rows: known(0)}, 1, 0, forecast.Measured},
		"almost a page":               {byNumber, forecast.Facts{Rows: known(199)}, 1, 0, forecast.Measured},
		"a full page":                 {byNumber, forecast.Facts{Rows: known(200)}, 4, 0, forecast.Measured},
		"20,000 rows":                 {byNumber, forecast.Facts{Rows: known(20_000)}, 202, 0, forecast.Measured},
		"re-anchored, almost a page":  {byNumber, forecast.Facts{Rows: known(199), Anchored: true}, 1, 0, forecast.Measured},
		"re-anchored, a full page":    {byNumber, forecast.Facts{Rows: known(200), Anchored: true}, 2, 0, forecast.Measured},
		"re-anchored, 398 rows":       {since, forecast.Facts{Rows: known(398), Anchored: true}, 2, 0, forecast.Measured},
		"re-anchored, 399 rows":       {since, forecast.Facts{Rows: known(399), Anchored: true}, 3, 0, forecast.Measured},
		"re-anchored, nothing":        {since, forecast.Facts{Rows: known(0), Anchored: true}, 1, 0, forecast.Measured},
		"re-anchored, 20,000 rows":    {since, forecast.Facts{Rows: known(20_000), Anchored: true}, 101, 0, forecast.Measured},
		"a full page by token":        {byToken, forecast.Facts{Rows: known(100)}, 1, 0, forecast.Measured},
		"two pages by token":          {byToken, forecast.Facts{Rows: known(101)}, 4, 0, forecast.Measured},
		"never read":                  {since, nobody, 0, 0, forecast.Unknown},
		"never read, size known":      {since, forecast.Facts{Rows: known(400), Changes: unknown()}, 6, 0, forecast.Measured},
		"read, changes unknown":       {since, forecast.Facts{Read: true, Rows: known(9000), Changes: unknown()}, 1, 0, forecast.Assumed},
		"480 changes a day, an hour":  {since, forecast.Facts{Read: true, Since: time.Hour, Rows: known(9000), Changes: known(480)}, 1, 0, forecast.Measured},
		"480 changes a day, a day":    {since, forecast.Facts{Read: true, Since: 24 * time.Hour, Rows: known(9000), Changes: known(480)}, 6, 0, forecast.Measured},
		"nothing waits":               {details, forecast.Facts{Waiting: known(0), PerRun: 250}, 0, 0, forecast.Measured},
		"more than a run may":         {details, forecast.Facts{Waiting: known(800), PerRun: 250}, 250, 550, forecast.Measured},
		"in batches":                  {batches, forecast.Facts{Waiting: known(801), PerRun: 250}, 9, 0, forecast.Measured},
		"parents not looked for yet":  {parents, nobody, 0, 0, forecast.Unknown},
		"64 parents of a page":        {parents, forecast.Facts{Rows: known(640), Parents: known(64), PerRun: 20}, 20, 44, forecast.Measured},
		"10 parents of two pages":     {parents, forecast.Facts{Rows: known(3000), Parents: known(10), PerRun: 6}, 8, 32, forecast.Measured},
		"parents, their rows unknown": {parents, forecast.Facts{Rows: unknown(), Parents: known(3)}, 3, 0, forecast.Assumed},
		"an export for each parent":   {exports, forecast.Facts{Rows: known(99_999), Parents: known(3)}, 3, 0, forecast.Measured},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			run := forecast.Next([]forecast.Stream{stream("things", test.shape, test.facts)})[0]
			if run.Calls != test.calls || run.Left != test.left || run.Basis != test.basis || (run.Ask != "") != (test.basis == forecast.Unknown) {
				t.Errorf("got %d calls, %d left, %s, ask %q", run.Calls, run.Left, run.Basis, run.Ask)
			}
		})
	}
}

// TestDetailsOfAList: what a list is about to bring is work for its details.
func TestDetailsOfAList(t *testing.T) {
	t.Parallel()
	list := forecast.Shape{Way: forecast.WayChanges, Page: 200, Full: true}
	for name, test := range map[string]struct {
		list    forecast.Facts
		waiting forecast.Figure
		calls   int
		ask     string
	}{
		"never read":           {forecast.Facts{Rows: known(70), Changes: unknown()}, known(0), 70, ""},
		"read":                 {forecast.Facts{Read: true, Since: time.Hour, Rows: known(70), Changes: known(48)}, known(5), 7, ""},
		"changes not measured": {forecast.Facts{Read: true, Rows: known(70), Changes: unknown()}, known(5), 5, ""},
		"of unknown size":      {forecast.Facts{Rows: unknown(), Changes: unknown()}, known(0), 0, "s.bills"},
		"a person says so":     {forecast.Facts{Rows: unknown(), Changes: unknown()}, forecast.Figure{Value: 3, Basis: forecast.Assumed}, 3, ""},
	} {
		runs := forecast.Next([]forecast.Stream{
			stream("bills", list, test.list),
			stream("bills.details", forecast.Shape{Way: forecast.WayDetails, Batch: 1}, forecast.Facts{Waiting: test.waiting}),
		})
		if runs[1].Calls != test.calls || runs[1].Ask != test.ask {
			t.Errorf("%s: %d calls, ask %q, want %d and %q", name, runs[1].Calls, runs[1].Ask, test.calls, test.ask)
		}
	}
}

// draw makes any stream.
func draw(t *rapid.T) forecast.Stream {
	ways := []forecast.Way{forecast.WayOnce, forecast.WayRows, forecast.WayChanges, forecast.WayDetails, forecast.WayParents}
	return stream("things", forecast.Shape{
		Way: rapid.SampledFrom(ways).Draw(t, "way"), Page: rapid.IntRange(1, 300).Draw(t, "page"), Full: rapid.Bool().Draw(t, "full"),
		Batch: rapid.IntRange(1, 120).Draw(t, "batch"), Each: rapid.SampledFrom(ways[:2]).Draw(t, "each"),
	}, forecast.Facts{
		Read: rapid.Bool().Draw(t, "read"), Since: time.Duration(rapid.Int64Range(0, int64(30*24*time.Hour)).Draw(t, "since")),
		Rows: known(float64(rapid.IntRange(0, 100_000).Draw(t, "rows"))), Changes: known(rapid.Float64Range(0, 50_000).Draw(t, "changes")),
		Waiting: known(float64(rapid.IntRange(0, 100_000).Draw(t, "waiting"))), Parents: known(float64(rapid.IntRange(0, 5000).Draw(t, "parents"))),
		PerRun: rapid.IntRange(0, 500).Draw(t, "per run"), Every: time.Duration(rapid.IntRange(1, 3000).Draw(t, "every")) * time.Minute,
	})
}

// TestMoreCostsMore: nothing is negative, and whoever has more of anything has no fewer
// calls.
func TestMoreCostsMore(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		less := draw(t)
		more := less
		more.Rows.Value += float64(rapid.IntRange(0, 5000).Draw(t, "more rows"))
		more.Changes.Value += float64(rapid.IntRange(0, 5000).Draw(t, "more changes"))
		more.Waiting.Value += float64(rapid.IntRange(0, 5000).Draw(t, "more waiting"))
		if more.Way != forecast.WayParents || more.Each == forecast.WayOnce { // the same rows under more parents can fit one page each
			more.Parents.Value += float64(rapid.IntRange(0, 500).Draw(t, "more parents"))
		}
		one, other := forecast.Next([]forecast.Stream{less})[0], forecast.Next([]forecast.Stream{more})[0]
		if one.Calls < 0 || one.Left < 0 {
			t.Fatalf("negative: %+v", one)
		}
		if one.Calls+one.Left > other.Calls+other.Left {
			t.Fatalf("%d and %d calls for less, %d and %d for more", one.Calls, one.Left, other.Calls, other.Left)
		}
		pace := forecast.Pace{PerMinute: 100, Concurrent: 5, Latency: time.Second}
		if cost := less.PerDay(nil, pace); cost.PerDay.Value < 0 || cost.Fresh < 0 {
			t.Fatalf("negative: %+v", cost)
		}
	})
}

// TestShapes: of every declared stream it is known how it is read.
func TestShapes(t *testing.T) {
	t.Parallel()
	for _, service := range connectors.All() {
		for i := range service.Resources {
			list := pipeline.Stream{Organization: "1", Service: &service, Resource: &service.Resources[i]}
			shape := forecast.ShapeOf(list, 200)
			if (shape.Way == forecast.WayRows || shape.Way == forecast.WayChanges) && shape.Page < 1 {
				t.Errorf("%s: pages of %d", list, shape.Page)
			}
			list.Work = pipeline.WorkDetails
			if shape := forecast.ShapeOf(list, 200); shape.Way != forecast.WayDetails || shape.Batch < 1 {
				t.Errorf("%s: %+v", list, shape)
			}
		}
	}
}
