package warehouse_test

import (
	"testing"
	"time"

	"sluice/pipeline"
)

// jump makes the database's clock jump: all instants of calls and gates move the other way.
func (h *fixture) jump(by time.Duration) {
	h.Helper()
	for _, sql := range []string{
		`UPDATE sluice.calls SET reserved_at = reserved_at - $1::interval, lease_until = lease_until - $1::interval,
			finished_at = finished_at - $1::interval, free_at = free_at - $1::interval`,
		`UPDATE sluice.budgets SET closed_until = closed_until - $1::interval, capped_at = capped_at - $1::interval, cap_until = cap_until - $1::interval`,
	} {
		_, err := h.db.Pool().Exec(h.Context(), sql, by)
		h.must(err)
	}
	_, err := h.db.Pool().Exec(h.Context(), `SELECT sluice.recount_calls()`)
	h.must(err)
}

// TestTheDatabasesClockJumps: the ledger has no other clock. After a jump back, waits last longer
// by the jump, and no limit is exceeded. After a jump ahead, one minute's allowance is granted
// twice, once: upstream refuses the excess, which closes the gate.
func TestTheDatabasesClockJumps(t *testing.T) {
	t.Parallel()
	h := open(t)
	limits := pipeline.Limits{Shared: "suite", PerMinute: 3, Concurrent: 3}
	spend := func() {
		for range limits.PerMinute {
			h.must(h.db.Finish(t.Context(), h.granted("shop", limits), pipeline.CallResult{Status: 200}))
		}
	}
	spend()
	h.refused(pipeline.RefusedMinute, "shop", limits, 1, time.Minute)
	h.jump(-time.Hour)
	h.refused(pipeline.RefusedMinute, "shop", limits, 1, time.Minute) // and so on for an hour
	h.jump(time.Hour)                                                 // the clock was corrected
	h.refused(pipeline.RefusedMinute, "shop", limits, 1, time.Minute)
	h.jump(time.Hour)
	spend()
	h.refused(pipeline.RefusedMinute, "shop", limits, 1, time.Minute)

	underWay := h.granted("store", pipeline.Limits{Shared: "other", PerMinute: 9, Concurrent: 1})
	h.jump(-time.Hour)
	h.refused(pipeline.RefusedConcurrent, "store", pipeline.Limits{Shared: "other", PerMinute: 9, Concurrent: 1}, 1, 2*time.Hour)
	h.must(h.db.Finish(t.Context(), underWay, pipeline.CallResult{Status: 200})) // its answer has arrived, whatever the clock says
	h.granted("store", pipeline.Limits{Shared: "other", PerMinute: 9, Concurrent: 1})
}
