package budget_test

import (
	"context"
	"errors"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/goleak"

	"sluice/pipeline"
	"sluice/pipeline/budget"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// script is a ledger that answers from its script; after the last entry it grants every call.
type script struct {
	mu        sync.Mutex
	decisions []pipeline.Decision
	err       error
	finishErr error
	asked     int
	granted   int64
	asks      []time.Time
	calls     []pipeline.Call
	finished  map[int64]pipeline.CallResult
	penalties []penalty
	order     []string
	ctxErr    error
}

type penalty struct {
	organization, service, shared string
	kind                          pipeline.Kind
	d                             time.Duration
}

func (s *script) Reserve(_ context.Context, call pipeline.Call, _ pipeline.Limits) (pipeline.Decision, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.asks, s.calls = append(s.asks, time.Now()), append(s.calls, call)
	if s.err != nil {
		return pipeline.Decision{}, s.err
	}
	if s.asked < len(s.decisions) {
		s.asked++
		return s.decisions[s.asked-1], nil
	}
	s.granted++
	return pipeline.Decision{Call: s.granted}, nil
}

func (s *script) Finish(ctx context.Context, call int64, result pipeline.CallResult) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.ctxErr = ctx.Err()
	s.order = append(s.order, "finish")
	if s.finished == nil {
		s.finished = map[int64]pipeline.CallResult{}
	}
	s.finished[call] = result
	return s.finishErr
}

func (s *script) Penalize(_ context.Context, organization, service, shared string, kind pipeline.Kind, d time.Duration) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.order = append(s.order, "penalize")
	s.penalties = append(s.penalties, penalty{organization, service, shared, kind, d})
	return nil
}

// gate is a gate for calls of organizations in India that all have the same limits.
type gate struct {
	*budget.Gate

	limits pipeline.Limits
}

func (g gate) Enter(ctx context.Context, call pipeline.Call) (int64, error) {
	return g.Gate.Enter(ctx, limited(call, g.limits, time.FixedZone("IST", 19_800)))
}

func (g gate) Leave(ctx context.Context, call pipeline.Call, number int64, result pipeline.CallResult) error {
	return g.Gate.Leave(ctx, limited(call, g.limits, time.FixedZone("IST", 19_800)), number, result)
}

// limited returns the call as one of an organization with these limits.
func limited(call pipeline.Call, limits pipeline.Limits, zone *time.Location) pipeline.Call {
	call.Org = &pipeline.Organization{Key: call.Organization, Limits: map[string]pipeline.Limits{call.Service: limits}, Location: zone}
	return call
}

func newGate(t *testing.T, ledger budget.Ledger, limits pipeline.Limits) gate {
	t.Helper()
	made, err := budget.New(budget.Options{Ledger: ledger, Now: time.Now})
	must(t, err)
	return gate{made, limits}
}

var (
	bills   = pipeline.Call{Organization: "1", Service: "inventory", Class: pipeline.ClassSweep, Method: "GET", Path: "/inventory/v1/bills"}
	fixture = pipeline.Limits{Shared: "suite", PerMinute: 100, Concurrent: 5, Daily: 1000}
)

func TestEnterGivesTheNumberAndPassesTheClassOn(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		ledger := &script{}
		number, err := newGate(t, ledger, fixture).Enter(t.Context(), bills)
		if err != nil || number != 1 {
			t.Fatalf("Enter = %d, %v; want 1, nil", number, err)
		}
		errorIf(t, ledger.calls[0].Class != pipeline.ClassSweep, "class %q reached the ledger, want sweep", ledger.calls[0].Class)
	})
}

func TestEnterWaitsForTheMinuteAndAsksAgain(t *testing.T) {
	t.Parallel()
	for _, refused := range []pipeline.Refusal{pipeline.RefusedMinute, pipeline.RefusedClosed} {
		t.Run(string(refused), func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				ledger := &script{decisions: []pipeline.Decision{{Refused: refused, Wait: 20 * time.Second}}}
				start := time.Now()
				if _, err := newGate(t, ledger, fixture).Enter(t.Context(), bills); err != nil {
					t.Fatal(err)
				}
				waited := time.Since(start)
				errorIf(t, waited < 20*time.Second || waited > 21*time.Second, "waited %v, want 20 s and a little", waited)
			})
		})
	}
}

func TestEnterGivesUpWithTheKindOfTheRefusal(t *testing.T) {
	t.Parallel()
	cases := []struct {
		decision pipeline.Decision
		kind     pipeline.Kind
		waits    time.Duration
	}{
		{pipeline.Decision{Refused: pipeline.RefusedMinute, Wait: 2 * time.Minute}, pipeline.Throttled, 0},
		{pipeline.Decision{Refused: pipeline.RefusedClosed, Wait: 10 * time.Minute}, pipeline.Throttled, 0},
		{pipeline.Decision{Refused: pipeline.RefusedDay, Wait: 5 * time.Hour}, pipeline.Exhausted, 0},
		{pipeline.Decision{Refused: pipeline.RefusedDay, Wait: time.Second}, pipeline.Exhausted, 0},
		{pipeline.Decision{Refused: pipeline.RefusedClass, Wait: 3 * time.Hour}, pipeline.Exhausted, 0},
		// A slot may be freed at any moment, so the gate asks until MaxWait is over.
		{pipeline.Decision{Refused: pipeline.RefusedConcurrent, Wait: 2 * time.Minute}, pipeline.Crowded, 70 * time.Second},
	}
	for _, tc := range cases {
		t.Run(string(tc.decision.Refused), func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				ledger := &script{}
				for range 200 {
					ledger.decisions = append(ledger.decisions, tc.decision)
				}
				start := time.Now()
				_, err := newGate(t, ledger, fixture).Enter(t.Context(), bills)
				var refusal *pipeline.Error
				if !errors.As(err, &refusal) || refusal.Kind != tc.kind {
					t.Fatalf("Enter = %v, want kind %v", err, tc.kind)
				}
				waited := time.Since(start)
				errorIf(t, waited < tc.waits || waited > tc.waits+5*time.Second, "waited %v, want about %v", waited, tc.waits)
				want := time.Now().Add(tc.decision.Wait)
				errorIf(t, !refusal.Until.Equal(want), "Until = %v, want %v", refusal.Until, want)
				errorIf(t, refusal.Detail == "" || refusal.Op != "GET /inventory/v1/bills", "the error says %q", refusal.Error())
			})
		})
	}
}

func TestALeavingCallWakesTheOneThatWaitsForASlot(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		ledger := &script{}
		gate := newGate(t, ledger, fixture)
		first, err := gate.Enter(t.Context(), bills)
		must(t, err)
		ledger.mu.Lock()
		ledger.decisions = []pipeline.Decision{{Refused: pipeline.RefusedConcurrent, Wait: 2 * time.Minute}}
		ledger.mu.Unlock()
		start := time.Now()
		entered := make(chan error)
		go func() {
			_, err := gate.Enter(t.Context(), bills)
			entered <- err
		}()
		synctest.Wait()
		must(t, gate.Leave(t.Context(), bills, first, pipeline.CallResult{Status: 200}))
		must(t, <-entered)
		waited := time.Since(start)
		errorIf(t, waited != 0, "the waiting call was woken after %v, want at once", waited)
	})
}

func TestASlotFreedElsewhereIsFound(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		ledger := &script{decisions: []pipeline.Decision{
			{Refused: pipeline.RefusedConcurrent, Wait: 2 * time.Minute}, {Refused: pipeline.RefusedConcurrent, Wait: 2 * time.Minute},
		}}
		start := time.Now()
		if _, err := newGate(t, ledger, fixture).Enter(t.Context(), bills); err != nil {
			t.Fatal(err)
		}
		waited := time.Since(start)
		errorIf(t, waited < 2*time.Second || waited > 3*time.Second, "waited %v, want two polls of a second", waited)
	})
}

func TestEnterHonoursTheContext(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		ledger := &script{decisions: []pipeline.Decision{{Refused: pipeline.RefusedMinute, Wait: time.Minute}}}
		ctx, cancel := context.WithTimeout(t.Context(), 3*time.Second)
		defer cancel()
		start := time.Now()
		_, err := newGate(t, ledger, fixture).Enter(ctx, bills)
		errorIf(t, !errors.Is(err, context.DeadlineExceeded) || pipeline.KindOf(err) != 0,
			"Enter = %v, want the context's error without a kind", err)
		waited := time.Since(start)
		errorIf(t, waited != 3*time.Second, "waited %v, want 3 s", waited)
	})
}

func TestEnterReportsWhatTheLedgerMayNotSay(t *testing.T) {
	t.Parallel()
	broken := errors.New("no connection")
	for name, ledger := range map[string]*script{
		"error":           {err: broken},
		"no number":       {decisions: []pipeline.Decision{{}}},
		"unknown refusal": {decisions: []pipeline.Decision{{Refused: "moon"}}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := newGate(t, ledger, fixture).Enter(t.Context(), bills)
			errorIf(t, err == nil || pipeline.KindOf(err) != 0 || (ledger.err != nil && !errors.Is(err, broken)),
				"Enter = %v, want an error without a kind", err)
		})
	}
}

// The pace is a full burst at once, then one call every 600 ms. The calls of another service of the
// same allowance count, too; another organization has its own pace.
func TestEnterPacesThisProcess(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		ledger := &script{}
		gate := newGate(t, ledger, fixture)
		accounting, other := bills, bills
		accounting.Service, other.Organization = "accounting", "2"
		start := time.Now()
		for i := range 102 {
			call := bills
			if i%2 == 1 {
				call = accounting
			}
			if _, err := gate.Enter(t.Context(), call); err != nil {
				t.Fatal(err)
			}
		}
		if waited := time.Since(start); waited < 1190*time.Millisecond || waited > 1210*time.Millisecond {
			t.Errorf("102 calls took %v, want 1.2 s", waited)
		}
		start = time.Now()
		if _, err := gate.Enter(t.Context(), other); err != nil || time.Since(start) != 0 {
			t.Errorf("another organization waited %v (%v), want not at all", time.Since(start), err)
		}
	})
}

func TestAPaceTooLongIsThrottled(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		gate := newGate(t, &script{}, pipeline.Limits{Shared: "slow", PerMinute: 1})
		var kinds []pipeline.Kind
		start := time.Now()
		var wait sync.WaitGroup
		var mu sync.Mutex
		for range 3 {
			wait.Go(func() {
				_, err := gate.Enter(t.Context(), bills)
				mu.Lock()
				defer mu.Unlock()
				kinds = append(kinds, pipeline.KindOf(err))
			})
		}
		wait.Wait()
		throttled := 0
		for _, kind := range kinds {
			if kind == pipeline.Throttled {
				throttled++
			}
		}
		if throttled != 1 || time.Since(start) != time.Minute {
			t.Errorf("kinds %v after %v, want one throttled (two minutes off), one after a minute", kinds, time.Since(start))
		}
	})
}

func TestLeaveTellsTheLedger(t *testing.T) {
	t.Parallel()
	// 2000-01-01 00:00 UTC, where synctest starts, is 05:30 in India: 18:30 left, and a minute for
	// clocks that differ.
	const toMidnight = 18*time.Hour + 31*time.Minute
	cases := map[string]struct {
		result pipeline.CallResult
		want   time.Duration
	}{
		"fine":                        {pipeline.CallResult{Status: 200}, 0},
		"throttled":                   {pipeline.CallResult{Kind: pipeline.Throttled}, time.Minute},
		"throttled, told":             {pipeline.CallResult{Kind: pipeline.Throttled, RetryAfter: 7 * time.Second}, 7 * time.Second},
		"throttled, told a day":       {pipeline.CallResult{Kind: pipeline.Throttled, RetryAfter: 24 * time.Hour}, time.Hour},
		"crowded":                     {pipeline.CallResult{Kind: pipeline.Crowded}, 5 * time.Minute},
		"crowded, told":               {pipeline.CallResult{Kind: pipeline.Crowded, RetryAfter: time.Second}, time.Second},
		"exhausted, told":             {pipeline.CallResult{Kind: pipeline.Exhausted, DayReset: 90 * time.Minute}, 90 * time.Minute},
		"exhausted, own midnight":     {pipeline.CallResult{Kind: pipeline.Exhausted}, toMidnight},
		"expired holds no call back":  {pipeline.CallResult{Kind: pipeline.Expired}, 0},
		"denied holds no call back":   {pipeline.CallResult{Kind: pipeline.Denied}, 0},
		"a 5xx holds no call back":    {pipeline.CallResult{Kind: pipeline.Unavailable, RetryAfter: time.Minute}, 0},
		"nonsense holds no call back": {pipeline.CallResult{Kind: pipeline.Unexpected}, 0},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				ledger := &script{}
				gate := newGate(t, ledger, fixture)
				ctx, cancel := context.WithCancel(t.Context())
				cancel() // the end is noted also for a call that was given up
				must(t, gate.Leave(ctx, bills, 7, tc.result))
				got, ok := ledger.finished[7]
				errorIf(t, !ok || got != tc.result || ledger.ctxErr != nil, "finished %+v (context %v), want %+v", got, ledger.ctxErr, tc.result)
				switch {
				case tc.want == 0 && len(ledger.penalties) != 0:
					t.Errorf("penalties %+v, want none", ledger.penalties)
				case tc.want != 0:
					want := penalty{"1", "inventory", "suite", tc.result.Kind, tc.want}
					errorIf(t, len(ledger.penalties) != 1 || ledger.penalties[0] != want, "penalties %+v, want %+v", ledger.penalties, want)
					errorIf(t, ledger.order[0] != "penalize", "the slot was freed before the gate closed")
				}
			})
		})
	}
}

func TestLeaveReportsALedgerThatFails(t *testing.T) {
	t.Parallel()
	broken := errors.New("no connection")
	gate := newGate(t, &script{finishErr: broken}, fixture)
	err := gate.Leave(t.Context(), bills, 1, pipeline.CallResult{})
	errorIf(t, !errors.Is(err, broken), "Leave = %v, want the ledger's error", err)
}

func TestNewAndUnknownLimits(t *testing.T) {
	t.Parallel()
	_, err := budget.New(budget.Options{})
	errorIf(t, err == nil, "New without options succeeded")
	ledger := &script{}
	gate, err := budget.New(budget.Options{Ledger: ledger, Now: time.Now})
	must(t, err)
	call := bills
	call.Org = &pipeline.Organization{Key: call.Organization, Limits: map[string]pipeline.Limits{"accounting": fixture}}
	const unknown = "limits of 1/inventory: no such service is configured"
	if _, err = gate.Enter(t.Context(), call); err == nil || err.Error() != unknown {
		t.Errorf("Enter = %v, want %s", err, unknown)
	}
	if err = gate.Leave(t.Context(), call, 3, pipeline.CallResult{}); err == nil || err.Error() != unknown {
		t.Errorf("Leave = %v, want %s", err, unknown)
	}
	_, ok := ledger.finished[3]
	errorIf(t, !ok, "the end of the call was not noted")
}

func must(tb testing.TB, err error) {
	tb.Helper()
	if err != nil {
		tb.Fatal(err)
	}
}

// errorIf fails the test where something is not as it should be, and says what.
func errorIf(tb testing.TB, wrong bool, format string, args ...any) {
	tb.Helper()
	if wrong {
		tb.Errorf(format, args...)
	}
}
