package warehouse_test

import (
	"testing"

	"sluice/pipeline/warehouse/streams"
)

// TestAForecastIsMadeOnceAndBeforeTheRun: a forecast that is made after the first page knows the
// outcome.
func TestAForecastIsMadeOnceAndBeforeTheRun(t *testing.T) {
	t.Parallel()
	h := open(t)
	keep := func(calls int) {
		h.must(h.db.StoreForecast(t.Context(), h.stream.Key(), streams.Forecast{Calls: calls, Basis: "measured"}))
	}
	kept := func(run int64) int64 {
		return ask[int64](h, "SELECT coalesce(sum(calls), -1)::bigint FROM sluice.forecasts WHERE run_id = $1", run)
	}
	keep(1) // no run is open
	if n := ask[int](h, "SELECT count(*) FROM sluice.forecasts"); n != 0 {
		t.Errorf("%d forecasts of no run", n)
	}
	claim := h.claim()
	keep(5)
	keep(6)
	if got := kept(claim.Run); got != 5 {
		t.Errorf("the forecast is %d, want the first one, 5", got)
	}
	h.load(h.unit(claim, h.record(1, "a")))
	_ = ask[int](h, "WITH gone AS (DELETE FROM sluice.forecasts RETURNING 1) SELECT count(*) FROM gone")
	keep(7)
	if got := kept(claim.Run); got != -1 {
		t.Errorf("a run that has loaded a page was forecast to take %d calls", got)
	}
}
