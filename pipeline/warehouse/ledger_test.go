package warehouse_test

import (
	"slices"
	"sync"
	"testing"
	"time"

	"golang.org/x/sync/errgroup"

	"sluice/pipeline"
	"sluice/pipeline/check"
	"sluice/pipeline/warehouse"
)

func aCall(service string) pipeline.Call {
	return pipeline.Call{Organization: organization, Service: service, Resource: "things", Method: "GET", Path: "/things"}
}

func (h *fixture) reserve(db *warehouse.DB, service string, limits pipeline.Limits) pipeline.Decision {
	h.Helper()
	decision := check.Sure(db.Reserve(h.Context(), aCall(service), limits))(h)
	check.ErrorIf(h, (decision.Call == 0) == (decision.Refused == "") || (decision.Refused != "") != (decision.Wait > 0),
		"contradictory decision %+v", decision)
	return decision
}

func (h *fixture) refused(want pipeline.Refusal, service string, limits pipeline.Limits, atLeast, atMost time.Duration) {
	h.Helper()
	decision := h.reserve(h.db, service, limits)
	check.ErrorIf(h, decision.Refused != want || decision.Wait < atLeast || decision.Wait > atMost,
		"decision %+v, want refused %q with a wait of %s to %s", decision, want, atLeast, atMost)
}

func (h *fixture) granted(service string, limits pipeline.Limits) int64 {
	h.Helper()
	decision := h.reserve(h.db, service, limits)
	check.FatalIf(h, decision.Refused != "", "refused: %+v", decision)
	return decision.Call
}

// traffic lets workers of two processes make so many calls, however slow the machine is. It returns
// when each call arrived.
func (h *fixture) traffic(limits pipeline.Limits, window time.Duration, workers, calls int) []time.Time {
	h.Helper()
	processes := []*warehouse.DB{h.db, h.another(warehouse.Options{})}
	for _, process := range processes {
		process.ScaleLedger(time.Hour, window, time.Hour) // no call is lost, however slow the machine is
	}
	var mu sync.Mutex
	var arrivals []time.Time
	arrived := func(now ...time.Time) int {
		mu.Lock()
		defer mu.Unlock()
		arrivals = append(arrivals, now...)
		return len(arrivals)
	}
	group, ctx := errgroup.WithContext(h.Context())
	for worker := range workers {
		db := processes[worker%len(processes)]
		service := []string{"shop", "store"}[worker/2%2] // two services, one allowance
		group.Go(func() error {
			for arrived() < calls {
				decision, err := db.Reserve(ctx, aCall(service), limits)
				if err != nil {
					return err
				}
				if decision.Refused != "" {
					pause(ctx, min(decision.Wait, 20*time.Millisecond))
					continue
				}
				pause(ctx, time.Duration(decision.Call%7)*3*time.Millisecond) // on the way
				arrived(time.Now())
				pause(ctx, time.Duration(decision.Call%5)*3*time.Millisecond) // being answered
				if err := db.Finish(ctx, decision.Call, pipeline.CallResult{Status: 200}); err != nil {
					return err
				}
			}
			return nil
		})
	}
	check.Must(h, group.Wait())
	slices.SortFunc(arrivals, time.Time.Compare)
	return arrivals
}

func TestNeverMoreThanTheMinuteInAnyWindow(t *testing.T) {
	h := open(t)
	const limit, window = 20, 300 * time.Millisecond
	arrivals := h.traffic(pipeline.Limits{Shared: "suite", PerMinute: limit}, window, 16, 6*limit)
	for i := limit; i < len(arrivals); i++ {
		within := arrivals[i].Sub(arrivals[i-limit])
		check.FatalIf(t, within < window, "%d calls arrived within %s", limit+1, within)
	}
}

func TestTheDayIsPerServiceAndRolls(t *testing.T) {
	h := open(t)
	limits := pipeline.Limits{Shared: "suite", PerMinute: 100, Daily: 7}
	for range 7 {
		check.Must(h, h.db.Finish(t.Context(), h.granted("shop", limits), pipeline.CallResult{Status: 200}))
	}
	h.refused(pipeline.RefusedDay, "shop", limits, 23*time.Hour, 24*time.Hour)
	h.granted("store", limits)
	h.jump(23*time.Hour + 50*time.Minute)
	h.refused(pipeline.RefusedDay, "shop", limits, time.Millisecond, 12*time.Minute)
	h.jump(12 * time.Minute) // the database counts by minutes
	h.granted("shop", limits)
}

func TestALostCallHoldsItsSlotUntilItCannotBeUnderWay(t *testing.T) {
	h := open(t)
	limits, beside := pipeline.Limits{Shared: "suite", PerMinute: 1, Concurrent: 1}, pipeline.Limits{Shared: "suite", Concurrent: 1}
	h.granted("shop", limits) // its process dies
	h.refused(pipeline.RefusedMinute, "shop", limits, time.Millisecond, time.Minute)
	h.refused(pipeline.RefusedConcurrent, "shop", beside, time.Millisecond, 3*time.Minute)
	h.jump(2 * time.Minute) // its lease
	h.refused(pipeline.RefusedMinute, "shop", limits, time.Millisecond, time.Minute)
	h.granted("shop", beside)
	h.jump(4 * time.Minute) // for both
	h.granted("shop", limits)
}

func TestAllowancesAreApart(t *testing.T) {
	h := open(t)
	limits := pipeline.Limits{Shared: "suite", PerMinute: 1}
	h.granted("shop", limits)
	h.refused(pipeline.RefusedMinute, "store", limits, time.Second, time.Minute)
	h.granted("chat", pipeline.Limits{Shared: "chat", PerMinute: 1})
	other := aCall("shop")
	other.Organization = "other"
	decision := check.Sure(h.db.Reserve(t.Context(), other, limits))(h)
	check.ErrorIf(t, decision.Refused != "", "another organization is refused: %+v", decision)
}

func TestWhatUpstreamRefusesClosesTheGate(t *testing.T) {
	h := open(t)
	limits := pipeline.Limits{Shared: "suite", PerMinute: 1000, Concurrent: 8, Daily: 1000}
	h.granted("shop", limits)
	penalize := func(service, shared string, kind pipeline.Kind, d time.Duration) {
		t.Helper()
		check.Must(h, h.db.Penalize(t.Context(), organization, service, shared, kind, d))
	}

	penalize("shop", "suite", pipeline.Crowded, 0)
	penalize("shop", "suite", pipeline.Crowded, 0) // the same evidence
	for range 3 {
		h.granted("store", limits) // with the first: 4 of 8
	}
	h.refused(pipeline.RefusedConcurrent, "store", limits, time.Millisecond, time.Second)

	penalize("shop", "suite", pipeline.Throttled, 0)
	penalize("shop", "suite", pipeline.Throttled, time.Millisecond) // a penalty never shortens another
	h.refused(pipeline.RefusedClosed, "store", limits, 30*time.Second, time.Minute)

	penalize("shop", "suite", pipeline.Exhausted, 3*time.Hour)
	h.refused(pipeline.RefusedDay, "shop", limits, 179*time.Minute, 3*time.Hour)
	h.refused(pipeline.RefusedClosed, "store", limits, 30*time.Second, time.Minute)
	check.ErrorIf(t, h.db.Penalize(t.Context(), organization, "shop", "suite", pipeline.Denied, 0) == nil,
		"a penalty for what is no matter of the budget")
}

func TestAnswersCorrectTheCountOfTheDay(t *testing.T) {
	h := open(t)
	limits := pipeline.Limits{Shared: "suite", Daily: 1000}
	finish := func(call int64, remaining int) {
		t.Helper()
		check.Must(h, h.db.Finish(t.Context(), call, pipeline.CallResult{
			Status: 200, DayLimit: 1000, DayRemaining: remaining, DayReset: 2 * time.Hour,
		}))
	}
	early, first := h.granted("shop", limits), h.granted("shop", limits)
	finish(first, 2)    // other programs have used nearly all of it
	finish(early, 1000) // an older answer changes nothing
	h.granted("shop", limits)
	last := h.granted("shop", limits)
	// A remainder from headers alone is valid for an hour.
	h.refused(pipeline.RefusedDay, "shop", limits, 59*time.Minute, time.Hour)
	h.granted("store", limits)
	finish(last, 500) // the remainder was larger after all
	h.granted("shop", limits)
	finish(h.granted("shop", limits), 0)
	h.refused(pipeline.RefusedDay, "shop", limits, 59*time.Minute, time.Hour)
}

func TestAnEndIsReportedOnce(t *testing.T) {
	h := open(t)
	call := h.call(7)
	check.Must(h, h.db.Finish(t.Context(), call, pipeline.CallResult{
		Status: 429, Code: "44", Kind: pipeline.Throttled, Detail: "a\x00b", Bytes: 12, Records: 3,
	}))
	const row = `SELECT to_jsonb(c)::text FROM sluice.calls c WHERE id = $1`
	before := ask[string](h, row, call)
	check.Must(h, h.db.Finish(t.Context(), call, pipeline.CallResult{Status: 200}))
	after := ask[string](h, row, call)
	check.ErrorIf(t, after != before, "a second report changed\n%s\nto\n%s", before, after)
	got := ask[string](h, `SELECT concat_ws('|', organization_id, service, resource, run_id, method, path, page, status, code, kind,
		detail, bytes, records, free_at - finished_at, lease_until - reserved_at) FROM sluice.calls WHERE id = $1`, call)
	check.Same(t, "call log", organization+"|shop|things|7|GET|/things|1|429|44|throttled|a\u2400b|12|3|00:01:00|00:02:00", got)
}
