package calls_test

import (
	"testing"
	"time"

	"sluice/pipeline"
	"sluice/pipeline/warehouse/calls"
)

// A call that is known to have arrived before its end holds its slot from its arrival on, but never
// from before its reservation. Once upstream has refused a call for the minute, it holds the slot
// from its end on.
func TestASlotIsHeldFromTheArrivalOn(t *testing.T) {
	t.Parallel()
	h := open(t)
	l := h.process(calls.DefaultRules())
	limits := pipeline.Limits{Shared: "suite", PerMinute: 100, Concurrent: 10}
	// held returns for how many seconds the slot is held, from its reservation and from its end.
	held := func(call int64) (float64, float64) {
		return ask[float64](h, `SELECT extract(epoch FROM free_at - reserved_at)::float8 FROM sluice.calls WHERE id = $1`, call),
			ask[float64](h, `SELECT extract(epoch FROM c.free_at - c.finished_at)::float8
				FROM sluice.calls c JOIN sluice.live_calls l USING (id, free_at, finished_at) WHERE c.id = $1`, call)
	}
	end := func(arrived time.Duration) int64 {
		call := h.granted(l, pipeline.ClassIncremental, limits)
		h.exec(`UPDATE sluice.calls SET reserved_at = reserved_at - interval '3 seconds' WHERE id = $1`, call)
		h.must(l.Finish(t.Context(), call, pipeline.CallResult{Status: 200, Arrived: arrived}))
		return call
	}
	if _, after := held(end(0)); after != 60 {
		t.Errorf("without an arrival the slot is held for %v s after the end, want 60", after)
	}
	if _, after := held(end(2 * time.Second)); after != 58 {
		t.Errorf("arrived 2 s before the end, the slot is held for %v s after it, want 58", after)
	}
	if since, _ := held(end(time.Hour)); since != 60 {
		t.Errorf("an arrival before the reservation: the slot is held for %v s after that, want 60", since)
	}
	h.must(l.Penalize(t.Context(), "o", "shop", "suite", pipeline.Throttled, time.Second))
	h.exec(`UPDATE sluice.budgets SET closed_until = closed_until - interval '5 seconds'`)
	if _, after := held(end(2 * time.Second)); after != 60 {
		t.Errorf("after a refusal the slot is held for %v s after the end, want 60", after)
	}
}
