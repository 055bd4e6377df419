package enginetest_test

import (
	"maps"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"sluice/pipeline/planning"
	"sluice/sandbox"
)

// foresees makes the plan of the next sync, which has to fit. Assumed are the numbers of rows that
// nobody measured, by stream.
func (f *fixture) foresees(assumed map[string]int) planning.Plan {
	f.t.Helper()
	streams, err := f.app.Select(nil, "")
	must(f.t, err)
	var input planning.Input
	input.Streams, err = f.app.Foresee(f.t.Context(), streams)
	must(f.t, err)
	for i := range input.Streams {
		s := &input.Streams[i]
		figure := &s.Rows
		if s.Way == planning.WayDetails {
			figure = &s.Waiting
		}
		if rows, known := assumed[s.Service+"."+s.Resource]; known {
			*figure = planning.Figure{Value: float64(rows), Basis: planning.Assumed}
		}
	}
	input.Services, err = f.app.Allowances(f.t.Context(), streams)
	must(f.t, err)
	plan := planning.Make(input)
	if !plan.Fits {
		f.t.Errorf("it does not fit: %+v", plan)
	}
	return plan
}

// TestPlan compares the forecast of a first sync, for which only the sizes are assumed, with its
// real calls. Upstream is quiet, so they have to be equal. The second forecast uses what the first
// sync measured.
func TestPlan(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		options sandbox.Options
		// whole says that the lists show whole records, so that no single record is assumed.
		// Otherwise the forecast assumes that each row needs one.
		whole bool
	}{
		"headers":    {options: sandbox.Options{Seed: 83, Records: 70, HeadersOnly: true}},
		"many pages": {options: sandbox.Options{Seed: 86, Records: 2400}, whole: true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := newFixture(t, test.options, sixLists(), "", single())
			f.planned(test.whole)
		})
	}
}

func (f *fixture) planned(whole bool) {
	f.t.Helper()
	f.blind()
	// The list of accounts is whole except in a sandbox that plays live services.
	assumed := map[string]int{"accounting.chart_of_accounts.details": 0}
	for _, name := range sixLists() {
		if name == "chat.conversations" { // an export is one call
			continue
		}
		service, list, _ := strings.Cut(name, ".")
		assumed[name] = len(f.world.Listed(service, list))
		if whole {
			assumed[name+".details"] = 0
		}
	}
	first, before := f.foresees(assumed), f.world.Stats().Calls
	f.copies()
	f.came(first, 0)
	sum := 0
	for i := range first.Services {
		sum += first.Services[i].Calls
	}
	if arrived := f.world.Stats().Calls - before; arrived != sum || sum < 15 {
		f.t.Errorf("the services were to be called %d times (more than once a list, or nothing was forecast) and were %d times", sum, arrived)
	}

	second, last := f.foresees(nil), one[int64](f, "SELECT max(id) FROM sluice.runs")
	for i := range second.Services {
		if service := &second.Services[i]; service.Spent != first.Services[i].Calls {
			f.t.Errorf("%s: %d spent, want %d", service.Service, service.Spent, first.Services[i].Calls)
		}
	}
	f.copies()
	f.came(second, last)
	// No forecast is kept where nothing was known. The second sync's runs knew everything.
	if wrong := one[int](f, "SELECT count(*) FROM sluice.runs WHERE forecast_calls <> calls"); wrong != 0 {
		f.t.Errorf("%d runs were forecast wrongly", wrong)
	}
	if none := one[int](f, "SELECT count(*) FROM sluice.runs WHERE id > $1 AND forecast_calls IS NULL", last); none != 0 {
		f.t.Errorf("%d of the second sync's runs have no forecast", none)
	}
}

// blind plans before anything was read: an export is one call, everything else is unknown.
func (f *fixture) blind() {
	f.t.Helper()
	plan := f.foresees(nil)
	for i := range plan.Streams {
		stream := &plan.Streams[i]
		if exported := stream.Resource == "conversations"; (stream.Calls != nil) != exported || exported == (stream.Request != "") {
			f.t.Errorf("before anything was read: %+v", stream)
		}
	}
}

// came compares the calls of a forecast with those that the runs after one made, by stream.
func (f *fixture) came(forecast planning.Plan, behind int64) {
	f.t.Helper()
	want, got := make(map[string]int), make(map[string]int)
	for i := range forecast.Streams {
		if s := &forecast.Streams[i]; s.Calls != nil {
			want[s.Service+"."+s.Resource] = *s.Calls
		}
	}
	rows, err := f.conn.Query(f.t.Context(), `SELECT r.service || '.' || r.resource, (SELECT count(*) FROM sluice.calls c WHERE c.run_id = r.id)
		FROM sluice.runs r WHERE r.id > $1`, behind)
	must(f.t, err)
	var name string
	var calls int
	_, err = pgx.ForEachRow(rows, []any{&name, &calls}, func() error {
		got[name] += calls
		return nil
	})
	must(f.t, err)
	if !maps.Equal(want, got) {
		f.t.Errorf("it was to take\n%v and took\n%v", want, got)
	}
}
