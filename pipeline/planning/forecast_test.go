package planning_test

import (
	"testing"
	"time"

	"pgregory.net/rapid"

	"sluice/connectors"
	"sluice/pipeline"
	"sluice/pipeline/planning"
)

// known makes a measured figure.
func known(value float64) planning.Figure {
	return planning.Figure{Value: value, Basis: planning.Measured}
}

func unknown() planning.Figure { return planning.Figure{Basis: planning.Unknown} }

func stream(resource string, shape planning.Shape, facts planning.Facts) planning.Stream {
	return planning.Stream{Key: pipeline.Key{Organization: "1", Service: "s", Resource: resource}, Shape: shape, Facts: facts}
}

// The figures of this table are counted by hand from docs/decisions/0007-paging-by-number, those
// of overlapping pages from its table. A list of one page is read once, any other in two equal
// passes. With numbered pages a full last page is followed by an empty one.
func TestNext(t *testing.T) {
	t.Parallel()
	byNumber := planning.Shape{Way: planning.WayRows, Page: 200, Full: true}
	since := planning.Shape{Way: planning.WayChanges, Page: 200, Full: true}
	overlapping := planning.Shape{Way: planning.WayRows, Page: 200, Full: true, Overlaps: true}
	unsized := planning.Shape{Way: planning.WayRows, Page: 200, Full: true, Overlaps: true, Unsized: 5000}
	byToken := planning.Shape{Way: planning.WayRows, Page: 100}
	details := planning.Shape{Way: planning.WayDetails, Batch: 1}
	batches := planning.Shape{Way: planning.WayDetails, Batch: 100}
	parents := planning.Shape{Way: planning.WayParents, Each: planning.WayRows, Page: 200, Full: true}
	exports := planning.Shape{Way: planning.WayParents, Each: planning.WayOnce}
	nobody := planning.Facts{Rows: unknown(), Changes: unknown(), Waiting: known(0), Parents: unknown()}
	for name, test := range map[string]struct {
		shape       planning.Shape
		facts       planning.Facts
		calls, left int
		basis       planning.Basis
	}{
		"an export":                   {planning.Shape{Way: planning.WayOnce}, nobody, 1, 0, planning.Declared},
		"a look":                      {planning.Shape{Way: planning.WayLook}, nobody, 2, 0, planning.Assumed},
		"no rows":                     {byNumber, planning.Facts{Rows: known(0)}, 1, 0, planning.Measured},
		"almost a page":               {byNumber, planning.Facts{Rows: known(199)}, 1, 0, planning.Measured},
		"a full page":                 {byNumber, planning.Facts{Rows: known(200)}, 4, 0, planning.Measured},
		"20,000 rows":                 {byNumber, planning.Facts{Rows: known(20_000)}, 202, 0, planning.Measured},
		"overlaps, almost a page":     {overlapping, planning.Facts{Rows: known(199)}, 1, 0, planning.Measured},
		"overlaps, a full page":       {overlapping, planning.Facts{Rows: known(200)}, 2, 0, planning.Measured},
		"overlaps, 1,000 rows":        {overlapping, planning.Facts{Rows: known(1000)}, 6, 0, planning.Measured},
		"overlaps, 20,160 rows":       {overlapping, planning.Facts{Rows: known(20_160)}, 111, 0, planning.Measured},
		"a page without a size":       {unsized, planning.Facts{Rows: known(4999)}, 1, 0, planning.Measured},
		"pages without a size":        {unsized, planning.Facts{Rows: known(14_999)}, 5, 0, planning.Measured},
		"keyset, almost a page":       {byNumber, planning.Facts{Rows: known(199), ReadsByKeyset: true}, 1, 0, planning.Measured},
		"keyset, a full page":         {byNumber, planning.Facts{Rows: known(200), ReadsByKeyset: true}, 2, 0, planning.Measured},
		"keyset, 398 rows":            {since, planning.Facts{Rows: known(398), ReadsByKeyset: true}, 2, 0, planning.Measured},
		"keyset, 399 rows":            {since, planning.Facts{Rows: known(399), ReadsByKeyset: true}, 3, 0, planning.Measured},
		"keyset, nothing":             {since, planning.Facts{Rows: known(0), ReadsByKeyset: true}, 1, 0, planning.Measured},
		"keyset, 20,000 rows":         {since, planning.Facts{Rows: known(20_000), ReadsByKeyset: true}, 101, 0, planning.Measured},
		"a full page by token":        {byToken, planning.Facts{Rows: known(100)}, 1, 0, planning.Measured},
		"two pages by token":          {byToken, planning.Facts{Rows: known(101)}, 4, 0, planning.Measured},
		"never read":                  {since, nobody, 0, 0, planning.Unknown},
		"never read, size known":      {since, planning.Facts{Rows: known(400), Changes: unknown()}, 6, 0, planning.Measured},
		"read, changes unknown":       {since, planning.Facts{Read: true, Rows: known(9000), Changes: unknown()}, 1, 0, planning.Assumed},
		"480 changes a day, an hour":  {since, planning.Facts{Read: true, Since: time.Hour, Rows: known(9000), Changes: known(480)}, 1, 0, planning.Measured},
		"480 changes a day, a day":    {since, planning.Facts{Read: true, Since: 24 * time.Hour, Rows: known(9000), Changes: known(480)}, 6, 0, planning.Measured},
		"nothing waits":               {details, planning.Facts{Waiting: known(0), PerRun: 250}, 0, 0, planning.Measured},
		"more than a run may":         {details, planning.Facts{Waiting: known(800), PerRun: 250}, 250, 550, planning.Measured},
		"in batches":                  {batches, planning.Facts{Waiting: known(801), PerRun: 250}, 9, 0, planning.Measured},
		"parents not looked for yet":  {parents, nobody, 0, 0, planning.Unknown},
		"64 parents of a page":        {parents, planning.Facts{Rows: known(640), Parents: known(64), PerRun: 20}, 20, 44, planning.Measured},
		"10 parents of two pages":     {parents, planning.Facts{Rows: known(3000), Parents: known(10), PerRun: 6}, 8, 32, planning.Measured},
		"parents, their rows unknown": {parents, planning.Facts{Rows: unknown(), Parents: known(3)}, 3, 0, planning.Assumed},
		"an export for each parent":   {exports, planning.Facts{Rows: known(99_999), Parents: known(3)}, 3, 0, planning.Measured},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			run := planning.Next([]planning.Stream{stream("things", test.shape, test.facts)})[0]
			if run.Calls != test.calls || run.Left != test.left || run.Basis != test.basis || (run.Request != "") != (test.basis == planning.Unknown) {
				t.Errorf("got %d calls, %d left, %s, ask %q", run.Calls, run.Left, run.Basis, run.Request)
			}
		})
	}
}

// TestDetailsOfAList: the records that a list is expected to bring are counted for its details.
func TestDetailsOfAList(t *testing.T) {
	t.Parallel()
	list := planning.Shape{Way: planning.WayChanges, Page: 200, Full: true}
	for name, test := range map[string]struct {
		list    planning.Facts
		waiting planning.Figure
		calls   int
		ask     string
	}{
		"never read":           {planning.Facts{Rows: known(70), Changes: unknown()}, known(0), 70, ""},
		"read":                 {planning.Facts{Read: true, Since: time.Hour, Rows: known(70), Changes: known(48)}, known(5), 7, ""},
		"the list has half":    {planning.Facts{Read: true, Since: time.Hour, Rows: known(70), Changes: known(48), Whole: 0.5}, known(5), 6, ""},
		"changes not measured": {planning.Facts{Read: true, Rows: known(70), Changes: unknown()}, known(5), 5, ""},
		"of unknown size":      {planning.Facts{Rows: unknown(), Changes: unknown()}, known(0), 0, "s.bills"},
		"a person says so":     {planning.Facts{Rows: unknown(), Changes: unknown()}, planning.Figure{Value: 3, Basis: planning.Assumed}, 3, ""},
	} {
		runs := planning.Next([]planning.Stream{
			stream("bills", list, test.list),
			stream("bills.details", planning.Shape{Way: planning.WayDetails, Batch: 1}, planning.Facts{Waiting: test.waiting}),
		})
		errorIf(t, runs[1].Calls != test.calls || runs[1].Request != test.ask,
			"%s: %d calls, ask %q, want %d and %q", name, runs[1].Calls, runs[1].Request, test.calls, test.ask)
	}
}

// draw makes any stream.
func draw(t *rapid.T) planning.Stream {
	ways := []planning.Way{planning.WayOnce, planning.WayRows, planning.WayChanges, planning.WayDetails, planning.WayParents}
	return stream("things", planning.Shape{
		Way: rapid.SampledFrom(ways).Draw(t, "way"), Page: rapid.IntRange(1, 300).Draw(t, "page"), Full: rapid.Bool().Draw(t, "full"),
		Batch: rapid.IntRange(1, 120).Draw(t, "batch"), Each: rapid.SampledFrom(ways[:2]).Draw(t, "each"),
	}, planning.Facts{
		Read: rapid.Bool().Draw(t, "read"), Since: time.Duration(rapid.Int64Range(0, int64(30*24*time.Hour)).Draw(t, "since")),
		Rows: known(float64(rapid.IntRange(0, 100_000).Draw(t, "rows"))), Changes: known(rapid.Float64Range(0, 50_000).Draw(t, "changes")),
		Waiting: known(float64(rapid.IntRange(0, 100_000).Draw(t, "waiting"))), Parents: known(float64(rapid.IntRange(0, 5000).Draw(t, "parents"))),
		PerRun: rapid.IntRange(0, 500).Draw(t, "per run"), Every: time.Duration(rapid.IntRange(1, 3000).Draw(t, "every")) * time.Minute,
	})
}

// TestMoreCostsMore: nothing is negative, and more of anything costs no fewer calls.
func TestMoreCostsMore(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		less := draw(t)
		more := less
		more.Rows.Value += float64(rapid.IntRange(0, 5000).Draw(t, "more rows"))
		more.Changes.Value += float64(rapid.IntRange(0, 5000).Draw(t, "more changes"))
		more.Waiting.Value += float64(rapid.IntRange(0, 5000).Draw(t, "more waiting"))
		if more.Way != planning.WayParents || more.Each == planning.WayOnce { // the same rows under more parents can fit one page each
			more.Parents.Value += float64(rapid.IntRange(0, 500).Draw(t, "more parents"))
		}
		one, other := planning.Next([]planning.Stream{less})[0], planning.Next([]planning.Stream{more})[0]
		if one.Calls < 0 || one.Left < 0 {
			t.Fatalf("negative: %+v", one)
		}
		if one.Calls+one.Left > other.Calls+other.Left {
			t.Fatalf("%d and %d calls for less, %d and %d for more", one.Calls, one.Left, other.Calls, other.Left)
		}
		pace := planning.Pace{PerMinute: 100, Concurrent: 5, Latency: time.Second}
		if cost := less.PerDay(nil, pace); cost.PerDay.Value < 0 || cost.Fresh < 0 {
			t.Fatalf("negative: %+v", cost)
		}
	})
}

func TestShapes(t *testing.T) {
	t.Parallel()
	for _, service := range connectors.All() {
		for i := range service.Resources {
			list := pipeline.Stream{Organization: "1", Service: &service, Resource: &service.Resources[i]}
			shape := planning.ShapeOf(list, 200)
			errorIf(t, (shape.Way == planning.WayRows || shape.Way == planning.WayChanges) && shape.Page < 1,
				"%s: pages of %d", list, shape.Page)
			list.Work = pipeline.WorkDetails
			shape = planning.ShapeOf(list, 200)
			errorIf(t, shape.Way != planning.WayDetails || shape.Batch < 1, "%s: %+v", list, shape)
		}
	}
}

func TestDayAt(t *testing.T) {
	t.Parallel()
	kolkata, err := time.LoadLocation("Asia/Kolkata")
	if err != nil {
		t.Fatal(err)
	}
	date := time.Date(2026, 3, 29, 0, 0, 0, 0, time.UTC)
	for _, c := range []struct {
		limits   pipeline.Limits
		from, to string
	}{
		{pipeline.Limits{}, "2026-03-28T18:30:00Z", "2026-03-29T18:30:00Z"},
		{pipeline.Limits{ResetZone: "UTC", ResetHour: 6}, "2026-03-29T06:00:00Z", "2026-03-30T06:00:00Z"},
		{pipeline.Limits{ResetZone: "Europe/Berlin"}, "2026-03-28T23:00:00Z", "2026-03-29T22:00:00Z"}, // an hour is left out
	} {
		from, to, err := planning.DayAt(c.limits, date, kolkata)
		errorIf(t, err != nil || from.UTC().Format(time.RFC3339) != c.from || to.UTC().Format(time.RFC3339) != c.to,
			"%+v: the day goes from %v to %v (%v), want %s to %s", c.limits, from, to, err, c.from, c.to)
	}
	_, _, err = planning.DayAt(pipeline.Limits{ResetZone: "Atlantis"}, date, kolkata)
	errorIf(t, err == nil, "a zone that does not exist is taken")
}

func TestClassLeft(t *testing.T) {
	t.Parallel()
	left := planning.DayLeft{Limit: 1000, Left: 400, Classes: []planning.ClassDay{
		{Class: "incremental", Spent: 100, Ceiling: 1000, Reserved: 300, Lent: 50}, {Class: "details", Spent: 200, Ceiling: 250},
		{Class: "backfill", Spent: 300, Ceiling: 1000},
	}}
	// 250 are kept for incremental runs and not lent.
	for class, want := range map[pipeline.Class]int64{"incremental": 400, "details": 50, "backfill": 150} {
		got := left.ClassLeft(class)
		errorIf(t, got != want, "%s has %d calls left, want %d", class, got, want)
	}
}
